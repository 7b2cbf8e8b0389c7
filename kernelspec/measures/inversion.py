"""Numerical inversion of a characteristic function on the line."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure

__all__ = ["invert_line", "invert_radial"]

_ZEROS = 200


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
            for low, high in pairwise(cuts)
        ]
        if omega > 0:
            tail = quad(kernel, cuts[-1], np.inf, weight="cos", wvar=omega, epsabs=1e-11, limlst=200)[0]
        else:
            tail = quad(kernel, cuts[-1], np.inf, epsabs=1e-12, limit=200)[0]
        values.append((sum(pieces) + tail) / np.pi)
    return np.array(values)


def invert_radial(measure: Measure, radii: np.ndarray) -> np.ndarray:
    """Density of a radial measure on R^d at ‖ω‖ = radii, (n,), from k along one axis.

    (2π)^{−d/2} ρ^{1−d/2} ∫_0^∞ r^{d/2} J_{d/2−1}(rρ) k(r) dr, by Gauss's rule between the zeros of the Bessel function
    and the powers of two of the distance where k has halved; the sums up to the zeros alternate about the limit, and
    are averaged repeatedly (Euler's method).
    """
    from scipy.special import gamma, jv

    d = int(measure.dim)
    order, axis = d / 2 - 1, np.eye(1, d)

    def kernel(lags: np.ndarray) -> np.ndarray:
        return measure.characteristic_function(lags[:, None] * axis)

    half = _half_width(lambda lag: float(kernel(np.array([lag]))[0]))
    dyadic = half * 2.0 ** np.arange(-12, 14)

    def at(radius: float) -> float:
        if radius == 0:
            surface = 2 * np.pi ** (d / 2) / gamma(d / 2) / (2 * np.pi) ** d
            return float(surface * _total(lambda r: r ** (d - 1) * kernel(r), half))
        zeros = (np.arange(1, _ZEROS + 1) + order / 2 - 0.25) * np.pi / radius  # McMahon: near enough to sum by
        cuts = np.unique(np.concatenate([[0.0], dyadic[dyadic < zeros[-1]], zeros]))
        sums = np.cumsum(_pieces(lambda r: r ** (order + 1) * jv(order, r * radius) * kernel(r), cuts))
        alternating = sums[np.searchsorted(cuts, zeros) - 1][-_ZEROS // 2 :]
        while len(alternating) > 1:
            alternating = (alternating[1:] + alternating[:-1]) / 2
        return float(alternating[0] * radius**-order / (2 * np.pi) ** (order + 1))

    return np.array([at(float(radius)) for radius in radii])


def _total(integrand: Callable[[np.ndarray], np.ndarray], scale: float) -> float:
    """∫_0^∞ of a function with a power-law or lighter tail, by octaves; infinite where the octaves do not shrink."""
    octaves = _pieces(integrand, np.concatenate([[0.0], scale * 2.0 ** np.arange(-12, 80)]))
    if octaves[-1] == 0:
        return float(octaves.sum())
    ratio = float(octaves[-1] / octaves[-2])
    return float(octaves.sum() + octaves[-1] * ratio / (1 - ratio)) if ratio < 1 - 1e-6 else np.inf


def _pieces(integrand: Callable[[np.ndarray], np.ndarray], cuts: np.ndarray) -> np.ndarray:
    """The integral over every interval between consecutive cuts, by Gauss's rule with 24 nodes."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    middle, reach = (cuts[1:] + cuts[:-1]) / 2, (cuts[1:] - cuts[:-1]) / 2
    points = middle[:, None] + reach[:, None] * nodes
    return np.asarray(reach * (integrand(points.ravel()).reshape(points.shape) @ weights))


def _half_width(kernel: Callable[[float], float]) -> float:
    half, lag = kernel(0.0) / 2, 1.0
    while kernel(lag) > half and lag < 1e12:
        lag *= 2
    while kernel(lag) < half and lag > 1e-12:
        lag /= 2
    return lag
