"""The symbolic twin of `NumericPairs`, which answers in SymPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import root
from kernelspec.expressions.pairs import PairFunction
from kernelspec.loading import sympy

__all__ = ["SymbolicPairs"]

_MOST_WRITTEN_OUT = 16
"""Up to this many columns, sums and products are written out; beyond, or if d is a symbol, they are indexed."""


@dataclass(frozen=True)
class SymbolicPairs:
    """A vector Δ of `dim` components (an integer or a symbol), as a function of the index 1, 2, …, dim.

    `operands` gives (x_i, y_i) if Δ is a difference; a frequency has none.
    """

    dim: Scalar
    component: Callable[[Any], Any]
    operands: Callable[[Any], tuple[Any, Any]] | None = None
    written_out: bool = True

    @classmethod
    def between(cls, dim: Scalar, names: Sequence[str] | None = None) -> SymbolicPairs:
        """Δ = x − y with the symbols x_1, y_1, …, or x_age, y_age, … by name; indexed in large or symbolic d."""
        coordinates = [_coordinates(letter, dim, names) for letter in ("x", "y")]

        def operands(i: Any) -> tuple[Any, Any]:
            return coordinates[0](i), coordinates[1](i)

        def component(i: Any) -> Any:
            x, y = operands(i)
            return x - y

        return cls(dim, component, operands, _is_written_out(dim, names))

    @classmethod
    def frequency(cls, dim: Scalar, names: Sequence[str] | None = None) -> SymbolicPairs:
        """The vector ω with the symbols omega_1, … (omega alone in one dimension)."""
        return cls(dim, _coordinates("omega", dim, names), None, _is_written_out(dim, names))

    def renewed(self, dim: int) -> SymbolicPairs:
        """A frequency of another dimension, with its own symbols."""
        return SymbolicPairs(dim, _coordinates("nu", dim, None), None, _is_written_out(dim, None))

    def components(self) -> list[Any]:
        """All components; the dimension must be a number."""
        return [self.component(i) for i in range(1, int(self.dim) + 1)]

    def squared_norm(self) -> Any:
        return self._of_lags(lambda value: value**2)

    def absolute_sum(self) -> Any:
        return self._of_lags(sympy.Abs)

    def product(self, factor: Callable[[Any], Any]) -> Any:
        return self._folded(sympy.Mul, sympy.Product, lambda i: factor(self.component(i)))

    def inner(self, direction: Sequence[Scalar]) -> Any:
        if len(set(direction)) == 1:
            return direction[0] * self._of_lags(lambda value: value)
        return sympy.Add(*[w * value for w, value in zip(direction, self.components(), strict=True)])

    def cosine(self) -> Any:
        operands = self._rows()
        product = self.total(lambda i: operands(i)[0] * operands(i)[1])
        x, y = self.total(lambda i: operands(i)[0] ** 2), self.total(lambda i: operands(i)[1] ** 2)
        return product / root(x * y)

    def equal(self) -> Any:
        operands = self._rows()
        return self._folded(sympy.Mul, sympy.Product, lambda i: sympy.KroneckerDelta(*operands(i)))

    def minima_and_maxima(self) -> tuple[Any, Any]:
        return self._over_parts(sympy.Min), self._over_parts(sympy.Max)

    def select(self, positions: tuple[int, ...]) -> SymbolicPairs:
        start = positions[0]
        if positions == tuple(range(start, start + len(positions))) and len(positions) > _MOST_WRITTEN_OUT:
            return self._reindexed(len(positions), lambda i: i + start, self.written_out)
        return self._reindexed(len(positions), lambda i: positions[int(i) - 1] + 1, True)

    def map(self, matrix: Sequence[Scalar] | Sequence[Sequence[Scalar]] | Scalar) -> SymbolicPairs:
        inner = self.component
        if not isinstance(matrix, tuple | list):
            image = self._image_of_operands(lambda side, i: matrix * side(i))
            return SymbolicPairs(self.dim, lambda i: matrix * inner(i), image, self.written_out)
        rows = [row if isinstance(row, tuple | list) else None for row in matrix]
        if rows[0] is None:
            image = self._image_of_operands(lambda side, i: matrix[int(i) - 1] * side(i))
            return SymbolicPairs(self.dim, lambda i: matrix[int(i) - 1] * inner(i), image)
        written = [
            sum(entry * value for entry, value in zip(row or (), self.components(), strict=True)) for row in rows
        ]

        def row_times(side: Callable[[Any], Any], i: Any) -> Any:
            return sum(entry * side(place) for place, entry in enumerate(rows[int(i) - 1] or (), 1))

        image = self._image_of_operands(row_times)
        return SymbolicPairs(len(written), lambda i: written[int(i) - 1], image)

    def shift(self, by: Sequence[Scalar]) -> SymbolicPairs:
        """Δ − by."""
        inner = self.component
        if len(set(by)) == 1:
            return SymbolicPairs(self.dim, lambda i: inner(i) - by[0], None, self.written_out)
        return SymbolicPairs(self.dim, lambda i: inner(i) - by[int(i) - 1], None)

    def translated(self, by: Sequence[Scalar]) -> SymbolicPairs:
        return self.shift([-entry for entry in by])

    def of(self, leaf: PairFunction) -> Any:
        return leaf.expression(self)

    def key_agreement(self, probability: Any) -> Any:
        return probability

    def _rows(self) -> Callable[[Any], tuple[Any, Any]]:
        """(x_i, y_i) by index. Raises TypeError for a frequency."""
        if self.operands is None:
            raise TypeError("a frequency is not a pair of rows")
        return self.operands

    def _of_lags(self, term: Callable[[Any], Any]) -> Any:
        return self.total(lambda i: term(self.component(i)))

    def total(self, term: Callable[[Any], Any]) -> Any:
        """Σ term(i) over the columns i."""
        return self._folded(sympy.Add, sympy.Sum, term)

    def _folded(self, written: Any, indexed: Any, term: Callable[[Any], Any]) -> Any:
        if self.written_out:
            return written(*[term(i) for i in range(1, int(self.dim) + 1)])
        i = sympy.Symbol("i", integer=True, positive=True)
        return indexed(term(i), (i, 1, self.dim))

    def _over_parts(self, choose: Callable[[Any, Any], Any]) -> Any:
        """Σ choose(x̃, ỹ) over the positive and the negative parts of x and y."""
        operands = self._rows()

        def term(i: Any) -> Any:
            x, y = operands(i)
            return choose(sympy.Max(x, 0), sympy.Max(y, 0)) + choose(sympy.Max(-x, 0), sympy.Max(-y, 0))

        return self.total(term)

    def _image_of_operands(
        self, entry: Callable[[Callable[[Any], Any], Any], Any]
    ) -> Callable[[Any], tuple[Any, Any]] | None:
        """Entry i of the images of x and y; `entry(v, i)` is the entry of the image of the vector v(1), v(2), …"""
        operands = self.operands
        if operands is None:
            return None
        return lambda i: (entry(lambda j: operands(j)[0], i), entry(lambda j: operands(j)[1], i))

    def _reindexed(self, dim: int, index: Callable[[Any], Any], written_out: bool) -> SymbolicPairs:
        inner, operands = self.component, self.operands
        return SymbolicPairs(
            dim, lambda i: inner(index(i)), None if operands is None else lambda i: operands(index(i)), written_out
        )


def _is_written_out(dim: Scalar, names: Sequence[str] | None) -> bool:
    return names is not None or (isinstance(dim, int) and dim <= _MOST_WRITTEN_OUT)


_SIGNS = frozenset("+-*/^(),")


def _coordinates(letter: str, dim: Scalar, names: Sequence[str] | None) -> Callable[[Any], Any]:
    if names is not None:
        shown = [f"[{name}]" if set(name) & _SIGNS else name for name in names]  # a function of columns is a formula
        return lambda i: sympy.Symbol(f"{letter}_{shown[int(i) - 1]}", real=True)
    if _is_written_out(dim, None):
        return lambda i: sympy.Symbol(letter if dim == 1 else f"{letter}_{i}", real=True)
    indexed = sympy.IndexedBase(letter, real=True)
    return lambda i: indexed[i]
