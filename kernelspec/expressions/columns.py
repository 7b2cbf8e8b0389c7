"""Sums of products over columns with the moments of their samples, and functions of the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.expressions.elementary import root
from kernelspec.expressions.formula import Column, Formula, Operation, Term, Variable, evaluate, is_learned, terms_of
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.rounding import Floats
from kernelspec.expressions.structured_pairs import StructuredPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.loading import scipy, sympy
from kernelspec.tables.categories import Category, categories_of, shown_category
from kernelspec.tables.cells import FINE_DAYS, FROM_ZERO, US_PER_DAY, ColumnFunction
from kernelspec.tables.rows import Rows

__all__ = [
    "COLUMN_FLOATS",
    "MODULI",
    "REAL_SQUARES",
    "SQUARES",
    "VALUES",
    "CodedColumn",
    "ComputedColumn",
    "Inner",
    "Limits",
    "term_values",
]

Part: TypeAlias = Callable[[Any, Any], Any]
"""A function of x_i and x_{i+1}; the first column follows the last."""

VALUES: tuple[Part, ...] = (lambda a, b: a,)
SQUARES: tuple[Part, ...] = (lambda a, b: a**2,)
MODULI: tuple[Part, ...] = (lambda a, b: a**2 + b**2,)
"""|z_i|² of z_i = x_i + i x_{i+1}."""

REAL_SQUARES: tuple[Part, ...] = (lambda a, b: a**2 - b**2, lambda a, b: 2 * a * b)
"""Re z_i² and Im z_i²: Re(z² conj w²) is the sum of their products."""


@dataclass(frozen=True)
class Inner:
    """Σ_i Σ_f f(x_i, x_{i+1}) f(y_i, y_{i+1}) over the columns i and the `parts` f, all of one degree.

    With `directions`, rows are divided by their norms; raises DataError for a row of zeros.
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
        # arrays of other libraries keep their type
        found: np.ndarray = np.asarray(values.toarray() if pairs.grid else values) if stays_sparse else values
        return found

    def expression(self, pairs: Pairs) -> Any:
        if isinstance(pairs, StructuredPairs):
            if self.parts is VALUES:
                return pairs.cosine() if self.directions else pairs.inner_product()
            pairs = SymbolicPairs.between(pairs.dim, pairs.columns)
        if not isinstance(pairs, SymbolicPairs) or pairs.operands is None:
            raise TypeError("a frequency is not a pair of rows")
        operands, dim = pairs.operands, pairs.dim

        def term(i: Any) -> Any:
            (x, y), (next_x, next_y) = operands(i), operands(sympy.Mod(i, dim) + 1)
            return sum(part(x, next_x) * part(y, next_y) for part in self.parts)

        total = pairs.total(term)
        sizes = [pairs.total(lambda i, side=side: operands(i)[side] ** 2) for side in (0, 1)]  # type: ignore[misc]
        return total / root(sizes[0] * sizes[1]) ** self.degree if self.directions else total

    def _image(self, rows: Rows, stays_sparse: bool) -> Any:
        columns: Any = rows.numbers.astype(np.float64) if stays_sparse else rows.dense()
        following, alone = columns, self.parts in (VALUES, SQUARES)
        if stays_sparse:
            if not alone:
                following = columns[:, np.roll(np.arange(rows.n_columns), -1)]
            return scipy.sparse.hstack([part(columns, following) for part in self.parts], format="csr")
        if not alone:
            following = np.roll(columns, -1, axis=1)
        return np.hstack([part(columns, following) for part in self.parts])


_DEEPEST = 400
"""Nesting depth of operations in a map file: what the language allows, times several selections."""


def _columns(term: Term) -> frozenset[int]:
    return frozenset(part.position for part in terms_of(term) if isinstance(part, Column))


@dataclass(frozen=True)
class Limits:
    """The range of a part of a function, such as a latitude between −90 and 90."""

    body: Term
    low: float
    high: float
    what: str


_MOST_DAYS = 10**8
"""Range of dates with a calendar: some 270,000 years around 1970."""


class _ColumnFloats(Floats):
    """Floats with the functions of columns: dates are days since 1970-01-01, missing numbers are NaN."""

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        x = arguments[0]
        match name:
            case "is_missing":
                return np.where(np.isnan(x), 1.0, 0.0)
            case "fill":
                return np.where(np.isnan(x), arguments[1], x)
            case "rank":
                quantiles = np.array([float(own) for own in arguments[1:]])
                ranks = np.linspace(0, 1, len(quantiles))
                # the middle of equal quantiles, also where a logarithm is rounded otherwise than in the fit
                near = np.where(np.isfinite(x), 4 * np.spacing(np.abs(x)), 0)
                return (np.interp(x + near, quantiles, ranks) + np.interp(x - near, quantiles, ranks)) / 2
            case "year" | "month" | "weekday" | "hour" | "day_of_year":
                return _calendar(name, np.asarray(x))
        return super().function(name, arguments)


COLUMN_FLOATS = _ColumnFloats()


def _calendar(name: str, days: NDArray[np.float64]) -> NDArray[np.float64]:
    """A part of the date, as an integer: month 1 to 12, weekday 0 (Monday) to 6, hour 0 to 23."""
    known = np.abs(days) < _MOST_DAYS
    step = np.where(np.abs(days) < FINE_DAYS, 1, 1000)
    since: NDArray[np.int64] = np.rint(np.where(known, days, 0) * US_PER_DAY / step).astype(np.int64) * step
    time = since.astype("M8[us]")
    day, month, year = (time.astype(f"M8[{unit}]") for unit in "DMY")
    parts: dict[str, Callable[[], NDArray[Any]]] = {
        "year": lambda: year.astype(int) + 1970,
        "month": lambda: month.astype(int) % 12 + 1,
        "weekday": lambda: (day.astype(int) + 3) % 7,
        "hour": lambda: (time - day).astype(int) // 3_600_000_000,
        "day_of_year": lambda: (day - year.astype("M8[D]")).astype(int) + 1,
    }
    return np.where(known, parts[name](), np.nan)


def _asks_for_missing(term: Term) -> TypeGuard[Operation]:
    return isinstance(term, Operation) and term.name in ("fill", "is_missing")


def _computed_with(term: Term) -> tuple[Term, ...]:
    """The operands of a term that must not be missing."""
    return () if not isinstance(term, Operation) else term.operands[1:] if _asks_for_missing(term) else term.operands


def term_values(term: Term, columns: Mapping[int, NDArray[np.float64]]) -> NDArray[np.float64]:
    """The values of a function of columns, (n,): NaN if it has none."""
    own: Any = columns
    with np.errstate(all="ignore"):
        return np.broadcast_to(evaluate(Formula(term), own, COLUMN_FLOATS), len(next(iter(columns.values()))))


@dataclass(frozen=True)
class ComputedColumn(ColumnFunction):
    """The value of `body` for every row; `text` shows it."""

    body: Term
    text: str
    limits: tuple[Limits, ...] = ()

    def validate(self) -> None:
        """Raise ValueError for a function of no column, and for one that is nested too deep."""
        if not self.reads():
            raise ValueError(f"{self.text} reads no column")
        if any(map(is_learned, terms_of(self.body))):
            raise ValueError(f"{self.text} has not been fitted")
        for term in (self.body, *(limit.body for limit in self.limits)):
            if any(isinstance(part, Variable) for part in terms_of(term)):
                raise ValueError(f"{self.text} has an unbound variable")
            level, depth = [term], 0
            while level:
                level, depth = [part for own in level if isinstance(own, Operation) for part in own.operands], depth + 1
            if depth > _DEEPEST:
                raise ValueError(f"{self.text} is nested more than {_DEEPEST} levels deep")

    def reads(self) -> frozenset[int]:
        return _columns(self.body).union(*(_columns(limit.body) for limit in self.limits))

    def fills(self) -> frozenset[int]:
        plain = frozenset().union(*(_columns(limit.body) for limit in self.limits))
        pending = [self.body]
        while pending:
            part = pending.pop()
            plain |= {part.position} if isinstance(part, Column) else frozenset()
            pending.extend(_computed_with(part))
        return self.reads() - plain

    def values(
        self, columns: Mapping[int, NDArray[np.float64]], name: Callable[[int], str], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        with np.errstate(all="ignore"):
            for limit in self.limits:
                found = term_values(limit.body, columns)
                outside = np.flatnonzero(~((found >= limit.low) & (found <= limit.high)))
                if len(outside):
                    row = int(outside[0])
                    places = " and ".join(map(name, sorted(_columns(limit.body))))
                    raise DataError(
                        f"the {limit.what} is {found[row]:g} in row {row}, {places}: it must lie between {limit.low:g} "
                        f"and {limit.high:g}{FROM_ZERO}"
                    )
            exact = term_values(self.body, columns)
            for part in terms_of(self.body):  # numbers computed from numbers cannot be missing
                if _asks_for_missing(part) and not isinstance(part.operands[0], Column):
                    inner = term_values(part.operands[0], columns)
                    gaps = np.any([np.isnan(columns[i]) for i in _columns(part.operands[0])], axis=0)
                    exact = np.where(np.isfinite(inner) | gaps, exact, np.nan)
            values = exact.astype(dtype)
        lost = np.flatnonzero(~np.isfinite(values))
        if len(lost):
            row = int(lost[0])
            what = "is not a real number" if np.isnan(exact[row]) else "is infinite, or too large for a float,"
            raise DataError(f"{self.text} {what} in row {row}, {self._cells(columns, name, row)}{FROM_ZERO}")
        return values

    def _cells(self, columns: Mapping[int, NDArray[np.float64]], name: Callable[[int], str], row: int) -> str:
        return " and ".join(f"{name(i)} ({columns[i][row]:g})" for i in sorted(self.reads()))


@dataclass(frozen=True)
class CodedColumn(ColumnFunction):
    """The number of each row's level in the column at `position`; `text` shows it.

    Categories that are not levels get the number `other`, or are rejected without it.
    """

    position: int
    text: str
    levels: tuple[str | int | float, ...]
    numbers: tuple[float, ...]
    other: float | None = None

    def validate(self) -> None:
        """Raise ValueError unless there is one number per level, and all levels are distinct."""
        if len(self.levels) != len(self.numbers) or len(set(self.levels)) < len(self.levels) or self.position < 0:
            raise ValueError(f"{self.text} needs one number per level, and distinct levels")

    def reads(self) -> frozenset[int]:
        return frozenset()

    def compares(self) -> frozenset[int]:
        return frozenset({self.position})

    def fills(self) -> frozenset[int]:
        return frozenset()

    def values(
        self, columns: Mapping[int, NDArray[Any]], name: Callable[[int], str], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        known: dict[Category, float | None] = dict(zip(self.levels, self.numbers, strict=True))
        cells = categories_of(columns[self.position].tolist())
        if self.other is None:
            row = next((row for row, cell in enumerate(cells) if cell not in known), None)
            if row is not None:
                is_mixed = len({type(own) is str for own in (*self.levels, cells[row])}) > 1
                shown = partial(shown_category, quoted=is_mixed)
                levels = ", ".join(map(shown, self.levels[:_MOST_SHOWN]))
                more = ", …" if len(self.levels) > _MOST_SHOWN else ""
                raise DataError(
                    f"{name(self.position)} is {shown(cells[row])} in row {row}, which is not among the "
                    f'levels {levels}{more}: add it, or write levels(…, unknown="own"){FROM_ZERO}'
                )
        return np.array([known.get(cell, self.other) for cell in cells], dtype=dtype)


_MOST_SHOWN = 12
"""Most levels shown in a message."""
