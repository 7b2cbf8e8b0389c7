"""What the columns of a table hold: recorded with a map, so that the next table can be held against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from kernelspec.errors import PlanError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ColumnType", "ColumnTypes", "Missing", "cell_type", "type_of"]

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
