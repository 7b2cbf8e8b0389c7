"""Tests of `fuzzing/campaign.py`."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from kernelspec.errors import KernelspecError
from tests.processor import seconds_since

__all__ = [
    "MOST_MEGABYTES",
    "MOST_SECONDS",
    "Target",
    "case_of",
    "finite_of_shape",
    "refused_or_right",
    "short_campaign",
]


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


MOST_SECONDS = 5.0
"""Of a core of its own, for one case."""

MOST_MEGABYTES = 1000.0
"""By which one case may raise the peak memory of the process."""


@contextmanager
def refused_or_right() -> Iterator[None]:
    """The body may raise a KernelspecError that says something, and nothing else, within MOST_SECONDS and memory."""
    began, peak = process_time(), _peak()
    said = "something"
    try:
        yield
    except KernelspecError as error:
        said = str(error).strip()
    assert said, "refused without a word"
    seconds, megabytes = seconds_since(began, bound=MOST_SECONDS), _peak() - peak
    assert seconds < MOST_SECONDS, f"took {seconds:.1f} s"
    assert megabytes < MOST_MEGABYTES, f"took {megabytes:.0f} MB"


def finite_of_shape(values: NDArray[np.float64] | sparse.csr_array, shape: tuple[int, ...]) -> None:
    """Features and kernel matrices are finite, and have the shape they were announced with."""
    assert values.shape == shape, f"shape {values.shape} instead of {shape}"
    numbers = values.data if sparse.issparse(values) else values
    assert np.isfinite(numbers).all(), "not finite"


def _peak() -> float:
    """The most memory that the process had so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
