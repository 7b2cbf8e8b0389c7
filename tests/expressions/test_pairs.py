"""Tests of `expressions/pairs.py`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import sympy
from scipy.sparse import csr_array

from kernelspec.expressions import pairs as minima
from kernelspec.expressions.pairs import ExponentialOf, NumericPairs, minima_and_maxima
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.planning.landmarks.landmarks import CompiledPairs
from kernelspec.tables.rows import Rows

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


def test_both_ways() -> None:
    lags = np.array([[1.0, 2.0], [0.5, -3.0]])
    found = NumericPairs.of_vectors(lags).of(ExponentialOf((0.3, -0.1)))
    np.testing.assert_allclose(found, np.exp(lags @ [0.3, -0.1]), rtol=1e-14)
    symbolic = SymbolicPairs.frequency(2).of(ExponentialOf((sympy.Symbol("a"), 2)))
    first, second = SymbolicPairs.frequency(2).components()
    assert symbolic == sympy.exp(sympy.Symbol("a") * first + 2 * second)


def test_infinite_far_away_without_a_warning() -> None:
    assert np.isinf(NumericPairs.of_vectors(np.array([[1e4]])).of(ExponentialOf((1.0,)))).all()


RNG_OF_PAIRS = np.random.default_rng(8)
X_OF_PAIRS, Y_OF_PAIRS = RNG_OF_PAIRS.standard_normal((5, 3)), RNG_OF_PAIRS.standard_normal((4, 3))
GRID = NumericPairs(Rows(X_OF_PAIRS), Rows(Y_OF_PAIRS))
DELTA = X_OF_PAIRS[:, None] - Y_OF_PAIRS[None]


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda p: p.squared_norm(), (DELTA**2).sum(axis=2)),
        (lambda p: p.absolute_sum(), np.abs(DELTA).sum(axis=2)),
        (lambda p: p.product(np.cos), np.cos(DELTA).prod(axis=2)),
        (lambda p: p.inner((1.0, -2.0, 0.5)), DELTA @ [1, -2, 0.5]),
        (lambda p: p.equal(), np.zeros((5, 4))),
        (lambda p: p.select((2, 0)).squared_norm(), (DELTA[:, :, [2, 0]] ** 2).sum(axis=2)),
        (lambda p: p.map(3).absolute_sum(), 3 * np.abs(DELTA).sum(axis=2)),
        (lambda p: p.map((1, 2, 3)).absolute_sum(), np.abs(DELTA * [1, 2, 3]).sum(axis=2)),
        (lambda p: p.map(((1, 0, 1), (0, 2, 0))).squared_norm(), ((DELTA @ [[1, 0], [0, 2], [1, 0]]) ** 2).sum(axis=2)),
        (lambda p: p.of(Gaussian(scale=1.0, dim=3)), np.exp(-(DELTA**2).sum(axis=2) / 2)),
    ],
)
def test_grid_and_row_by_row(ask, expected):
    np.testing.assert_allclose(ask(GRID), expected, rtol=1e-12, atol=1e-14)
    rows = NumericPairs(Rows(X_OF_PAIRS[:4]), Rows(Y_OF_PAIRS), grid=False)
    np.testing.assert_allclose(ask(rows), np.diagonal(expected[:4]), rtol=1e-12, atol=1e-14)


def test_differences_are_formed_before_they_are_squared():
    x, y = Rows(np.array([[1e8 + 1.0]])), Rows(np.array([[1e8]]))
    assert NumericPairs(x, y).squared_norm()[0, 0] == 1


def test_minima_and_maxima_of_the_parts():
    x, y = Rows(np.array([[1.0, -2.0, 0.0]])), Rows(np.array([[3.0, -1.0, 5.0]]))
    least, most = NumericPairs(x, y).minima_and_maxima()
    assert (least.tolist(), most.tolist()) == ([[2]], [[10]])
    least, most = NumericPairs(x, y, grid=False).minima_and_maxima()
    assert (least.tolist(), most.tolist()) == ([2], [10])


def test_once_keeps_what_is_asked_for_again() -> None:
    pairs, node, other = NumericPairs(Rows(np.zeros((2, 1))), Rows(np.zeros((2, 1)))), object(), object()
    computed = []

    def compute() -> int:
        computed.append(len(computed))
        return len(computed)

    # the first is not kept, the second is
    assert [pairs.once("value", node, compute) for _ in range(4)] == [1, 2, 2, 2]
    assert pairs.once("value", other, compute) == 3
    assert pairs.once("moments", node, compute) == 4
    assert replace(pairs, grid=False).once("value", node, compute) == 5


def wide(rows: int, seed: int) -> sp.csr_array:
    """Sparse rows of 3,000 columns, the first of which has no entry, the second those of row 1 of the first table."""
    found = sp.random_array((rows, 3_000), density=0.004, random_state=seed, format="lil")
    found[0] = 0
    found[2] = sp.random_array((1, 3_000), density=0.004, random_state=0, format="lil")
    return sp.csr_array(found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [NumericPairs, CompiledPairs])
@pytest.mark.parametrize("grid", [True, False])
@pytest.mark.parametrize(
    "ask",
    [
        lambda p: p.squared_norm(),
        lambda p: p.absolute_sum(),
        lambda p: p.product(np.cos),
        lambda p: p.product(lambda lag: 2 * np.exp(-(lag**2))),  # not 1 at 0: every column counts
        lambda p: p.by_column(lambda lag: np.exp(-np.abs(lag))),
        lambda p: p.inner(np.arange(3_000.0)),
        lambda p: p.map(3).absolute_sum(),
        lambda p: p.map(np.arange(3_000.0)).squared_norm(),
        lambda p: p.map(np.ones((2, 3_000))).squared_norm(),
        lambda p: p.select(tuple(range(2_000))).squared_norm(),
        lambda p: replace(p, x=p.x.take(slice(1, 5)), y=p.y.take(slice(1, 5))).cosine(),
    ],
)
def test_wide_sparse_rows_are_those_that_are_dense(ask, grid, kind):
    x, y = wide(6, 1), wide(6, 2)
    assert Rows(x).is_wide
    for other in (y, x):
        sparse, dense = (
            kind(own, own if other is x else Rows(table), grid=grid)
            for own, table in ((Rows(x), other), (Rows(x.toarray()), other.toarray()))
        )
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(ask(sparse), ask(dense), rtol=1e-12, atol=1e-14)
    assert NumericPairs(Rows(x), Rows(y)).squared_norm()[2, 2] == 0  # equal rows have no distance


def test_one_row_of_every_group_of_equal_ones():
    x = wide(6, 1)
    repeated = sp.vstack([x, x[[3, 0]]], format="csr")
    assert Rows(sp.csr_array(repeated)).distinct().tolist() == Rows(repeated.toarray()).distinct().tolist()
    assert len(Rows(x).distinct()) == 6


X_OF_SYMBOLIC_PAIRS, Y_OF_SYMBOLIC_PAIRS = np.array([[0.5, -1.25, 2.0]]), np.array([[1.5, 0.25, -0.5]])


def numbers(pairs):
    found = {}
    for i in range(3):
        left, right = pairs.operands(i + 1)
        found |= {left: X_OF_SYMBOLIC_PAIRS[0, i], right: Y_OF_SYMBOLIC_PAIRS[0, i]}
    return found


@pytest.mark.parametrize(
    "ask",
    [
        lambda p, cos: p.squared_norm(),
        lambda p, cos: p.absolute_sum(),
        lambda p, cos: p.product(cos),
        lambda p, cos: p.inner((1.0, -2.0, 0.5)),
        lambda p, cos: p.inner((2.0, 2.0, 2.0)),
        lambda p, cos: p.select((2, 0)).squared_norm(),
        lambda p, cos: p.select((1,)).absolute_sum(),
        lambda p, cos: p.map(3).absolute_sum(),
        lambda p, cos: p.map((1, 2, 3)).absolute_sum(),
        lambda p, cos: p.map(((1, 0, 1), (0, 2, 0))).squared_norm(),
        lambda p, cos: p.select((2, 0)).map(2).product(cos),
        lambda p, cos: sum(p.minima_and_maxima()[i] * (2 - i) for i in (0, 1)),
        lambda p, cos: p.select((2, 0)).minima_and_maxima()[1],
        lambda p, cos: p.map(3).minima_and_maxima()[0],
        lambda p, cos: p.map((1, 2, -3)).minima_and_maxima()[0],
        lambda p, cos: p.map(((1, 0, 1), (0, 2, 0))).minima_and_maxima()[0],
    ],
)
def test_agrees_with_arrays(ask):
    pairs = SymbolicPairs.between(3)
    written = ask(pairs, sympy.cos).subs(numbers(pairs))
    assert float(written) == pytest.approx(
        ask(NumericPairs(Rows(X_OF_SYMBOLIC_PAIRS), Rows(Y_OF_SYMBOLIC_PAIRS)), np.cos)[0, 0], rel=1e-13
    )


def test_equal_is_a_product_of_deltas():
    pairs = SymbolicPairs.between(2)
    (a, b), (c, d) = pairs.operands(1), pairs.operands(2)
    assert pairs.equal() == sympy.KroneckerDelta(a, b) * sympy.KroneckerDelta(c, d)
    with pytest.raises(TypeError, match="not a pair of rows"):
        SymbolicPairs.frequency(2).equal()


@pytest.mark.parametrize("dim", [17, sympy.Symbol("d", integer=True, positive=True)])
def test_many_columns_are_indexed(dim):
    pairs = SymbolicPairs.between(dim)
    assert pairs.squared_norm().has(sympy.Sum)
    assert pairs.product(sympy.cos).has(sympy.Product)
    assert len(str(pairs.squared_norm())) < 60


def test_a_frequency_has_no_minima():
    with pytest.raises(TypeError, match="not a pair of rows"):
        SymbolicPairs.frequency(2).minima_and_maxima()
