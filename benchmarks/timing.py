"""Timings that can be quoted: several variants in random order within one run, medians with spread."""

from __future__ import annotations

import random
import resource
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from time import perf_counter, sleep

import numpy as np
from numpy.typing import NDArray

__all__ = ["Spread", "cpu_time", "interleaved_seconds", "medians", "shown", "spread_of"]

_LEAST_SECONDS = 0.02
"""What is quicker is repeated for about as long within a round: clocks and other jobs say little about less."""

_REST_SECONDS = 0.15
"""Workers of OpenBLAS wait busily for 2²⁸ ticks of the clock after a call, 0.1 s, on processors that the next needs."""

_MOST_TIMES = 1000


@dataclass(frozen=True)
class Spread:
    """The median over rounds, and the quartiles."""

    median: float
    low: float
    high: float


def interleaved_seconds(
    work: Mapping[str, Callable[[], object]],
    rounds: int,
    before: Callable[[], object] | None = None,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, NDArray[np.float64]]:
    """Seconds of every work in every round, in random order within a round, after one warm-up each.

    So others on the machine slow all of them alike: compare within a round, as base / own of two of these arrays. What
    is to be done `before` each work in a round is not timed. `clock` may be `cpu_time`.
    Raises ValueError for less than one round.
    """
    if rounds < 1:
        raise ValueError(f"there is at least one round, not {rounds}")
    times: dict[str, int] = {}
    for name, run in work.items():
        run()
        began = clock()
        run()
        times[name] = min(_MOST_TIMES, max(1, ceil(_LEAST_SECONDS / max(clock() - began, 1e-9))))
    order, names = random.Random(0), list(work)
    found: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        order.shuffle(names)
        for name in names:
            sleep(_REST_SECONDS)
            if before is not None:
                before()
            began = clock()
            for _ in range(times[name]):
                work[name]()
            found[name].append((clock() - began) / times[name])
    return {name: np.array(seconds) for name, seconds in found.items()}


def cpu_time() -> float:
    """CPU seconds of all threads of this process and of its children that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(own.ru_utime + own.ru_stime for own in both)


def spread_of(values: NDArray[np.float64]) -> Spread:
    """Median and quartiles of one number a round."""
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    return Spread(median, low, high)


def medians(variants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of every variant, sorted, over `rounds` rounds in random order after a warm-up."""
    return {name: sorted(seconds.tolist()) for name, seconds in interleaved_seconds(variants, rounds).items()}


def shown(seconds: list[float], unit: float = 1e3) -> str:
    """`median [least, largest]` in milliseconds, or in seconds divided by `unit`."""
    return f"{statistics.median(seconds) * unit:.3g} [{seconds[0] * unit:.3g}, {seconds[-1] * unit:.3g}]"
