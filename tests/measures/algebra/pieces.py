"""Random pieces with whole coefficients, and their values by the definition."""

from __future__ import annotations

from typing import Any

import mpmath as mp
from hypothesis import strategies as st

from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import Piece, Piecewise

NUMBERS = MultiprecisionNumbers(60)


@st.composite
def piecewise(draw: Any, *, curved: bool = True) -> Piecewise:
    """One or two pieces that decay, with ends, rates, phases and waves in small numbers."""
    n = NUMBERS.number
    found = []
    for _ in range(draw(st.integers(1, 2))):
        low = draw(st.sampled_from([None, -1, 0, 1])) if curved else draw(st.sampled_from([-1, 0, 1]))
        high = draw(st.sampled_from([None, 2, 3]))
        weights = tuple(n(draw(st.integers(-3, 3))) for _ in range(draw(st.integers(1, 3))))
        curvature = draw(st.sampled_from([1, 2])) if low is None else draw(st.sampled_from([0, 1])) if curved else 0
        rate, level, phase = (n(draw(st.integers(low, 2))) for low in (1, -1, -1))
        wave = n(draw(st.integers(-2, 2)))
        ends = (None if low is None else n(low), None if high is None else n(high))
        found.append(Piece(*ends, weights, level, rate, n(curvature), phase, wave))
    return Piecewise.of(found, NUMBERS)


def value(whole: Piecewise, t: Any) -> Any:
    """Σ c_n tⁿ e^{g − at − bt² + iφ + iwt} over the pieces around t."""
    total = mp.mpc(0)
    for p in whole.pieces:
        if (p.low is None or p.low < t) and (p.high is None or t < p.high):
            size = sum(c * t**n for n, c in enumerate(p.weights))
            total += size * mp.exp(mp.mpc(p.level - p.rate * t - p.curvature * t * t, p.phase + p.wave * t))
    return total
