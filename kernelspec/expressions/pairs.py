"""Pairs of rows, seen through the functions of x and y that kernels use.

A kernel states its value once, for one pair (x, y), with these functions. `NumericPairs` evaluates them on arrays, for
all pairs of two blocks or row by row; `SymbolicPairs` writes SymPy expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.loading import scipy, sympy
from kernelspec.tables.rows import Rows, every_column

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["ExponentialOf", "NumericPairs", "PairFunction", "Pairs", "minima_and_maxima"]


class PairFunction(Protocol):
    """A function of (x, y), for arrays and for SymPy."""

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        """The values as floats."""

    def expression(self, pairs: Pairs) -> Any:
        """The value as a SymPy expression."""


@dataclass(frozen=True)
class ExponentialOf:
    """e^{β·Δ}, β one entry per column."""

    rates: tuple[Scalar, ...]

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        with np.errstate(over="ignore"):  # may be infinite far away
            values: np.ndarray = np.exp(pairs.inner(self.rates))
        return values

    def expression(self, pairs: Pairs) -> Any:
        return sympy.exp(pairs.inner(self.rates))


_MINIMA_AT_ONCE = 2**20
_LARGE, _DOWN = 2.0**900, 2.0**-100
"""Rows with an entry above 2⁹⁰⁰ are scaled by 2⁻¹⁰⁰; what underflows is below 2⁻¹⁸⁰⁰ of the sum of maxima."""


def minima_and_maxima(
    x: NDArray[Any] | csr_array, y: NDArray[Any] | csr_array, grid: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Σ min(x̃, ỹ) and Σ max(x̃, ỹ) of all pairs of rows, (n, m), or of row i with row i, (n,); x̃ = (x⁺, x⁻).

    The minima are summed directly, because a difference of sums would lose small ones; the maxima are Σx̃ + Σỹ − Σ min,
    at most a halving. Pairs whose sums overflow are scaled by 2⁻¹⁰⁰.
    """
    if not (isinstance(x, np.ndarray) and isinstance(y, np.ndarray)):
        x, y = scipy.sparse.csr_array(x), scipy.sparse.csr_array(y)
    x, y = x.astype(np.float64), y.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        result = _sums(x, y, grid)
    large = (np.logical_or.outer if grid else np.logical_or)(_is_large(x), _is_large(y))
    if not large.any():
        return result
    scaled = _sums(x * _DOWN, y * _DOWN, grid)
    return np.where(large, scaled[0], result[0]), np.where(large, scaled[1], result[1])


def _sums(x: Any, y: Any, grid: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    totals = [np.asarray(abs(rows).sum(axis=1)).ravel() for rows in (x, y)]
    rule = (_dense if isinstance(x, np.ndarray) else _sparse) if grid else _aligned
    minima = sum(rule(_positive(sign * x), _positive(sign * y)) for sign in (1, -1))
    total = np.add.outer(*totals) if grid else totals[0] + totals[1]
    least = np.minimum(np.asarray(minima), total / 2)  # holds except for rounding
    return least, total - least


def _positive(rows: Any) -> Any:
    if isinstance(rows, np.ndarray):
        return np.maximum(rows, 0)
    kept = rows.maximum(0)
    kept.sum_duplicates()
    return kept


def _is_large(rows: Any) -> NDArray[np.bool_]:
    largest = abs(rows).max(axis=1)
    return np.asarray(largest if isinstance(rows, np.ndarray) else largest.toarray()).ravel() > _LARGE


def _dense(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.zeros((len(x), len(y)))
    columns = np.flatnonzero(x.any(axis=0) & y.any(axis=0))  # elsewhere the minimum is zero
    x, y = x[:, columns], y[:, columns]
    step = max(1, _MINIMA_AT_ONCE // max(1, len(columns)))
    for first in range(0, len(y), step):
        block = y[first : first + step]
        work = np.empty_like(block)
        for i, row in enumerate(x):
            result[i, first : first + step] = np.minimum(block, row, out=work).sum(axis=1)
    return result


def _sparse(x: csr_array, y: csr_array) -> NDArray[np.float64]:
    """Row by row of x: reads only its nonzero columns, and a limited number of rows of y at once."""
    result = np.zeros((x.shape[0], y.shape[0]))
    by_column = y.tocsc()
    for i in range(x.shape[0]):
        own = slice(x.indptr[i], x.indptr[i + 1])
        values, columns = x.data[own], x.indices[own]
        step = max(1, _MINIMA_AT_ONCE // max(1, y.shape[0]))
        for first in range(0, len(columns), step):
            met = by_column[:, columns[first : first + step]]
            least = np.minimum(met.data, np.repeat(values[first : first + step], np.diff(met.indptr)))
            result[i] += np.bincount(met.indices, weights=least, minlength=y.shape[0])
    return result


def _aligned(x: Any, y: Any) -> NDArray[np.float64]:
    least = np.minimum(x, y) if isinstance(x, np.ndarray) else x.minimum(y)
    return np.asarray(least.sum(axis=1), dtype=np.float64).ravel()


_ENTRIES_AT_ONCE = 1 << 20
"""Entries of sparse lags per block."""


class Pairs(Protocol):
    """The questions that a kernel may ask about a pair (x, y), Δ = x − y."""

    @property
    def dim(self) -> Scalar:
        """Number of columns."""

    def squared_norm(self) -> Value:
        """‖Δ‖² in the Euclidean norm."""

    def absolute_sum(self) -> Value:
        """‖Δ‖₁ = Σ |Δ_i|."""

    def product(self, factor: Callable[[Value], Value]) -> Value:
        """∏ factor(Δ_i) over the columns."""

    def inner(self, direction: Sequence[Scalar]) -> Value:
        """w·Δ."""

    def cosine(self) -> Value:
        """x·y / ‖x‖‖y‖, the cosine of the angle between x and y."""

    def equal(self) -> Value:
        """1 if x and y agree in every column, as categories, else 0."""

    def minima_and_maxima(self) -> tuple[Value, Value]:
        """Σ min(x̃_i, ỹ_i) and Σ max(x̃_i, ỹ_i), x̃ the positive and negative parts of x; both may be scaled by one
        2^e.
        """

    def select(self, positions: tuple[int, ...]) -> Pairs:
        """The same pairs on some of the columns."""

    def map(self, matrix: Sequence[Scalar] | Sequence[Sequence[Scalar]] | Scalar) -> Pairs:
        """The pairs with Δ replaced by AΔ: a number, one factor per column, or a matrix."""

    def translated(self, by: Sequence[Scalar]) -> Pairs:
        """The pairs with Δ replaced by Δ + r, one entry of r per column."""

    def of(self, leaf: PairFunction) -> Value:
        """k(x, y) of a catalogue kernel or another formula, in numbers or as an expression."""

    def key_agreement(self, probability: Value) -> Value:
        """The probability that the random keys of x and y agree: the given one, unless they are forced to agree."""


_IN_CACHE = 1 << 16
"""Pairs whose counts stay in the cache while columns are compared."""


@dataclass(frozen=True)
class NumericPairs:
    """All pairs of two blocks of rows (`grid`, values (n, m)) or row i with row i (values (n,))."""

    x: Rows
    y: Rows
    grid: bool = True
    keys_agree: bool = False
    _met: dict[tuple[str, int], tuple[object, Any] | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def once(self, what: str, node: object, compute: Callable[[], Any]) -> Any:
        """`compute()`, cached from the second request for this node on.

        A node shared through a `let` is computed at most twice, and nodes used once are not cached.
        """
        key = (what, id(node))
        known = self._met.get(key)
        if known is not None:
            return known[1]
        value = compute()
        self._met[key] = (node, value) if key in self._met else None  # holds the node: its id stays its own
        return value

    def some(self, n: int) -> NumericPairs:
        """At most n of the pairs, row by row: always the same ones, of different rows if possible."""
        if not self.grid:
            chosen = np.random.default_rng(2).permutation(len(self.x))[:n]
            return replace(self, x=self.x.take(chosen), y=self.y.take(chosen))
        rows, columns = self.shape
        chosen = np.random.default_rng(2).permutation(rows * columns)[:n]
        return replace(self, x=self.x.take(chosen // columns), y=self.y.take(chosen % columns), grid=False)

    def with_keys_agreeing(self) -> NumericPairs:
        """The same pairs as if all keys of x and y agreed, as after a collision in a bucket."""
        return replace(self, keys_agree=True)

    def with_equal_categories(self, positions: Sequence[int]) -> NumericPairs:
        """The same pairs, row by row, with the categories of x in these columns of y too."""
        codes = {position: self.x.codes(position) for position in positions}
        return replace(self, y=Rows(self.y.numbers, {**self.y.categories, **codes}))

    def of_different_rows(self, values: Any) -> np.ndarray:
        """Values at these pairs, one of every two if all rows are paired with all; without pairs of a row with itself
        if both sides have the same rows.
        """
        found = np.asarray(np.broadcast_to(values, self.shape), dtype=float)
        return found[np.triu_indices(len(self.x), 1)] if self.grid and len(self.x) == len(self.y) else found.ravel()

    @classmethod
    def of_vectors(cls, vectors: np.ndarray) -> NumericPairs:
        """The vectors themselves as differences, values (n,): x is the vector and y is 0."""
        array = np.asarray(vectors, dtype=float)
        return cls(Rows(array), Rows(np.zeros_like(array)), grid=False)

    @property
    def dim(self) -> int:
        return self.x.n_columns

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return (len(self.x), len(self.y)) if self.grid else (len(self.x),)

    def squared_norm(self) -> np.ndarray:
        return self._norms(np.square, "sqeuclidean")

    def absolute_sum(self) -> np.ndarray:
        return self._norms(np.abs, "cityblock")

    @np.errstate(over="ignore")
    def _norms(self, part: np.ufunc, metric: str) -> np.ndarray:
        """Σ part(Δ_i); subtracts first, because expanding a square would cancel."""
        if self._is_wide:
            return self._folded(np.add, part)
        x, y = self.x.dense(), self.y.dense()
        if self.grid:
            return np.asarray(scipy.spatial.distance.cdist(x, y, metric))
        return np.asarray(part(x - y).sum(axis=1))

    def product(self, factor: Callable[[Value], Value]) -> np.ndarray:
        if self._is_wide and np.all(factor(np.zeros(1)) == 1):  # columns that are zero in both rows have no effect
            return self._folded(np.multiply, factor)
        return self.by_column(factor)

    def by_column(self, factor: Callable[[Value], Value]) -> np.ndarray:
        """The same, calling `factor` once per column, on the lags of all pairs."""
        x, y = self.x.dense(), self.y.dense()
        values = np.ones(self.shape)
        for i in range(self.dim):
            values *= factor(np.subtract.outer(x[:, i], y[:, i]) if self.grid else x[:, i] - y[:, i])
        return values

    def inner(self, direction: Sequence[Scalar]) -> np.ndarray:
        w = np.asarray(direction, dtype=float)
        left, right = ((rows.numbers if rows.is_wide else rows.dense()) @ w for rows in (self.x, self.y))
        return np.asarray(np.subtract.outer(left, right) if self.grid else left - right)

    @property
    def _is_wide(self) -> bool:
        return self.x.is_wide and self.y.is_wide

    def _folded(self, fold: np.ufunc, part: Callable[[Any], Any]) -> np.ndarray:
        """`part` of the nonzero lags x_i − y_i, summed (np.add) or multiplied (np.multiply) for every pair.

        The lags of some pairs at a time form a CSR matrix, so that no array is as wide as the table.
        """
        sides: list[Any] = [rows.numbers.astype(np.float64) for rows in (self.x, self.y)]
        x, y = sides
        found = np.full(self.shape, float(fold.identity))
        is_symmetric = self.grid and self.x is self.y and part in (np.square, np.abs)
        if is_symmetric:
            first, second = np.triu_indices(len(self.x), 1)
        else:
            first, second = (
                np.divmod(np.arange(found.size), len(self.y)) if self.grid else (np.arange(len(self.x)),) * 2
            )
        entries = x.nnz / max(1, len(self.x)) + y.nnz / max(1, len(self.y))
        step = max(1, int(_ENTRIES_AT_ONCE / max(1.0, entries)))
        for start in range(0, len(first), step):
            i, j = first[start : start + step], second[start : start + step]
            lags = x[i] - y[j]
            filled = np.flatnonzero(np.diff(lags.indptr))
            if len(filled):
                own = (i[filled], j[filled]) if self.grid else i[filled]
                found[own] = fold.reduceat(part(lags.data), lags.indptr[filled])
        return found + found.T if is_symmetric else found

    def on_unit_rows(self) -> NumericPairs:
        """The same pairs with rows divided by their norms. Raises DataError for a row of zeros."""
        x = self.x.on_unit_sphere()
        return replace(self, x=x, y=x if self.y is self.x else self.y.on_unit_sphere())

    def cosine(self) -> np.ndarray:
        return np.asarray(1 - 0.5 * self.on_unit_rows().squared_norm())

    def equal(self) -> np.ndarray:
        values = np.ones(self.shape)
        for position in range(self.dim):
            a, b = self.x.codes(position), self.y.codes(position)
            values *= np.equal.outer(a, b) if self.grid else a == b
        return values

    def count_equal(self, positions: Sequence[int]) -> np.ndarray:
        """In how many of these columns x and y agree, as categories."""
        compared = [(self.x.codes(position), self.y.codes(position)) for position in positions]
        if not self.grid:
            return np.asarray(np.sum([a == b for a, b in compared], axis=0, dtype=float))
        counts = np.empty(self.shape)
        size = max(1, _IN_CACHE // max(1, len(self.y)))
        for rows in (slice(start, start + size) for start in range(0, len(self.x), size)):
            block = np.zeros(counts[rows].shape, np.min_scalar_type(len(compared)))
            same = np.empty(block.shape, bool)
            for a, b in compared:
                block += np.equal.outer(a[rows], b, out=same)
            counts[rows] = block
        return counts

    def minima_and_maxima(self) -> tuple[np.ndarray, np.ndarray]:
        return minima_and_maxima(self.x.numbers, self.y.numbers, self.grid)

    def select(self, positions: tuple[int, ...]) -> NumericPairs:
        if positions == every_column(self.dim):
            return self
        return replace(self, x=self.x.select(positions), y=self.y.select(positions))

    def map(self, matrix: Sequence[Scalar] | Sequence[Sequence[Scalar]] | Scalar) -> NumericPairs:
        a = np.asarray(matrix, dtype=float)
        x = self.x.mapped(a)
        return replace(self, x=x, y=x if self.y is self.x else self.y.mapped(a))

    def translated(self, by: Sequence[Scalar]) -> NumericPairs:
        return replace(self, x=Rows(self.x.dense() + np.asarray(by, dtype=float)), y=Rows(self.y.dense()))

    def of(self, leaf: PairFunction) -> np.ndarray:
        with np.errstate(over="ignore"):  # squares of large lags overflow
            return np.asarray(leaf.numbers(self))

    def key_agreement(self, probability: Value) -> np.ndarray:
        return np.ones(self.shape) if self.keys_agree else np.asarray(probability)
