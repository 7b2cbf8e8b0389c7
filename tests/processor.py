"""Seconds of a processor, as on a core that nothing else uses.

Two processes on one core slow each other down to little more than half: seconds of CPU say how long a step took, not
how much work it was. So what seems late is divided by how much longer than alone a fixed loop takes at that moment.
"""

from __future__ import annotations

import statistics
import time
from fractions import Fraction

__all__ = ["seconds_since"]

_ALONE = 0.0095
"""Seconds of the loop on a core of its own of the machine on which the bounds were set (AMD EPYC)."""

_ROUNDS, _SLOWEST = 9, 2.0
"""Timings of the loop, and the most that a second process on the core can cost: what takes twice the bound is late."""


def seconds_since(began: float, *, bound: float) -> float:
    """The CPU seconds since `time.process_time()` was `began`; if they exceed the bound, as on a core of its own."""
    seconds = time.process_time() - began
    return seconds if seconds <= bound else seconds / _slowness()


def _slowness() -> float:
    return min(max(1.0, statistics.median(_loop() for _ in range(_ROUNDS)) / _ALONE), _SLOWEST)


def _loop() -> float:
    began = time.process_time()
    kept: dict[int, Fraction] = {}
    total = Fraction(0)
    for k in range(1, 4000):
        kept[k % 97] = total
        total = total + Fraction(1, k % 97 + 1) if k % 50 else Fraction(0)
    return time.process_time() - began
