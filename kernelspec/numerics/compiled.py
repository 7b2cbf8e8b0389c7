"""How functions are compiled to machine code: without the interpreter lock, and kept on disk where that is possible.

Only modules of compiled functions import this one, and they are imported on use: Numba takes a fifth of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from numba import njit

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """The function, compiled at its first call for the types it is given.

    Other threads run meanwhile. Floating-point operations are done one by one in the order written: nothing is
    contracted or reordered, so the bits are the same on every processor. The machine code is kept beside the source
    or in the user's cache; where neither can be written, every process compiles for itself.
    """
    try:
        fast: F = njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder for the cache
        fast = njit(nogil=True)(function)
    return fast
