"""Which row of a file is at fault: blocks count their own rows, people those of the file."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernelspec.errors import DataError
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["row_fault"]

_FIRST_ROW = re.compile(r"\b(?:(?<=in )|^)row 0(?=, column |: | \(NaN| has )")
"""Where an error of one row says so; columns and cells may be called anything, 'row 0' too."""


def row_fault(read: Callable[[Any], Any], block: Any, n_before: int, path: Path, error: DataError) -> DataError:
    """The error of the first row of a block that `read` refuses, numbered over the whole file from 1.

    The block is one of a file, or Rows. `n_before` rows of the file stand before the block. An error that is no single
    row's stays as it is, but for the name of the file.
    """
    low, high = 0, len(block) if isinstance(block, Rows) else block.shape[0]
    # Invariant: the first `low` rows can be read, the first `high` cannot.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _fault(read, block, 0, middle) is None else (low, middle)
    alone = _fault(read, block, low, high)
    if alone is None:
        return DataError(f"{path}: {error}")
    return DataError(f"{path}: {_FIRST_ROW.sub(f'row {n_before + high}', str(alone))}")


def _fault(read: Callable[[Any], Any], block: Any, start: int, stop: int) -> DataError | None:
    """What is wrong with some consecutive rows, if anything."""
    if isinstance(block, Rows):
        part: Any = replace(block.take(slice(start, stop)), first=0)
    else:
        part = block.slice(start, stop - start) if hasattr(block, "slice") else block[start:stop]
    try:
        read(part)
    except DataError as error:
        return error
    return None
