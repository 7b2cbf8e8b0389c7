"""How many factors of products of samples are drawn one by one."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

__all__ = ["MOST", "MOST_OF_ONE", "ONE_BY_ONE", "too_many"]

ONE_BY_ONE = 32
"""Up to so many factors are each drawn by itself, even where a law of their product is known."""

MOST_OF_ONE = 10_000
MOST = 1_000_000
"""Factors of one sample, and of all samples that are drawn together."""


def too_many(factors: NDArray[Any]) -> str | None:
    """In words what is too much of `factors`, the number of each sample; None if all of them can be drawn."""
    largest, total = int(factors.max(initial=0)), float(factors.sum(dtype=float))
    if largest > MOST_OF_ONE:
        return f"a sample of {largest:,} factors"
    return f"{total:,.0f} factors" if total > MOST else None
