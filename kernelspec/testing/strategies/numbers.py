"""Texts of numbers and vectors in an interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import hypothesis.strategies as st

__all__ = ["Numbers", "decimals", "vectors"]

Numbers: TypeAlias = Callable[[float, float], st.SearchStrategy[str]]
"""Text of a number in an interval: digits, or the name of a parameter whose value lies there."""


def decimals(low: float, high: float) -> st.SearchStrategy[str]:
    """Decimals with few digits, so that failures read well."""
    return st.integers(round(low * 100), round(high * 100)).map(lambda hundredths: f"{hundredths / 100:g}")


def vectors(numbers: Numbers, dim: int | None, low: float, high: float) -> st.SearchStrategy[str]:
    """One number for all columns, or a number for each of `dim`; one alone on any number of columns (None)."""
    if dim is None:
        return numbers(low, high)
    entries = st.lists(numbers(low, high), min_size=dim, max_size=dim)
    return numbers(low, high) | entries.map(lambda parts: f"[{', '.join(parts)}]")
