"""Cells that cannot be used, and what is said of them: what, where, why, and what would be accepted."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import CellTypeError, DataError
from kernelspec.tables.column_types import ColumnType

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "is_missing",
    "missing",
    "no_category",
    "no_direction",
    "not_finite",
    "other_type",
    "refuse_times",
    "strange",
    "text_for_number",
]

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
    return DataError(f"Input contains {what} in row {row}, {where}: features need finite numbers")


def no_direction(row: int) -> DataError:
    """A row of zeros where it is divided by its norm."""
    return DataError(f"row {row} has only zeros, and so no direction: leave it out, or add a constant column")


def missing(row: int, where: str, *, category: bool) -> DataError:
    """An empty cell."""
    return no_category(row, where, float("nan")) if category else not_finite(row, where, float("nan"))


def no_category(row: int, where: str, value: float) -> DataError:
    """NaN or infinity where a category is needed."""
    if not np.isnan(value):
        return not_finite(row, where, value)
    return DataError(
        f"Input contains NaN: {where} has no category in row {row} (NaN or empty): fill it in or drop the row"
    )


def text_for_number(row: int, where: str, value: str) -> DataError:
    """Text where a number is needed."""
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}: the kernel needs numbers there (match() compares categories)"
    )


def other_type(where: str, value: Any, row: int, expected: ColumnType) -> DataError:
    """A category of another type than the map was made for, or a float that may be another whole number, rounded."""
    whole = expected == "whole number" and isinstance(value, float | np.floating) and float(value).is_integer()
    why = "a float of this size may be another one that was rounded" if whole else "compares them as such"
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}: the map was made for {_PLURAL[expected]} there, and {why}. "
        "Convert the column, or make the map anew with the column pinned as text (text=[…] in Python, "
        "--text-columns on the command line)"
    )


def strange(row: int, where: str, value: Any) -> DataError:
    """A cell that is neither number nor text."""
    hint = "; decode the bytes to text" if isinstance(value, bytes) else ""
    kind = type(value).__name__
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}: a cell given as argument must be a string (for match()) or a "
        f"number, not {kind}{hint}"
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
