"""Drawn plans: how many columns, and which of them have sides."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from tests.maps.example_maps import DENSE, KEYED, X, compiled


def test_an_odd_leftover_stays_unused() -> None:
    assert compiled("gaussian()", 7, method="paired").n_columns == 6
    assert compiled("gaussian()", 7, method="complex").n_columns == 3
    assert compiled("gaussian()", 7, method="phase").n_columns == 7


def test_maps_compare_by_identity() -> None:
    feature_map = compiled(DENSE)
    assert feature_map == feature_map  # noqa: PLR0124
    assert feature_map != compiled(DENSE)
    assert len({feature_map, compiled(DENSE)}) == 2


def test_jordan_shares_the_columns_of_real_parts() -> None:
    feature_map = ks.compile("shift_gaussian(scale=1.5, by=0.5)", dim=3, n_features=120, method="jordan")
    imaginary = feature_map.plan.chosen.counts[-1]
    assert feature_map.sided.sum() == 2 * imaginary
    assert feature_map.transform(X, side="both").shape[1] == 120 + 2 * imaginary
    assert (feature_map.signs < 0).sum() == 2 * feature_map.plan.chosen.counts[1]


def test_columns_are_asked_for_where_they_are_yet_to_be_learnt() -> None:
    feature_map = ks.compile(KEYED, dim=3, n_features=40, buckets=None)
    for ask in (lambda: feature_map.n_columns, lambda: feature_map.sided, feature_map.names):
        with pytest.raises(PlanError, match=r"learn them with with_columns\(X\)"):
            ask()
    learnt = feature_map.with_columns(X)
    met = sum(len(np.unique(part.keys(learnt.plan.layout.read(X)))) * part.entries("paired") for part in learnt.keyed)
    assert learnt.n_columns == len(learnt.names()) == met
    assert not learnt.unbiased
