"""Densities that are polynomials in disguise: their exact sign by Sturm's theorem, ties included."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ClosedCoefficients
from kernelspec.measures.algebra.frequency_pieces import on_disjoint_intervals
from kernelspec.measures.algebra.line import is_even, line_members
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, translated_polynomial
from kernelspec.measures.algebra.radial import fractions, radial_terms, require_radial
from kernelspec.measures.algebra.rational import power, product, rational_density, total
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.rules import Finding, Question
from kernelspec.verdicts.sturm import Polynomial, sign_on_half_line

__all__ = ["PolynomialDensity", "by_exact_signs", "polynomial_densities", "polynomial_density"]

_NUMBERS = ClosedCoefficients()
_LARGEST_DEGREE = 40


@dataclass(frozen=True)
class PolynomialDensity:
    """μ(ω) = positive factor · P(x), x > 0 a function of ‖ω‖ that `variable` describes; `radius` is its inverse.

    `interval` says for which ‖ω‖ > 0, if not for all.
    """

    polynomial: Polynomial
    variable: str
    radius: Callable[[float], float]
    interval: str = ""


def polynomial_densities(measure: Measure) -> list[PolynomialDensity]:
    """The polynomials that decide the sign of a density. Raises NotClosed, NotDecided, TypeError.

    One for every interval between breakpoints of a density on one column that is known in pieces of the frequency; one
    for other densities.
    """
    if measure.dim == 1:
        members = line_members(measure, _NUMBERS)
        if len(members) == 1 and members[0].lag is None and members[0].frequency is not None:
            return _of_intervals(members[0].frequency)
    return [polynomial_density(measure)]


def _of_intervals(density: Piecewise) -> list[PolynomialDensity]:
    """Between breakpoints, a polynomial in ω times an exponential, or a sum of exponentials of commensurable rates."""
    if any(piece.wave != 0 or piece.phase != 0 or piece.curvature != 0 for piece in density.pieces):
        raise NotClosed("a density with waves")
    whole = on_disjoint_intervals(density.pieces, _NUMBERS)
    if not whole.is_even:
        raise NotClosed("a density that is not even")
    found: dict[tuple[Any, Any], list[Piece]] = {}
    for piece in whole.after_zero.pieces:
        found.setdefault((piece.low, piece.high), []).append(piece)
    return [_of_interval(low, high, pieces) for (low, high), pieces in found.items()]


def _of_interval(low: ClosedNumber, high: ClosedNumber | None, pieces: list[Piece]) -> PolynomialDensity:
    """With u = ω, or u = e^{−κω}, and u₀, u₁ its values at the ends: x = (u − u₀)/(u₁ − u), or u − u₀ for u₁ = ∞."""
    interval = f"{_text(low)} < |ω|" + ("" if high is None else f" < {_text(high)}")
    if len(pieces) == 1:
        weights, start = list(pieces[0].weights), _float(low)
        if high is None:
            moved = translated_polynomial(weights, low)
            return PolynomialDensity(moved, _over("|ω|", low, None), lambda x: start + x, interval)
        found, variable, stop = _between(weights, low, high), _over("|ω|", low, high), _float(high)
        return PolynomialDensity(found, variable, lambda x: (start + stop * x) / (1 + x), interval)
    if any(len(piece.weights) > 1 for piece in pieces):
        raise NotClosed("exponentials of several rates times polynomials")
    least = reduce(_NUMBERS.smaller, (piece.rate for piece in pieces))
    rates = [piece.rate - least for piece in pieces]
    unit, counts = _commensurable([rate for rate in rates if rate.terms])
    powers = iter(counts)
    weights = [ClosedNumber.of(0)] * (max(counts) + 1)
    for piece, rate in zip(pieces, rates, strict=True):
        n = next(powers) if rate.terms else 0
        weights[n] = weights[n] + piece.weights[0] * _NUMBERS.exponential(piece.level)
    far = ClosedNumber.of(0) if high is None else _NUMBERS.exponential(-unit * high)
    near = _NUMBERS.exponential(-unit * low)
    start, stop, speed = _float(far), _float(near), _float(unit)
    return PolynomialDensity(
        _between(weights, far, near),
        f"{_over('u', far, near)}, u = exp(−{_text(unit)}·|ω|)",
        lambda x: -math.log((start + stop * x) / (1 + x)) / speed,
        interval,
    )


def _float(number: ClosedNumber) -> float:
    return float(number.enclosed(20)[0])


def _text(number: ClosedNumber) -> str:
    exact = str(number.expression())
    return exact if len(exact) <= 20 else f"{_float(number):.6g}"


def _over(name: str, low: ClosedNumber, high: ClosedNumber | None) -> str:
    above = f"({name} − {_text(low)})" if low.terms else name
    return above if high is None else f"{above}/({_text(high)} − {name})"


def _between(weights: Polynomial, low: ClosedNumber, high: Any) -> Polynomial:
    """(1 + x)^N Σ c_n uⁿ at u = (low + high·x)/(1 + x), N the degree."""
    one, degree = ClosedNumber.of(1), len(weights) - 1
    found: Polynomial = []
    for n, weight in enumerate(weights):
        moved = product(power([low, high], n), power([one, one], degree - n))
        found = total(found, [weight * c for c in moved])
    return found


def polynomial_density(measure: Measure) -> PolynomialDensity:
    """The polynomial of a density on one column, or of a radial one. Raises NotClosed, NotDecided, TypeError.

    Rational densities, Gaussians of commensurable σ², Gaussians of one σ with commensurable waves, triangles of
    commensurable widths.
    """
    dim = int(measure.dim)
    profile = _profile_on_line(measure) if dim == 1 else _radial_profile(measure)
    pieces = profile.pieces
    if all(piece.is_whole_line for piece in pieces):
        return _of_waves(pieces) if len({piece.curvature for piece in pieces}) == 1 else _of_gaussians(pieces, dim)
    half = profile.after_zero.pieces
    if any(piece.is_whole_line for piece in pieces) or any(piece.low != 0 or piece.curvature != 0 for piece in half):
        raise NotClosed("a density of several kinds")
    if all(piece.high is not None for piece in half):
        return _of_triangles(half, dim)
    if any(piece.high is not None for piece in half):
        raise NotClosed("a density of several kinds")
    return (
        PolynomialDensity(rational_density(half, _NUMBERS).numerator, "ω²", math.sqrt)
        if dim == 1
        else _rational(profile, dim)
    )


def _profile_on_line(measure: Measure) -> Piecewise:
    members = line_members(measure, _NUMBERS)
    if len(members) != 1 or members[0].lag is None or members[0].frequency is not None or not is_even(members[0]):
        raise NotClosed("a density that is not that of pieces of the lag alone")
    return members[0].lag


def _radial_profile(measure: Measure) -> Piecewise:
    terms = radial_terms(measure, _NUMBERS)
    if len(terms) != 1 or terms[0].tilt:
        raise NotClosed("a tilted density")
    return terms[0].profile


def _rational(profile: Piecewise, dim: int) -> PolynomialDensity:
    """Σ_c q^{−h} Σ_j B_j (c²/q)^j, q = c² + ‖ω‖², h = (d + 1)/2 a whole number, or only one c."""
    require_radial(profile, dim)
    terms = fractions(profile, dim)
    if dim % 2 == 0 and len(terms) > 1:
        raise NotClosed("a density with square roots")
    h, one = (dim + 1) // 2 if dim % 2 else 0, ClosedNumber.of(1)
    found: Polynomial = []
    for c, weights in terms:
        above: Polynomial = []
        for j, weight in enumerate(weights):
            size = weight * c ** (2 * j)
            above = total(above, [size * x for x in power([c * c, one], len(weights) - 1 - j)])
        for b, others in terms:
            if b is not c:
                above = product(above, power([b * b, one], h + len(others) - 1))
        found = total(found, above)
    return PolynomialDensity(found, "‖ω‖²", math.sqrt)


def _of_gaussians(pieces: tuple[Piece, ...], dim: int) -> PolynomialDensity:
    """Σ w b^{−d/2} e^{−‖ω‖²/4b}: powers m of v = e^{−κ‖ω‖²}, v = 1/(1 + x)."""
    if any(len(piece.weights) > 1 or piece.rate != 0 or piece.wave != 0 for piece in pieces):
        raise NotClosed("a Gaussian times a polynomial or a wave")
    speeds = [1 / (4 * piece.curvature) for piece in pieces]
    unit, counts = _commensurable(speeds)
    most = max(counts)
    found: Polynomial = []
    for piece, count in zip(pieces, counts, strict=True):
        size = piece.weights[0] * _NUMBERS.exponential(piece.level) * (1 / piece.curvature).root(Fraction(dim, 2))
        rising = power([ClosedNumber.of(1)] * 2, most - count)
        found = total(found, [size * c for c in rising])
    speed = _float(unit)
    return PolynomialDensity(found, f"exp({speed:.6g}·‖ω‖²) − 1", lambda x: math.sqrt(math.log1p(x) / speed))


def _of_waves(pieces: tuple[Piece, ...]) -> PolynomialDensity:
    """Σ w e^{−(ω − v)²/4b} with one b is e^{−ω²/4b} Σ w e^{−v²/4b} z^v, z = e^{ω/2b}: by powers of z^κ = 1 + x."""
    if any(len(piece.weights) > 1 or piece.rate != 0 or piece.phase != 0 for piece in pieces):
        raise NotClosed("a Gaussian times a polynomial")
    b = pieces[0].curvature
    if b.sign() <= 0:
        raise NotClosed("waves that do not decay")
    waving = [piece.wave for piece in pieces if piece.wave.terms]
    unit, counts = _commensurable([abs(wave) for wave in waving]) if waving else (ClosedNumber.of(1), [])
    signed = iter(count * wave.sign() for count, wave in zip(counts, waving, strict=True))
    powers = [next(signed) if piece.wave.terms else 0 for piece in pieces]
    found: Polynomial = []
    for piece, n in zip(pieces, powers, strict=True):
        size = piece.weights[0] * _NUMBERS.exponential(piece.level - piece.wave * piece.wave / (4 * b))
        rising = power([ClosedNumber.of(1)] * 2, n - min(powers))
        found = total(found, [size * c for c in rising])
    speed = _float(unit / (2 * b))
    return PolynomialDensity(found, f"exp({speed:.6g}·ω) − 1", lambda x: math.log1p(x) / speed)


def _of_triangles(pieces: tuple[Piece, ...], dim: int) -> PolynomialDensity:
    """Σ w (1 − cos cω) over ω²: 1 − T_m(y), y = cos κω = (1 − x)/(1 + x), times (1 + x)^M."""
    for piece in pieces:
        if dim != 1 or len(piece.weights) != 2 or piece.rate != 0 or piece.wave != 0 or piece.phase != 0:
            raise NotClosed("pieces that are not triangles")
        if (piece.weights[0] + piece.weights[1] * piece.high).terms:
            raise NotClosed("a piece that does not end at 0")
    unit, counts = _commensurable([piece.high for piece in pieces])
    most, one = max(counts), ClosedNumber.of(1)
    below, turn = [one, one], [one, -one]
    found: Polynomial = []
    for piece, count in zip(pieces, counts, strict=True):
        size = -piece.weights[1] * _NUMBERS.exponential(piece.level)
        rest = total(power(below, count), [-c for c in _chebyshev(count, turn, below)])
        found = total(found, [size * c for c in product(rest, power(below, most - count))])
    width = _float(unit)
    return PolynomialDensity(found, f"tan(ω·{width / 2:.6g})²", lambda x: 2 * math.atan(math.sqrt(x)) / width)


def _chebyshev(order: int, above: Polynomial, below: Polynomial) -> Polynomial:
    """below^n T_n(above/below)."""
    before, found = [ClosedNumber.of(1)], above
    if order == 0:
        return before
    for _ in range(order - 1):
        doubled = [2 * c for c in product(above, found)]
        before, found = found, total(doubled, [-c for c in product(power(below, 2), before)])
    return found


def _commensurable(numbers: list[ClosedNumber]) -> tuple[ClosedNumber, list[int]]:
    """κ and whole m with numbers m·κ. Raises NotClosed where there are none, or an m is too large."""
    quotients: list[Any] = [(number / numbers[0]).rational() for number in numbers]
    if None in quotients:
        raise NotClosed("numbers without a common divisor")
    below = math.lcm(*(q.denominator for q in quotients))
    counts = [int(q * below) for q in quotients]
    common = math.gcd(*counts)
    if max(counts) // common > _LARGEST_DEGREE:
        raise NotClosed(f"numbers whose common divisor goes more than {_LARGEST_DEGREE} times into them")
    return numbers[0] * Fraction(common, below), [count // common for count in counts]


_LONGEST = 200
"""Of a polynomial that a reason shows."""


def by_exact_signs(question: Question) -> Finding | None:
    """Proved or disproved by the sign of a polynomial with exact coefficients, ties included [Sturm 1829].

    On one column, and for radial kernels on several; see `polynomial_density` and `polynomial_densities`.
    """
    kernel = question.expanded
    while isinstance(kernel, Select) and kernel.base.dim == kernel.dim:
        kernel = kernel.base
    if not isinstance(kernel.dim, int):
        return None
    reasons = []
    try:
        measure = measure_of(kernel)
        if measure.is_complex or measure.without_density() is not None:
            return None
        for density in polynomial_densities(measure):
            found = sign_on_half_line(density.polynomial)
            where = f" for {density.interval}" if density.interval else ""
            what = (
                f"the spectral density is P(x) times a positive function{where}, "
                f"x = {density.variable}{_shown(density.polynomial)}"
            )
            if not found.is_nonnegative:
                return _disproved(what, density.radius(float(found.place)), found.place, kernel.dim)
            roots = found.roots
            count = f"P has {roots or 'no'} distinct root{'s' * (roots != 1)} in x > 0"
            reasons.append(f"{what}: {count} and does not change its sign [Sturm 1829; Bochner 1932]")
    except (NotStationaryError, NotClosed, NotDecided, TypeError, ZeroDivisionError):  # a parameter is a symbol
        return None
    return Finding("proved", tuple(reasons))


def _disproved(what: str, radius: float, place: Fraction, dim: int) -> Finding:
    at = (radius,) + (0.0,) * (dim - 1)
    where = ", ".join(f"{entry:.6g}" for entry in at)
    shown = place if len(str(place)) <= 20 else f"{float(place):.6g}"
    return Finding("disproved", (f"{what}: P({shown}) < 0, at ω = ({where}) [Bochner 1932]",), at)


def _shown(polynomial: Polynomial) -> str:
    x = sympy.Symbol("x")
    text = str(sympy.Add(*(c.expression() * x**n for n, c in enumerate(polynomial))))
    return f", P(x) = {text}" if len(text) <= _LONGEST else ""
