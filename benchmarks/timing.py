"""Timings that can be quoted: several variants in random order within one run, medians with spread."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Mapping

__all__ = ["medians", "shown"]


def medians(variants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of every variant, sorted, over `rounds` rounds in random order after one warm-up each."""
    for run in variants.values():
        run()
    order = random.Random(0)
    seconds: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(rounds):
        names = list(variants)
        order.shuffle(names)
        for name in names:
            start = time.perf_counter()
            variants[name]()
            seconds[name].append(time.perf_counter() - start)
            time.sleep(0.01)  # BLAS workers spin for a while after a call and would slow the next variant
    return {name: sorted(values) for name, values in seconds.items()}


def shown(seconds: list[float], unit: float = 1e3) -> str:
    """`median [least, largest]` in milliseconds, or in seconds divided by `unit`."""
    return f"{statistics.median(seconds) * unit:.3g} [{seconds[0] * unit:.3g}, {seconds[-1] * unit:.3g}]"
