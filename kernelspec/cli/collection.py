"""How often Python looks for garbage while a command runs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collecting_seldom"]

_NEW_OBJECTS = 100_000
"""So many of the objects that an import makes, which all stay: Python's own 700 would have it look them through dozens
of times while a command starts, a tenth to a fifth of its start."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Within the body the cyclic garbage of this process is collected once for 100,000 new objects."""
    before = gc.get_threshold()
    gc.set_threshold(max(_NEW_OBJECTS, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
