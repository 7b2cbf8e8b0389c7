"""Rows of numbers written as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["write_columns"]

_COMPILED: dict[int, np.dtype[Any]] = {4: np.dtype(np.float32), 8: np.dtype(np.float64)}
"""What numbers of so many bytes are moved as: no bit of them changes."""


def write_columns(block: NDArray[Any], columns: NDArray[Any], first: int = 0) -> None:
    """Write rows `block` (m, n) into `columns` (n, ·), from its place `first` on; both are C-contiguous, of one type.

    Two to ten times as fast as NumPy, whose loops read or write one number of each line of the cache.
    """
    kind = _COMPILED.get(block.itemsize)
    if kind is None:
        columns[:, first : first + len(block)] = block.T
        return
    from kernelspec.numerics.transposition import transpose

    transpose(block.view(kind), block.shape[0], block.shape[1], columns.view(kind), first)
