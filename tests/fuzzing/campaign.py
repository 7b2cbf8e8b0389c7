"""What is fuzzed: how a case is made of random choices, and what is checked of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

__all__ = ["Target", "case_of", "short_campaign"]


@dataclass(frozen=True)
class Target:
    """`made` takes its choices from Hypothesis in the short profile, and from a seed in the long one.

    `check` gets a case and an empty folder. `short` is how many cases the short profile has, `share` how many of a
    thousand of the long one: what costs little has most.
    """

    made: Callable[[Random], Any]
    check: Callable[[Any, Path], None]
    short: int
    share: int


def case_of(target: Target, name: str, seed: int, number: int) -> Any:
    """A case of the long profile: the same wherever and whenever it is made."""
    return target.made(Random(f"{name} {seed} {number}"))


def short_campaign(target: Target, folder: Path) -> None:
    """Check the cases of the short profile, always the same, and make the first one that fails as small as can be."""

    @settings(
        max_examples=target.short,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.randoms(use_true_random=False).map(target.made))
    def cases(case: Any) -> None:
        target.check(case, folder)

    cases()
