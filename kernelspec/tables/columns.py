"""One column of a table as numbers or as 64-bit codes of categories; what is neither is refused, cell and all."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import CellTypeError, DataError
from kernelspec.random.hashing import Hashes, hash_numbers, hash_text, mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["codes_of", "has_large_integers", "missing", "not_finite", "numbers_of"]

_NUMBERS: tuple[type[Any], ...] = (Real, Decimal, np.bool_)
_MISSING = ("NAType", "NaTType")
"""What pandas calls its missing values: they answer no comparison."""

_EXACT = 2**53
"""Floats hold every whole number up to here, and not every one beyond."""


def numbers_of(column: NDArray[Any], where: str) -> NDArray[Any]:
    """The column as floats or integers, (n,); NaN and infinity pass. Raises DataError for whatever is no number."""
    if column.dtype.kind in "fiub":
        return column
    _refuse_times(column, where)
    values = column.tolist()
    if all(issubclass(kind, _NUMBERS) for kind in set(map(type, values))):
        try:
            return column.astype(np.float64)
        except OverflowError:
            pass
    for row, value in enumerate(values):
        if _is_missing(value):
            raise not_finite(row, where, float("nan"))
        if isinstance(value, str):
            raise CellTypeError(
                f"{where} holds {_shown(value)} in row {row}: the kernel needs numbers there "
                "(match() compares categories)"
            )
        if not isinstance(value, _NUMBERS):
            raise _strange(row, where, value)
        try:
            float(value)
        except OverflowError:
            raise not_finite(row, where, np.inf if value > 0 else -np.inf) from None
    raise DataError(f"{where} cannot be read as numbers")


def codes_of(column: NDArray[Any], where: str) -> Hashes:
    """The column as codes that are equal exactly where the categories are, (n,), whatever held them.

    1, 1.0 and True are one category, "1" is another. Raises DataError for a missing, infinite or strange category.
    """
    _refuse_times(column, where)
    if column.dtype.kind in "fiub" and not has_large_integers(column):
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            raise _no_category(int(bad[0]), where, float(column[bad[0]]))
        return hash_numbers(column)
    codes: dict[Any, np.uint64] = {}
    values = column.tolist()
    for row, value in enumerate(values):
        try:
            if value in codes:
                continue
        except TypeError:  # no hash: a list, a dict
            raise _strange(row, where, value) from None
        if _is_missing(value):
            raise _no_category(row, where, float("nan"))
        if not isinstance(value, (str, *_NUMBERS)):
            raise _strange(row, where, value)
        if not isinstance(value, str) and value in (np.inf, -np.inf):
            raise _no_category(row, where, float(value))
        codes[value] = _code(value)
    return np.fromiter((codes[value] for value in values), dtype=np.uint64, count=len(values))


def has_large_integers(values: NDArray[Any]) -> bool:
    """Whether there are integers that floats may not tell apart."""
    return values.dtype.kind in "iu" and values.size > 0 and (values.max() > _EXACT or values.min() < -_EXACT)


def not_finite(row: int, where: str, value: float) -> DataError:
    """NaN or infinity where a number is needed."""
    what = "NaN" if np.isnan(value) else "infinity" if value > 0 else "-infinity"
    return DataError(f"Input contains {what} in row {row}, {where}: features need finite numbers")


def missing(row: int, where: str, *, category: bool) -> DataError:
    """An empty cell."""
    return _no_category(row, where, float("nan")) if category else not_finite(row, where, float("nan"))


def _code(value: Any) -> np.uint64:
    if isinstance(value, str):
        return np.uint64(hash_text([value])[0])
    if isinstance(value, int) and abs(value) > _EXACT:
        try:
            rounded = int(float(value))
        except OverflowError:
            rounded = 0
        if rounded != value:
            return np.uint64(mix(hash_text([hex(value)]), np.uint64(0))[0])
    return np.uint64(hash_numbers([float(value)])[0])


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in _MISSING:
        return True
    return isinstance(value, float | np.floating | Decimal) and math.isnan(value)


def _refuse_times(column: NDArray[Any], where: str) -> None:
    if column.dtype.kind in "mM":
        raise CellTypeError(
            f"{where} holds dates or times ({column.dtype}): turn them into numbers (days since a day, say), or into "
            "text for match()"
        )


def _strange(row: int, where: str, value: Any) -> DataError:
    hint = "; decode the bytes to text" if isinstance(value, bytes) else ""
    return CellTypeError(
        f"{where} holds {_shown(value)} in row {row}: a cell given as argument must be a string (for match()) or a "
        f"number{hint}"
    )


def _no_category(row: int, where: str, value: float) -> DataError:
    if not np.isnan(value):
        return not_finite(row, where, value)
    return DataError(
        f"Input contains NaN: {where} has no category in row {row} (NaN or empty): fill it in or drop the row"
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
