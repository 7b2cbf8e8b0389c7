"""Numerical inversion of a characteristic function: on the line, of the radius, and in the plane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial, reduce
from math import ceil, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoDensityError
from kernelspec.limits import spend
from kernelspec.loading import special
from kernelspec.measures.convolution import Composed, Convolution, convolve
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import Box, Continued, Directional, Shifted, Tilted, box_of, landmarks, waves_of
from kernelspec.special.hankel_pieces import hankel_pieces
from kernelspec.special.legendre import around, legendre_pieces

__all__ = [
    "common_marginal",
    "half_width",
    "invert_line",
    "invert_plane",
    "invert_radial",
    "is_radial",
    "marginals",
    "widest_direction",
]

_ZEROS = 200
_ROUNDING = 4e-15  # rounding error of a sum of many pieces relative to their moduli, including Bessel functions

_GOOD, _GOOD_OF_PEAK = 1e-9, 1e-13  # errors of a value that are small enough, relative to the value and to the peak

_OPERATIONS_IN_THE_PLANE, _OPERATIONS = 700_000, 1_500_000
"""Cost of one radius by Gauss's rule between zeros: on R² with J₀, and with other Bessel functions."""

_MOST_BOXES = 4  # a product of more factors falls fast enough without their waves


def invert_line(measure: Measure, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Density (1/2π) ∫ k(t) e^{−iωt} dt of a measure on R at frequencies (n,), error bounds (n,), and the size of its
    peak, about that of k times its width.

    Uses both transforms of k, the cosine transform of its even part and the sine transform of its odd part: complex for
    a complex measure, the cosine transform alone for an even one. k is resolved once, by Legendre polynomials on pieces
    around its landmarks, and each frequency uses their exact transforms. Infinite at ω = 0 if ∫ k diverges. Raises
    NoDensityError if k(t) is not finite.
    """

    def kernel(lags: np.ndarray) -> np.ndarray:
        values = measure.characteristic_function(lags[:, None])
        if not np.isfinite(values).all():
            at = lags[~np.isfinite(values)][0]
            raise NoDensityError(f"the density cannot be computed from k(t), which is not finite at t = {at:.6g}")
        return np.asarray(values)

    frequencies = np.asarray(frequencies, dtype=float)
    marks = np.array(sorted(landmarks(measure)))
    even = not measure.is_complex
    scale = half_width(kernel)
    boxes, rest = _boxes(measure)
    if boxes:
        # sin(bt)/bt is resolved near its landmarks only: beyond, its waves shift the frequencies of the rest
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
    """The boxes among the parts of a convolution, if few enough for their waves to pay off, and the other parts."""
    parts = measure.parts if isinstance(measure, Convolution) else (measure,)
    found = [(part, box_of(part)) for part in parts]
    boxes = tuple(box for _, box in found if box is not None)
    rest = [part for part, box in found if box is None]
    return (boxes, rest) if 0 < len(boxes) <= _MOST_BOXES else ((), list(parts))


def invert_radial(measure: Measure, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Density of a radial measure on R^d at ‖ω‖ = radii, (n,), from k along one axis, with errors and peak as in
    `invert_line`.

    (2π)^{−d/2} ρ^{1−d/2} ∫_0^∞ r^{d/2} J_{d/2−1}(rρ) k(r) dr, with k resolved once by piecewise Legendre polynomials.
    If this is not accurate enough, for instance because k stays above 0 far out or has a kink, by Gauss's rule for each
    radius: between the zeros of the Bessel function and the powers of two of the half-width of k; the partial sums up
    to the zeros alternate about the limit, and are averaged repeatedly (Euler's method). The error is then twenty times
    the difference from two thirds of the zeros and nodes, plus the rounding of cancellation between pieces.
    """
    d = int(measure.dim)
    axis = np.eye(1, d)

    def kernel(lags: np.ndarray) -> np.ndarray:
        return measure.characteristic_function(lags[:, None] * axis)

    half = half_width(kernel)
    radii = np.asarray(radii, dtype=float)
    volume = 2 * np.pi ** (d / 2) * special.gamma(d / 2 + 1) * 2 ** (d - 1)
    peak = float(np.abs(kernel(np.zeros(1)))[0]) * half**d / volume
    narrow = around(np.array(sorted(_rings(measure)))).ravel()
    values, errors = _by_pieces(kernel, radii, d, half, narrow)
    poor = np.flatnonzero(~(errors <= _GOOD * np.abs(values) + _GOOD_OF_PEAK * peak))
    values[poor], errors[poor] = _by_zeros(kernel, radii[poor], d, half, narrow)
    return values, errors + 1e-13 * peak, peak


def _by_pieces(
    kernel: Callable[[np.ndarray], np.ndarray], radii: np.ndarray, d: int, half: float, narrow: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The density from k in pieces, checked at the `narrow` lags, and errors: infinite at 0, or if not resolved."""
    values, errors = np.zeros(len(radii)), np.full(len(radii), np.inf)
    positive = radii > 0
    size = float(np.abs(kernel(half * 2.0 ** np.arange(-8.0, 9.0))).max())
    if 0 < size < np.inf:
        with np.errstate(all="ignore"):  # non-finite values have an infinite error
            pieces = hankel_pieces(lambda lags: kernel(lags) / size, np.zeros(1), half, d, narrow)
            found, doubt = pieces.density(radii[positive])
            values[positive], errors[positive] = size * found, size * doubt
    return values, errors


def _by_zeros(
    kernel: Callable[[np.ndarray], np.ndarray], radii: np.ndarray, d: int, half: float, narrow: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The density radius by radius, and its errors."""
    spend((_OPERATIONS_IN_THE_PLANE if d == 2 else _OPERATIONS) * float(len(radii)))
    (found, size), (coarse, _) = (
        np.array([_at_radius(kernel, float(r), d, half, narrow, zeros, nodes) for r in radii]).reshape(-1, 2).T
        for zeros, nodes in ((_ZEROS, 24), (_ZEROS * 2 // 3, 16))
    )
    with np.errstate(invalid="ignore"):  # infinite at zero
        errors = np.where(np.isinf(found) & (found == coarse), 0.0, 20 * np.abs(found - coarse) + 1e-11 * np.abs(found))
        return found, errors + np.where(np.isfinite(size), _ROUNDING * size, 0.0)


def _at_radius(
    kernel: Callable[[np.ndarray], np.ndarray],
    radius: float,
    d: int,
    half: float,
    narrow: np.ndarray,
    count: int,
    nodes: int,
) -> tuple[float, float]:
    """The density at one radius, and the sum of the moduli of the pieces it is made of."""
    order = d / 2 - 1
    bessel = special.j0 if d == 2 else partial(special.jv, order)  # j0 is several times faster
    dyadic = half * 2.0 ** np.arange(-12, 14)
    if radius == 0:
        surface = 2 * np.pi ** (d / 2) / special.gamma(d / 2) / (2 * np.pi) ** d
        value = float(surface * _total(lambda r: r ** (d - 1) * kernel(r), half, narrow, nodes))
        return value, abs(value)
    zeros = (np.arange(1, count + 1) + order / 2 - 0.25) * np.pi / radius  # McMahon: accurate enough for summation
    inner = np.concatenate([dyadic, narrow])
    cuts = np.unique(np.concatenate([[0.0], inner[inner < zeros[-1]], zeros]))
    pieces = _pieces(lambda r: r ** (order + 1) * bessel(r * radius) * kernel(r), cuts, nodes)
    sums, scale = np.cumsum(pieces), radius**-order / (2 * np.pi) ** (order + 1)
    alternating = sums[np.searchsorted(cuts, zeros) - 1][-count // 2 :]
    while len(alternating) > 1:
        alternating = (alternating[1:] + alternating[:-1]) / 2
    return float(alternating[0] * scale), float(np.abs(pieces).sum() * scale)


def _total(integrand: Callable[[np.ndarray], np.ndarray], scale: float, narrow: np.ndarray, nodes: int) -> float:
    """∫_0^∞ of a function with a power-law or lighter tail, by octaves; infinite if the octaves do not shrink."""
    ends = np.concatenate([[0.0], scale * 2.0 ** np.arange(-12, 80)])
    cuts = np.unique(np.concatenate([ends, narrow[narrow < ends[-1]]]))
    octaves = np.add.reduceat(_pieces(integrand, cuts, nodes), np.searchsorted(cuts, ends[:-1]))
    if octaves[-1] == 0:
        return float(octaves.sum())
    ratio = float(octaves[-1] / octaves[-2])
    return float(octaves.sum() + octaves[-1] * ratio / (1 - ratio)) if ratio < 1 - 1e-6 else np.inf


def _pieces(integrand: Callable[[np.ndarray], np.ndarray], cuts: np.ndarray, n_nodes: int) -> np.ndarray:
    """The integral over every interval between consecutive cuts, by Gauss's rule."""
    nodes, weights = _gauss(n_nodes)
    middle, reach = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts) / 2
    points = middle[:, None] + reach[:, None] * nodes
    return np.asarray(reach * (integrand(points.ravel()).reshape(points.shape) @ weights))


@cache
def _gauss(n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(n_nodes)


def half_width(kernel: Callable[[np.ndarray], np.ndarray]) -> float:
    """The smallest lag 2^j at which |k| is below half of the largest value at any of them."""
    lags = 2.0 ** np.arange(-60, 100)
    size = np.abs(kernel(lags))
    low = np.flatnonzero(size < size.max() / 2)
    return float(lags[low[low > np.argmax(size)][0]]) if (low > np.argmax(size)).any() else 1.0


_RADIAL, _ANGULAR = (16, 11), (1.0, 0.7)
"""Nodes of a panel of the radius, and the share of the nodes of a quadrant, for the fine rule and the coarse one."""

_MOST_NODES = 500_000  # the most nodes for one frequency

_OCTAVES = 12  # octaves of the radius near zero

_BLOCK = 1 << 21  # phases held at a time

_PLANE_OPERATIONS, _OPERATIONS_OF_A_PHASE = 100, 15  # cost of a value of k, and of a cosine or a sine

_DIRECTIONS = 64
_SMALL = 1e-17


def invert_plane(measure: Measure, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Density (2π)^{−2} ∬ k(Δ) e^{−iω·Δ} dΔ of a measure on R² at frequencies (n, 2), errors (n,), and ∬ |k|/(2π)².

    Gauss's rule in the radius, on octaves near zero and on panels that are short compared to 1/‖ω‖, and in the angle,
    from axis to axis: between the axes a product of functions of ‖Δ‖ and of functions of the columns is smooth. The
    error is twenty times the difference from a rule with two thirds of the nodes in each, plus the rounding of the sums
    and the part beyond the last radius. Raises NoDensityError if k falls so slowly, or frequencies are so large, that
    one value would need more than 500,000 nodes, if k is not finite, and if it has narrow bumps along lines.
    """
    frequencies = np.asarray(frequencies, dtype=float)
    rings = np.array(sorted(_rings(measure)))
    scale, reach, beyond = _extent(measure)
    size = np.linalg.norm(frequencies, axis=1)
    values = np.zeros(len(frequencies), dtype=complex)
    errors, peak = np.zeros(len(frequencies)), 0.0
    level = np.ceil(np.log2(np.maximum(size * reach, 8)))  # frequencies of one octave share their rules
    for octave in np.unique(level)[::-1]:  # the ones that may be refused first
        here = level == octave
        turns = float(2.0**octave)
        fine, coarse = (_rule(measure, rings, scale, reach, turns, i) for i in (0, 1))
        (found, rough), peak = (rule.transform(frequencies[here]) for rule in (fine, coarse)), max(peak, fine.size)
        values[here] = found
        errors[here] = 20 * np.abs(found - rough) + _ROUNDING * fine.size + beyond
    return values if measure.is_complex else values.real, errors, peak


@dataclass(frozen=True)
class _Rule:
    """Nodes (m, 2) with k times their weights (m,); for an even k those of a half-plane, counted twice."""

    nodes: NDArray[np.float64]
    weighted: NDArray[np.float64]
    is_even: bool

    @property
    def size(self) -> float:
        return float(np.abs(self.weighted).sum())

    def transform(self, frequencies: NDArray[np.float64]) -> NDArray[np.complex128]:
        spend((1 if self.is_even else 2) * _OPERATIONS_OF_A_PHASE * float(len(frequencies)) * len(self.nodes))
        total = np.zeros(len(frequencies), dtype=complex)
        step = max(_BLOCK // max(len(frequencies), 1), 1)
        for start in range(0, len(self.nodes), step):
            phases = frequencies @ self.nodes[start : start + step].T
            share = self.weighted[start : start + step]
            total += np.cos(phases) @ share
            if not self.is_even:
                total -= 1j * (np.sin(phases) @ share)
        return total


def _rule(
    measure: Measure, rings: NDArray[np.float64], scale: float, reach: float, turns: float, accuracy: int
) -> _Rule:
    """The rule for frequencies with phases of at most `turns` at the last radius, with finer panels at the rings."""
    even = not measure.is_complex
    width, quadrants = min(scale, 6 * reach / turns), 2 if even else 4
    panels, of_quadrant = max(ceil(reach / width), 2), int(_ANGULAR[accuracy] * (24 + 0.6 * turns))
    octaves, fine = width * 2.0 ** np.arange(-_OCTAVES, 0), around(rings)
    cuts = np.unique(np.concatenate([[0.0], octaves, np.linspace(width, reach, panels), fine[fine < reach]]))
    count = (len(cuts) - 1) * _RADIAL[accuracy] * quadrants * of_quadrant
    if count > _MOST_NODES:
        raise NoDensityError(
            f"the density has no closed form; quadrature in two columns would need {count:,} nodes per value, and "
            f"at most {_MOST_NODES:,} are allowed"
        )
    radii, radial = _gauss_between(cuts, _RADIAL[accuracy])
    angles, angular = _gauss_between(np.arange(quadrants + 1) * np.pi / 2, of_quadrant)
    spend(_PLANE_OPERATIONS * float(count))
    nodes = (radii[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)).reshape(-1, 2)
    weights = np.multiply.outer(radii * radial, angular).ravel() * ((2 if even else 1) / (2 * np.pi) ** 2)
    return _Rule(nodes, weights * _values(measure, nodes), even)


def _rings(measure: Measure) -> frozenset[float]:
    """The radii of rings on which k has narrow bumps. Raises NoDensityError if they lie along lines."""
    if is_radial(measure):
        return frozenset(lag for lag in landmarks(measure) if lag > 0)
    match measure:
        case Convolution() | Mixture():
            return frozenset[float]().union(*map(_rings, measure.parts))
        case Spectral():
            lines = bool(measure.kernel.narrow_lags())
        case Composed() | Embedding() | PushForward() | Shifted():
            lines = bool(_rings(measure.part))
        case Tilted() | Continued() | Directional():
            lines = False
        case _:
            raise TypeError(f"no rule says where the transform of {type(measure).__name__} has narrow bumps")
    if lines:
        raise NoDensityError("the density has no closed form, and k has bumps too narrow for quadrature in two columns")
    return frozenset()


def _extent(measure: Measure) -> tuple[float, float, float]:
    """The radius at which |k| has halved, one beyond which it is negligible, and a bound on the integral there."""
    angles = np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def largest(radii: NDArray[Any]) -> NDArray[np.float64]:
        points = (radii[:, None, None] * directions).reshape(-1, 2)
        return np.asarray(np.abs(_values(measure, points)).reshape(len(radii), -1).max(axis=1))

    grid = 2.0 ** np.arange(-60, 60)
    sizes = largest(grid)
    low = np.flatnonzero(sizes < sizes.max() / 2)
    low = low[low > np.argmax(sizes)]
    if not len(low):
        raise NoDensityError("the density has no closed form, and k does not fall")
    scale = float(grid[low[0]])
    radii = scale * 2.0 ** np.arange(0, 10, 0.25)
    mass = np.square(radii / scale) * largest(radii)
    small = np.flatnonzero(mass <= _SMALL * sizes.max())
    end = int(small[0]) if len(small) else len(radii) - 1
    # an octave holds at most as much as the one before, times the ratio of the last two
    ratio = min(float(mass[end] / mass[end - 4]), 1.0) if mass[end - 4] > 0 else 0.0
    beyond = np.inf if ratio > 0.9 else float(mass[end]) * scale**2 / (1 - ratio)
    return scale, float(radii[end]), beyond


def _values(measure: Measure, points: NDArray[np.float64]) -> NDArray[np.float64]:
    values = np.asarray(measure.characteristic_function(points), dtype=float)
    if not np.isfinite(values).all():
        raise NoDensityError("the density cannot be computed from k, which is not finite everywhere")
    return values


def _gauss_between(cuts: NDArray[np.float64], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights of Gauss's rule between consecutive cuts."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    middle, half = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts) / 2
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()


def common_marginal(measure: Measure) -> Measure | None:
    """The law on the line that all coordinates have independently; None if they differ or depend on each other."""
    if isinstance(measure, Spectral) and measure.kernel.has_independent_coordinates:
        return Spectral(measure.kernel.on_line())
    if isinstance(measure, PushForward) and not isinstance(measure.matrix, tuple):
        part = common_marginal(measure.part)
        return None if part is None else PushForward(part, measure.matrix, 1)
    if isinstance(measure, Convolution):
        parts = [common_marginal(part) for part in measure.parts]
        known = tuple(part for part in parts if part is not None)
        return convolve(known) if len(known) == len(parts) else None
    return None


def marginals(measure: Measure) -> tuple[Measure, ...] | None:
    """The laws of the coordinates, if they are independent and none of them is the constant zero; else None."""
    found = _marginals(measure)
    if found is None:
        return None
    known = tuple(part for part in found if part is not None)
    return known if len(known) == len(found) else None


def is_radial(measure: Measure) -> bool:
    """Whether the measure is invariant under rotations of all its coordinates."""
    match measure:
        case Spectral():
            return measure.kernel.is_radial
        case PushForward():
            return not isinstance(measure.matrix, tuple) and is_radial(measure.part)
        case Composed():
            return is_radial(measure.part)
        case Convolution() | Mixture():
            return all(is_radial(part) for part in measure.parts)
    return False


def widest_direction(measure: Measure) -> np.ndarray | None:
    """A unit vector v such that k on the ball of radius r has the values k(tv), |t| ≤ r; None if no v is known."""
    dim, read = int(measure.dim), measure.coordinates_read()
    match measure:
        case Composed():
            return widest_direction(measure.part)
        case Embedding():
            own = widest_direction(measure.part)
            return None if own is None else own @ np.eye(dim)[list(measure.positions)]
        case PushForward() if is_radial(measure.part):
            a = np.asarray(measure.matrix, dtype=float)
            return np.asarray(np.linalg.svd(a)[2][0] if a.ndim == 2 else np.eye(dim)[np.argmax(np.abs(a))])
    return np.eye(dim)[read[0]] if len(read) == 1 or is_radial(measure) else None


def _marginals(measure: Measure) -> list[Measure | None] | None:
    """One law per coordinate, None for the constant zero; None for all if they are dependent."""
    if not isinstance(measure.dim, int):
        return None
    match measure:
        case PushForward() if isinstance(measure.matrix, tuple) and not measure.is_matrix:
            found = _marginals(measure.part)
            scales = measure.matrix
            return found and [p and PushForward(p, s, 1) for p, s in zip(found, scales, strict=True)]
        case Embedding():
            found = _marginals(measure.part)
            if found is None:
                return None
            place = dict(zip(measure.positions, found, strict=True))
            return [place.get(column) for column in range(measure.dim)]
        case Convolution():
            return reduce(_added, (_marginals(part) for part in measure.parts))
    common = common_marginal(measure)
    return None if common is None else [common] * int(measure.dim)


def _added(left: list[Measure | None] | None, right: list[Measure | None] | None) -> list[Measure | None] | None:
    if left is None or right is None:
        return None
    return [convolve((a, b)) if a and b else a or b for a, b in zip(left, right, strict=True)]
