"""Numerical inversion of a characteristic function, on the line and of the radius."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.measures.boxes import Box, box_of, waves_of
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.landmarks import landmarks
from kernelspec.special.counted_work import spend
from kernelspec.special.hankel_pieces import hankel_pieces
from kernelspec.special.legendre_pieces import legendre_pieces

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure

__all__ = ["invert_line", "invert_radial"]

_ZEROS = 200
_ROUNDING = 4e-15
"""Of a sum of many pieces beside their moduli, Bessel functions included."""

_GOOD, _GOOD_OF_PEAK = 1e-9, 1e-13
"""Errors of a value, in proportion and beside the peak, that are small enough."""

_OPERATIONS_IN_THE_PLANE, _OPERATIONS = 700_000, 1_500_000
"""For one radius by Gauss's rule between zeros: on R² with J₀, and with other Bessel functions."""

_MOST_BOXES = 4
"""A product of more falls fast enough without their waves."""


def invert_line(measure: Measure, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Density (1/2π) ∫ k(t) e^{−iωt} dt of a measure on R at frequencies (n,), a bound on the error of each value, and
    the size of its peak, about that of k times its width.

    Both transforms of k, the cosine's of its even part and the sine's of its odd part: complex for a complex measure,
    the cosine's alone for an even one. k is resolved once, by Legendre's polynomials on pieces around its landmarks,
    and every frequency takes the exact transform of these. Infinite where ∫ k diverges, at ω = 0. Raises NoDensityError
    where k(t) is not finite.
    """

    def kernel(lags: np.ndarray) -> np.ndarray:
        values = measure.characteristic_function(lags[:, None])
        if not np.isfinite(values).all():
            at = lags[~np.isfinite(values)][0]
            raise NoDensityError(f"the density cannot be had from k(t), which is not a finite number at t = {at:.6g}")
        return np.asarray(values)

    frequencies = np.asarray(frequencies, dtype=float)
    marks = np.array(sorted(landmarks(measure)))
    even = not measure.is_complex
    scale = _half_width(kernel)
    boxes, rest = _boxes(measure)
    if boxes:
        # sin(bt)/bt is resolved near its landmarks only: beyond, its waves move the frequencies of what is left
        end = 4 * max(float(np.abs(marks).max()), scale, 8 / min(box.half_width for box in boxes))

        def envelope(lags: np.ndarray) -> np.ndarray:
            factors = [box.half_width * (lags + box.shift) for box in boxes]
            return np.asarray(prod(part.characteristic_function(lags[:, None]) for part in rest) / prod(factors))

        values, errors = legendre_pieces(kernel, marks, scale, both_sides=not even, within=end).transform(frequencies)
        pieces = legendre_pieces(envelope, marks, scale, both_sides=not even, beyond=end)
        for weight, wave in waves_of(boxes):
            part, doubt = pieces.transform(frequencies - wave)
            values, errors = values + weight * part, errors + abs(weight) * doubt
    else:
        pieces = legendre_pieces(kernel, marks, scale, both_sides=not even)
        values, errors = pieces.transform(frequencies)
        diverges = (frequencies == 0) & np.isinf(pieces.beyond)
        values, errors = np.where(diverges, np.inf, values), np.where(diverges, 0.0, errors)
    peak = abs(float(kernel(marks).max())) * scale / np.pi
    return (values.real / np.pi, errors / np.pi, peak) if even else (values / (2 * np.pi), errors / (2 * np.pi), peak)


def _boxes(measure: Measure) -> tuple[tuple[Box, ...], list[Measure]]:
    """The boxes among the parts of a convolution, few enough that their waves are worth it, and the other parts."""
    parts = measure.parts if isinstance(measure, Convolution) else (measure,)
    found = [(part, box_of(part)) for part in parts]
    boxes = tuple(box for _, box in found if box is not None)
    rest = [part for part, box in found if box is None]
    return (boxes, rest) if 0 < len(boxes) <= _MOST_BOXES else ((), list(parts))


def invert_radial(measure: Measure, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Density of a radial measure on R^d at ‖ω‖ = radii, (n,), from k along one axis, with errors and peak as above.

    (2π)^{−d/2} ρ^{1−d/2} ∫_0^∞ r^{d/2} J_{d/2−1}(rρ) k(r) dr, k resolved once by Legendre's polynomials in pieces.
    Where these leave too much, as where k stays above 0 far out or has a kink, by Gauss's rule for each radius: between
    the zeros of the Bessel function and the powers of two of the distance where k has halved; the sums up to the zeros
    alternate about the limit, and are averaged repeatedly (Euler's method). The error is then twenty times the
    difference from two thirds of the zeros and of the nodes, and the rounding of what cancels between the pieces.
    """
    from scipy.special import gamma

    d = int(measure.dim)
    axis = np.eye(1, d)

    def kernel(lags: np.ndarray) -> np.ndarray:
        return measure.characteristic_function(lags[:, None] * axis)

    half = _half_width(kernel)
    radii = np.asarray(radii, dtype=float)
    peak = float(np.abs(kernel(np.zeros(1)))[0]) * half**d / (2 * np.pi ** (d / 2) * gamma(d / 2 + 1) * 2 ** (d - 1))
    values, errors = _by_pieces(kernel, radii, d, half)
    poor = np.flatnonzero(~(errors <= _GOOD * np.abs(values) + _GOOD_OF_PEAK * peak))
    values[poor], errors[poor] = _by_zeros(kernel, radii[poor], d, half)
    return values, errors + 1e-13 * peak, peak


def _by_pieces(
    kernel: Callable[[np.ndarray], np.ndarray], radii: np.ndarray, d: int, half: float
) -> tuple[np.ndarray, np.ndarray]:
    """The density from k in pieces, and its errors; infinite at zero, and where k is not resolved."""
    values, errors = np.zeros(len(radii)), np.full(len(radii), np.inf)
    positive = radii > 0
    size = float(np.abs(kernel(half * 2.0 ** np.arange(-8.0, 9.0))).max())
    if 0 < size < np.inf:
        with np.errstate(all="ignore"):  # what is not finite has an infinite error
            pieces = hankel_pieces(lambda lags: kernel(lags) / size, np.zeros(1), half, d)
            found, doubt = pieces.density(radii[positive])
            values[positive], errors[positive] = size * found, size * doubt
    return values, errors


def _by_zeros(
    kernel: Callable[[np.ndarray], np.ndarray], radii: np.ndarray, d: int, half: float
) -> tuple[np.ndarray, np.ndarray]:
    """The density radius by radius, and its errors."""
    spend((_OPERATIONS_IN_THE_PLANE if d == 2 else _OPERATIONS) * float(len(radii)))
    (found, size), (coarse, _) = (
        np.array([_at_radius(kernel, float(radius), d, half, zeros, nodes) for radius in radii]).reshape(-1, 2).T
        for zeros, nodes in ((_ZEROS, 24), (_ZEROS * 2 // 3, 16))
    )
    with np.errstate(invalid="ignore"):  # infinite at zero
        errors = np.where(np.isinf(found) & (found == coarse), 0.0, 20 * np.abs(found - coarse) + 1e-11 * np.abs(found))
        return found, errors + np.where(np.isfinite(size), _ROUNDING * size, 0.0)


def _at_radius(
    kernel: Callable[[np.ndarray], np.ndarray], radius: float, d: int, half: float, count: int, nodes: int
) -> tuple[float, float]:
    """The density at one radius, and the sum of the moduli of the pieces it is made of."""
    from scipy.special import gamma, j0, jv

    order = d / 2 - 1
    bessel = j0 if d == 2 else partial(jv, order)  # j0 is several times as fast
    dyadic = half * 2.0 ** np.arange(-12, 14)
    if radius == 0:
        surface = 2 * np.pi ** (d / 2) / gamma(d / 2) / (2 * np.pi) ** d
        value = float(surface * _total(lambda r: r ** (d - 1) * kernel(r), half, nodes))
        return value, abs(value)
    zeros = (np.arange(1, count + 1) + order / 2 - 0.25) * np.pi / radius  # McMahon: near enough to sum by
    cuts = np.unique(np.concatenate([[0.0], dyadic[dyadic < zeros[-1]], zeros]))
    pieces = _pieces(lambda r: r ** (order + 1) * bessel(r * radius) * kernel(r), cuts, nodes)
    sums, scale = np.cumsum(pieces), radius**-order / (2 * np.pi) ** (order + 1)
    alternating = sums[np.searchsorted(cuts, zeros) - 1][-count // 2 :]
    while len(alternating) > 1:
        alternating = (alternating[1:] + alternating[:-1]) / 2
    return float(alternating[0] * scale), float(np.abs(pieces).sum() * scale)


def _total(integrand: Callable[[np.ndarray], np.ndarray], scale: float, nodes: int) -> float:
    """∫_0^∞ of a function with a power-law or lighter tail, by octaves; infinite where the octaves do not shrink."""
    octaves = _pieces(integrand, np.concatenate([[0.0], scale * 2.0 ** np.arange(-12, 80)]), nodes)
    if octaves[-1] == 0:
        return float(octaves.sum())
    ratio = float(octaves[-1] / octaves[-2])
    return float(octaves.sum() + octaves[-1] * ratio / (1 - ratio)) if ratio < 1 - 1e-6 else np.inf


def _pieces(integrand: Callable[[np.ndarray], np.ndarray], cuts: np.ndarray, n_nodes: int) -> np.ndarray:
    """The integral over every interval between consecutive cuts, by Gauss's rule."""
    nodes, weights = _gauss(n_nodes)
    middle, reach = (cuts[1:] + cuts[:-1]) / 2, (cuts[1:] - cuts[:-1]) / 2
    points = middle[:, None] + reach[:, None] * nodes
    return np.asarray(reach * (integrand(points.ravel()).reshape(points.shape) @ weights))


@cache
def _gauss(n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(n_nodes)


def _half_width(kernel: Callable[[np.ndarray], np.ndarray]) -> float:
    """The least lag 2^j at which |k| is below half of the largest value at any of them."""
    lags = 2.0 ** np.arange(-60, 100)
    size = np.abs(kernel(lags))
    low = np.flatnonzero(size < size.max() / 2)
    return float(lags[low[low > np.argmax(size)][0]]) if (low > np.argmax(size)).any() else 1.0
