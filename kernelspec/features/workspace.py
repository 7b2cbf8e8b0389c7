"""Arrays that are used again: fresh memory costs more than what is computed in it."""

from __future__ import annotations

import sys
import threading
from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["words"]

_MOST = 4
"""Buffers that a thread keeps."""


class _Buffers(threading.local):
    """What one thread has; it goes with the thread."""

    def __init__(self) -> None:
        self.kept: list[NDArray[np.uint64]] = []


_buffers = _Buffers()


def words(shape: tuple[int, ...]) -> NDArray[np.uint64]:
    """An uninitialised array of 64-bit words, for this thread, in memory that no other array looks at any more."""
    size = prod(shape)
    for buffer in _buffers.kept:
        # a view holds its buffer: then there are more than the list, the loop and the question itself
        if len(buffer) >= size and sys.getrefcount(buffer) <= 3:
            return buffer[:size].reshape(shape)
    fresh = np.empty(size, dtype=np.uint64)
    _buffers.kept = [*_buffers.kept[-_MOST + 1 :], fresh]
    return fresh[:size].reshape(shape)
