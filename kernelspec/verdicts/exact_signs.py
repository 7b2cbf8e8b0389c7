"""Densities that are polynomials in disguise: their exact sign by Sturm's theorem, including ties."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ClosedCoefficients
from kernelspec.measures.algebra.frequency_pieces import on_disjoint_intervals
from kernelspec.measures.algebra.line import is_even, line_members
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, translated_polynomial
from kernelspec.measures.algebra.radial import fractions, radial_terms, require_radial
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.measures.realization import power, product, rational_density, total
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided, SignNotKnown
from kernelspec.verdicts.rules import Finding, Question
from kernelspec.verdicts.sturm import Polynomial, PolynomialSign, sign_on_half_line, sum_at

__all__ = [
    "PolynomialDensity",
    "between",
    "by_exact_signs",
    "chebyshev",
    "commensurable",
    "density_in_pieces",
    "floated",
    "intervals_of",
    "number_text",
    "polynomial_densities",
    "polynomial_density",
    "shown_polynomial",
    "sign_steps",
]

_NUMBERS = ClosedCoefficients()
_FLAT = (None, None, 0, 0, 0, 0, 0)  # the shape of a constant on the whole line
_LARGEST_DEGREE = 40


@dataclass(frozen=True)
class PolynomialDensity:
    """μ(ω) = positive factor · P(x), x > 0 a function of ‖ω‖ given by `variable`; `radius` is its inverse.

    `interval` restricts ‖ω‖ > 0, if needed. A density on more columns than the kernel has only proves.
    """

    polynomial: Polynomial
    variable: str
    radius: Callable[[float], float]
    interval: str = ""
    on_more_columns: bool = False


def polynomial_densities(measure: Measure) -> list[PolynomialDensity]:
    """The polynomials that decide the sign of a density. Raises NotClosed, NotDecided, TypeError.

    One per interval between breakpoints of a density on one column known in pieces of the frequency; one for other
    densities.
    """
    density = density_in_pieces(measure) if measure.dim == 1 else None
    if density is not None:
        return [_of_interval(low, high, pieces) for low, high, pieces in intervals_of(density)]
    return (measure.dim in (2, 3) and _radial_in_pieces(measure)) or [polynomial_density(measure)]


def _radial_in_pieces(measure: Measure) -> list[PolynomialDensity]:
    """−μ₁′(ω)/2πω, the density on three columns, if the one on a line, μ₁, is known in pieces of the frequency.

    Where μ₁ falls by a jump, the measure has mass on a sphere. Empty for other densities. Raises NotClosed.
    """
    terms = radial_terms(measure, _NUMBERS, densities=True)
    if any(t.frequency is None or t.tilt or [p.shape for p in t.profile.pieces] != [_FLAT] for t in terms):
        return []
    on_line = reduce(add, (t.frequency.scaled(t.profile.pieces[0].weights[0]) for t in terms if t.frequency))
    found, intervals = [], intervals_of(on_line)
    if any(len(pieces) > 1 or pieces[0].rate.terms or high is None for _, high, pieces in intervals):
        return []
    ends: dict[ClosedNumber, ClosedNumber] = {}  # μ₁ before less μ₁ after
    for low, high, (piece,) in intervals:
        slope = tuple(-n * c for n, c in enumerate(piece.weights))[1:]
        found += [_of_interval(low, high, [replace(piece, weights=slope)])] if slope else []
        assert high is not None
        for end, sign in ((low, -1), (high, 1)):
            ends[end] = ends.get(end, ClosedNumber.of(0)) + sign * sum_at(list(piece.weights), end)
    for end, fall in ends.items():
        if end.terms:  # not at 0
            found.append(PolynomialDensity([fall], "1", _always(floated(end)), f"‖ω‖ = {number_text(end)}"))
    return [replace(density, on_more_columns=measure.dim < 3) for density in found]


def _always(value: float) -> Callable[[float], float]:
    return lambda _: value


def density_in_pieces(measure: Measure) -> Piecewise | None:
    """The density of a measure on one column, if it is known in pieces of the frequency. Raises NotClosed."""
    members = [_without_waves(member) for member in line_members(measure, _NUMBERS)]
    known = [member.frequency for member in members if member.lag is None and member.frequency is not None]
    return reduce(lambda a, b: a + b, known) if 0 < len(members) == len(known) else None


def _without_waves(member: Member) -> Member:
    """Σ w e^{ivt} times a kernel known by its density p is Σ w p(ω − v)."""
    lag, p = member.lag, member.frequency
    flat = (None, None, 0, 0, 0, 0)
    if lag is None or p is None or any(len(w.weights) > 1 or w.shape[:6] != flat for w in lag.pieces):
        return member
    return Member(None, reduce(lambda a, b: a + b, (p.shifted(-w.wave).scaled(w.weights[0]) for w in lag.pieces)))


def intervals_of(density: Piecewise) -> list[tuple[ClosedNumber, ClosedNumber | None, list[Piece]]]:
    """The pieces between breakpoints of an even density, ω > 0; each a polynomial times an exponential."""
    if any(piece.wave != 0 or piece.phase != 0 or piece.curvature != 0 for piece in density.pieces):
        raise NotClosed("a density with waves")
    whole = on_disjoint_intervals(density.pieces, _NUMBERS)
    if not whole.is_even:
        raise NotClosed("a density that may not be even")
    found: dict[tuple[Any, Any], list[Piece]] = {}
    for piece in whole.after_zero.pieces:
        found.setdefault((piece.low, piece.high), []).append(piece)
    return [(low, high, pieces) for (low, high), pieces in found.items()]


def _of_interval(low: ClosedNumber, high: ClosedNumber | None, pieces: list[Piece]) -> PolynomialDensity:
    """With u = ω, or u = e^{−κω}, and u₀, u₁ its values at the ends: x = (u − u₀)/(u₁ − u), or u − u₀ for u₁ = ∞."""
    interval = f"{number_text(low)} < |ω|" + ("" if high is None else f" < {number_text(high)}")
    if len(pieces) == 1:
        weights, start = list(pieces[0].weights), floated(low)
        if high is None:
            moved = translated_polynomial(weights, low)
            return PolynomialDensity(moved, _over("|ω|", low, None), lambda x: start + x, interval)
        found, variable, stop = between(weights, low, high), _over("|ω|", low, high), floated(high)
        return PolynomialDensity(found, variable, lambda x: (start + stop * x) / (1 + x), interval)
    if any(len(piece.weights) > 1 for piece in pieces):
        raise NotClosed("exponentials of several rates times polynomials")
    least = reduce(_NUMBERS.smaller, (piece.rate for piece in pieces))
    rates = [piece.rate - least for piece in pieces]
    unit, counts = commensurable([rate for rate in rates if rate.terms])
    powers = iter(counts)
    weights = [ClosedNumber.of(0)] * (max(counts) + 1)
    for piece, rate in zip(pieces, rates, strict=True):
        n = next(powers) if rate.terms else 0
        weights[n] = weights[n] + piece.weights[0] * _NUMBERS.exponential(piece.level)
    far = ClosedNumber.of(0) if high is None else _NUMBERS.exponential(-unit * high)
    near = _NUMBERS.exponential(-unit * low)
    start, stop, speed = floated(far), floated(near), floated(unit)
    return PolynomialDensity(
        between(weights, far, near),
        f"{_over('u', far, near)}, u = exp(−{number_text(unit)}·|ω|)",
        lambda x: -math.log((start + stop * x) / (1 + x)) / speed,
        interval,
    )


def floated(number: ClosedNumber) -> float:
    return float(number.enclosed(20)[0])


def number_text(number: ClosedNumber) -> str:
    exact = str(number.expression())
    return exact if len(exact) <= 20 else f"{floated(number):.6g}"


def _over(name: str, low: ClosedNumber, high: ClosedNumber | None) -> str:
    above = f"({name} − {number_text(low)})" if low.terms else name
    return above if high is None else f"{above}/({number_text(high)} − {name})"


def between(weights: Polynomial, low: ClosedNumber, high: Any) -> Polynomial:
    """(1 + x)^N Σ c_n uⁿ at u = (low + high·x)/(1 + x), N the degree."""
    one, degree = ClosedNumber.of(1), len(weights) - 1
    found: Polynomial = []
    for n, weight in enumerate(weights):
        moved = product(power([low, high], n), power([one, one], degree - n))
        found = total(found, [weight * c for c in moved])
    return found


def polynomial_density(measure: Measure) -> PolynomialDensity:
    """The polynomial of a density on one column, or of a radial one. Raises NotClosed, NotDecided, TypeError.

    Rational densities, Gaussians of commensurable σ², triangles of commensurable widths, and on one column Gaussians of
    one σ with commensurable waves.
    """
    dim = int(measure.dim)
    profile = _profile(measure)
    pieces = profile.pieces
    if not pieces:
        return PolynomialDensity([], "‖ω‖", float)
    if all(piece.is_whole_line for piece in pieces):
        if len({piece.shape for piece in pieces}) == 1 and not pieces[0].wave.terms:
            return _of_bell(pieces[0], dim)
        if dim > 1 and any(piece.wave.terms for piece in pieces):
            raise NotClosed("waves of the distance")
        return _of_waves(pieces) if len({piece.curvature for piece in pieces}) == 1 else _of_gaussians(pieces, dim)
    half = profile.after_zero.pieces
    if any(piece.is_whole_line for piece in pieces) or any(piece.low != 0 or piece.curvature != 0 for piece in half):
        raise NotClosed("a density of several kinds")
    if all(piece.high is not None for piece in half):
        return _of_triangles(half, dim)
    if any(piece.high is not None for piece in half):
        raise NotClosed("a density of several kinds")
    if dim > 1:
        return _rational(profile, dim)
    return PolynomialDensity(rational_density(half, _NUMBERS).numerator, "ω²", math.sqrt)


def _profile(measure: Measure) -> Piecewise:
    """The kernel as a function of the lag, or of its length."""
    if measure.dim == 1:
        members = line_members(measure, _NUMBERS)
        if len(members) != 1 or members[0].lag is None or members[0].frequency is not None or not is_even(members[0]):
            raise NotClosed("a density not given by pieces of the lag alone")
        return members[0].lag
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
    unit, counts = commensurable(speeds)
    most = max(counts)
    found: Polynomial = []
    for piece, count in zip(pieces, counts, strict=True):
        size = piece.weights[0] * _NUMBERS.exponential(piece.level) * (1 / piece.curvature).root(Fraction(dim, 2))
        rising = power([ClosedNumber.of(1)] * 2, most - count)
        found = total(found, [size * c for c in rising])
    speed = floated(unit)
    return PolynomialDensity(found, f"exp({speed:.6g}·‖ω‖²) − 1", lambda x: math.sqrt(math.log1p(x) / speed))


def _of_bell(piece: Piece, dim: int) -> PolynomialDensity:
    """Σ w_n r^{2n} e^{−br²}: n times −∂/∂b of b^{−d/2} e^{−u/4b} is e^{−u/4b} Σ A_j b^{−d/2−n−j} u^j, u = ‖ω‖²."""
    b, half = piece.curvature, Fraction(dim, 2)
    if b.sign() <= 0 or piece.phase.terms or any(weight.terms for weight in piece.weights[1::2]):
        raise NotClosed("a function that does not decay, or has odd powers")
    found: Polynomial = []
    row = [Fraction(1)]
    for n, weight in enumerate(piece.weights[::2]):
        found = total(found, [weight * a * b ** -(n + j) for j, a in enumerate(row)])
        raised = [(half + n + j) * a for j, a in enumerate(row)]
        row = [x - y / 4 for x, y in zip([*raised, Fraction(0)], [Fraction(0), *row], strict=True)]
    return PolynomialDensity(found, "‖ω‖²", math.sqrt)


def _of_waves(pieces: tuple[Piece, ...]) -> PolynomialDensity:
    """Σ w e^{−(ω − v)²/4b} with one b is e^{−ω²/4b} Σ w e^{−v²/4b} z^v, z = e^{ω/2b}: by powers of z^κ = 1 + x."""
    if any(len(piece.weights) > 1 or piece.rate != 0 or piece.phase != 0 for piece in pieces):
        raise NotClosed("a Gaussian times a polynomial")
    b = pieces[0].curvature
    if b.sign() <= 0:
        raise NotClosed("waves that do not decay")
    waving = [piece.wave for piece in pieces if piece.wave.terms]
    unit, counts = commensurable([abs(wave) for wave in waving]) if waving else (ClosedNumber.of(1), [])
    signed = iter(count * wave.sign() for count, wave in zip(counts, waving, strict=True))
    powers = [next(signed) if piece.wave.terms else 0 for piece in pieces]
    found: Polynomial = []
    for piece, n in zip(pieces, powers, strict=True):
        size = piece.weights[0] * _NUMBERS.exponential(piece.level - piece.wave * piece.wave / (4 * b))
        rising = power([ClosedNumber.of(1)] * 2, n - min(powers))
        found = total(found, [size * c for c in rising])
    speed = floated(unit / (2 * b))
    return PolynomialDensity(found, f"exp({speed:.6g}·ω) − 1", lambda x: math.log1p(x) / speed)


def _of_triangles(pieces: tuple[Piece, ...], dim: int) -> PolynomialDensity:
    """Σ w (1 − cos cω) over ω²: 1 − T_m(y), y = cos κω = (1 − x)/(1 + x), times (1 + x)^M."""
    for piece in pieces:
        if dim != 1 or len(piece.weights) != 2 or piece.rate != 0 or piece.wave != 0 or piece.phase != 0:
            raise NotClosed("pieces that are not triangles")
        if (piece.weights[0] + piece.weights[1] * piece.high).terms:
            raise NotClosed("a piece that does not end at 0")
    unit, counts = commensurable([piece.high for piece in pieces])
    most, one = max(counts), ClosedNumber.of(1)
    below, turn = [one, one], [one, -one]
    found: Polynomial = []
    for piece, count in zip(pieces, counts, strict=True):
        size = -piece.weights[1] * _NUMBERS.exponential(piece.level)
        rest = total(power(below, count), [-c for c in chebyshev(count, turn, below)])
        found = total(found, [size * c for c in product(rest, power(below, most - count))])
    width = floated(unit)
    return PolynomialDensity(found, f"tan(ω·{width / 2:.6g})²", lambda x: 2 * math.atan(math.sqrt(x)) / width)


def chebyshev(order: int, above: Polynomial, below: Polynomial) -> Polynomial:
    """below^n T_n(above/below)."""
    before, found = [ClosedNumber.of(1)], above
    if order == 0:
        return before
    for _ in range(order - 1):
        doubled = [2 * c for c in product(above, found)]
        before, found = found, total(doubled, [-c for c in product(power(below, 2), before)])
    return found


def commensurable(numbers: list[ClosedNumber]) -> tuple[ClosedNumber, list[int]]:
    """κ and integers m with numbers m·κ. Raises NotClosed if there are none, or an m is too large."""
    quotients: list[Any] = [(number / numbers[0]).rational() for number in numbers]
    if None in quotients:
        raise NotClosed("numbers without a common divisor")
    below = math.lcm(*(q.denominator for q in quotients))
    counts = [int(q * below) for q in quotients]
    common = math.gcd(*counts)
    if max(counts) // common > _LARGEST_DEGREE:
        raise NotClosed(f"numbers that are more than {_LARGEST_DEGREE} times their common divisor")
    return numbers[0] * Fraction(common, below), [count // common for count in counts]


_LONGEST = 200  # the longest polynomial that a reason shows


def by_exact_signs(question: Question) -> Finding | None:
    """Proved or disproved by the sign of a polynomial with exact coefficients, including ties [Sturm 1829].

    On one column, and for radial kernels on several; see `polynomial_density` and `polynomial_densities`.
    """
    kernel = question.expanded
    while isinstance(kernel, Select) and kernel.base.dim == kernel.dim:
        kernel = kernel.base
    if not isinstance(kernel.dim, int):
        return None
    reasons: list[str] = []
    steps: list[str] = []
    try:
        measure = measure_of(kernel)
        if measure.without_density() is not None:  # a complex measure turns out not to be even
            return None
        for density in polynomial_densities(measure):
            found = sign_on_half_line(density.polynomial)
            where = f" for {density.interval}" if density.interval else ""
            where += " on three columns" if density.on_more_columns else ""
            what = (
                f"the spectral density is P(x) times a positive function{where}, "
                f"x = {density.variable}{shown_polynomial(density.polynomial)}"
            )
            steps += sign_steps(density.polynomial, found)
            if not found.is_nonnegative and density.on_more_columns:
                return None
            if not found.is_nonnegative:
                at = (density.radius(float(found.place)),) + (0.0,) * (kernel.dim - 1)
                return Finding("disproved", (f"{what}: {_negative_at(found.place, at)}",), at, tuple(steps))
            roots = found.roots
            count = f"P has {roots or 'no'} distinct root{'s' * (roots != 1)} in x > 0"
            reasons.append(f"{what}: {count} and does not change its sign [Sturm 1829; Bochner 1932]")
    except SignNotKnown as error:
        return Finding("unknown", (f"the sign of the spectral density depends on {error}",))
    except (NotStationaryError, NotClosed, NotDecided, TypeError, ZeroDivisionError):  # a parameter is a symbol
        return None
    return Finding("proved", tuple(reasons), steps=tuple(steps))


def sign_steps(polynomial: Polynomial, found: PolynomialSign) -> Iterator[str]:
    """The steps to check the sign of a polynomial by hand, in exact numbers."""
    yield f"P(x) = {_expression(polynomial)}"
    if not found.is_nonnegative:
        yield f"P({found.place}) = {sum_at(polynomial, found.place).expression()} < 0"
    elif not found.chain:
        yield "no coefficient is negative, so that P(x) ≥ 0 for x > 0"
    else:
        for n, member in enumerate(found.chain):
            rest = f"minus the remainder of S_{n - 2} by S_{n - 1}"
            how = "P" if n == 0 else "P′" if n == 1 else rest
            yield f"S_{n}(x) = {_expression(member)}, up to a positive factor {how}"
        for end, changes in found.ends:
            value = sum_at(polynomial, end).expression()
            yield f"changes of sign at x = {end}: {changes}; P({end}) = {value}"
        yield f"distinct roots: {found.roots}, at most one between two of these places, at each of which P is positive"


def _negative_at(place: Fraction, at: tuple[float, ...]) -> str:
    where = ", ".join(f"{entry:.6g}" for entry in at)
    shown = place if len(str(place)) <= 20 else f"{float(place):.6g}"
    return f"P({shown}) < 0, at ω = ({where}) [Bochner 1932]"


def shown_polynomial(polynomial: Polynomial) -> str:
    """The formula of P as part of a sentence; empty for a long one."""
    text = str(_expression(polynomial))
    return f", P(x) = {text}" if len(text) <= _LONGEST else ""


def _expression(polynomial: Polynomial) -> Any:
    return sympy.Add(*(c.expression() * sympy.Symbol("x") ** n for n, c in enumerate(polynomial)))
