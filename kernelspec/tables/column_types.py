"""The types of the columns of a table, as recorded with a map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from numbers import Integral, Rational, Real
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from kernelspec.errors import PlanError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "EXACT",
    "ColumnType",
    "ColumnTypes",
    "Missing",
    "cell_type",
    "exact_whole",
    "has_large_integers",
    "is_surely_whole",
    "surely_whole",
    "type_of",
]

EXACT = 2**53
"""Floats hold every whole number up to here, and not every one beyond."""

_LONGEST = 10_000
"""Digits of the longest Decimal that is looked at exactly."""


def surely_whole(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Which floats of an array are whole numbers, and no others that were rounded when they became floats.

    Those whose size is below 2⁵³ in float64, 2²⁴ in float32 and 2¹¹ in float16: 2⁵³ + 1 is rounded to 2⁵³, so that
    whoever meets this one cannot tell which of the two it was.
    """
    below = min(EXACT, 2 ** (int(np.finfo(numbers.dtype).nmant) + 1))  # longer floats are read as float64
    with np.errstate(invalid="ignore"):
        return np.asarray((numbers == np.floor(numbers)) & (np.abs(numbers) < below))


def is_surely_whole(value: Any) -> bool:
    """Whether a number is a whole one, and no other that was rounded: only floats may be."""
    if isinstance(value, float | np.floating):
        return bool(surely_whole(np.asarray(value)))
    return exact_whole(value) is not None


def exact_whole(value: Any) -> int | None:
    """The whole number that an integer, Decimal or fraction is; None for one that is none, or beyond 10^10000."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Decimal):
        return int(value) if abs(value.adjusted()) <= _LONGEST and value == value.to_integral_value() else None
    return int(value.numerator) if isinstance(value, Rational) and value.denominator == 1 else None


def has_large_integers(values: NDArray[Any]) -> bool:
    """Whether there are integers that floats may not tell apart."""
    return values.dtype.kind in "iu" and values.size > 0 and (values.max() > EXACT or values.min() < -EXACT)


ColumnType = Literal["number", "whole number", "boolean", "text", "category", "unknown"]
"""`category` is a column of cells of several of the types before it, which only tables of objects hold; `unknown` one
of which no cell has been seen."""

Missing = Literal["refuse", "category"]
"""What is done about a category that is missing (an empty cell, NaN, None): refused, or a category of its own."""

_FIELDS: dict[ColumnType, str] = {
    "whole number": "whole",
    "boolean": "boolean",
    "text": "text",
    "category": "category",
    "unknown": "unknown",
}


@dataclass(frozen=True)
class ColumnTypes:
    """The types of the columns that a kernel reads, by position: all that are in none of the fields hold numbers.

    Positions are ascending, and each is in one field only. `missing` says what is done about missing categories.
    Raises PlanError for anything else.
    """

    whole: tuple[int, ...] = ()
    boolean: tuple[int, ...] = ()
    text: tuple[int, ...] = ()
    category: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    missing: Missing = "refuse"

    def __post_init__(self) -> None:
        for name in _FIELDS.values():
            positions = getattr(self, name)
            whole = isinstance(positions, tuple) and all(type(p) is int and p >= 0 for p in positions)
            if not whole or list(positions) != sorted(set(positions)):
                raise PlanError(f"the columns of {name} must be a tuple of ascending positions, not {positions!r:.60}")
        if sum(len(getattr(self, name)) for name in _FIELDS.values()) != len(self._types):
            raise PlanError("a column has one type, and not two")
        if self.missing not in get_args(Missing):
            raise PlanError(f"missing must be 'refuse' or 'category', not {self.missing!r:.60}")

    @classmethod
    def of_columns(cls, types: Mapping[int, ColumnType], missing: Missing = "refuse") -> ColumnTypes:
        """The types given by position."""
        found = {
            field: tuple(sorted(position for position, own in types.items() if own == name))
            for name, field in _FIELDS.items()
        }
        return cls(found["whole"], found["boolean"], found["text"], found["category"], found["unknown"], missing)

    def type_at(self, position: int) -> ColumnType:
        """The type of the column at a position."""
        return self._types.get(position, "number")

    def with_columns(self, types: Mapping[int, ColumnType]) -> ColumnTypes:
        """The same with other types for some columns."""
        return replace(self.of_columns({**self._types, **types}, self.missing))

    @property
    def positions(self) -> frozenset[int]:
        """The columns that hold anything but numbers."""
        return frozenset(self._types)

    @cached_property
    def _types(self) -> dict[int, ColumnType]:
        return {position: name for name, field in _FIELDS.items() for position in getattr(self, field)}


def cell_type(kind: type[Any]) -> ColumnType | None:
    """The type of column that cells of a Python type make; None for what is no number, no text and no truth value."""
    if issubclass(kind, bool | np.bool_):
        return "boolean"
    if issubclass(kind, Integral):
        return "whole number"
    if issubclass(kind, Real | Decimal):
        return "number"
    return "text" if issubclass(kind, str) else None


def type_of(column: NDArray[Any]) -> ColumnType:
    """The type of a column (n,), told by its dtype or else by all its cells, whatever their order.

    Missing cells do not count, and neither do cells that are no categories at all, which reading refuses.
    """
    if column.dtype.kind in "fiub":
        return "number" if column.dtype.kind == "f" else "boolean" if column.dtype.kind == "b" else "whole number"
    values = column.tolist()
    found = {cell_type(kind) for kind in set(map(type, values))} - {None}
    if "number" in found:  # whole Decimals, and NaN among whole numbers, are no fractions
        found -= {"number"}
        found |= {_finer(value) for value in values if cell_type(type(value)) == "number"} - {None}
    if found == {"number", "whole number"}:
        return "number"
    first = next(iter(found), None)
    return "unknown" if first is None else first if len(found) == 1 else "category"


def _finer(value: Any) -> ColumnType | None:
    """The type of one number: None for NaN, whole for a Decimal without places."""
    if isinstance(value, Decimal):
        whole = value.is_finite() and int(value.as_tuple().exponent) >= 0
        return None if value.is_nan() else "whole number" if whole else "number"
    return None if isinstance(value, float | np.floating) and np.isnan(value) else "number"
