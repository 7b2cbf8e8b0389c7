"""A test of a mean, given the variance, that keeps its level for every law: no limit theorem, no bound, any tail.

With N independent numbers x of mean 0 and variance at most σ², and ψ(u) = sign(u) ln(1 + |u| + u²/2), each exp(±ψ(αx))
has a mean of at most 1 + α²σ²/2. So Σ ψ(αx_i) exceeds N ln(1 + α²σ²/2) + ln(2/p) on either side with probability p at
most, whatever the law. The best α is √(2 ln(2/p) / Nσ²). Reference: Catoni 2012, Challenging the empirical mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["POWER", "detectable_shift", "mean_limit", "mean_scores", "samples_needed"]

POWER = 0.999
"""The probability with which what is called detectable is detected."""

_TO_POWER = 3.0902323061678132
"""The standard normal quantile of POWER."""


def mean_scores(deviations: NDArray[np.float64], variance: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """The scores (P,) of numbers (N, P) less their claimed means, under their claimed variances (P,), all positive.

    Σ ψ(αx)/(α σ √N): the z-score where all x are small against √N σ, and less where some are large.
    """
    size = np.sqrt(variance)
    rate = np.sqrt(2 * np.log(2 / level) / len(deviations))
    scaled = deviations * (rate / size)
    magnitude = np.abs(scaled)
    total = np.copysign(np.log1p(magnitude + magnitude**2 / 2), scaled).sum(axis=0)
    return np.asarray(total / (rate * np.sqrt(len(deviations))))


def mean_limit(n: int, level: float) -> float:
    """What the score of n numbers exceeds in size with probability p = `level` at most: a little below √(2 ln(2/p))."""
    share = float(np.log(2 / level))
    return (n * float(np.log1p(share / n)) + share) / float(np.sqrt(2 * share))


def detectable_shift(n: int, level: float) -> float:
    """The shift of the mean, in standard deviations of one number, that is found with probability POWER."""
    return (mean_limit(n, level) + _TO_POWER) / float(np.sqrt(n))


def samples_needed(shift: float, level: float) -> int:
    """How many numbers find a shift of so many standard deviations with probability POWER; fewer find none."""
    share = 2 * float(np.log(2 / level))
    return int(np.ceil(max(share, ((np.sqrt(share) + _TO_POWER) / shift) ** 2)))
