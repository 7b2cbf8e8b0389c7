"""Polynomials through exact values, for many frequencies where the closed form needs more digits than floats have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["NODES", "Panel", "panel_number", "panel_through"]

NODES = 32
"""Of a panel: it pays where half as many values are asked for, and again wherever more are."""

_LAST = 4


@dataclass(frozen=True)
class Panel:
    """Σ c_n T_n on [low, high]."""

    low: float
    high: float
    coefficients: NDArray[np.complex128]

    def at(self, frequencies: NDArray[np.float64]) -> tuple[NDArray[np.complex128], NDArray[np.float64]]:
        """(values, errors) at frequencies (n,): ten times the last coefficients, and rounding.

        Of a function that is analytic near the panel the coefficients fall geometrically [Trefethen 2013, theorem 8.2];
        where they do not, the error says so.
        """
        place = (2 * frequencies - self.low - self.high) / (self.high - self.low)
        sizes = np.abs(self.coefficients)
        error = 10 * sizes[-_LAST:].sum() + 1e-15 * sizes.sum()
        found = np.asarray(np.polynomial.chebyshev.chebval(place, self.coefficients), dtype=complex)
        return found, np.full(len(frequencies), error)


def panel_number(frequencies: NDArray[np.float64], unit: float) -> NDArray[np.int64]:
    """In which panel each frequency lies: ±1 within the unit, then each twice as far out as the one before."""
    with np.errstate(divide="ignore"):
        out = np.maximum(np.floor(np.log2(np.abs(frequencies) / unit)) + 1, 0)
    return np.asarray(np.where(frequencies < 0, -1, 1) * (1 + out.astype(np.int64)))


def panel_through(number: int, unit: float, value: Callable[[float], complex]) -> Panel:
    """The panel of a number through the values at Chebyshev's points of it."""
    ends = (0.0, unit) if abs(number) == 1 else (unit * 2.0 ** (abs(number) - 2), unit * 2.0 ** (abs(number) - 1))
    low, high = ends if number > 0 else (-ends[1], -ends[0])
    angles = (np.arange(NODES) + 0.5) * np.pi / NODES
    places = (low + high) / 2 + (high - low) / 2 * np.cos(angles)
    values = np.array([value(float(place)) for place in places])
    coefficients = 2 / NODES * np.cos(np.outer(np.arange(NODES), angles)) @ values
    coefficients[0] /= 2
    return Panel(low, high, coefficients)
