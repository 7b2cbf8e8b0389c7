"""Symbolic steps, left undone where they take too long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from kernelspec.analysis.time_limit import within

__all__ = ["DENSITY_SECONDS", "derive"]

T = TypeVar("T")

_LATE = "not_derived_in_time"
_SECONDS = 1.0
"""Time limit of one symbolic step; what a step cannot do in that time is left undone, never waited for."""

DENSITY_SECONDS = 3.0
"""That of a spectral density, which is many steps: a product of ten kernels takes about two."""


def derive(step: Callable[[], T], undone: Callable[[Any], T], seconds: float | None = None) -> T:
    """The result of a symbolic step, or `undone(s)` with the symbol s = not_derived_in_time if it takes too long."""
    import sympy  # before the clock starts

    return within(_SECONDS if seconds is None else seconds, step, lambda: undone(sympy.Symbol(_LATE)))
