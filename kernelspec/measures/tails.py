"""Integrals of a density over the distance from zero, and its decay far out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import gamma, lcm, pi
from typing import NamedTuple

import numpy as np

from kernelspec.expressions.elementary import known_sign
from kernelspec.limits import counted_work
from kernelspec.loading import special
from kernelspec.measures.algebra.exact_numbers import ClosedCoefficients
from kernelspec.measures.algebra.kernel_series import vanishing_jumps
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.numbers import Coefficients, MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.algebra.radial import radial_terms
from kernelspec.measures.algebra.series import tail_series
from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.cartesian import envelope
from kernelspec.measures.convolution import Convolution, convolve
from kernelspec.measures.inversion import is_radial
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import Shifted
from kernelspec.random.streams import Stream
from kernelspec.special.closed_numbers import NotDecided
from kernelspec.special.legendre import LegendrePieces, absolute_integral, legendre_pieces, modulus_integral

__all__ = ["Oscillation", "oscillation_of", "radial_integrals", "roughness", "sum_of_windows", "tail_exponent"]

_FEWEST_VALUES, _MOST_WORK = 1000, 2000.0
"""Approximate limits on values of the density in an integral over the radius, for the first pieces, and on operations,
in millions.
"""

_OCTAVES_INVERTED, _OCTAVES_OF_MOMENTS = 22, 10
"""Octaves above the typical frequency: fewer if the density is an integral, whose error does not fall with ω, and still
fewer if powers of ω multiply that.
"""

_MOST_PIECES = 1 << 10

_FEWEST_PERIODS, _MOST_PERIODS = 16, 256
"""Periods of a density that oscillates far out, integrated one by one before the tail is summed."""

_LARGEST_RATIO = 0.9  # ratio of an octave to the one before: a tail that shrinks more slowly is not summed


class RadialIntegrals(NamedTuple):
    """∫ ‖ω‖^p of Re μ, |Re μ|, |Im μ| and |μ|, with error bounds."""

    real: float
    absolute_real: float
    absolute_imaginary: float
    modulus: float
    error: float


_UNKNOWN = RadialIntegrals(0.0, 0.0, 0.0, 0.0, np.inf)


class _InfiniteDensity(Exception):
    """At a finite frequency, as at the end of the law of a wave: no piece there is a polynomial."""


def _finite(measure: Measure, frequencies: np.ndarray) -> np.ndarray:
    values = measure.density(frequencies)
    if not np.isfinite(values).all():
        raise _InfiniteDensity
    return values


def radial_integrals(measure: Measure, power: int = 0) -> RadialIntegrals:
    """Integrals over r = ‖ω‖, or ω > 0, p = `power`, of the density resolved in pieces, between the zeros of each part.

    The error adds what is not resolved, the error of the density itself, and the mass of a tail like r^{−2} beyond the
    last piece. It is infinite if the density is too expensive to evaluate even a few times, or has an infinite value.
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
    """The integrals beyond `end`, on both sides of zero, if the octaves before it shrink by constant ratios."""
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
    """∫ of Re μ, |Re μ|, |Im μ| and |μ| over an interval, with error bounds."""
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
    """∫ of Re μ, |Re μ|, |Im μ| and |μ| over the pieces, with error bounds."""
    real, absolute_real = absolute_integral(pieces, pieces.coefficients.real)
    absolute_imaginary, modulus, error = 0.0, absolute_real, 0.0
    if measure.is_complex:
        absolute_imaginary = absolute_integral(pieces, pieces.coefficients.imag)[1]
        modulus, error = modulus_integral(pieces)
    return np.array([real, absolute_real, absolute_imaginary, modulus]), error + 2 * float(
        pieces.residual @ pieces.half
    )


def _integrals(sums: np.ndarray, error: float) -> RadialIntegrals:
    return RadialIntegrals._make([*map(float, sums), float(error) + 1e-13 * float(sums[-1])])


def _typical(outer: Measure) -> float:
    draws = np.linalg.norm(outer.sample(Stream(1), 401), axis=1)
    return float(np.median(draws)) or 1.0


_DIGITS = 60
_LARGEST_DENOMINATOR = 24
_WINDOWS = 7
_SAME = 1e-12


class Oscillation(NamedTuple):
    """μ(ω) ~ ω^{−α} g(ω), with g of a `period` and corrections in powers of 1/ω; α = `power`."""

    period: float
    power: int


def oscillation_of(measure: Measure) -> Oscillation | None:
    """How the closed density on a line oscillates far out: by the breakpoints p of k, e^{−iωp} times powers of 1/ω.

    None without a closed form, for a density without a power tail or without oscillation, and if the breakpoints are
    not commensurable.
    """
    numbers = MultiprecisionNumbers(_DIGITS)
    try:
        series = tail_series(line_members(measure, numbers), numbers)
    except NotClosed:
        return None
    if series is None or not series.points.any() or series.leading == series.jumps.shape[1]:
        return None
    places = np.abs(series.points[series.points != 0])
    shares = [Fraction(place / places.max()).limit_denominator(_LARGEST_DENOMINATOR) for place in places]
    if np.abs([float(share) for share in shares] - places / places.max()).max() > _SAME:
        return None
    unit = places.max() / lcm(*(share.denominator for share in shares))
    return Oscillation(2 * np.pi / float(unit), series.leading + 1)


def sum_of_windows(window: Callable[[int], np.ndarray], first: int, power: int) -> tuple[np.ndarray, float]:
    """Σ_{n ≥ first} I(n) for integrals I(n) over single periods, which have a series in 1/(n + ½) from `power` on.

    One term per window, at first·2^k, is fitted, and summed by Hurwitz's zeta function. The error is ten times the
    effect of the last window.
    """
    places = first * 2 ** np.arange(_WINDOWS) + 0.5
    values = np.array([window(int(place)) for place in places])

    def total(count: int) -> np.ndarray:
        powers = power + np.arange(count)
        start = places[0]
        shares = np.linalg.solve((start / places[:count, None]) ** powers, values[:count])
        return np.asarray([special.zeta(s, start) * start**s for s in powers]) @ shares

    found = total(_WINDOWS)
    return found, float(10 * np.abs(found - total(_WINDOWS - 1)).max())


_FEW, _MANY = 12, 64  # derivatives examined: a few first, for speed


def tail_exponent(measure: Measure) -> float:
    """α with |μ(ω)| = O(‖ω‖^−a) for every a < α and no a > α; infinite if it falls faster than any power.

    On a line α = j + 1 for the lowest derivative k^{(j)} that jumps at any point. A radial kernel with the term c r^β
    at 0, β not even, has α = β + d [Wendland 2005, theorem 8.16]. A periodic factor, which is analytic and positive,
    moves the density by its atoms and changes no exponent; for a sum, and for a product without negative parts, the
    smallest exponent counts. `measure` has no symbols; its numbers are used as given, so exact ones are needed if jumps
    may cancel. Raises NoDensityError; NotClosed for a kernel whose behavior at its breakpoints is unknown, that is
    neither radial nor on one column, or for which a jump may be 0.
    """
    measure.require_density()
    try:
        return _known_in_pieces(measure)
    except NotClosed as error:
        match measure:
            case Convolution() if any(map(_is_positive_lattice, measure.parts)):
                return tail_exponent(convolve(tuple(p for p in measure.parts if not _is_positive_lattice(p))))
            case Convolution() if _is_positive(measure) and (measure.dim == 1 or is_radial(measure)):
                return min(np.inf if _is_analytic(part) else tail_exponent(part) for part in measure.parts)
            case Shifted() | Embedding():  # the modulus is the same
                return tail_exponent(measure.part)
            case PushForward() if measure.factor is not None:
                return tail_exponent(measure.part)
            case Mixture():
                return _of_sum(measure)
            case Spectral() if measure.dim == 1 or measure.kernel.is_radial:
                found = measure.kernel.roughness()
                if found is not None:
                    return found + int(measure.dim)
        raise error


def roughness(measure: Measure) -> float:
    """β with k(0) − k(t e) = even powers of t + c|t|^β + … along some column e and no less, infinite if k is analytic.

    For a measure without negative parts, up to logarithms. Raises NotClosed if it is unknown.
    """
    match measure:
        case Spectral():
            found = measure.kernel.roughness()
            return _known_in_pieces(Spectral(measure.kernel.on_line())) - 1 if found is None else found
        case PushForward() | Embedding():
            return roughness(measure.part)
        case Convolution() | Mixture() if _is_positive(measure):
            return min(map(roughness, measure.parts), default=np.inf)
    if measure.dim == 1 or is_radial(measure):
        return tail_exponent(measure) - int(measure.dim)
    raise NotClosed(f"{measure.describe()}: how k behaves at 0 is not known")


def _is_analytic(measure: Measure) -> bool:
    match measure:
        case Spectral():
            return measure.kernel.is_analytic
        case PushForward() | Shifted() | Embedding():
            return _is_analytic(measure.part)
        case Convolution() | Mixture():
            return all(map(_is_analytic, measure.parts))
    return False


def _known_in_pieces(measure: Measure) -> float:
    dim = int(measure.dim)
    return _power(partial(line_members if dim == 1 else _radial_members, measure)) + dim - 1


def _radial_members(measure: Measure, numbers: Coefficients) -> tuple[Member, ...]:
    terms = radial_terms(measure, numbers)
    if any(term.tilt for term in terms):
        raise NotClosed("a tilted density in several columns")
    ends = {end for term in terms for piece in term.profile.pieces for end in (piece.low, piece.high)}
    if any(end is not None and end != 0 for end in ends):
        raise NotClosed("a function of the distance with breakpoints")
    return tuple(Member(term.profile) for term in terms)


def _of_sum(measure: Mixture) -> float:
    """The smallest exponent of the terms. Raises NotClosed if terms with that exponent might cancel."""
    found = [tail_exponent(part) for part in measure.parts]
    least = min(found)
    if found.count(least) > 1 and np.isfinite(least) and not _is_positive(measure):
        raise NotClosed("the tails of several terms may cancel")
    return least


def _is_positive_lattice(measure: Measure) -> bool:
    """Whether the measure consists of atoms, and its kernel is analytic and positive everywhere."""
    match measure:
        case Spectral():
            kernel = measure.kernel
            return kernel.is_discrete and kernel.is_analytic and kernel.is_positive
        case PushForward() | Shifted() | Embedding():
            return _is_positive_lattice(measure.part)
        case Mixture():
            return bool(measure.parts) and _is_positive(measure) and all(map(_is_positive_lattice, measure.parts))
        case Convolution():
            return all(map(_is_positive_lattice, measure.parts))
    return False


def _is_positive(measure: Measure) -> bool:
    """Whether the measure is known to have no negative part."""
    match measure:
        case Spectral():
            return True
        case PushForward() | Embedding():
            return _is_positive(measure.part)
        case Mixture():
            return all(known_sign(w) == 1 for w in measure.weights) and all(map(_is_positive, measure.parts))
        case Convolution():
            return all(map(_is_positive, measure.parts))
    return False


def _power(parts: Callable[[Coefficients], tuple[Member, ...]]) -> float:
    """α = j + 1 for the lowest order j that jumps. Raises NotClosed if a jump cannot be distinguished from 0."""
    numbers = MultiprecisionNumbers(_DIGITS)
    members = parts(numbers)
    for count in (_FEW, _MANY):
        series = tail_series(members, numbers, count)
        if series is None:
            return np.inf
        seen = series.leading
        first = seen if seen == 0 else _first_jump(parts, min(seen + 1, count), count if seen == count else seen)
        if first < count:
            return first + 1.0
    return np.inf


def _first_jump(parts: Callable[[Coefficients], tuple[Member, ...]], count: int, seen: int) -> int:
    """The lowest order with a jump, or `seen` if none of those before it jumps: exact, in numbers
    with a normal form.
    """
    try:
        members = parts(ClosedCoefficients())
        proved = vanishing_jumps(members, count)
    except NotDecided as error:
        raise NotClosed(f"whether a derivative jumps is not known: {error}") from None
    first = min((row.index(False) if False in row else seen for row in proved.values()), default=seen)
    if first < seen and any(member.frequency is not None for member in members):
        raise NotClosed("jumps of several terms that may cancel")
    return min(first, seen)
