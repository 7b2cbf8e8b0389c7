"""Anchors of several numbers."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.planning.anchors.pilot import Pilots
from kernelspec.planning.anchors.search import AnchorSearch
from kernelspec.planning.pair_sums import PairSums
from kernelspec.planning.strata import terms_of
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of
from tests.planning.anchors.kernels import DEFINITE, OTHERS, POSITIONS, rows, strata_of


def search(text: str, pool: Rows, most: int = 40) -> AnchorSearch:
    return AnchorSearch.among(strata_of(text), pool, rows(30, 7), POSITIONS, most, 0)


@pytest.mark.parametrize("text", [*DEFINITE, *OTHERS])
def test_more_anchors_leave_less(text: str) -> None:
    own = search(text, rows(200))
    assert own.is_definite == (text in DEFINITE)
    left: dict[int, float] = {}
    for option in own.options(40):
        total = sum(stratum.weight * option.residual.kernel(stratum) for stratum in own.strata)
        squares = float(np.square(total).sum())
        left[option.size] = min(left.get(option.size, np.inf), squares)
        assert option.anchors.n_columns <= option.size
        assert (option.anchors.right is None) == ("shift" not in text and "tilt" not in text)
        if own.is_definite:
            np.testing.assert_allclose(own.left_alone(option.size), total, atol=1e-9)
    assert len(left) >= 3
    sizes = sorted(left)
    assert sorted((left[size] for size in sizes), reverse=True) == [left[size] for size in sizes]


def test_the_remainder_is_the_same_by_the_triangle_and_by_eigenvectors() -> None:
    """Two ways to a = k(x, L) k(L, L)⁻¹."""
    own = search("laplace(scale=3)", rows(200))
    option = own.pivoted(25)
    chosen = option.anchors.left.rows
    from tests.planning.anchors.kernels import values

    again = option.anchors.weights(values("laplace(scale=3)", own.judged.rows, chosen), "left")
    np.testing.assert_allclose(option.residual.a, again, atol=1e-8)


@pytest.mark.parametrize("text", ["laplace(scale=3) + 0.3*gaussian(scale=2)", "linear()", "gaussian()"])
def test_variances_are_about_those_of_many_samples(text: str) -> None:
    """Few samples compare numbers of landmarks: each within a factor of 3 of 1,024, and all of them within 1.3."""
    own, ratios = search(text, rows(200)), []
    for option in own.options(40):
        for stratum in own.strata:
            expected = PairSums.of(Pilots(1024).variance(stratum, option.residual), own.judged.weights)
            found, whole = option.variance(stratum), Pilots(1024).variance(stratum, own.pivoted(1).residual).sum()
            if expected.own + expected.others < 1e-6 * whole:
                assert found.own + found.others < 1e-5 * whole
                continue
            ratios.append((found.own + found.others) / (expected.own + expected.others))
            assert 1 / 3 < ratios[-1] < 3
    assert text == "linear()" or 1 / 1.3 < np.exp(np.mean(np.log(ratios))) < 1.3


def test_no_more_than_there_are() -> None:
    # two of the eight are for judging
    assert [option.size for option in search("gaussian(scale=0.1)", rows(8)).options(20)] == [1, 2, 3, 4, 6]
    assert [option.size for option in search("linear()", rows(200)).options(30)] == [2, 3]
    assert search("linear()", rows(200)).pivoted(30).size == 3
    assert search("gaussian()", rows(8).take(slice(0, 0))).options(5) == []


@pytest.mark.slow
def test_the_work_is_bounded() -> None:
    """Of wide tables, and for many anchors, fewer rows are chosen from."""
    strata, sample = strata_of("gaussian()"), rows(30, 7)
    few = AnchorSearch.among(strata, rows(25_000), sample, POSITIONS, 128, 0)
    many = AnchorSearch.among(strata, rows(25_000), sample, POSITIONS, 2_048, 0)
    assert (len(few.pool), few.most) == (20_000, 128)
    assert (len(many.pool), many.most) == (8_192, 2_048)
    wide = Rows(np.zeros((400, 50_000)))
    (stratum,) = terms_of(kernel_of("gaussian()", 50_000))[0].under(None)
    own = AnchorSearch.among((stratum,), wide, wide.take(slice(0, 200)), stratum.positions, 896, 0)
    assert len(own.pool) == 44
    assert len(own.sample) == 200
