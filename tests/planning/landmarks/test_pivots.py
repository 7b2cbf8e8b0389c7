"""Tests of `planning/landmarks/pivots.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy.stats import chi2

from kernelspec.planning.landmarks.pivots import (
    GrowingPivots,
    NestedRemainders,
    Pivots,
    SampleColumns,
    solved,
    summed_variances,
)
from kernelspec.planning.reference import PairSums
from kernelspec.planning.strata import Stratum
from kernelspec.random.streams import Stream
from kernelspec.samples.factor import amplitude_values
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import law
from tests.planning.landmarks.kernels import POSITIONS, rows, strata_of, values


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "laplace(scale=3)", "gaussian(scale=2)*linear()"])
def test_variances_by_hand(text: str) -> None:
    """φ(x) − k(x, L) k(L, L)⁻¹ φ(L), by NumPy's solver; variances of samples, of weighted rows."""
    pool, judged, weights = rows(60), rows(20, 8), np.linspace(1, 3, 20)
    (stratum,) = strata_of(text)
    pivots = pivots_of(text, pool, 12)
    chosen = pool.take(pivots.chosen)
    whitened = solved(pivots.triangle, values(text, chosen, judged))
    samples = SampleColumns.drawn(stratum, 40)
    assert samples is not None
    found = NestedRemainders(pivots, chosen, judged, weights, whitened).variances([samples], [3, 12])
    pairs = weights.sum() ** 2 - np.square(weights).sum()
    for m, (own,) in zip([3, 12], found, strict=True):
        some = chosen.take(slice(0, m))
        a = np.linalg.solve(values(text, some, some), values(text, some, judged)).T
        left = amplitude_values(samples.batch, judged, "left") - a @ amplitude_values(samples.batch, some, "left")
        spread = np.einsum("xj,yj->xyj", left, left.conj()).real.var(axis=2, ddof=1)
        diagonal = float(weights @ np.diagonal(spread))
        others = float(weights @ spread @ weights - np.square(weights) @ np.diagonal(spread))
        assert own.own == pytest.approx(20 * diagonal / weights.sum(), rel=1e-9)
        assert own.others == pytest.approx(20 * 19 * others / pairs, rel=1e-9)


def test_samples_of_several_terms() -> None:
    """Those that are the kernel itself do not vary; of two kinds of terms there are no columns."""
    exact = SampleColumns.drawn(Stratum(1.0, law("linear()", 3, "exact"), POSITIONS), 16)
    assert exact is not None
    columns = exact.values(rows(9))
    (found,) = summed_variances(columns[None], exact.signs(len(columns))[None], 16, np.ones(9))
    assert abs(found.own) + abs(found.others) < 1e-9
    asymmetric = [SampleColumns.drawn(stratum, 16) for stratum in strata_of("shift_gaussian(by=0.4)")]
    assert asymmetric == [None]


def test_variances_are_those_of_the_law() -> None:
    """200 estimates from 32 samples each have the mean of the formula: with u = z_i − w_k all differences of x and its
    landmarks and of y and its, E (Re l r̄)² = ½ Σ a_u a_v (k(u − v) + k(u + v)), and E l r̄ = Σ a_u k(u)."""
    text, pool, judged, weights = "gaussian(scale=2)", rows(60), rows(8, 8), np.linspace(1, 3, 8)
    (stratum,) = strata_of(text)
    pivots = pivots_of(text, pool, 6)
    chosen = pool.take(pivots.chosen)
    whitened = solved(pivots.triangle, values(text, chosen, judged))
    remainders = NestedRemainders(pivots, chosen, judged, weights, whitened)

    def kernel(lags: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(-np.square(lags).sum(axis=-1) / 8))

    expected = []
    for m in (1, 6):
        some = chosen.take(slice(0, m))
        a = np.linalg.solve(values(text, some, some), values(text, some, judged)).T
        terms = np.hstack([np.ones((8, 1)), -a])
        places = [np.vstack([x[None], some.dense()]) for x in judged.dense()]
        variance = np.zeros((8, 8))
        for i in range(8):
            for j in range(8):
                lags = (places[i][:, None] - places[j][None]).reshape(-1, 3)
                own = np.outer(terms[i], terms[j]).ravel()
                both = kernel(lags[:, None] - lags[None]) + kernel(lags[:, None] + lags[None])
                variance[i, j] = own @ both @ own / 2 - (own @ kernel(lags)) ** 2
        sums = PairSums.of(variance, weights)
        expected += [sums.own, sums.others]
    found = []
    for seed in range(200):
        (batch,) = stratum.law.draw(Stream(seed + 1), 32, POSITIONS)
        estimates = remainders.variances([SampleColumns(batch, 32)], [1, 6])
        found.append([value for (own,) in estimates for value in (own.own, own.others)])
    assert_mean(found, expected, budget=1e-7)


def growing(text: str, pool: Rows, seed: int = 0, eligible: Callable[[int], int] = lambda m: 10**6) -> GrowingPivots:
    diagonal = np.diagonal(values(text, pool, pool))
    return GrowingPivots(partial(values, text), diagonal, pool, rows(5, 9), np.random.default_rng(seed), eligible)


def pivots_of(text: str, pool: Rows, most: int, seed: int = 0) -> Pivots:
    return growing(text, pool, seed).first(most)


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "laplace(scale=3)", "linear() + gaussian()"])
def test_the_triangle_is_that_of_the_rows_chosen(text: str) -> None:
    pool = rows(300)
    found = pivots_of(text, pool, 40)
    chosen = pool.take(found.chosen)
    assert len(set(found.chosen.tolist())) == len(found) == 40
    np.testing.assert_allclose(found.triangle @ found.triangle.T, values(text, chosen, chosen), atol=1e-10)
    assert np.array_equal(found.triangle, np.tril(found.triangle))


def test_it_ends_where_nothing_is_left() -> None:
    assert len(pivots_of("linear()", rows(300), 40)) == 3
    pool = rows(20)
    assert len(pivots_of("laplace()", pool.followed_by(pool), 40)) == 20  # duplicates say nothing new
    assert len(pivots_of("gaussian()", Rows(np.ones((50, 3))), 40)) == 1


def test_the_first_pivots_do_not_depend_on_how_many_are_asked_for() -> None:
    """Nor on how many were asked for before; later ones come from fewer rows of the pool."""
    pool = rows(300)

    def of(*numbers: int) -> Pivots:
        own = growing("laplace()", pool, eligible=lambda m: 300 if m <= 64 else 100)
        return [own.first(m) for m in numbers][-1]

    assert np.array_equal(of(60).chosen, of(80).chosen[:60])
    assert np.array_equal(of(10, 80).triangle, of(80).triangle)
    assert np.array_equal(of(90, 10).triangle, of(10).triangle)
    many = of(90)
    assert many.chosen[:40].max() > 100 > many.chosen[64:].max()
    chosen = pool.take(many.chosen)
    np.testing.assert_allclose(many.triangle @ many.triangle.T, values("laplace()", chosen, chosen), atol=1e-10)


def test_rows_left_out_once_stay_out() -> None:
    own = growing("laplace()", rows(300), eligible=lambda m: 150 if 64 < m <= 128 else 300)
    assert len(own.first(140)) == 140
    assert own.first(140).chosen[64:].max() < 150


def test_what_pivots_explain_of_other_rows() -> None:
    own = growing("laplace()", rows(100))
    pivots = own.first(70)
    expected = np.linalg.solve(pivots.triangle, values("laplace()", own.pool.take(pivots.chosen), own.other))
    np.testing.assert_allclose(own.whitened(70), expected, atol=1e-10)
    np.testing.assert_allclose(own.whitened(30), expected[:30], atol=1e-10)


@pytest.mark.long
def test_rows_are_chosen_by_what_is_left_of_them(thorough: bool) -> None:
    """The second pivot, over many runs, against its law; a χ² test with the chance 1e-6 of a false alarm."""
    pool, runs = rows(6, spread=0.7), 20_000 if thorough else 2000
    k = values("gaussian()", pool, pool)
    first = np.full(6, 1 / 6)
    left = 1 - k**2  # what pivot i leaves of j
    expected = runs * (first[:, None] * left / left.sum(axis=1, keepdims=True))
    counts = np.zeros((6, 6))
    for seed in range(runs):
        i, j = pivots_of("gaussian()", pool, 2, seed).chosen
        counts[i, j] += 1
    off = ~np.eye(6, dtype=bool)
    statistic = (np.square(counts - expected)[off] / expected[off]).sum()
    assert chi2.sf(statistic, off.sum() - 1) > 1e-6
