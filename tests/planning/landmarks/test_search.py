"""Tests of `planning/landmarks/search.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.planning.landmarks.search import Ground, LandmarkSearch, eligible
from kernelspec.planning.strata import terms_of
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of
from tests.planning.landmarks.kernels import DEFINITE, OTHERS, POSITIONS, rows, strata_of


def search(text: str, pool: Rows, most: int = 40) -> LandmarkSearch:
    return LandmarkSearch.of(Ground.among(strata_of(text), pool, rows(30, 7), POSITIONS, 0), most)


@pytest.mark.parametrize("text", [*DEFINITE, *OTHERS])
def test_more_landmarks_leave_less(text: str) -> None:
    own = search(text, rows(200))
    assert own.ground.is_definite == (text in DEFINITE)
    left: dict[int, float] = {}
    for option in own.options(40):
        total = sum(stratum.weight * option.residual.kernel(stratum) for stratum in own.ground.strata)
        squares = float(np.square(total).sum())
        left[option.size] = min(left.get(option.size, np.inf), squares)
        assert option.landmarks.n_columns <= option.size
        assert (option.landmarks.right is None) == ("shift" not in text and "tilt" not in text)
        if own.ground.is_definite:
            np.testing.assert_allclose(own.left_alone(option.size), total, atol=1e-9)
    assert len(left) >= 3
    sizes = sorted(left)
    assert sorted((left[size] for size in sizes), reverse=True) == [left[size] for size in sizes]


def test_the_remainder_is_the_same_by_the_triangle_and_by_eigenvectors() -> None:
    """Two ways to a = k(x, L) k(L, L)⁻¹."""
    own = search("laplace(scale=3)", rows(200))
    option = own.pivoted(25)
    chosen = option.landmarks.left.rows
    from tests.planning.landmarks.kernels import values

    again = option.landmarks.weights(values("laplace(scale=3)", own.judged.rows, chosen), "left")
    np.testing.assert_allclose(option.residual.a, again, atol=1e-8)


def test_no_more_than_there_are() -> None:
    # two of the eight are for judging
    assert [option.size for option in search("gaussian(scale=0.1)", rows(8)).options(20)] == [1, 2, 3, 4, 6]
    assert [option.size for option in search("linear()", rows(200)).options(30)] == [2, 3]
    assert search("linear()", rows(200)).pivoted(30).size == 3
    assert search("gaussian()", rows(8).take(slice(0, 0))).options(5) == []


@pytest.mark.long
def test_the_work_is_bounded() -> None:
    """Of wide tables, and for many landmarks, fewer rows are chosen from."""
    strata = strata_of("gaussian()")
    assert [eligible(strata, m) for m in (1, 128, 2_048)] == [20_000, 20_000, 8_192]
    assert len(Ground.among(strata, rows(25_000), rows(30, 7), POSITIONS, 0).pool) == 20_000
    wide = Rows(np.zeros((1_000, 50_000)))
    (stratum,) = terms_of(kernel_of("gaussian()", 50_000))[0].under(None)
    own = Ground.among((stratum,), wide, wide.take(slice(0, 200)), stratum.positions, 0)
    assert (len(own.pool), eligible(own.strata, 896)) == (625, 39)
    assert len(own.sample) == 200


def test_landmarks_of_a_smaller_budget_are_the_first() -> None:
    data = rows(200).dense()
    plans = [ks.compile("gaussian(scale=2)", data=data, n_features=n, method="nystrom").plan for n in (40, 60)]
    small, large = (plan.landmarks.left.rows.dense() for plan in plans if plan.landmarks is not None)
    assert small == pytest.approx(large[:40])
