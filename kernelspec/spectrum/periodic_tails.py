"""What a density on a line that falls like a power times a periodic function holds beyond a frequency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.multiprecision_numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.tail_series import tail_series
from kernelspec.measures.measure import Measure

__all__ = ["Oscillation", "oscillation_of", "sum_of_windows"]

_DIGITS = 60
_LARGEST_DENOMINATOR = 24
_WINDOWS = 7
_SAME = 1e-12


@dataclass(frozen=True)
class Oscillation:
    """μ(ω) ~ ω^{−α} g(ω), g of a `period`, with a series in 1/ω behind; α = `power`."""

    period: float
    power: int


def oscillation_of(measure: Measure) -> Oscillation | None:
    """How the closed density on a line oscillates far out: by the breakpoints p of k, e^{−iωp} times powers of 1/ω.

    None without closed form, for a density without powers in its tail, for one that does not oscillate, and where the
    breakpoints have no common measure.
    """
    numbers = MultiprecisionNumbers(_DIGITS)
    try:
        series = tail_series(line_members(measure, numbers), numbers)
    except NotClosed:
        return None
    if series is None:
        return None
    places = np.abs(series.points[series.points != 0])
    if not len(places):
        return None
    shares = [Fraction(place / places.max()).limit_denominator(_LARGEST_DENOMINATOR) for place in places]
    if np.abs([float(share) for share in shares] - places / places.max()).max() > _SAME:
        return None
    unit = places.max() / lcm(*(share.denominator for share in shares))
    if series.leading == series.jumps.shape[1]:
        return None
    return Oscillation(2 * np.pi / float(unit), series.leading + 1)


def sum_of_windows(window: Callable[[int], np.ndarray], first: int, power: int) -> tuple[np.ndarray, float]:
    """Σ_{n ≥ first} I(n) for integrals I(n) over single periods, which have a series in 1/(n + ½) from `power` on.

    As many terms as there are windows, at first·2^k, are fitted, and summed by Hurwitz's zeta function. The error is
    ten times what the last of them changes.
    """
    from scipy.special import zeta

    places = first * 2 ** np.arange(_WINDOWS) + 0.5
    values = np.array([window(int(place)) for place in places])

    def total(count: int) -> np.ndarray:
        powers = power + np.arange(count)
        start = places[0]
        shares = np.linalg.solve((start / places[:count, None]) ** powers, values[:count])
        return np.asarray([zeta(s, start) * start**s for s in powers]) @ shares

    found = total(_WINDOWS)
    return found, float(10 * np.abs(found - total(_WINDOWS - 1)).max())
