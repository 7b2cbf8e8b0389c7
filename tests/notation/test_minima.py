"""Sums of minima and maxima, to full relative accuracy."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.expressions import pairs as minima
from kernelspec.expressions.pairs import minima_and_maxima

RNG = np.random.default_rng(3)
SCALES = 10.0 ** RNG.uniform(-12, 12, (8, 30))
X = RNG.standard_normal((8, 30)) * SCALES * (RNG.random((8, 30)) < 0.5)
Y = RNG.standard_normal((8, 30)) * SCALES[::-1] * (RNG.random((8, 30)) < 0.5)


def exactly(u, v, choose):
    parts = [[max(sign * Fraction(float(w)), Fraction(0)) for w in row for sign in (1, -1)] for row in (u, v)]
    return sum(map(choose, *parts))


STORAGE = [np.asarray, csr_array]


@pytest.mark.slow
@pytest.mark.parametrize("first", STORAGE, ids=["dense", "sparse"])
@pytest.mark.parametrize("second", STORAGE, ids=["dense", "sparse"])
@pytest.mark.parametrize("at_once", [1, 100, 2**20])
def test_tiny_minima_beside_huge_maxima(first, second, at_once, monkeypatch):
    monkeypatch.setattr(minima, "_ENTRIES_AT_ONCE", at_once)
    for grid in (True, False):
        least, most = minima_and_maxima(first(X), second(Y), grid)
        for choose, found in ((min, least), (max, most)):
            expected = np.array([[float(exactly(u, v, choose)) for v in Y] for u in X])
            np.testing.assert_allclose(found, expected if grid else np.diagonal(expected), rtol=1e-14)


@pytest.mark.parametrize("storage", STORAGE, ids=["dense", "sparse"])
@pytest.mark.parametrize("grid", [True, False], ids=["all pairs", "row by row"])
def test_the_largest_and_the_smallest_numbers(storage, grid):
    x = np.array([[1.6e308, -1.6e308, 1e308], [1e-310, 5e-324, 0], [1e308, 0, 1]])
    y = np.array([[1.2e308, -1.7e308, 1e308], [2e-310, 0, 5e-324], [3e307, 0, 1e300]])
    least, most = minima_and_maxima(storage(x), storage(y), grid)
    expected = np.array([[float(exactly(u, v, min) / exactly(u, v, max)) for v in y] for u in x])
    assert np.isfinite(most).all()
    np.testing.assert_allclose(least / most, expected if grid else np.diagonal(expected), rtol=1e-13)


@pytest.mark.parametrize("storage", STORAGE, ids=["dense", "sparse"])
def test_a_row_with_itself(storage):
    least, most = minima_and_maxima(storage(X), storage(X), True)
    assert (np.diagonal(least) / np.diagonal(most) <= 1).all()
    np.testing.assert_allclose(np.diagonal(least), np.diagonal(most), rtol=1e-15)


def test_rows_in_any_storage_are_left_as_they_were():
    data, columns = np.array([3.0, -1.0, 0.0, -1.0]), np.array([2, 1, 0, 1])
    sparse = csr_array((data.copy(), columns.copy(), np.array([0, 4])), shape=(1, 3))
    least, most = minima_and_maxima(sparse, np.array([[0.0, -5.0, 1.0]]), True)
    assert (least[0, 0], most[0, 0]) == (3, 8)
    assert sparse.nnz == 4
    assert sparse.data.tolist() == data.tolist()
