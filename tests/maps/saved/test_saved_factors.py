"""Factors of keys come back from their arrays, nested ones too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from tests.maps.example_maps import X, same_maps


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
