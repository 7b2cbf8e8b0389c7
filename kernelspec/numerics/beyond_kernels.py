"""Compiled: whether numbers are of a size that needs a second look. A module of compiled functions."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled

__all__ = ["count_beyond"]


@compiled
def count_beyond(numbers: NDArray[Any], most: float) -> int:
    """How many of the numbers (n,) are not at most `most` in size, as NaN is not; `most` is one of their type."""
    count = 0
    for j in range(numbers.shape[0]):
        x = numbers[j]
        count += not abs(x) <= type(x)(most)
    return count
