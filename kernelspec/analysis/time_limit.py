"""Symbolic steps with a limit on their time."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

__all__ = ["DENSITY_SECONDS", "TimeExceeded", "derive", "in_time", "patience", "within"]

T = TypeVar("T")


class TimeExceeded(BaseException):
    """Raised inside a step that ran out of time; no `except Exception` on its way can swallow it."""


def within(seconds: float, step: Callable[[], T], otherwise: Callable[[], T]) -> T:
    """The result of `step()`, or of `otherwise()` if the step takes longer than `seconds`.

    The step runs in a thread of its own and is stopped between two byte codes, which suffices for SymPy: it is pure
    Python, and a signal could interrupt the main thread only. A step that catches TimeExceeded is stopped again.
    """
    results: list[T] = []
    failures: list[BaseException] = []
    started: list[bool] = []
    closed: list[bool] = []
    lock = threading.Lock()

    def attempt() -> None:
        if not started:
            started.append(True)
            try:
                results.append(step())
            except Exception as error:
                failures.append(error)
        with lock:
            closed.append(True)

    def stopped() -> None:
        with suppress(TimeExceeded):
            attempt()

    def run() -> None:
        # a second interruption may strike while the first one is being handled, and must not leave the thread
        while not closed:
            with suppress(TimeExceeded):
                stopped()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    patience = 0.5  # long enough for what the step held to be freed
    while thread.is_alive():
        with lock:
            if not closed:
                identity, interruption = ctypes.c_ulong(thread.ident or 0), ctypes.py_object(TimeExceeded)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, interruption)
        thread.join(patience)
        patience *= 2
    if failures:
        raise failures[0]
    return results[0] if results else otherwise()


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
