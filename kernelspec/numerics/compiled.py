"""How functions are compiled to machine code: without the interpreter lock, and kept on disk where that is possible.

Only modules of compiled functions import this one, and they are imported on use: Numba takes a fifth of a second.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from numba import njit
from numba.core import config
from numba.core.caching import FunctionCache

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """The function, compiled at its first call for the types it is given.

    Other threads run meanwhile. Floating-point operations are done one by one in the order written: nothing is
    contracted or reordered, so the bits are the same on every processor. The machine code is kept beside the source
    or in the user's cache; where neither can be written, every process compiles for itself.
    """
    fast: Any = njit(nogil=True)(function)
    if hasattr(fast, "enable_caching") and _has_place(function):  # not with NUMBA_DISABLE_JIT
        with suppress(RuntimeError):  # no folder that can be written to
            fast._cache = _KeptCode(function)  # what cache=True does, with a cache that never ends a computation
    result: F = fast
    return result


class _KeptCode(FunctionCache):  # type: ignore[misc]
    """Numba's cache, but what cannot be read is compiled again, and what cannot be written is not kept."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """None where there is nothing, or something damaged, which is then forgotten."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # half a file, as it is unpickled, may raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Nothing where the disk is full, or the quota."""
        with suppress(OSError):
            super().save_overload(sig, data)


def _has_place(function: Callable[..., object]) -> bool:
    """Whether there is a folder for the cache: without a home, Numba would make one that is called "~"."""
    beside = os.path.dirname(function.__code__.co_filename)
    return bool(config.CACHE_DIR) or os.path.isabs(os.path.expanduser("~")) or os.access(beside, os.W_OK)
