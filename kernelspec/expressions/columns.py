"""Sums of products over the columns with the moments of their samples, and functions of the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.expressions.elementary import root
from kernelspec.expressions.formula import Column, Formula, Operation, Term, Variable, evaluate, terms_of
from kernelspec.expressions.rounding import FLOATS
from kernelspec.tables.cells import FROM_ZERO, ColumnFunction

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs, Pairs
    from kernelspec.tables.rows import Rows

__all__ = ["MODULI", "REAL_SQUARES", "SQUARES", "VALUES", "ComputedColumn", "Inner", "Limits"]

Part: TypeAlias = Callable[[Any, Any], Any]
"""A function of x_i and x_{i+1}; after the last column comes the first."""

VALUES: tuple[Part, ...] = (lambda a, b: a,)
SQUARES: tuple[Part, ...] = (lambda a, b: a**2,)
MODULI: tuple[Part, ...] = (lambda a, b: a**2 + b**2,)
"""|z_i|² of z_i = x_i + i x_{i+1}."""

REAL_SQUARES: tuple[Part, ...] = (lambda a, b: a**2 - b**2, lambda a, b: 2 * a * b)
"""Re z_i² and Im z_i²: Re(z² conj w²) is the sum of their products."""


@dataclass(frozen=True)
class Inner:
    """Σ_i Σ_f f(x_i, x_{i+1}) f(y_i, y_{i+1}) over the columns i and the `parts` f, all of one degree.

    With `directions`, of the rows divided by their norms. Raises DataError for a row of zeros then.
    """

    parts: tuple[Part, ...] = VALUES
    directions: bool = False

    @property
    def degree(self) -> int:
        """The degree of the parts as polynomials."""
        return 1 if self.parts is VALUES else 2

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        if self.directions:
            pairs = pairs.on_unit_rows()
        if self.parts is VALUES and pairs.grid and pairs.x.is_sparse and pairs.y.is_sparse:
            product: Any = pairs.x.numbers.astype(np.float64) @ pairs.y.numbers.T
            return np.asarray(product.toarray())
        stays_sparse = pairs.x.is_wide and pairs.y.is_wide
        x, y = (self._image(rows, stays_sparse) for rows in (pairs.x, pairs.y))
        values: Any = x @ y.T if pairs.grid else (x * y).sum(axis=1)
        # arrays of other libraries stay what they are
        found: np.ndarray = np.asarray(values.toarray() if pairs.grid else values) if stays_sparse else values
        return found

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        from kernelspec.expressions.structured_pairs import StructuredPairs
        from kernelspec.expressions.symbolic_pairs import SymbolicPairs

        if isinstance(pairs, StructuredPairs):
            if self.parts is VALUES:
                return pairs.cosine() if self.directions else pairs.inner_product()
            pairs = SymbolicPairs.between(pairs.dim, pairs.columns)
        if not isinstance(pairs, SymbolicPairs) or pairs.operands is None:
            raise TypeError("a frequency is no pair of rows")
        operands, dim = pairs.operands, pairs.dim

        def term(i: Any, following: Any) -> Any:
            (x, y), (next_x, next_y) = operands(i), operands(following)
            return sum(part(x, next_x) * part(y, next_y) for part in self.parts)

        def size(i: Any) -> tuple[Any, Any]:
            x, y = operands(i)
            return x**2, y**2

        if pairs.written_out:
            count = int(dim)
            total = sympy.Add(*[term(i, i % count + 1) for i in range(1, count + 1)])
            sizes = [sympy.Add(*[size(i)[side] for i in range(1, count + 1)]) for side in (0, 1)]
        else:
            i = sympy.Symbol("i", integer=True, positive=True)
            total = sympy.Sum(term(i, sympy.Mod(i, dim) + 1), (i, 1, dim))
            sizes = [sympy.Sum(size(i)[side], (i, 1, dim)) for side in (0, 1)]
        return total / root(sizes[0] * sizes[1]) ** self.degree if self.directions else total

    def _image(self, rows: Rows, stays_sparse: bool) -> Any:
        columns: Any = rows.numbers.astype(np.float64) if stays_sparse else rows.dense()
        following, alone = columns, self.parts in (VALUES, SQUARES)
        if stays_sparse:
            from scipy.sparse import hstack

            if not alone:
                following = columns[:, np.roll(np.arange(rows.n_columns), -1)]
            return hstack([part(columns, following) for part in self.parts], format="csr")
        if not alone:
            following = np.roll(columns, -1, axis=1)
        return np.hstack([part(columns, following) for part in self.parts])


_DEEPEST = 400
"""Operations inside each other, in a map from a file: what the language allows, several selections deep."""


def _columns(term: Term) -> frozenset[int]:
    return frozenset(part.position for part in terms_of(term) if isinstance(part, Column))


@dataclass(frozen=True)
class Limits:
    """The numbers that a part of a function must lie between: a latitude between −90 and 90."""

    body: Term
    low: float
    high: float
    what: str


@dataclass(frozen=True)
class ComputedColumn(ColumnFunction):
    """The value of `body` in every row, written as `text`."""

    body: Term
    text: str
    limits: tuple[Limits, ...] = ()

    def validate(self) -> None:
        """Raise ValueError for a function of no column, or one nested too deep to be evaluated."""
        if not self.reads():
            raise ValueError(f"{self.text} reads no column")
        for term in (self.body, *(limit.body for limit in self.limits)):
            if any(isinstance(part, Variable) for part in terms_of(term)):
                raise ValueError(f"{self.text} has a variable that stands for nothing")
            level, depth = [term], 0
            while level:
                level, depth = [part for own in level if isinstance(own, Operation) for part in own.operands], depth + 1
            if depth > _DEEPEST:
                raise ValueError(f"{self.text} is nested more than {_DEEPEST} levels deep")

    def reads(self) -> frozenset[int]:
        return _columns(self.body).union(*(_columns(limit.body) for limit in self.limits))

    def values(
        self, columns: Mapping[int, NDArray[np.float64]], name: Callable[[int], str], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        n = len(columns[min(self.reads())])
        with np.errstate(all="ignore"):
            own: Any = columns
            for limit in self.limits:
                found = np.broadcast_to(evaluate(Formula(limit.body), own, FLOATS), n)
                outside = np.flatnonzero(~((found >= limit.low) & (found <= limit.high)))
                if len(outside):
                    row = int(outside[0])
                    places = " and ".join(map(name, sorted(_columns(limit.body))))
                    raise DataError(
                        f"the {limit.what} is {found[row]:g} in row {row}, {places}: it must lie between {limit.low:g} "
                        f"and {limit.high:g}{FROM_ZERO}"
                    )
            exact = np.broadcast_to(evaluate(Formula(self.body), own, FLOATS), n)
            values = exact.astype(dtype)
        lost = np.flatnonzero(~np.isfinite(values))
        if len(lost):
            row = int(lost[0])
            what = "is not a real number" if np.isnan(exact[row]) else "is infinite, or too large for a float,"
            raise DataError(f"{self.text} {what} in row {row}, {self._cells(columns, name, row)}{FROM_ZERO}")
        return values

    def _cells(self, columns: Mapping[int, NDArray[np.float64]], name: Callable[[int], str], row: int) -> str:
        return " and ".join(f"{name(i)} ({columns[i][row]:g})" for i in sorted(self.reads()))
