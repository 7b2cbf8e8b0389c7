"""Work that is counted as it is done: what bounds it must be the same on every machine, which no clock is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["Work", "counted_work", "spend"]


@dataclass
class Work:
    """What was done since the counting began, in millions of simple operations: about milliseconds."""

    done: float = 0.0


_OPEN: ContextVar[Work | None] = ContextVar("work that is counted", default=None)


@contextmanager
def counted_work() -> Iterator[Work]:
    """What is spent in the body, in this thread, is counted; for a count around this one, too."""
    outer, work = _OPEN.get(), Work()
    token = _OPEN.set(work)
    try:
        yield work
    finally:
        _OPEN.reset(token)
        if outer is not None:
            outer.done += work.done


def spend(operations: float) -> None:
    """Count so many simple operations, where anybody counts: of what takes long, and before it is done."""
    work = _OPEN.get()
    if work is not None:
        work.done += operations / 1e6
