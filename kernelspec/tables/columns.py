"""One column of a table as numbers; what is none is refused, cell and all."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import DataError
from kernelspec.tables.cells import is_missing, not_finite, refuse_times, strange, text_for_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["numbers_of"]

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
