"""Symbolic steps, left undone where they take too long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from kernelspec.analysis.time_limit import within

__all__ = ["derive"]

T = TypeVar("T")

_LATE = "not_derived_in_time"
_SECONDS = 1.0
"""Time limit of one symbolic step; what a step cannot do in that time is left undone, never waited for."""


def derive(step: Callable[[], T], undone: Callable[[Any], T]) -> T:
    """The result of a symbolic step, or `undone(s)` with the symbol s = not_derived_in_time if it takes too long."""
    import sympy  # before the clock starts

    return within(_SECONDS, step, lambda: undone(sympy.Symbol(_LATE)))
