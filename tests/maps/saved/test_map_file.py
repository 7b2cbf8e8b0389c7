"""Maps on disk: what comes back is what was saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import kernelspec as ks
from tests.maps.example_maps import X, same_maps


def test_round_trip_of_bits(tmp_path: Path) -> None:
    feature_map = ks.compile("laplace(scale=2) + gaussian()", dim=3, n_features=24, method="binning", bits=3)
    feature_map.save(tmp_path / "map.npz")
    assert same_maps(ks.load_map(tmp_path / "map.npz"), feature_map)


def test_round_trip_of_learnt_columns(tmp_path: Path) -> None:
    text = "gaussian()[0:2] * match()[2] + match()[2] + laplace()"
    for feature_map in (
        ks.compile(text, dim=3, n_features=24).with_columns(X),
        ks.compile(text, dim=3, n_features=24, buckets=None).with_columns(X),
    ):
        feature_map.save(tmp_path / "map.npz")
        again = ks.load_map(tmp_path / "map.npz")
        assert same_maps(again, feature_map)
        assert not again.unbiased


def test_round_trip_of_params_names_and_data(tmp_path: Path) -> None:
    import pandas as pd

    table = pd.DataFrame({"age": X[:, 0], "in come": X[:, 1], "land": [["x", "y", "é"][int(i)] for i in X[:, 2]]})
    body = 'gaussian(scale=s)[age, "in come"] * match()[land] ** 2 + t * laplace(t)[age]'
    spec = ks.parse(f"param s > 0\nparam t = 1/3\n{body}")
    feature_map = ks.compile(spec.with_params({"s": 0.1}), data=table, n_features=24)
    feature_map.save(tmp_path / "map.npz")
    again = ks.load_map(tmp_path / "map.npz")
    assert again.plan == feature_map.plan
    assert again.plan.spec.params["s"] == 0.1
    assert np.array_equal(again.approximate(table), feature_map.approximate(table))
