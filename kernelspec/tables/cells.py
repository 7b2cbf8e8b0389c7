"""Cells, columns and rows that cannot be used, and what the error says about them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import CellTypeError, DataError
from kernelspec.tables.column_types import ColumnType

__all__ = [
    "FROM_ZERO",
    "ColumnFunction",
    "Domain",
    "Signs",
    "UnitSphere",
    "is_missing",
    "missing",
    "no_category",
    "no_direction",
    "not_finite",
    "numbers_of",
    "other_type",
    "refuse_times",
    "strange",
    "text_for_number",
]

FROM_ZERO = " (rows count from 0)"
"""What every message that names a row of a table in memory ends in."""

_MISSING = ("NAType", "NaTType")
"""What pandas calls its missing values: they answer no comparison."""

_PLURAL: dict[ColumnType, str] = {
    "number": "numbers",
    "whole number": "whole numbers",
    "boolean": "true and false",
    "text": "text",
    "category": "categories",
    "unknown": "categories",
}


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or what pandas has in its place."""
    if isinstance(value, Decimal):
        return value.is_nan()
    if value is None or type(value).__name__ in _MISSING:
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def not_finite(row: int, where: str, value: float) -> DataError:
    """NaN or infinity where a number is needed."""
    what = "NaN" if np.isnan(value) else "infinity" if value > 0 else "-infinity"
    return DataError(f"Input contains {what} in row {row}, {where}: features need finite numbers{FROM_ZERO}")


def no_direction(row: int) -> DataError:
    """A row of zeros where it is divided by its norm."""
    return DataError(
        f"row {row} has only zeros, and so no direction: leave it out, or add a constant column{FROM_ZERO}"
    )


def missing(row: int, where: str, *, category: bool) -> DataError:
    """An empty cell."""
    return no_category(row, where, float("nan")) if category else not_finite(row, where, float("nan"))


def no_category(row: int, where: str, value: float) -> DataError:
    """NaN or infinity where a category is needed."""
    if not np.isnan(value):
        return not_finite(row, where, value)
    return DataError(
        f"Input contains NaN: {where} has no category in row {row} (NaN or empty): fill it in or drop the row"
        + FROM_ZERO
    )


def text_for_number(row: int, where: str, value: str) -> DataError:
    """Text where a number is needed."""
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}: the kernel needs numbers there (match() compares categories)"
        + FROM_ZERO
    )


def other_type(where: str, value: Any, row: int, expected: ColumnType) -> DataError:
    """A category of another type than the map was made for, or a float that may be another whole number, rounded."""
    whole = expected == "whole number" and isinstance(value, float | np.floating) and float(value).is_integer()
    why = "a float of this size may be another one that was rounded" if whole else "compares them as such"
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}: the map was made for {_PLURAL[expected]} there, and {why}. "
        "Convert the column, or make the map anew with the column pinned as text (text=[…] in Python, "
        f"--text-columns on the command line){FROM_ZERO}"
    )


def strange(row: int, where: str, value: Any) -> DataError:
    """A cell that is neither number nor text."""
    hint = "; decode the bytes to text" if isinstance(value, bytes) else ""
    kind = type(value).__name__
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}: a cell given as argument must be a string (for match()) or a "
        f"number, not {kind}{hint}{FROM_ZERO}"
    )


def refuse_times(column: NDArray[Any], where: str) -> None:
    """Raise CellTypeError for a column of dates or times."""
    if column.dtype.kind in "mM":
        raise CellTypeError(
            f"{where} holds dates or times ({column.dtype}): turn them into numbers (days since a day, say), or into "
            "text for match()"
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


_NUMBERS: tuple[type[Any], ...] = (Real, Decimal, np.bool_)


def numbers_of(column: NDArray[Any], where: str) -> NDArray[Any]:
    """The column as floats or integers, (n,); NaN and infinity pass. Raises DataError for whatever is no number."""
    if column.dtype.kind in "fiub":
        return column
    refuse_times(column, where)
    values = column.tolist()
    if all(issubclass(kind, _NUMBERS) for kind in set(map(type, values))):
        try:
            return column.astype(np.float64)
        except (OverflowError, ValueError):  # beyond all floats; a signalling NaN
            pass
    for row, value in enumerate(values):
        if is_missing(value):
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
    """A number computed from the columns of a row; `text` is how it is written, with the names of the columns."""

    text: str

    @abstractmethod
    def reads(self) -> frozenset[int]:
        """The positions of the columns it is computed from."""

    @abstractmethod
    def values(
        self, columns: Mapping[int, NDArray[np.float64]], name: Callable[[int], str], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        """Its value for every row, (n,); `columns` has the columns it reads, and `name` names them.

        Raises DataError for the first row in which it is not a finite number of this type.
        """


class Domain(ABC):
    """A set of rows in some columns."""

    @abstractmethod
    def check(self, numbers: Any, name: Callable[[int], str]) -> None:
        """Raise DataError for the first row (of (n, p), dense or CSR) outside; `name` names column i of these."""

    @abstractmethod
    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """A row of the set for every row (n, p): what stands in for standard normal rows."""


@dataclass(frozen=True)
class Signs(Domain):
    """Rows of −1 and 1."""

    def check(self, numbers: Any, name: Callable[[int], str]) -> None:
        table = numbers if isinstance(numbers, np.ndarray) else numbers.toarray()
        bad = np.argwhere(np.abs(table) != 1)
        if len(bad):
            row, column = bad[0].tolist()
            raise DataError(
                f"row {row}, {name(column)} is {table[row, column]:g}: binary() takes columns of −1 and 1 "
                f"(match() compares any two categories){FROM_ZERO}"
            )

    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(numbers < 0, -1.0, 1.0)


@dataclass(frozen=True)
class UnitSphere(Domain):
    """Rows of Euclidean norm 1, to within `tolerance`."""

    tolerance: float = 1e-6

    def validate(self) -> None:
        """Raise ValueError for a tolerance that is none."""
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
                f"row {bad[0]} has norm {norms[bad[0]]:.7g} in {columns}, and sphere() takes rows of norm 1: divide "
                f"every row by its norm, or write normalize(linear()){FROM_ZERO}"
            )

    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        norms = np.sqrt(np.square(numbers).sum(axis=1, keepdims=True))
        first = np.eye(1, numbers.shape[1])
        return np.where(norms > 0, numbers / np.where(norms > 0, norms, 1), first)
