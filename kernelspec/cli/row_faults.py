"""Which row of a file is at fault: blocks count their own rows, people those of the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kernelspec.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from kernelspec.files import Block
    from kernelspec.tables.layout import Layout

__all__ = ["row_fault"]

_FIRST_ROW = re.compile(r"\bin row 0(?=, column |: | \(NaN)")
"""Where an error of one row says so; columns and cells may be called anything, 'row 0' too."""


def row_fault(layout: Layout, block: Block, n_before: int, path: Path, error: DataError) -> DataError:
    """The error of the first row of a block that cannot be read, numbered over the whole file from 1.

    `n_before` rows of the file stand before the block. An error that is no single row's stays as it is, but for the
    name of the file.
    """
    low, high = 0, block.shape[0]
    # Invariant: the first `low` rows can be read, the first `high` cannot.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _fault(layout, block, 0, middle) is None else (low, middle)
    alone = _fault(layout, block, low, high)
    if alone is None:
        return DataError(f"{path}: {error}")
    return DataError(f"{path}: {_FIRST_ROW.sub(f'in row {n_before + high}', str(alone))}")


def _fault(layout: Layout, block: Any, start: int, stop: int) -> DataError | None:
    """What is wrong with some consecutive rows, if anything."""
    part = block.slice(start, stop - start) if hasattr(block, "slice") else block[start:stop]
    try:
        layout.read(part)
    except DataError as error:
        return error
    return None
