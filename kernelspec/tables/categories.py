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
from kernelspec.tables.cells import dense, is_missing, no_category, other_type, refuse_times, strange
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

__all__ = ["MISSING", "Category", "KnownCategories", "accepts", "categories_of", "codes_of", "shown_category"]

Category: TypeAlias = str | int | float | bool | None  # a category as files store it; None if missing

MISSING = np.uint64(mix(hash_text(["kernelspec: missing"]), np.uint64(1))[0])
"""The code of a missing category, if that is a category of its own."""

_ACCEPTED: dict[ColumnType, frozenset[ColumnType]] = {
    "number": frozenset({"number", "whole number"}),
    "whole number": frozenset({"whole number"}),
    "boolean": frozenset({"boolean"}),
    "date": frozenset(),
    "text": frozenset({"text"}),
    "category": frozenset({"number", "whole number", "boolean", "text"}),
    "unknown": frozenset({"number", "whole number", "boolean", "text"}),
}
"""The types of cells that a column of each type accepts: a whole number is a number, and means the same as either."""


def codes_of(column: NDArray[Any], where: str, expected: ColumnType = "unknown", missing: Missing = "refuse") -> Hashes:
    """The column as codes that are equal if and only if the categories are, (n,), independent of storage.

    1 and 1.0 are one category, at any size; "1" is another; with `missing="category"`, so is a missing cell. `expected`
    is the column's type in the map. Raises DataError for a missing, infinite or unsupported category, and for one of
    another type.
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
    values = _checked_cells(column.tolist(), where, expected, missing)
    codes = {value: MISSING if value is None else _code(value) for value in set(values)}
    return np.fromiter((codes[value] for value in values), dtype=np.uint64, count=len(values))


def accepts(expected: ColumnType, found: ColumnType) -> bool:
    """Whether any column of type `found` is acceptable where a map expects type `expected`."""
    return found in _ACCEPTED[expected]


def _check_type(column: NDArray[Any], where: str, expected: ColumnType) -> None:
    """Reject an array of numbers or truth values that is not of the expected type."""
    if not len(column) or type_of(column) in _ACCEPTED[expected]:
        return
    if expected == "whole number" and column.dtype.kind == "f":
        bad = np.flatnonzero(~(surely_whole(column) | np.isnan(column)))
        if not len(bad):
            return
        raise other_type(where, column[bad[0]].item(), int(bad[0]), expected)
    raise other_type(where, column[0].item(), 0, expected)


def _checked_cells(values: list[Any], where: str, expected: ColumnType, missing: Missing) -> list[Any]:
    """The cells, None if missing. Rejects the first that is not a category, or not of the expected type."""
    accepted = _ACCEPTED[expected]
    kinds = set(map(type, values))
    # only numbers that are not integers may be infinite or NaN
    if {cell_type(kind) for kind in kinds} <= accepted - {"number"}:
        return values
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
    return [None if is_missing(value) else value for value in values]


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # too large for a float
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
"""Up to this many combinations, and this many characters in all, the names of categories are kept."""


@dataclass(frozen=True, eq=False)
class KnownCategories:
    """The distinct combinations of categories in the columns `positions`, as sorted 64-bit `codes`.

    Their order does not depend on the order of the rows. `values` has the categories themselves, one per position, in
    the order of the codes; () if there are too many, or rows had only codes. They only serve to name columns.
    """

    positions: tuple[int, ...]
    codes: Hashes
    values: tuple[tuple[Category, ...], ...] = ()

    @classmethod
    def of(cls, rows: Rows, positions: tuple[int, ...]) -> KnownCategories:
        """The categories of the rows."""
        return cls(positions, np.empty(0, dtype=np.uint64)).with_rows(rows)

    def with_rows(self, rows: Rows) -> KnownCategories:
        """These categories and the new ones of the rows."""
        met, first = np.unique(_codes(rows, self.positions), return_index=True)
        new = self._is_new(met)
        values = _values(rows, self.positions, first[new]) if self.is_named and new.any() else ()
        return self._and(met[new], values)

    def joined(self, other: KnownCategories) -> KnownCategories:
        """These categories and others of the same columns."""
        new = self._is_new(other.codes)
        return self._and(other.codes[new], [other.values[i] for i in np.flatnonzero(new)] if other.is_named else ())

    def alone(self, position: int) -> KnownCategories:
        """The named categories of one of the columns."""
        place = self.positions.index(position)
        values = list(dict.fromkeys(row[place] for row in self.values))
        codes = codes_of(_cells(values), "a category", missing="category")
        return KnownCategories((position,), np.empty(0, dtype=np.uint64))._and(codes, [(value,) for value in values])

    def _is_new(self, codes: Hashes) -> NDArray[np.bool_]:
        return ~np.isin(codes, self.codes, kind="sort")  # sort: NumPy 2.0 takes large codes for signed numbers

    def _and(self, new: Hashes, named: Sequence[tuple[Category, ...]]) -> KnownCategories:
        if not len(new):
            return self
        codes = np.concatenate([self.codes, new])
        order = np.argsort(codes, kind="stable")
        values = [*self.values, *named]
        whole = len(values) == len(codes)
        return KnownCategories(self.positions, codes[order], _kept([values[i] for i in order]) if whole else ())

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
        """Raise ValueError unless the codes are distinct, sorted and match the values, since a file
        may hold anything.
        """
        ordered = self.codes.dtype == np.uint64 and self.codes.ndim == 1 and (self.codes[1:] > self.codes[:-1]).all()
        if not ordered or not self.positions or min(self.positions) < 0:
            raise ValueError("category codes must be increasing 64-bit words of at least one column")
        if not self.values:
            return
        if not self.is_named or any(len(own) != len(self.positions) for own in self.values):
            raise ValueError(f"there are {len(self.values)} names for {len(self.codes)} categories")
        columns = (_cells(column) for column in zip(*self.values, strict=True))
        if not np.array_equal(
            reduce(mix, (codes_of(own, "a category", missing="category") for own in columns)), self.codes
        ):
            raise ValueError("category codes and names disagree")

    def numbers(self, rows: Rows) -> NDArray[np.int64]:
        """The index of the category of every row, or −1 if it is unknown, (n,)."""
        own = _codes(rows, self.positions)
        if not len(self.codes):
            return np.full(len(own), -1)
        places = np.minimum(np.searchsorted(self.codes, own), len(self.codes) - 1)
        return np.where(self.codes[places] == own, places, -1)

    def shown(self, columns: Sequence[str]) -> list[str]:
        """`city=a` or `city=a,land=b` for every combination, all distinct; `columns` are the names of the positions.

        Text is quoted if it could be misread.
        """
        mixed = [len({type(own) is str for own in column}) > 1 for column in zip(*self.values, strict=True)]
        return [
            ",".join(
                f"{name}={shown_category(own, quoted=m)}" for name, own, m in zip(columns, row, mixed, strict=True)
            )
            for row in self.values
        ]


def shown_category(value: Category, *, quoted: bool = False) -> str:
    """A category as text; quoted on request, or if it could be misread."""
    if not isinstance(value, str):
        return "missing" if value is None else str(value).lower()
    plain = value and value == value.strip() and value.isprintable() and not set(value) & set('",=<>')
    return (
        value
        if plain and not quoted and value != "missing"
        else json.dumps(value, ensure_ascii=not value.isprintable())
    )


def _values(rows: Rows, positions: tuple[int, ...], chosen: NDArray[np.intp]) -> tuple[tuple[Category, ...], ...]:
    """The categories of the chosen rows; () if there are too many, or the rows have only codes."""
    if len(chosen) > _MOST_NAMED or any(i in rows.categories and i not in rows.cells for i in positions):
        return ()
    some = rows.take(chosen)
    columns = [some.cells.get(i, some.numbers[:, [i]]) for i in positions]
    flat = [dense(column).ravel().tolist() for column in columns]
    return _kept(list(zip(*map(categories_of, flat), strict=True)))


def _kept(values: list[tuple[Category, ...]]) -> tuple[tuple[Category, ...], ...]:
    size = sum(len(own) for row in values for own in row if isinstance(own, str))
    return tuple(values) if len(values) <= _MOST_NAMED and size <= _MOST_TEXT else ()


def categories_of(cells: list[Any]) -> list[Category]:
    """Cells as categories, each value once: 1 and True are equal, but not of one type."""
    if len(set(map(type, cells))) > 1:
        return list(map(_category, cells))
    known = {value: _category(value) for value in set(cells)}
    return [known[value] for value in cells]


def _category(value: Any) -> Category:
    """A cell as a category: an int for whole numbers of any type, text as it is, None if missing."""
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
    """One code per row for several columns, (n,)."""
    return reduce(mix, (rows.codes(position) for position in positions))
