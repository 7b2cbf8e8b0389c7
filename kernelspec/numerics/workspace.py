"""Memory that every thread of one call uses again: fresh memory costs more than what is computed in it."""

from __future__ import annotations

import threading

import numpy as np

from kernelspec.random.hashing import Hashes

__all__ = ["Workspace"]


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
