"""Which row of a file is at fault: blocks count their own rows, people those of the file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernelspec.errors import DataError
from kernelspec.tables.row_faults import first_fault, numbered
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["row_fault"]


def row_fault(read: Callable[[Any], Any], block: Any, n_before: int, path: Path, error: DataError) -> DataError:
    """The error of the first row of a block that `read` refuses, numbered over the whole file from 1.

    The block is one of a file, or Rows. `n_before` rows of the file stand before the block. An error that is no single
    row's stays as it is, but for the name of the file.
    """

    def cut(start: int, stop: int) -> Any:
        if isinstance(block, Rows):
            return replace(block.take(slice(start, stop)), first=0)
        return block.slice(start, stop - start) if hasattr(block, "slice") else block[start:stop]

    found = first_fault(read, cut, len(block) if isinstance(block, Rows) else block.shape[0])
    if found is None:
        return DataError(f"{path}: {error}")
    row, alone = found
    return DataError(f"{path}: {numbered(alone, n_before + row + 1)}")
