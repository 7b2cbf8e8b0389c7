"""The processors that threads run on while they share work: the caller's for itself, all others for those who help.

In a virtual machine, a processor that has rested for long looks as though the host had taken it away. A thread that is
called then wakes up where its caller runs: the two take turns of milliseconds, while the other processor is idle.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache

__all__ = ["Placement"]


@dataclass(frozen=True)
class Placement:
    """The processors of one call: `here` is the caller's, `elsewhere` are the others that it may use.

    Both are empty where there is nothing to choose: with one processor, and on systems that do not say.
    """

    here: frozenset[int] = frozenset()
    elsewhere: frozenset[int] = frozenset()

    @classmethod
    def of_caller(cls) -> Placement:
        """Of the calling thread, as it runs now."""
        ask = _own_processor()
        if ask is None:
            return cls()
        allowed = frozenset(os.sched_getaffinity(0))
        here = allowed & {ask()}  # -1 if it fails
        return cls(here, allowed - here) if here and here != allowed else cls()

    @contextmanager
    def caller(self) -> Iterator[None]:
        """Within the body, the calling thread stays on its processor; after it, it may use all of them again."""
        if not self.here:
            yield
            return
        try:
            try:
                _stay(self.here)
                yield
            finally:
                _stay(self.here | self.elsewhere)
        except KeyboardInterrupt:
            _stay(self.here | self.elsewhere)  # it may have come in the line above
            raise

    def help(self) -> None:
        """From now on the calling thread leaves the caller's processor alone, and so wakes up on another next time."""
        if self.elsewhere and os.sched_getaffinity(0) != self.elsewhere:
            _stay(self.elsewhere)


def _stay(processors: frozenset[int]) -> None:
    with suppress(OSError):  # where that is not allowed, the system alone decides
        os.sched_setaffinity(0, processors)


@cache
def _own_processor() -> Callable[[], int] | None:
    """What tells a thread the number of its processor, of the C library of Linux."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    import ctypes

    ask: Callable[[], int] | None = getattr(ctypes.PyDLL(None), "sched_getcpu", None)
    return ask
