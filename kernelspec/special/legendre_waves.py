"""Transforms of Legendre's polynomials: spherical Bessel functions of the orders 0 to 23."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelspec.special.legendre_basis import DEGREES

__all__ = ["legendre_waves"]

Array = NDArray[np.float64]

_SLOW, _FAST, _START = 1e-5, 22.0, 64
"""Between the first two of x = ωh spherical Bessel functions are computed downwards, from the order of the third."""

_TURNS = (-1j) ** np.arange(DEGREES)


def legendre_waves(x: Array) -> NDArray[np.complex128]:
    """∫ P_l(u) e^{−ixu} du = 2(−i)^l j_l(x) over (−1, 1) for l = 0, …, 23, (n, 24)."""
    bessel = np.zeros((DEGREES, len(x)))
    size = np.abs(x)
    slow, fast = size < _SLOW, size > _FAST
    middle = ~(slow | fast)
    bessel[:3, slow] = 1 - x[slow] ** 2 / 6, x[slow] / 3, x[slow] ** 2 / 15  # the rest is below rounding
    bessel[:, fast] = _upwards(x[fast])
    bessel[:, middle] = _downwards(x[middle])
    return np.asarray((2 * bessel * _TURNS[:, None]).T)


def _upwards(x: Array) -> Array:
    """j_0, …, j_23 for |x| near the order or above, by their recurrence [DLMF 10.51.1]."""
    found = np.empty((DEGREES, len(x)))
    found[0] = np.sin(x) / x
    found[1] = (found[0] - np.cos(x)) / x
    for degree in range(1, DEGREES - 1):
        found[degree + 1] = (2 * degree + 1) / x * found[degree] - found[degree - 1]
    return found


def _downwards(x: Array) -> Array:
    """The same for smaller x by Miller's algorithm: downwards from an order that is out of reach, then to scale."""
    found = np.empty((DEGREES, len(x)))
    above, here = np.zeros(len(x)), np.full(len(x), 1e-300)
    inverse = 1 / x
    for degree in range(_START, -1, -1):
        if degree < DEGREES:
            found[degree] = here
        above, here = here, (2 * degree + 1) * inverse * here - above
    first, second = np.sin(x) * inverse, (np.sin(x) * inverse - np.cos(x)) * inverse
    larger = np.abs(found[0]) >= np.abs(found[1])  # one of them is not near a zero
    # near 0 the second cancels, and the first is the larger
    scale = np.where(larger, first, second) / np.where(larger, found[0], found[1])
    return np.asarray(found * scale)
