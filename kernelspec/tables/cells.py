"""Cells, columns and rows that cannot be used, and their error messages."""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import CellTypeError, DataError
from kernelspec.tables.column_types import ColumnType

__all__ = [
    "FINE_DAYS",
    "FROM_ZERO",
    "US_PER_DAY",
    "ColumnFunction",
    "Domain",
    "Signs",
    "Span",
    "UnitSphere",
    "days_of",
    "dense",
    "is_missing",
    "no_category",
    "no_direction",
    "not_finite",
    "numbers_of",
    "other_type",
    "read_as_text",
    "refuse_times",
    "strange",
    "text_for_number",
]

FROM_ZERO = " (rows count from 0)"  # the end of every message that names a row of a table in memory

_MISSING = ("NAType", "NaTType")  # pandas' missing values, for which comparisons have no answer

_PLURAL: dict[ColumnType, str] = {
    "number": "numbers",
    "whole number": "whole numbers",
    "boolean": "true and false",
    "date": "dates",
    "text": "text",
    "category": "categories",
    "unknown": "categories",
}


def dense(numbers: Any) -> NDArray[Any]:
    """The array itself, or that of a sparse matrix."""
    return numbers if isinstance(numbers, np.ndarray) else np.asarray(numbers.toarray())


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or pandas' equivalents."""
    if isinstance(value, Decimal):
        return value.is_nan()
    if value is None or type(value).__name__ in _MISSING:
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def not_finite(row: int, where: str, value: float) -> DataError:
    """The error for NaN or infinity in place of a number."""
    what = "NaN" if np.isnan(value) else "infinity" if value > 0 else "-infinity"
    hint = ""
    if np.isnan(value) and where.startswith("column "):
        own = where.removeprefix("column ")
        name = own[1:-1] if own.startswith("'") else f"column({own})"
        name = name if re.fullmatch(r"[A-Za-z_]\w*|column\(\d+\)", name, re.ASCII) else json.dumps(name)
        hint = f"; use fill({name}) to impute the median, or match()[is_missing({name})] to compare missing values"
    return DataError(f"Input contains {what} in row {row}, {where}: features need finite numbers{hint}{FROM_ZERO}")


def no_direction(row: int) -> DataError:
    """The error for a row of zeros that would be divided by its norm."""
    return DataError(f"row {row} is all zeros, so it has no direction: drop it, or add a constant column{FROM_ZERO}")


def no_category(row: int, where: str, value: float) -> DataError:
    """The error for NaN or infinity in place of a category."""
    if not np.isnan(value):
        return not_finite(row, where, value)
    return DataError(
        f"Input contains NaN: {where} has no category in row {row} (NaN or empty): fill it in, drop the row, or make "
        f'missing cells a category of their own (missing="category" in Python, --missing category){FROM_ZERO}'
    )


def text_for_number(row: int, where: str, value: str) -> DataError:
    """The error for text in place of a number."""
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}: the kernel needs numbers there (match() compares categories)"
        f"{read_as_text(value)}{FROM_ZERO}"
    )


_SUSPECTED = (
    (r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", "has thousands separators: write {} without them"),
    (r"[+-]?\d{1,3}([ .'\u00a0\u202f]\d{3})+,\d*", "has thousands separators and a decimal comma: write 1234.5"),
    (r"[+-]?\d{1,3}([ '\u00a0\u202f]\d{3})+(\.\d*)?", "has thousands separators: write {} without them"),
    (r"[+-]?\d+([.,]\d+)?[ \u00a0\u202f]?%", "has a percent sign: write {} without it"),
    (r"[+-]?\d+,\d+", "has a decimal comma: write {} with a point"),
    (r"\d{4}-\d\d-\d\d.*|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}.*", "looks like a date: convert the column to dates"),
)


def read_as_text(value: str) -> str:
    """`; '1,234' has thousands separators: …` for text probably meant as a number or date, else ""."""
    found = (hint for pattern, hint in _SUSPECTED if re.fullmatch(pattern, value.strip()))
    return next((f"; {_shown(value)} {hint.format('such numbers')}" for hint in found), "")


def other_type(where: str, value: Any, row: int, expected: ColumnType) -> DataError:
    """The error for a category of another type than the map's, or a float that may be rounded from another integer."""
    whole = expected == "whole number" and isinstance(value, float | np.floating) and float(value).is_integer()
    why = "a float of this size may be rounded" if whole else "match() compares types too"
    advice = (
        "Convert the column to text, as astype(str) does; text=[…] does not convert numbers"
        if expected == "text"
        else "Convert the column, or make a new map with the column as text (text=[…] in Python, --text-columns on the "
        "command line)"
    )
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}, but the map was made for {_PLURAL[expected]} ({why}). "
        f"{advice}{FROM_ZERO}"
    )


def strange(row: int, where: str, value: Any) -> DataError:
    """The error for a cell that is neither number nor text."""
    hint = "; decode the bytes to text" if isinstance(value, bytes) else ""
    hint = f"; {_PARTS_OF_DATES}" if isinstance(value, date | np.datetime64) else hint
    kind = type(value).__name__
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}: a cell given as argument must be a string (for match()) or a "
        f"number, not {kind}{hint}{FROM_ZERO}"
    )


_PARTS_OF_DATES = "compare days(t), month(t) or another number instead, as in match()[month(t)]"


def refuse_times(column: NDArray[Any], where: str) -> None:
    """Raise CellTypeError for a column of dates or times."""
    if column.dtype.kind in "mM":
        hint = _PARTS_OF_DATES if column.dtype.kind == "M" else "turn the durations into numbers"
        raise CellTypeError(f"{where} holds dates or times ({column.dtype}): {hint}")


US_PER_DAY = 86_400_000_000
FINE_DAYS = 2**16  # floats of days resolve microseconds up to this one, in 2149, and milliseconds after it

_PER_DAY = {"D": 1, "h": 24, "m": 1440, "s": 86_400, "ms": 86_400_000, "us": US_PER_DAY, "ns": US_PER_DAY * 1000}
_FINER = ("ps", "fs", "as")


def days_of(column: NDArray[Any]) -> NDArray[Any] | None:
    """Days since 1970-01-01 in UTC (n,), NaN if missing; None for a column of anything but dates.

    Times without a zone count as UTC. The last instant of an hour is moved back by less than a microsecond, or a
    millisecond from FINE_DAYS on, where its float would be the next hour.
    """
    if column.dtype.kind == "O":
        values = column.tolist()
        if not all(isinstance(value, date | np.datetime64) or is_missing(value) for value in values):
            return None
        plain = [
            value.astimezone(UTC).replace(tzinfo=None) if isinstance(value, datetime) and value.tzinfo else value
            for value in values
        ]
        column = np.array([np.datetime64("NaT") if is_missing(value) else np.datetime64(value) for value in plain])
        column = column.astype("M8[us]")
    if column.dtype.kind != "M":
        return None
    unit = np.datetime_data(column.dtype)[0]
    unit = unit if unit in _PER_DAY else "ns" if unit in _FINER else "D"
    per_day = _PER_DAY[unit]
    days, rest = np.divmod(column.astype(f"M8[{unit}]").astype(np.int64), per_day)
    if per_day >= US_PER_DAY:
        hour, resolved = per_day // 24, per_day // US_PER_DAY * np.where(np.abs(days) < FINE_DAYS, 1, 1000)
        rest -= np.where(rest % hour >= hour - resolved, rest % resolved, 0)
    return np.where(np.isnat(column), np.nan, days + rest / per_day)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


_NUMBERS: tuple[type[Any], ...] = (Real, Decimal, np.bool_)


def numbers_of(
    column: NDArray[Any], where: str, expected: ColumnType = "unknown", *, gaps: bool = False
) -> NDArray[Any]:
    """The column as floats or integers, (n,); NaN and infinity pass. Dates become days since 1970-01-01 in UTC.

    `expected` is the column's type in the map; with `gaps`, missing cells become NaN. Raises DataError for anything but
    numbers, for dates instead of numbers, and vice versa.
    """
    days = None if column.dtype.kind in "fiub" else days_of(column)
    is_date = days is not None and not np.isnan(days).all()
    if expected not in ("unknown", "number") and is_date != (expected == "date") and (is_date or days is None):
        cells = column.tolist()
        others = (own for own in cells if not (is_missing(own) or isinstance(own, date)))
        held = "dates" if is_date else _shown(next(others, cells[0]))
        raise CellTypeError(f"{where} holds {held}, but the map was made for {_PLURAL[expected]}")
    if days is not None:
        return days
    if column.dtype.kind in "fiub":
        return column
    refuse_times(column, where)
    values = column.tolist()
    if gaps:
        values = [np.nan if is_missing(value) else value for value in values]
        column = np.array([None, *values], dtype=object)[1:]
    if all(issubclass(kind, _NUMBERS) for kind in set(map(type, values))):
        try:
            return column.astype(np.float64)
        except (OverflowError, ValueError):  # too large for a float; a signalling NaN
            pass
    for row, value in enumerate(values):
        if is_missing(value) and not gaps:
            raise not_finite(row, where, float("nan"))
        if isinstance(value, str):
            raise text_for_number(row, where, value)
        if not isinstance(value, _NUMBERS):
            raise strange(row, where, value)
        try:
            float(value)
        except OverflowError:
            raise not_finite(row, where, np.inf if value > 0 else -np.inf) from None
    raise DataError(f"{where} cannot be read as numbers")


class ColumnFunction(ABC):
    """A number computed from the columns of a row; `text` shows it, with the names of the columns."""

    text: str

    @abstractmethod
    def reads(self) -> frozenset[int]:
        """The positions of the numeric columns that it reads."""

    def compares(self) -> frozenset[int]:
        """The positions of the category columns that it reads."""
        return frozenset()

    @abstractmethod
    def fills(self) -> frozenset[int]:
        """The numeric columns in which a missing number, NaN, has a meaning."""

    @abstractmethod
    def values(
        self, columns: Mapping[int, NDArray[Any]], name: Callable[[int], str], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        """Its value for every row, (n,); `columns` has the columns that it reads, and `name` their names.

        For category columns, these are the table's cells. Raises DataError for the first row whose value is not a
        finite number of this type.
        """


class Domain(ABC):
    """The set of rows on which a kernel is defined, in some columns."""

    @abstractmethod
    def check(self, numbers: Any, name: Callable[[int], str]) -> None:
        """Raise DataError for the first row (of (n, p), dense or CSR) outside; `name` gives the name of column i."""

    @abstractmethod
    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """A row of the set for every row (n, p), as a substitute for standard normal rows."""


@dataclass(frozen=True)
class Signs(Domain):
    """Rows of −1 and 1."""

    def check(self, numbers: Any, name: Callable[[int], str]) -> None:
        table = dense(numbers)
        bad = np.argwhere(np.abs(table) != 1)
        if len(bad):
            row, column = bad[0].tolist()
            raise DataError(
                f"row {row}, {name(column)} is {table[row, column]:g}: binary() needs columns of −1 and 1 "
                f"(match() compares any two categories){FROM_ZERO}"
            )

    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(numbers < 0, -1.0, 1.0)


@dataclass(frozen=True)
class Span(Domain):
    """Numbers from 0 to `until`."""

    until: float

    def check(self, numbers: Any, name: Callable[[int], str]) -> None:
        table = dense(numbers)
        bad = np.argwhere(~((table >= 0) & (table <= self.until)))
        if len(bad):
            row, column = bad[0].tolist()
            found = float(table[row, column])
            fix = (
                f"write an end that no row exceeds, as in brownian(until={np.ceil(found):.17g})"
                if found > 0
                else "subtract a start, as in brownian()[year - 1900]"
            )
            raise DataError(
                f"row {row}, {name(column)} is {found:g}: brownian() needs numbers from 0 to "
                f"{self.until:g}, its 'until'; {fix}{FROM_ZERO}"
            )

    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.until * (0.5 + np.arctan(numbers) / np.pi))


@dataclass(frozen=True)
class UnitSphere(Domain):
    """Rows of Euclidean norm 1, to within `tolerance`."""

    tolerance: float = 1e-6

    def validate(self) -> None:
        """Raise ValueError for an invalid tolerance."""
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"the tolerance is {self.tolerance}")

    def check(self, numbers: Any, name: Callable[[int], str]) -> None:
        if isinstance(numbers, np.ndarray):
            squares = np.square(numbers, dtype=np.float64).sum(axis=1)
        else:
            squares = np.asarray(numbers.astype(np.float64).multiply(numbers).sum(axis=1)).ravel()
        norms = np.sqrt(squares)
        bad = np.flatnonzero(~(np.abs(norms - 1) <= self.tolerance))
        if len(bad):
            first, last = name(0), name(numbers.shape[1] - 1)
            columns = first if numbers.shape[1] == 1 else f"{first} to {last}"
            raise DataError(
                f"row {bad[0]} has norm {norms[bad[0]]:.7g} in {columns}, but sphere() needs rows of norm 1: divide "
                f"every row by its norm, or write normalize(linear()){FROM_ZERO}"
            )

    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        norms = np.sqrt(np.square(numbers).sum(axis=1, keepdims=True))
        first = np.eye(1, numbers.shape[1])
        return np.where(norms > 0, numbers / np.where(norms > 0, norms, 1), first)
