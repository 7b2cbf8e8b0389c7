"""Which of many rows is the first that cannot be used: said of it alone, with its number in the whole table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kernelspec.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["first_fault", "numbered"]

_FIRST_ROW = re.compile(r"\b(?:(?<=in )|^)row 0(?=, column |: | \(NaN| has | is scaled )")
"""Where an error of one row says so; columns and cells may be called anything, 'row 0' too."""


def first_fault(
    read: Callable[[Any], Any], cut: Callable[[int, int], Any], n_rows: int
) -> tuple[int, DataError] | None:
    """The first row that is refused by `read`, which refuses all of them together, and its error as the only row there.

    `cut` gives some consecutive rows. None where the error is no single row's.
    """

    def fault(start: int, stop: int) -> DataError | None:
        try:
            read(cut(start, stop))
        except DataError as error:
            return error
        return None

    low, high = 0, n_rows
    # Invariant: the first `low` rows can be read, the first `high` cannot.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fault(0, middle) is None else (low, middle)
    alone = fault(low, high)
    return None if alone is None else (low, alone)


def numbered(error: DataError, row: int) -> str:
    """The words of an error of a row that was the only one, with the number it has among others."""
    return _FIRST_ROW.sub(f"row {row}", str(error))
