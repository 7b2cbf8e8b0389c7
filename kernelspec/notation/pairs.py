"""Pairs of rows, seen through the few functions of x and y that kernels are written in.

A kernel is written once, for one pair (x, y), in terms of these functions. `NumericPairs` evaluates
them on arrays, for all pairs of two blocks or for rows taken one with one; its twin `SymbolicPairs`
writes them as SymPy expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kernelspec.notation.arguments import Scalar, Value
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.notation.pair_function import PairFunction

__all__ = ["NumericPairs", "Pairs"]


class Pairs(Protocol):
    """What a kernel may ask about the pair (x, y), with Δ = x − y."""

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
        """1 where x and y agree in every column, as categories, else 0."""

    def minima_and_maxima(self) -> tuple[Value, Value]:
        """Σ min(x̃_i, ỹ_i) and Σ max(x̃_i, ỹ_i), x̃ the positive and negative parts of x; perhaps both times one 2^e."""

    def select(self, positions: tuple[int, ...]) -> Pairs:
        """The same pairs, seen on some of the columns."""

    def map(self, matrix: Sequence[Scalar] | Sequence[Sequence[Scalar]] | Scalar) -> Pairs:
        """The pairs with Δ replaced by AΔ: a number, one factor per column, or a matrix."""

    def translated(self, by: Sequence[Scalar]) -> Pairs:
        """The pairs with Δ replaced by Δ + r, one entry of r per column."""

    def of(self, leaf: PairFunction) -> Value:
        """k(x, y) of a catalogue kernel, or another formula: its numbers or its expression."""

    def key_agreement(self, probability: Value) -> Value:
        """The chance that the random keys of x and y agree: the one given, unless they are made to agree."""


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
        """`compute()`, kept from the second time on that it is asked for with this very node.

        A node that a `let` gives to several others is computed twice at most, and one that is met once is not kept.
        """
        key = (what, id(node))
        known = self._met.get(key)
        if known is not None:
            return known[1]
        value = compute()
        self._met[key] = (node, value) if key in self._met else None  # holds the node: its id stays its own
        return value

    def some(self, n: int) -> NumericPairs:
        """At most n of the pairs, row with row: always the same ones, of different rows where that can be."""
        if not self.grid:
            chosen = np.random.default_rng(2).permutation(len(self.x))[:n]
            return replace(self, x=self.x.take(chosen), y=self.y.take(chosen))
        rows, columns = self.shape
        chosen = np.random.default_rng(2).permutation(rows * columns)[:n]
        return replace(self, x=self.x.take(chosen // columns), y=self.y.take(chosen % columns), grid=False)

    def with_keys_agreeing(self) -> NumericPairs:
        """The same pairs as if all keys of x and y agreed: what is left when two keys fall into one bucket."""
        return replace(self, keys_agree=True)

    def with_equal_categories(self, positions: Sequence[int]) -> NumericPairs:
        """The same pairs, one by one, with the categories of x in these columns of y, too."""
        codes = {position: self.x.codes(position) for position in positions}
        return replace(self, y=Rows(self.y.numbers, {**self.y.categories, **codes}))

    def of_different_rows(self, values: Any) -> np.ndarray:
        """Values at these pairs, one of every two where all rows are paired with all; without those of a row with
        itself, where the rows are the same on both sides."""
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
        x, y = self.x.dense(), self.y.dense()
        if not self.grid:
            with np.errstate(over="ignore"):  # as where all are paired with all
                return np.asarray(np.square(x - y).sum(axis=1))
        from scipy.spatial.distance import cdist  # differences first: expanding the square would cancel

        return np.asarray(cdist(x, y, "sqeuclidean"))

    def absolute_sum(self) -> np.ndarray:
        x, y = self.x.dense(), self.y.dense()
        if not self.grid:
            with np.errstate(over="ignore"):
                return np.asarray(np.abs(x - y).sum(axis=1))
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(x, y, "cityblock"))

    def product(self, factor: Callable[[Value], Value]) -> np.ndarray:
        x, y = self.x.dense(), self.y.dense()
        values = np.ones(self.shape)
        for i in range(self.dim):
            values *= factor(np.subtract.outer(x[:, i], y[:, i]) if self.grid else x[:, i] - y[:, i])
        return values

    def inner(self, direction: Sequence[Scalar]) -> np.ndarray:
        w = np.asarray(direction, dtype=float)
        left, right = self.x.dense() @ w, self.y.dense() @ w
        return np.asarray(np.subtract.outer(left, right) if self.grid else left - right)

    def on_unit_rows(self) -> NumericPairs:
        """The same pairs with every row divided by its norm. Raises DataError for a row of zeros."""
        return replace(self, x=self.x.on_unit_sphere(), y=self.y.on_unit_sphere())

    def cosine(self) -> np.ndarray:
        return np.asarray(1 - 0.5 * self.on_unit_rows().squared_norm())

    def equal(self) -> np.ndarray:
        values = np.ones(self.shape)
        for position in range(self.dim):
            a, b = self.x.codes(position), self.y.codes(position)
            values *= np.equal.outer(a, b) if self.grid else a == b
        return values

    def minima_and_maxima(self) -> tuple[np.ndarray, np.ndarray]:
        from kernelspec.notation.minima import minima_and_maxima

        return minima_and_maxima(self.x.numbers, self.y.numbers, self.grid)

    def select(self, positions: tuple[int, ...]) -> NumericPairs:
        if positions == tuple(range(self.dim)):
            return self
        return replace(self, x=self.x.select(positions), y=self.y.select(positions))

    def map(self, matrix: Sequence[Scalar] | Sequence[Sequence[Scalar]] | Scalar) -> NumericPairs:
        a = np.asarray(matrix, dtype=float)
        x, y = self.x.dense(), self.y.dense()
        mapped = (x @ a.T, y @ a.T) if a.ndim == 2 else (x * a, y * a)
        return replace(self, x=Rows(mapped[0]), y=Rows(mapped[1]))

    def translated(self, by: Sequence[Scalar]) -> NumericPairs:
        return replace(self, x=Rows(self.x.dense() + np.asarray(by, dtype=float)), y=Rows(self.y.dense()))

    def of(self, leaf: PairFunction) -> np.ndarray:
        with np.errstate(over="ignore"):  # lags so far out that their squares are no floats
            return np.asarray(leaf.numbers(self))

    def key_agreement(self, probability: Value) -> np.ndarray:
        return np.ones(self.shape) if self.keys_agree else np.asarray(probability)
