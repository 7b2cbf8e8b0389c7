"""Searches for several budgets."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.planning.landmarks.search import MOST_ANCHORS, AnchorSearches
from tests.planning.anchors.kernels import POSITIONS, rows, strata_of


def test_one_for_all_budgets_up_to_the_next_power_of_two() -> None:
    searches, strata = AnchorSearches(rows(700), rows(30, 7), POSITIONS, 0), strata_of("gaussian()")
    assert searches.of(strata, 200) is searches.of(strata, 256)
    assert searches.of(strata, 257) is not searches.of(strata, 256)
    assert searches.of(strata, 257).most == 512
    assert searches.of(strata, 10**6) is searches.of(strata, MOST_ANCHORS)
    assert searches.of(strata_of("laplace()"), 200) is not searches.of(strata, 200)


def test_anchors_of_a_smaller_budget_are_the_first() -> None:
    data = rows(200).dense()
    plans = [ks.compile("gaussian(scale=2)", data=data, n_features=n, method="nystrom").plan for n in (40, 60)]
    small, large = (plan.anchors.left.rows.dense() for plan in plans if plan.anchors is not None)
    assert small == pytest.approx(large[:40])
