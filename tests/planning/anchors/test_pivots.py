"""Randomly pivoted Cholesky."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from kernelspec.planning.landmarks.pivots import Pivots, choose_pivots, solved
from kernelspec.tables.rows import Rows
from tests.planning.anchors.kernels import rows, values


def pivots(text: str, pool: Rows, most: int, seed: int = 0) -> Pivots:
    diagonal = np.diagonal(values(text, pool, pool))
    return choose_pivots(partial(values, text), diagonal, pool, most, np.random.default_rng(seed))


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "laplace(scale=3)", "linear() + gaussian()"])
def test_the_triangle_is_that_of_the_rows_chosen(text: str) -> None:
    pool = rows(300)
    found = pivots(text, pool, 40)
    chosen = pool.take(found.chosen)
    assert len(set(found.chosen.tolist())) == len(found) == 40
    np.testing.assert_allclose(found.triangle @ found.triangle.T, values(text, chosen, chosen), atol=1e-10)
    assert np.array_equal(found.triangle, np.tril(found.triangle))


def test_it_ends_where_nothing_is_left() -> None:
    assert len(pivots("linear()", rows(300), 40)) == 3
    pool = rows(20)
    assert len(pivots("laplace()", pool.followed_by(pool), 40)) == 20  # duplicates say nothing new
    assert len(pivots("gaussian()", Rows(np.ones((50, 3))), 40)) == 1


def test_the_first_pivots_do_not_depend_on_how_many_are_asked_for() -> None:
    pool = rows(300)
    assert np.array_equal(pivots("laplace()", pool, 60).chosen[:10], pivots("laplace()", pool, 61).chosen[:10])


@pytest.mark.long
def test_rows_are_chosen_by_what_is_left_of_them(thorough: bool) -> None:
    """The second pivot, over many runs, against its law; a χ² test with the chance 1e-6 of a false alarm."""
    from scipy.stats import chi2

    pool, runs = rows(6, spread=0.7), 20_000 if thorough else 2000
    k = values("gaussian()", pool, pool)
    first = np.full(6, 1 / 6)
    left = 1 - k**2  # what pivot i leaves of j
    expected = runs * (first[:, None] * left / left.sum(axis=1, keepdims=True))
    counts = np.zeros((6, 6))
    for seed in range(runs):
        i, j = pivots("gaussian()", pool, 2, seed).chosen
        counts[i, j] += 1
    off = ~np.eye(6, dtype=bool)
    statistic = (np.square(counts - expected)[off] / expected[off]).sum()
    assert chi2.sf(statistic, off.sum() - 1) > 1e-6


def test_solved() -> None:
    triangle, right = np.tril(np.arange(1.0, 10).reshape(3, 3)), np.ones((3, 2))
    np.testing.assert_allclose(triangle @ solved(triangle, right), right)
    np.testing.assert_allclose(triangle.T @ solved(triangle, right, transposed=True), right)
