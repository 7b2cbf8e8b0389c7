"""Arrays as compiled loops take them: aligned, plain, with indices of a stated width."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.streams import Hashes

__all__ = ["Workspace", "aligned", "index_dtype", "plain"]

_LINE = 64


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of this shape, C-contiguous and uninitialised."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + _LINE, dtype=np.uint8)
    first = -memory.__array_interface__["data"][0] % _LINE  # memory.ctypes makes an object, which takes longer
    return memory[first : first + size].view(dtype).reshape(shape)


def plain(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The array, or a copy: of this type and byte order, C-contiguous, aligned and writeable."""
    if array.dtype == dtype and array.flags.carray:
        return np.asarray(array)
    copy = np.empty(array.shape, dtype=dtype)
    copy[...] = array
    return copy


def index_dtype(largest: int) -> np.dtype[Any]:
    """The dtype of the indices and row pointers of a sparse matrix: 32 bits where they suffice.

    Some solvers accept nothing else. `largest` is the number of columns, or of entries if that is more.
    """
    return np.dtype(np.int32 if largest <= np.iinfo(np.int32).max else np.int64)


class Workspace:
    """One array of `size` 64-bit words for each thread that asks, as long as the workspace lives."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._own = threading.local()

    def words(self, n_rows: int, n: int) -> Hashes:
        """This thread's array, uninitialised, as (n_rows, n): the same memory at every call, so use one at a time."""
        if not hasattr(self._own, "array"):
            self._own.array = np.empty(self._size, dtype=np.uint64)
        array: Hashes = self._own.array
        return array[: n_rows * n].reshape(n_rows, n)
