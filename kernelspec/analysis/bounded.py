"""A time limit for symbolic steps."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["TimeExceeded", "within"]

T = TypeVar("T")


class TimeExceeded(BaseException):
    """Raised inside a step that ran out of time; no `except Exception` on its way can swallow it."""


def within(seconds: float, step: Callable[[], T], otherwise: Callable[[], T]) -> T:
    """The result of `step()`, or of `otherwise()` if the step takes longer than `seconds`.

    The step runs in a thread of its own and is stopped between two byte codes, which suffices for SymPy: it is pure
    Python, and a signal could interrupt the main thread only.
    """
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(step())
        except TimeExceeded:
            pass
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    while thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(TimeExceeded))
        thread.join(0.05)
    if failures:
        raise failures[0]
    return results[0] if results else otherwise()
