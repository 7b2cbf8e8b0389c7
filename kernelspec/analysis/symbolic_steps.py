"""Symbolic steps, left undone where they take too long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from kernelspec.analysis.time_limit import within

__all__ = ["DENSITY_SECONDS", "derive", "in_time", "patience"]

T = TypeVar("T")

_LATE = "not_derived_in_time"
_SECONDS = 1.0
"""Time limit of one symbolic step; what a step cannot do in that time is left undone, never waited for."""

DENSITY_SECONDS = 2.0
"""That of a spectral density, which is many steps: one of a product of ten kernels takes half a second."""


@dataclass
class _Patience:
    """The share of its time limit that a step has, and how long all steps so far took."""

    share: float
    spent: float = 0.0

    def left(self) -> float:
        """The share of the next step: half as much for every second after the first."""
        return self.share * float(2 ** -max(0.0, self.spent - 1))


_OPEN: ContextVar[_Patience | None] = ContextVar("patience with the steps of one report", default=None)


@contextmanager
def patience(share: float = 1.0) -> Iterator[None]:
    """In the body, in this thread, steps have this share of their time limits; each that is late halves it.

    So does every second after the first that steps take together. Of one kernel what is asked after a step that was
    late is often late, too.
    """
    token = _OPEN.set(_Patience(share))
    try:
        yield
    finally:
        _OPEN.reset(token)


def in_time(step: Callable[[], T], otherwise: Callable[[], T], seconds: float | None = None) -> T:
    """The result of a step of SymPy's, or of `otherwise()` if it takes longer than `seconds`, or its share of them."""
    seconds = _SECONDS if seconds is None else seconds
    own = _OPEN.get()
    if own is None:
        return within(seconds, step, otherwise)

    def late() -> T:
        own.share /= 2
        return otherwise()

    began = monotonic()
    try:
        return within(seconds * own.left(), step, late)
    finally:
        own.spent += monotonic() - began


def derive(step: Callable[[], T], undone: Callable[[Any], T], seconds: float | None = None) -> T:
    """The result of a symbolic step, or `undone(s)` with the symbol s = not_derived_in_time if it takes too long."""
    import sympy  # before the clock starts

    return in_time(step, lambda: undone(sympy.Symbol(_LATE)), seconds)
