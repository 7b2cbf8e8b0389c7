"""Timings that can be quoted: several variants in random order within one run, medians with spread."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping

from kernelspec.comparison.interleaved import interleaved_seconds

__all__ = ["medians", "shown"]


def medians(variants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of every variant, sorted, over `rounds` rounds in random order after a warm-up."""
    return {name: sorted(seconds.tolist()) for name, seconds in interleaved_seconds(variants, rounds).items()}


def shown(seconds: list[float], unit: float = 1e3) -> str:
    """`median [least, largest]` in milliseconds, or in seconds divided by `unit`."""
    return f"{statistics.median(seconds) * unit:.3g} [{seconds[0] * unit:.3g}, {seconds[-1] * unit:.3g}]"
