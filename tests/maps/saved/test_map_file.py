"""Maps on disk: what comes back is what was saved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import FileError, PlanError
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.fourier import FourierLaw
from kernelspec.maps.draw import draw_map
from kernelspec.planning.methods import Method
from tests.maps.example_maps import METHODS, X, same_maps


def test_round_trip_of_bits(tmp_path: Path) -> None:
    feature_map = ks.compile(
        "laplace(scale=2) + gaussian()", dim=3, n_features=24, method="binning", keys="bits", bits=3
    )
    feature_map.save(tmp_path / "map.npz")
    assert same_maps(ks.load_map(tmp_path / "map.npz"), feature_map)


def test_round_trip_of_learnt_columns(tmp_path: Path) -> None:
    text = "gaussian()[0:2] * match()[2] + match()[2] + laplace()"
    for feature_map in (
        ks.compile(text, dim=3, n_features=24).with_columns(X),
        ks.compile(text, dim=3, n_features=24, keys="exact").with_columns(X),
    ):
        feature_map.save(tmp_path / "map.npz")
        again = ks.load_map(tmp_path / "map.npz")
        assert same_maps(again, feature_map)
        assert again.unbiased


@pytest.mark.slow
def test_round_trip_of_params_names_and_data(tmp_path: Path) -> None:
    import pandas as pd

    table = pd.DataFrame({"age": X[:, 0], "in come": X[:, 1], "land": [["x", "y", "é"][int(i)] for i in X[:, 2]]})
    body = 'gaussian(scale=s)[age, "in come"] * match()[land] ** 2 + t * laplace(t)[age]'
    spec = ks.parse(f"param s > 0\nparam t = 1/3\n{body}")
    feature_map = ks.compile(spec.with_params({"s": 0.1}), data=table, n_features=24)
    feature_map.save(tmp_path / "map.npz")
    again = ks.load_map(tmp_path / "map.npz")
    assert again.plan == feature_map.plan
    assert dict(again.plan.values)["s"] == Fraction(1, 10)
    assert np.array_equal(again.approximate(table), feature_map.approximate(table))


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


@pytest.mark.parametrize(
    "text",
    [
        "laplace(scale=2)",
        "laplace()[2, 0] * match()[1] * gaussian()",
        "stretch(laplace() - 0.5 * triangle(2), [1, 2, 1/3])",
        "stretch((laplace() - 0.5 * triangle(2)) * cosine(1), [[1, 2, 1/3], [0, 0, 1]])",
        "stretch(stretch(laplace() - 0.5 * triangle(2), 3), [1, 2, 1/3])",
    ],
)
def test_round_trip_of_bins(text: str, tmp_path: Path) -> None:
    feature_map = ks.compile(text, dim=3, n_features=24, method="binning")
    assert feature_map.is_sparse
    for drawn in (feature_map, feature_map.with_columns(X)):
        drawn.save(tmp_path / "map.npz")
        again = ks.load_map(tmp_path / "map.npz")
        assert same_maps(again, drawn)
        assert np.array_equal(again.keys(X), drawn.keys(X))


def test_maps_of_kernels_without_a_name_are_not_saved(tmp_path: Path) -> None:
    class Mine(Gaussian):
        """A kernel that no file knows."""

    fmap = ks.compile("gaussian()", dim=2, n_features=8)
    stratum = replace(fmap.plan.strata[0], law=FourierLaw(Mine(scale=1.0, dim=2)))
    with pytest.raises(PlanError, match="this map cannot be saved: no saved map may hold a"):
        replace(fmap, plan=replace(fmap.plan, strata=(stratum,))).save(tmp_path / "map.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("field", ["counts", "n_features"])
def test_more_samples_than_anybody_may_ask_for_are_refused_before_they_are_drawn(field: str, tmp_path: Path) -> None:
    plan = ks.compile("gaussian()", dim=3, n_features=24).plan
    many = replace(plan.chosen, counts=(2**24,)) if field == "counts" else 2**24
    bad = replace(plan, **{"chosen" if field == "counts" else field: many})
    replace(draw_map(plan), plan=bad).save(tmp_path / "map.npz")
    with pytest.raises(FileError, match="more than 10,000,000 features"):
        ks.load_map(tmp_path / "map.npz", redraw=True)
