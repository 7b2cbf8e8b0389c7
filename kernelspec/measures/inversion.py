"""Numerical inversion of a characteristic function on the line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure

__all__ = ["invert_line"]


def invert_line(measure: Measure, frequencies: np.ndarray) -> np.ndarray:
    """Density (1/π) ∫_0^∞ k(t) cos(ωt) dt of an even measure on R at frequencies (n,).

    The lag axis is cut at powers of two of the distance where k has halved; finite pieces use QUADPACK's
    Clenshaw–Curtis rule for a cosine weight, the last one its Fourier rule (absolute error about 1e-10).
    """
    from scipy.integrate import quad

    def kernel(lag: float) -> float:
        return float(measure.characteristic_function(np.array([[lag]]))[0])

    half = _half_width(kernel)
    cuts = [0.0, *(half * 2.0 ** np.arange(-2, 6))]
    values = []
    for omega in np.abs(frequencies):
        pieces = [
            quad(kernel, low, high, weight="cos", wvar=omega, epsabs=1e-12, limit=200)[0]
            for low, high in zip(cuts, cuts[1:], strict=False)
        ]
        if omega > 0:
            tail = quad(kernel, cuts[-1], np.inf, weight="cos", wvar=omega, epsabs=1e-11, limlst=200)[0]
        else:
            tail = quad(kernel, cuts[-1], np.inf, epsabs=1e-12, limit=200)[0]
        values.append((sum(pieces) + tail) / np.pi)
    return np.array(values)


def _half_width(kernel: Callable[[float], float]) -> float:
    half, lag = kernel(0.0) / 2, 1.0
    while kernel(lag) > half and lag < 1e12:
        lag *= 2
    while kernel(lag) < half and lag > 1e-12:
        lag /= 2
    return lag
