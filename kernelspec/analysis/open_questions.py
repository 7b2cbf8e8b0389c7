"""Questions that may have no answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kernelspec.errors import KernelspecError, SpecError

__all__ = ["answer_or_reason"]

T = TypeVar("T")


def answer_or_reason(question: Callable[[], T]) -> tuple[T | None, str | None]:
    """The answer and None, or None and why there is none; the reason shows no place in a spec."""
    try:
        return question(), None
    except SpecError as error:
        return None, error.message
    except KernelspecError as error:
        return None, str(error)
