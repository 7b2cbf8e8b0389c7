"""A time limit for symbolic steps."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

__all__ = ["TimeExceeded", "within"]

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
