"""The range of an axis: as it was given, or from where each kernel ends on it."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["automatic_range", "checked_range", "is_wide"]

_WIDE = 30
"""Kernels whose lags or frequencies differ by more than this factor are shown on logarithmic axes."""


def is_wide(reaches: Sequence[float]) -> bool:
    """Whether the kernels end at places so different that only a logarithmic axis shows all of them."""
    return max(reaches) > _WIDE * min(reaches)


def automatic_range(reaches: Sequence[float], *, wide: bool) -> tuple[float, float]:
    """From 0, or on a logarithmic axis from well inside the shortest, to the end of the longest, rounded up."""
    return min(reaches) / _WIDE if wide else 0.0, _rounded(max(reaches))


def checked_range(given: tuple[float, float], name: str) -> tuple[float, float]:
    """The range, as numbers. Raises ValueError unless it is finite and not empty."""
    low, high = map(float, given)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"{name} must be a range from low to high, not from {low:g} to {high:g}")
    return low, high


def _rounded(reach: float) -> float:
    """The reach rounded up to one of the numbers at which an axis likes to end."""
    power = 10.0 ** math.floor(math.log10(reach))
    return next(step * power for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= reach * (1 - 1e-9))
