"""Dense and keyed parts come back from their arrays, of every form and structure."""

from __future__ import annotations

from pathlib import Path

import pytest

import kernelspec as ks
from kernelspec.planning.methods import Method
from tests.maps.example_maps import METHODS, same_maps


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "text",
    [
        "gaussian(scale=2)",
        "match()[2]",
        "gaussian()[0:2] * match()[2] + 0.5 * match()[2] + 0.7 * laplace()[1] - 0.125 * (cauchy() + gaussian()) ** 2",
        "gaussian() - gaussian()",
        "(gaussian() + match()[2]) * match()[0]",
        "tilt(laplace(2), by=0.2) + tilt(laplace(2), by=0.2) * match()[2]",
        "bochner(student_t(dof=3), isotropic=true) * cosine([1, 2, 1/3])",
        "let k = matern(nu=3/2, scale=0.1)\nmean(k, stretch(k[0, 1], [[0, 1, 1], [1/3, 0, 2]]), periodic(2)[-1])",
    ],
)
def test_round_trip(text: str, method: Method, tmp_path: Path) -> None:
    feature_map = ks.compile(text, dim=3, n_features=24, seed=2**62 + 1, method=method)
    feature_map.save(tmp_path / "map.npz")
    assert same_maps(ks.load_map(tmp_path / "map.npz"), feature_map)
    assert same_maps(ks.load_map(str(tmp_path / "map.npz")), feature_map)
