"""The columns of a kernel's tables: names, types and uses, with checks and descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import lt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.tables.cells import Domain
from kernelspec.tables.column_types import ColumnType, ColumnTypes, Missing
from kernelspec.tables.table_kinds import NAMES_NEEDED

__all__ = ["Schema", "text_columns", "types_as_data", "types_in_words"]

_MOST_SHOWN = 6


def text_columns(text: Sequence[str | int] | None) -> tuple[str | int, ...]:
    """The columns that `text` lists, by name or position; none for None. Raises DataError for anything but a list."""
    if isinstance(text, str | bytes) or not isinstance(text, Iterable | None):
        raise DataError(f"text must be a list of columns, such as [{text!r:.60}], not {text!r:.60}")
    return () if text is None else tuple(text)


@dataclass(frozen=True)
class Schema:
    """The columns of the tables of a kernel: their number, names, types and uses."""

    dim: int
    names: tuple[str, ...] | None
    numeric: tuple[int, ...]
    categorical: tuple[int, ...]
    domains: tuple[tuple[Domain, tuple[int, ...]], ...] = ()
    """The rows on which the kernel is defined, in some columns, if that is not every row of numbers."""

    types: ColumnTypes | None = None
    """The types of the columns in the data that the kernel was planned for, or None if unknown."""

    by_name: bool = False
    """Whether to reject tables without column names, because the spec selects by name and no order of names was given.
    """

    def __post_init__(self) -> None:
        if self.types is not None and not self.types.positions <= set(self.used):
            raise PlanError(
                f"types are recorded for columns {sorted(self.types.positions)} that the kernel does not read"
            )

    def validate(self) -> None:
        """Raise ValueError unless names and positions fit `dim` columns, since a saved layout may hold anything."""
        if self.by_name and self.names is None:
            raise ValueError("columns are read by name, but have no names")
        if not 1 <= self.dim < 2**31 or (self.names is not None and len(set(self.names)) != self.dim):
            raise ValueError(f"expected {self.dim} distinct column names")
        own = (self.numeric, self.categorical, *(positions for _, positions in self.domains))
        for positions in own:
            if not all(0 <= position < self.dim for position in positions):
                raise ValueError(f"columns {positions} are out of range for {self.dim} columns")
        for positions in (self.numeric, self.categorical):
            if not all(map(lt, positions, positions[1:])):
                raise ValueError(f"the columns {positions} are not in increasing order")
        if not all(positions and set(positions) <= set(self.numeric) for _, positions in self.domains):
            raise ValueError("only columns of numbers have a domain")

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The columns that the kernel reads, in order."""
        return tuple(sorted({*self.numeric, *self.categorical}))

    def pinned(self, text: Sequence[str | int] = (), missing: Missing = "refuse") -> Self:
        """The same with columns, by name or position, that hold text, and all other categories of unknown type.

        Raises DataError for an unknown column, or one that the kernel does not use as a category.
        """
        types = self.types or ColumnTypes()
        pinned: dict[int, ColumnType] = dict.fromkeys(self.untyped, "unknown")
        for position in map(self.position_of, text_columns(text)):
            if position not in pinned and types.type_at(position) != "text":
                raise DataError(
                    f"{self.name_of(position)} is recorded as {types.type_at(position)}, so it cannot be text"
                )
            pinned[position] = "text"
        return replace(self, types=types.with_columns(pinned, missing))

    def with_types(self, types: Mapping[int, ColumnType]) -> Self:
        """The same with these types recorded for some columns."""
        return replace(self, types=(self.types or ColumnTypes()).with_columns(types))

    @property
    def untyped(self) -> list[int]:
        """The category columns of unknown type."""
        return [i for i in self.categorical if self.types is None or self.types.type_at(i) == "unknown"]

    def position_of(self, column: str | int) -> int:
        """The position of a column that the kernel uses as a category and not as a number.

        Raises DataError for any other column.
        """
        known = self.names if isinstance(column, str) else tuple(range(self.dim))
        if known is None or column not in known:
            from kernelspec.loading import suggest

            hint = suggest(str(column), self.names or ())
            raise DataError(f"text= names column {column!r}, which the kernel does not use{hint}")
        position = known.index(column)
        if position in self.numeric or position not in self.categorical:
            how = "uses it as a number" if position in self.numeric else "does not read it"
            raise DataError(f"text= names {self.name_of(position)}, but the kernel {how} (match() compares categories)")
        return position

    def type_at(self, position: int) -> ColumnType:
        """The recorded type of a column."""
        return "unknown" if self.types is None else self.types.type_at(position)

    def may_miss(self, position: int) -> bool:
        """Whether a cell may be missing: in a category column that is not numeric, if the map allows it."""
        return self.types is not None and self.types.missing == "category" and position not in self.numeric

    def fitted(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows on which the kernel is defined, computed from any rows (n, dim) in place."""
        for domain, positions in self.domains:
            numbers[:, list(positions)] = domain.fit(numbers[:, list(positions)])
        return numbers

    def check_width(self, width: int) -> None:
        """Raise DataError unless tables without column names are allowed and the width is right."""
        if self.by_name:
            raise DataError(self.names_needed())
        if width != self.dim:
            raise DataError(f"X has {width} features, but the spec is compiled for {self.dim} columns")

    def names_needed(self) -> str:
        """The message for a table without column names, with a fix."""
        used = [self.name_of(i).removeprefix("column ") for i in self.used[:_MOST_SHOWN]]
        more = ", …" if len(self.used) > _MOST_SHOWN else ""
        return f"the spec selects columns by name ({', '.join(used)}{more}), but {NAMES_NEEDED}"

    def names_of(self, positions: Iterable[int]) -> list[str]:
        """The names of columns, or x0, x1, … as in scikit-learn."""
        return [f"x{position}" if self.names is None else self.names[position] for position in positions]

    def name_of(self, position: int) -> str:
        """A column in words: `column 'age'`, or `column 3`."""
        return f"column '{self.names[position]}'" if self.names is not None else f"column {position}"


_MOST_CATEGORIES = 8


def types_as_data(schema: Schema) -> dict[str, Any] | None:
    """The columns of every type but numbers, by name or position, and the treatment of missing categories.

    None if no types are recorded.
    """
    if schema.types is None:
        return None
    found: dict[str, list[str | int]] = {}
    for position in sorted(schema.types.positions):
        name = position if schema.names is None else schema.names[position]
        found.setdefault(schema.types.type_at(position), []).append(name)
    return {"columns": found, "missing": schema.types.missing}


def types_in_words(schema: Schema) -> list[str]:
    """A line on date columns and a line on category columns, if there are any."""
    dates = [schema.name_of(i).removeprefix("column ") for i in getattr(schema.types, "date", ())]
    more = ", …" if len(dates) > _MOST_CATEGORIES else ""
    how = "read as days since 1970-01-01; times with a zone are converted to UTC"
    lines = [f"dates: {', '.join(dates[:_MOST_CATEGORIES])}{more}, {how}"] if dates else []
    if not schema.categorical:
        return lines
    words = {"unknown": "type not recorded", "category": "several types"}
    found = [(schema.name_of(i).removeprefix("column "), schema.type_at(i)) for i in schema.categorical]
    shown = [f"{name} ({words.get(own, own)})" for name, own in found[:_MOST_CATEGORIES]]
    n_more = len(schema.categorical) - len(shown)
    kept = schema.types is not None and schema.types.missing == "category"
    others = f" and {n_more:,} more" if n_more else ""
    missing = "missing values are one more category" if kept else "missing values are refused"
    return [*lines, f"categories: {', '.join(shown)}{others}; {missing}"]
