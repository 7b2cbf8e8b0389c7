"""One target for as many cases as the profile asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

__all__ = ["campaign"]

_BATCH = 1000
"""Hypothesis remembers what it tried: one run of a million cases would fill the memory."""

Case = TypeVar("Case")


def campaign(cases: st.SearchStrategy[Case], check: Callable[[Case], None], short: int, long: int | None) -> None:
    """Check `short` cases, always the same, or `long` ones, in batches of their own."""
    for start in range(0, long or short, _BATCH):
        profile = settings(
            max_examples=min(_BATCH, (long or short) - start),
            deadline=None,
            derandomize=long is None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )

        @given(cases)
        def one_batch(case: Case) -> None:
            check(case)

        run = profile(one_batch)
        (run if long is None else seed(start)(run))()
