"""Whole numbers that a caller gives: counts and seeds."""

from __future__ import annotations

from operator import index
from typing import Any

from kernelspec.errors import PlanError

__all__ = ["whole_number"]


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """The number given as the argument `name`, as an int. Raises PlanError unless it is whole and within bounds."""
    try:
        number = index(value)
    except TypeError:
        raise PlanError(f"{name} must be a whole number, not {value!r}") from None
    if number < least:
        raise PlanError(f"{name} must be at least {least}, not {number}")
    if most is not None and number > most:
        raise PlanError(f"{name} must be at most {most:,}, not {number:,}")
    return number
