"""Integrals of a density and of its modulus over the distance from zero, in pieces, with a bound on their error."""

from __future__ import annotations

from dataclasses import dataclass
from math import gamma, pi

import numpy as np

from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.envelope import envelope
from kernelspec.measures.measure import Measure
from kernelspec.random.streams import Stream
from kernelspec.special.absolute_integrals import absolute_integral, modulus_integral
from kernelspec.special.counted_work import counted_work
from kernelspec.special.legendre_pieces import legendre_pieces
from kernelspec.special.legendre_transform import LegendrePieces
from kernelspec.spectrum.periodic_tails import oscillation_of, sum_of_windows

__all__ = ["RadialIntegrals", "radial_integrals"]

_FEWEST_VALUES, _MOST_WORK = 1000, 2000.0
"""Of the density in an integral over the radius, about: those of the first pieces; and operations for all, in millions.
"""

_OCTAVES_INVERTED, _OCTAVES_OF_MOMENTS = 22, 10
"""Octaves above the typical frequency: fewer where the density is an integral, whose error does not fall with ω, and
still fewer where powers of ω multiply that."""

_MOST_PIECES = 1 << 10

_FEWEST_PERIODS, _MOST_PERIODS = 16, 256
"""Of a density that oscillates far out, taken one by one before its tail is summed."""

_LARGEST_RATIO = 0.9
"""Of an octave to the one before: a tail that shrinks more slowly is not summed."""


@dataclass(frozen=True)
class RadialIntegrals:
    """∫ ‖ω‖^p of Re μ, |Re μ|, |Im μ| and |μ|, and a bound on the error of each."""

    real: float
    absolute_real: float
    absolute_imaginary: float
    modulus: float
    error: float


_UNKNOWN = RadialIntegrals(0.0, 0.0, 0.0, 0.0, np.inf)


class _InfiniteDensity(Exception):
    """Within the line, as at the end of the law of a wave: no piece of it is a polynomial."""


def _finite(measure: Measure, frequencies: np.ndarray) -> np.ndarray:
    values = measure.density(frequencies)
    if not np.isfinite(values).all():
        raise _InfiniteDensity
    return values


def radial_integrals(measure: Measure, power: int = 0) -> RadialIntegrals:
    """Integrals over r = ‖ω‖, or ω > 0, p = `power`, of the density resolved in pieces, between the zeros of each part.

    The error sums what is not resolved, the error of the density itself, and what a tail like r^{−2} would hold beyond
    the last piece. It is infinite where values of the density are so much work that not even a few are looked at, and
    where one is infinite itself.
    """
    try:
        return _radial_integrals(measure, power)
    except _InfiniteDensity:
        return _UNKNOWN


def _radial_integrals(measure: Measure, power: int) -> RadialIntegrals:
    d = int(measure.dim)
    area = 2 * pi ** (d / 2) / gamma(d / 2)
    axis = np.eye(1, d)

    def weighted(radius: np.ndarray, values: np.ndarray) -> np.ndarray:
        return np.asarray(area * radius ** (d - 1 + power) * values)

    inverted = is_inverted(measure)
    scale = _typical(envelope(measure))
    if d == 1 and not power and not inverted:
        found = _with_periodic_tail(measure, scale)
        if found is not None:
            return found
    octaves = 25 if not inverted else _OCTAVES_INVERTED if d == 1 and not power else _OCTAVES_OF_MOMENTS
    end = scale * 2.0**octaves
    with counted_work() as own:
        rough = float(measure.density_and_error(np.array([[0.0, scale]]).T * axis)[1].max())
    if own.done / 2 * _FEWEST_VALUES > _MOST_WORK:
        return _UNKNOWN
    pieces = legendre_pieces(
        lambda radius: weighted(radius, _finite(measure, np.maximum(radius, end * 2.0**-90)[:, None] * axis)),
        np.zeros(1),
        end,
        both_sides=False,
        within=end,
        agreement=(1e-11 if d == 1 else 1e-8) if inverted else 1e-14,
        noise=lambda radius: weighted(radius, np.full(len(radius), rough)),
        most_pieces=_MOST_PIECES if d == 1 or not inverted else _MOST_PIECES // 8,
        most_work=_MOST_WORK,
    )
    sums, error = _sums(pieces, measure)
    last = pieces.middle > end / 2
    left = 2 * end * float(np.abs(pieces.coefficients[last]).max(initial=0.0))
    beyond, uncertain = (np.zeros(4), left) if d > 1 or power or inverted else _beyond(measure, end)
    if uncertain < left:
        left, sums = uncertain, sums + beyond
    error += left
    if inverted:
        _, doubt = measure.density_and_error(pieces.middle[:, None] * axis)
        error += 2 * float(weighted(pieces.middle + pieces.half, doubt) @ pieces.half)
    return _integrals(sums, error)


def _with_periodic_tail(measure: Measure, scale: float) -> RadialIntegrals | None:
    """The integrals of a closed density on a line that oscillates far out; None for others."""
    waves = oscillation_of(measure)
    if waves is None or scale / waves.period > _MOST_PERIODS / 64:
        return None
    first = max(_FEWEST_PERIODS, int(64 * scale / waves.period) + 1)
    near, error = _over(measure, 0.0, first * waves.period)
    errors = []

    def window(n: int) -> np.ndarray:
        values, doubt = _over(measure, n * waves.period, waves.period)
        errors.append(doubt * n)
        return values

    beyond, doubt = sum_of_windows(window, first, waves.power)
    return _integrals(2 * (near + beyond), 2 * (error + doubt + max(errors)))


def _beyond(measure: Measure, end: float) -> tuple[np.ndarray, float]:
    """The same integrals beyond `end`, both sides of zero, where the octaves before it shrink by constant ratios."""
    octaves = [_over(measure, end / 2**k, end / 2**k) for k in (3, 2, 1)]
    first, second, third = (2 * values for values, _ in octaves)
    with np.errstate(all="ignore"):
        before, ratio = second / first, third / second
        values = np.where(third == 0, 0, third * ratio / (1 - ratio))
        doubts = np.where(third == 0, 0, 10 * np.abs(third * (ratio - before)) / (1 - ratio) ** 2)
    shrinks = bool(np.all((third == 0) | ((ratio > 0) & (ratio < _LARGEST_RATIO))))
    error = float(doubts.max()) + 2 * sum(doubt for _, doubt in octaves)
    return values, error if shrinks else np.inf


def _over(measure: Measure, start: float, width: float) -> tuple[np.ndarray, float]:
    """∫ of Re μ, |Re μ|, |Im μ| and |μ| over an interval, and a bound on the error of each."""
    pieces = legendre_pieces(
        lambda omega: _finite(measure, np.maximum(start + omega, width * 2.0**-90)[:, None]),
        np.zeros(1),
        width,
        both_sides=False,
        within=width,
        agreement=1e-14,
        noise=lambda omega: np.zeros(len(omega)),
        most_pieces=_MOST_PIECES,
    )
    return _sums(pieces, measure)


def _sums(pieces: LegendrePieces, measure: Measure) -> tuple[np.ndarray, float]:
    """∫ of Re μ, |Re μ|, |Im μ| and |μ| over the pieces, and a bound on the error of each."""
    real, absolute_real = absolute_integral(pieces, pieces.coefficients.real)
    absolute_imaginary, modulus, error = 0.0, absolute_real, 0.0
    if measure.is_complex:
        absolute_imaginary = absolute_integral(pieces, pieces.coefficients.imag)[1]
        modulus, error = modulus_integral(pieces)
    return np.array([real, absolute_real, absolute_imaginary, modulus]), error + 2 * float(
        pieces.residual @ pieces.half
    )


def _integrals(sums: np.ndarray, error: float) -> RadialIntegrals:
    real, absolute_real, absolute_imaginary, modulus = map(float, sums)
    return RadialIntegrals(real, absolute_real, absolute_imaginary, modulus, float(error) + 1e-13 * modulus)


def _typical(outer: Measure) -> float:
    draws = np.linalg.norm(outer.sample(Stream(1), 401), axis=1)
    return float(np.median(draws)) or 1.0
