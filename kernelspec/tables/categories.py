"""One column of a table as 64-bit codes of categories, which are equal exactly where the categories are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.random.hashing import Hashes, hash_numbers, hash_text, mix
from kernelspec.tables.cells import is_missing, no_category, other_type, refuse_times, strange
from kernelspec.tables.column_types import ColumnType, Missing, cell_type, type_of
from kernelspec.tables.whole_numbers import EXACT, exact_whole, has_large_integers, is_surely_whole, surely_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MISSING", "accepts", "codes_of"]

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
