"""What the process of a command does otherwise than Python and OpenBLAS do by themselves."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["set_for_a_command"]

_NEW_OBJECTS = 100_000
"""Python looks for garbage when there are so many new objects. Modules make as many while they are imported, and all
of them stay: its own 700 have it look through them dozens of times, in a tenth to a fifth of a command's start."""

_PATIENCE = "OPENBLAS_THREAD_TIMEOUT", "20"
"""Workers of OpenBLAS sleep after 2²⁰ ticks without work, 0.4 ms. Else they wait busily for 0.1 s, on a processor that
others need, from the moment they are started: when NumPy is imported, and again for SciPy."""


@contextmanager
def set_for_a_command() -> Iterator[None]:
    """Within the body garbage is looked for seldom, and OpenBLAS, if it is loaded there, sleeps when it has no work.

    What the environment says of OpenBLAS is left as it is.
    """
    before, (variable, value) = gc.get_threshold(), _PATIENCE
    given = variable in os.environ
    os.environ.setdefault(variable, value)
    gc.set_threshold(max(_NEW_OBJECTS, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not given:
            del os.environ[variable]
