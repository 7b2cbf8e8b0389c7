"""Categories as 64-bit codes, and the categories known from some rows."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.streams import Hashes, hash_numbers, hash_text, mix
from kernelspec.tables.cells import is_missing, no_category, other_type, refuse_times, strange
from kernelspec.tables.column_types import (
    EXACT,
    ColumnType,
    Missing,
    cell_type,
    exact_whole,
    has_large_integers,
    is_surely_whole,
    surely_whole,
    type_of,
)

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["MISSING", "Category", "KnownCategories", "accepts", "codes_of", "shown_category"]

Category: TypeAlias = str | int | float | bool | None
"""A category as files name it; None is one that is missing."""

MISSING = np.uint64(mix(hash_text(["kernelspec: missing"]), np.uint64(1))[0])
"""The code of a missing category, where that is a category of its own."""

_ACCEPTED: dict[ColumnType, frozenset[ColumnType]] = {
    "number": frozenset({"number", "whole number"}),
    "whole number": frozenset({"whole number"}),
    "boolean": frozenset({"boolean"}),
    "text": frozenset({"text"}),
    "category": frozenset({"number", "whole number", "boolean", "text"}),
    "unknown": frozenset({"number", "whole number", "boolean", "text"}),
}
"""The types of cells that a column of a type may hold: a whole number is a number, and means the same as either."""


def codes_of(column: NDArray[Any], where: str, expected: ColumnType = "unknown", missing: Missing = "refuse") -> Hashes:
    """The column as codes that are equal exactly where the categories are, (n,), whatever held them.

    1 and 1.0 are one category, at any size, and "1" is another; so is what is missing, with `missing="category"`.
    `expected` is the type of the column that a map was made for. Raises DataError for a missing, infinite or strange
    category, and for one of another type.
    """
    refuse_times(column, where)
    if column.dtype.kind in "fiub" and not has_large_integers(column):
        _check_type(column, where, expected)
        finite = np.isfinite(column)
        gaps = np.isnan(column) if missing == "category" else np.zeros(len(column), dtype=bool)
        bad = np.flatnonzero(~(finite | gaps))
        if len(bad):
            raise no_category(int(bad[0]), where, float(column[bad[0]]))
        return np.asarray(np.where(gaps, MISSING, hash_numbers(np.where(gaps, 0, column))), dtype=np.uint64)
    values = column.tolist()
    _check_cells(values, where, expected, missing)
    codes: dict[Any, np.uint64] = {}
    for row, value in enumerate(values):
        try:
            if value in codes:
                continue
        except TypeError:  # no hash: a list, a dict
            raise strange(row, where, value) from None
        codes[value] = MISSING if is_missing(value) else _code(value)
    return np.fromiter((codes[value] for value in values), dtype=np.uint64, count=len(values))


def accepts(expected: ColumnType, found: ColumnType) -> bool:
    """Whether every column of the type found may stand where a map was made for the type expected."""
    return found in _ACCEPTED[expected]


def _check_type(column: NDArray[Any], where: str, expected: ColumnType) -> None:
    """Refuse an array of numbers or of truth values that is not of the type expected."""
    if not len(column) or type_of(column) in _ACCEPTED[expected]:
        return
    if expected == "whole number" and column.dtype.kind == "f":
        bad = np.flatnonzero(~(surely_whole(column) | np.isnan(column)))
        if not len(bad):
            return
        raise other_type(where, column[bad[0]].item(), int(bad[0]), expected)
    raise other_type(where, column[0].item(), 0, expected)


def _check_cells(values: list[Any], where: str, expected: ColumnType, missing: Missing) -> None:
    """Refuse the first of some cells that is no category, or not of the type expected."""
    accepted = _ACCEPTED[expected]
    kinds = set(map(type, values))
    # numbers that are no integers are looked at one by one: they may be infinite, or NaN
    if {cell_type(kind) for kind in kinds} <= accepted - {"number"}:
        return
    for row, value in enumerate(values):
        if is_missing(value):
            if missing == "refuse":
                raise no_category(row, where, float("nan"))
            continue
        found = cell_type(type(value))
        if found is None:
            raise strange(row, where, value)
        if found == "number" and not _is_finite(value):
            raise no_category(row, where, np.inf if value > 0 else -np.inf)
        if found not in accepted and not (expected == "whole number" and found == "number" and is_surely_whole(value)):
            raise other_type(where, value, row, expected)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a fraction beyond all floats
        return exact_whole(value) is not None


def _code(value: Any) -> np.uint64:
    if isinstance(value, str):
        return np.uint64(hash_text([value])[0])
    whole = exact_whole(value)
    if whole is not None and abs(whole) > EXACT:
        try:
            rounded = int(float(whole))
        except OverflowError:
            rounded = 0
        if rounded != whole:
            return np.uint64(mix(hash_text([hex(whole)]), np.uint64(0))[0])
    return np.uint64(hash_numbers([float(value)])[0])


_MOST_NAMED, _MOST_TEXT = 2**16, 2**22
"""Combinations of categories, and characters of them in all, up to which their names are kept."""


@dataclass(frozen=True, eq=False)
class KnownCategories:
    """The different combinations of categories that rows have in the columns `positions`, as sorted 64-bit `codes`.

    Their order does not depend on that of the rows. `values` has the categories themselves, one for each position, in
    the order of the codes; () if there are too many, or the rows came as codes alone. They only name columns.
    """

    positions: tuple[int, ...]
    codes: Hashes
    values: tuple[tuple[Category, ...], ...] = ()

    @classmethod
    def of(cls, rows: Rows, positions: tuple[int, ...]) -> KnownCategories:
        """Those of the rows."""
        return cls(positions, np.empty(0, dtype=np.uint64)).with_rows(rows)

    def with_rows(self, rows: Rows) -> KnownCategories:
        """These and those of the rows, of which only new ones are looked at."""
        met, first = np.unique(_codes(rows, self.positions), return_index=True)
        new = ~np.isin(met, self.codes, kind="sort")  # by sorting: NumPy 2.0 takes large codes for signed numbers
        if not new.any():
            return self
        codes = np.concatenate([self.codes, met[new]])
        order = np.argsort(codes, kind="stable")
        values = [*self.values, *_values(rows, self.positions, first[new])] if self.is_named else []
        named = len(values) == len(codes)
        return KnownCategories(self.positions, codes[order], _kept([values[i] for i in order]) if named else ())

    def __len__(self) -> int:
        return len(self.codes)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, KnownCategories) and self.positions == other.positions
        return same and np.array_equal(self.codes, other.codes)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((self.positions, self.codes.tobytes()))

    @property
    def is_named(self) -> bool:
        """Whether the categories themselves are known."""
        return len(self.values) == len(self.codes)

    def validate(self) -> None:
        """Raise ValueError unless the codes are different ones, in order, and of the values: a file may hold any."""
        ordered = self.codes.dtype == np.uint64 and self.codes.ndim == 1 and (self.codes[1:] > self.codes[:-1]).all()
        if not ordered or not self.positions or min(self.positions) < 0:
            raise ValueError("the codes of categories are not 64-bit words in increasing order, or of no column")
        if not self.values:
            return
        if not self.is_named or any(len(own) != len(self.positions) for own in self.values):
            raise ValueError(f"there are {len(self.values)} names of {len(self.codes)} categories")
        columns = (_cells(column) for column in zip(*self.values, strict=True))
        if not np.array_equal(
            reduce(mix, (codes_of(own, "a category", missing="category") for own in columns)), self.codes
        ):
            raise ValueError("the categories have other codes than their names")

    def numbers(self, rows: Rows) -> NDArray[np.int64]:
        """For every row which of the categories it has, and −1 for one that is not known, (n,)."""
        own = _codes(rows, self.positions)
        if not len(self.codes):
            return np.full(len(own), -1)
        places = np.minimum(np.searchsorted(self.codes, own), len(self.codes) - 1)
        return np.where(self.codes[places] == own, places, -1)

    def shown(self, columns: Sequence[str]) -> list[str]:
        """`city=a` or `city=a,land=b` for every combination, all of them different; `columns` are names of positions.

        Text is quoted where it could be read as something else.
        """
        mixed = [len({type(own) is str for own in column}) > 1 for column in zip(*self.values, strict=True)]
        return [
            ",".join(
                f"{name}={shown_category(own, quoted=m)}" for name, own, m in zip(columns, row, mixed, strict=True)
            )
            for row in self.values
        ]


def shown_category(value: Category, *, quoted: bool = False) -> str:
    """A category as text; in quotes if that is asked for, or if its own marks could be misread."""
    if not isinstance(value, str):
        return "missing" if value is None else str(value).lower()
    plain = value and value == value.strip() and value.isprintable() and not set(value) & set('",=<>')
    return (
        value
        if plain and not quoted and value != "missing"
        else json.dumps(value, ensure_ascii=not value.isprintable())
    )


def _values(rows: Rows, positions: tuple[int, ...], chosen: NDArray[np.intp]) -> tuple[tuple[Category, ...], ...]:
    """The categories of the chosen rows; () if there are too many, or the rows have codes alone."""
    if len(chosen) > _MOST_NAMED or any(i in rows.categories and i not in rows.cells for i in positions):
        return ()
    some = rows.take(chosen)
    columns = [some.cells.get(i, some.numbers[:, [i]]) for i in positions]
    flat = [(column if isinstance(column, np.ndarray) else column.toarray()).ravel().tolist() for column in columns]
    return _kept([tuple(map(_category, row)) for row in zip(*flat, strict=True)])


def _kept(values: list[tuple[Category, ...]]) -> tuple[tuple[Category, ...], ...]:
    size = sum(len(own) for row in values for own in row if isinstance(own, str))
    return tuple(values) if len(values) <= _MOST_NAMED and size <= _MOST_TEXT else ()


def _category(value: Any) -> Category:
    """A cell as a category: whole numbers whatever their type, text as it is, None for what is missing."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if (whole := exact_whole(value)) is not None:
        return whole
    number = float(value)
    return int(number) if number.is_integer() and abs(number) <= EXACT else number


def _cells(values: Sequence[Category]) -> NDArray[Any]:
    """A column of objects."""
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells


def _codes(rows: Rows, positions: tuple[int, ...]) -> Hashes:
    """One code for what a row has in several columns, (n,)."""
    return reduce(mix, (rows.codes(position) for position in positions))
