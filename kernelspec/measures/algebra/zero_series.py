"""The density near ω = 0: its power series, from the moments of k."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.moments import moments
from kernelspec.measures.algebra.multiprecision_numbers import MultiprecisionNumbers

__all__ = ["ZeroSeries", "zero_series"]

_ORDERS = 60


@dataclass(frozen=True)
class ZeroSeries:
    """μ(ω) = (2π)^{−1} Σ_k (−iω)^k/k! ∫ t^k k(t) dt, with the coefficients in units of `scale`^k."""

    coefficients: NDArray[np.complex128]
    scale: float

    def at(self, frequencies: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """(values, errors) at frequencies (n,)."""
        n, last = len(self.coefficients), np.zeros(len(frequencies))
        value, error, largest = np.zeros(len(frequencies), dtype=complex), last.copy(), last.copy()
        with np.errstate(all="ignore"):
            place, power = frequencies * self.scale, np.ones(len(frequencies))
            for k, coefficient in enumerate(self.coefficients):
                value += coefficient * power
                size = abs(coefficient) * np.abs(power)
                error += (k + 4) * 1.2e-16 * size  # that of the power among them
                largest = np.maximum(largest, size)
                last += size if k >= n - 4 else 0.0
                power *= place
            error += 100 * last
        # terms that still grow at the end say nothing about the rest
        shrinks = last <= 1e-3 * largest
        return value, np.where(np.isfinite(error) & shrinks, error, np.inf)


def zero_series(members: tuple[Member, ...], numbers: MultiprecisionNumbers) -> ZeroSeries | None:
    """The series of a sum of functions of the lag; None where one is times a density in closed form only."""
    if any(member.frequency is not None or member.lag is None for member in members):
        return None
    context = numbers.context
    pieces = [piece for member in members if member.lag is not None for piece in member.lag.pieces]
    found, turn = [], context.mpc(1) / (2 * context.pi)
    for n, value in enumerate(moments(pieces, numbers.number(0), _ORDERS, numbers)):
        turn = turn * context.mpc(0, -1) / n if n else turn
        found.append(value * turn)
    size, first = context.mag, found[0]
    ratios = [(size(value) - size(first)) / n for n, value in enumerate(found) if n and value != 0 and first != 0]
    scale = context.ldexp(1, ceil(max(ratios, default=0)))
    return ZeroSeries(np.array([complex(v / scale**n) for n, v in enumerate(found)]), float(scale))
