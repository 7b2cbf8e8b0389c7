"""Examples of a strategy, the same in every run."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

__all__ = ["drawn"]

T = TypeVar("T")


def drawn(strategy: st.SearchStrategy[T], n: int) -> list[T]:
    """Examples of a strategy, the same ones in every run."""
    found: list[T] = []

    @settings(max_examples=n, deadline=None, derandomize=True, database=None)
    @given(strategy)
    def keep(example: T) -> None:
        found.append(example)

    keep()
    return found
