"""Whether features are written past the processor's cache, and how many lines of them at a time."""

from __future__ import annotations

import ctypes
import mmap
import sys
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["lines_past_the_cache"]

_CACHE = 2**25
"""Bytes of features of which a later reader may still find some in the cache."""


class _Gathered(NamedTuple):
    """Bytes that are written together, and the least and the most of a row: others are written through the cache.

    At both ends of what is written together a line of memory is written in parts, which takes longer.
    """

    together: int
    least: int = 1
    most: int = sys.maxsize


_ON_ZEN, _ELSEWHERE = _Gathered(2**18, least=2**12, most=2**14), _Gathered(2**15)
"""As measured: AMD's Zen mostly takes longer past the cache for shorter rows, and for longer ones."""

_PAGES = 16
"""Pages that stand for all."""


def lines_past_the_cache(out: NDArray[Any]) -> int:
    """How many lines of `out` (n, columns) to gather, and to write past the cache together; 0 for none.

    None where `out` may fit into the cache, or is new memory, whose pages the system clears when they are written for
    the first time, and has in the cache then: past it, they would take twice as long. None where that cannot be known,
    and for rows with which this processor gains nothing.
    """
    if out.nbytes <= _CACHE or not out.flags.carray:
        return 0
    gathered, row = _gathered(), out.nbytes // len(out)
    if not gathered.least <= row <= gathered.most or not _in_use(out):
        return 0
    return max(1, gathered.together // row)


def _in_use(out: NDArray[Any]) -> bool:
    """Whether the system has given the pages of the array, of which some are looked at [mincore(2)]."""
    ask = _mincore()
    if ask is None:
        return False
    first, found = out.ctypes.data, ctypes.c_ubyte()
    for place in np.linspace(first, first + out.nbytes - 1, _PAGES, dtype=np.int64):
        if ask(int(place) // mmap.PAGESIZE * mmap.PAGESIZE, 1, ctypes.byref(found)) or not found.value & 1:
            return False
    return True


@cache
def _gathered() -> _Gathered:
    """What this processor writes together."""
    from llvmlite.binding import get_host_cpu_name

    return _ON_ZEN if get_host_cpu_name().startswith("znver") else _ELSEWHERE


@cache
def _mincore() -> Any:
    """The function of the system's library, where there is one."""
    if not sys.platform.startswith("linux"):
        return None
    ask = getattr(ctypes.CDLL(None), "mincore", None)
    if ask is not None:
        ask.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_ubyte)
    return ask
