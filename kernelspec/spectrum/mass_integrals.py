"""Masses of signed and complex measures by numerical integration, with a bound or a standard error."""

from __future__ import annotations

from dataclasses import dataclass
from math import gamma, log2, pi

import numpy as np

from kernelspec.errors import NoDensityError, NotAvailableYet
from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.envelope import envelope
from kernelspec.measures.marginals import is_radial
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.random.streams import Stream
from kernelspec.special.absolute_integrals import absolute_integral, modulus_integral
from kernelspec.special.counted_work import counted_work
from kernelspec.special.legendre_pieces import legendre_pieces
from kernelspec.spectrum.masses import Masses
from kernelspec.spectrum.periodic_tails import oscillation_of, sum_of_windows

__all__ = ["RadialIntegrals", "affordable_ratio", "integrate_masses", "radial_integrals", "sampled_ratio"]

_DRAWS, _FEWEST_DRAWS, _PROBES = 2**16, 2**8, 2**2

_WORK = 1500.0
"""Millions of operations for all draws, about a second and a half; 23,000 for each, as few densities take."""

_FEWEST_VALUES, _MOST_WORK = 1000, 2000.0
"""Of the density in an integral over the radius, about: those of the first pieces; and operations for all, in millions.
"""

_LARGEST = 1e300
"""Of a density: what weights and a few parts make of it is a float."""

_TERMS = 20_000
_OCTAVES_INVERTED, _OCTAVES_OF_MOMENTS = 22, 10
"""Octaves above the typical frequency: fewer where the density is an integral, whose error does not fall with ω, and
still fewer where powers of ω multiply that."""

_MOST_PIECES = 1 << 10

_FEWEST_PERIODS, _MOST_PERIODS = 16, 256
"""Of a density that oscillates far out, taken one by one before its tail is summed."""

_LARGEST_RATIO = 0.9
"""Of an octave to the one before: a tail that shrinks more slowly is not summed."""

_POOR = 1e-4
"""An integral with a larger relative error than this is given to random draws instead."""

_REFUSED = 1e-2
"""Where every draw is an integral there are no draws, and this is the largest relative error that is reported."""


def integrate_masses(measure: Measure, k0: float) -> Masses:
    """The masses of μ with ∫ dμ = k(0), `measure` in numbers.

    Sums over atoms; the Fourier series of |cos| and |sin| for a translated positive measure (r·ω has the characteristic
    function k(tr)); an integral over one variable on the line and for radial measures; else the mean over 2¹⁶ draws of
    the envelope, or fewer where these are too much work, with its standard error. Raises NotAvailableYet where the
    density cannot be evaluated.
    """
    while isinstance(measure, Embedding) or (isinstance(measure, PushForward) and not measure.is_matrix):
        measure = measure.part
    if isinstance(measure, Mixture) and len(measure.parts) == 1 and (weight := float(measure.weights[0])) > 0:
        return _scaled(integrate_masses(measure.parts[0], k0 / weight), weight)
    atoms = measure.atoms()
    if atoms is not None:
        weights = atoms.weights
        sizes = (np.abs(weights.real).sum(), np.abs(weights.imag).sum(), np.abs(weights).sum())
        return _masses(k0, *sizes, error=abs(atoms.omitted))
    if isinstance(measure, Shifted) and not measure.part.is_complex and envelope(measure.part) == measure.part:
        return _translated(measure, k0)
    try:
        if measure.without_density() is None and (measure.dim == 1 or (is_radial(measure) and not measure.is_complex)):
            found = radial_integrals(measure)
            if found.error <= (_REFUSED if is_inverted(measure) else _POOR) * found.modulus:
                sizes = (found.absolute_real, found.absolute_imaginary, found.modulus)
                # ∫ Re μ is k(0): what was found for it is a second judge of the error
                return _masses(k0, *sizes, error=max(found.error, abs(found.real - k0)))
        return _random(measure, k0)
    except NoDensityError as error:
        raise NotAvailableYet(f"the masses of this measure need its density: {error}") from None


def sampled_ratio(measure: Measure, n: int) -> tuple[np.ndarray, np.ndarray]:
    """n draws of the envelope, (n, d), and μ(ω)/envelope(ω) times the envelope's mass, (n,): its mean is k(0).

    Raises NoDensityError where the envelope's is too small for floats.
    """
    outer = envelope(measure)
    frequencies = outer.sample(Stream(0), n)
    mass = float(outer.total_mass())
    if isinstance(measure, Shifted) and outer == measure.part:
        return frequencies, mass * measure.phases(frequencies)
    if isinstance(measure, Mixture) and isinstance(outer, Mixture):
        parts: dict[Measure, np.ndarray] = {}  # those of both once
        for part in (*outer.parts, *measure.parts):
            if part not in parts:
                parts[part] = _bounded(_density(part, frequencies, parts))
        density, dominating = (
            np.array(own.weights, dtype=float) @ np.array([parts[part] for part in own.parts])
            for own in (measure, outer)
        )
    else:
        density, dominating = _bounded(measure.density(frequencies)), _bounded(outer.density(frequencies))
    if not dominating.all():
        raise NoDensityError("it is too small for floats where its frequencies are")
    return frequencies, mass * (density / dominating)


def _density(part: Measure, frequencies: np.ndarray, known: dict[Measure, np.ndarray]) -> np.ndarray:
    """The density of a part; by a phase where it is a translation of what is known, whose values may take long."""
    if isinstance(part, Shifted) and part.part in known:
        return np.asarray(known[part.part] * part.phases(frequencies))
    return part.density(frequencies)


def _scaled(masses: Masses, weight: float) -> Masses:
    """Those of a measure times a positive weight."""
    return Masses(
        weight * masses.real_positive,
        weight * masses.real_negative,
        weight * masses.imaginary_positive,
        weight * masses.imaginary_negative,
        weight * masses.total_variation,
        weight * masses.error,
        masses.is_random,
    )


def _bounded(density: np.ndarray) -> np.ndarray:
    """A number in place of ∞, which a density has where it has a pole: beside it the others count for nothing."""
    return np.where(np.isinf(density), _LARGEST, density)


def _masses(k0: float, real: float, imaginary: float, whole: float, *, error: float, is_random: bool = False) -> Masses:
    """From ∫|Re μ|, ∫|Im μ|, ∫|μ|, and what is known: ∫ Re μ = k(0), ∫ Im μ = 0."""
    real, half = max(float(real), abs(k0)), float(imaginary) / 2
    whole = max(float(whole), real)
    return Masses((real + k0) / 2, (real - k0) / 2, half, half, whole, float(error), is_random)


def _translated(measure: Shifted, k0: float) -> Masses:
    """E|cos r·ω| = 2/π − (4/π) Σ (−1)^k k(2kr)/(4k² − 1), E|sin r·ω| the same without the sign."""
    k = np.arange(1, _TERMS + 1)
    transform = measure.part.characteristic_function(2 * k[:, None] * np.asarray(measure.by, dtype=float))
    terms = transform / (4 * k**2 - 1)
    size = float(measure.part.total_mass())
    real = 2 / pi * size - 4 / pi * float(np.sum(np.where(k % 2, -1, 1) * terms))
    imaginary = 2 / pi * size - 4 / pi * float(np.sum(terms))
    left_out = float(np.abs(transform[_TERMS // 2 :]).max()) / (pi * _TERMS)
    return _masses(k0, real, imaginary, size, error=left_out)


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
    real, absolute_real = absolute_integral(pieces, pieces.coefficients.real)
    absolute_imaginary, modulus, error = 0.0, absolute_real, 0.0
    if measure.is_complex:
        absolute_imaginary = absolute_integral(pieces, pieces.coefficients.imag)[1]
        modulus, error = modulus_integral(pieces)
    error += 2 * float(pieces.residual @ pieces.half)
    last = pieces.middle > end / 2
    left = 2 * end * float(np.abs(pieces.coefficients[last]).max(initial=0.0))
    beyond, uncertain = (np.zeros(4), left) if d > 1 or power or inverted else _beyond(measure, end)
    if uncertain < left:
        left = uncertain
        real, absolute_real, absolute_imaginary, modulus = (
            np.array([real, absolute_real, absolute_imaginary, modulus]) + beyond
        ).tolist()
    error += left
    if inverted:
        _, doubt = measure.density_and_error(pieces.middle[:, None] * axis)
        error += 2 * float(weighted(pieces.middle + pieces.half, doubt) @ pieces.half)
    return RadialIntegrals(real, absolute_real, absolute_imaginary, modulus, error + 1e-13 * modulus)


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
    real, absolute_real, absolute_imaginary, modulus = map(float, 2 * (near + beyond))
    whole = 2 * (error + doubt + max(errors)) + 1e-13 * modulus
    return RadialIntegrals(real, absolute_real, absolute_imaginary, modulus, whole)


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
    real, absolute_real = absolute_integral(pieces, pieces.coefficients.real)
    absolute_imaginary, modulus, error = 0.0, absolute_real, 0.0
    if measure.is_complex:
        absolute_imaginary = absolute_integral(pieces, pieces.coefficients.imag)[1]
        modulus, error = modulus_integral(pieces)
    error += 2 * float(pieces.residual @ pieces.half)
    return np.array([real, absolute_real, absolute_imaginary, modulus]), error


def _typical(outer: Measure) -> float:
    draws = np.linalg.norm(outer.sample(Stream(1), 401), axis=1)
    return float(np.median(draws)) or 1.0


def _random(measure: Measure, k0: float) -> Masses:
    if measure.without_density() is not None and not isinstance(measure, Shifted):
        raise NoDensityError(str(measure.without_density()))
    if is_inverted(measure):
        raise NoDensityError("every value of it is an integral, and thousands would be needed")
    _, ratio = affordable_ratio(measure)
    sizes = [np.abs(ratio.real), np.abs(ratio.imag), np.abs(ratio)]
    scale = float(sizes[2].max()) or 1.0  # squares of what a tilt makes of it may overflow
    error = scale * max(float((size / scale).std()) for size in sizes) / np.sqrt(len(ratio))
    return _masses(k0, *(scale * float((size / scale).mean()) for size in sizes), error=error, is_random=True)


def affordable_ratio(measure: Measure) -> tuple[np.ndarray, np.ndarray]:
    """`sampled_ratio` of 2¹⁶ draws, or of fewer where values of the density are so much work that these are too much.

    The work is counted, so that the answer is the same on every machine. Raises NoDensityError where even the fewest
    are too much.
    """
    for n in (_PROBES, _FEWEST_DRAWS):
        with counted_work() as work:
            found = sampled_ratio(measure, n)
        affordable = n * _WORK / work.done if work.done else float(_DRAWS)
        if affordable < _FEWEST_DRAWS:
            raise NoDensityError("every value of it takes long, and hundreds would be needed")
    n = min(_DRAWS, 1 << int(log2(affordable)))
    return found if n == _FEWEST_DRAWS else sampled_ratio(measure, n)
