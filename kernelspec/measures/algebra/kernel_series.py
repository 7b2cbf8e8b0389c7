"""Power series of kernels at a point, and the moments of the frequency derived from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import factorial
from typing import Any

from kernelspec.expressions.elementary import known_sign
from kernelspec.expressions.symbolic import MOST_CALLS, within
from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, derivatives_at, transform
from kernelspec.measures.algebra.radial import radial_terms
from kernelspec.measures.algebra.series import curved_series, series_product
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import Shifted
from kernelspec.special.closed_numbers import ClosedNumber, exponential

__all__ = ["even_moment", "second_moment", "second_moment_on_line", "vanishing_jumps"]

_MOST_OPERATIONS = 500  # operations of a rational function that is reduced

_NUMBERS = ExactNumbers()


_Terms = list[tuple[Any, tuple[Any, ...]]]
"""Σ w ∏ of factors known in pieces, each a `Member`, and of leaves that are analytic everywhere, (kernel, scale, shift)
for kernel(scale·t + shift)."""


def _breakpoints(terms: _Terms) -> set[Any]:
    """The points at which a piece starts or ends."""
    return {
        end
        for _, factors in terms
        for factor in factors
        if isinstance(factor, Member) and factor.lag is not None
        for piece in factor.lag.pieces
        for end in (piece.low, piece.high)
        if end is not None
    }


def _terms(measure: Measure) -> _Terms:
    """Raises NotClosed for a kernel that is neither in pieces nor analytic."""
    try:
        return [(sympy.S.One, (member,)) for member in line_members(measure, _NUMBERS)]
    except NotClosed as error:
        match measure:
            case Spectral() if measure.kernel.series(sympy.S.Zero, 1) is not None:
                return [(sympy.S.One, ((measure.kernel, sympy.S.One, sympy.S.Zero),))]
            case Embedding():
                return _terms(measure.part)
            case Mixture():
                pairs = zip(measure.weights, measure.parts, strict=True)
                return [(sympy.S(w) * v, factors) for w, part in pairs for v, factors in _terms(part)]
            case Convolution():
                return reduce(_products, (_terms(part) for part in _grouped(measure)))
            case Shifted():
                return [(w, tuple(_moved(f, 1, measure.by[0]) for f in factors)) for w, factors in _terms(measure.part)]
            case PushForward() if measure.factor is not None:
                return [
                    (w, tuple(_moved(f, measure.factor, 0) for f in factors)) for w, factors in _terms(measure.part)
                ]
        raise error


def _grouped(measure: Convolution) -> list[Measure]:
    """The factors, with those in pieces combined, since their kinks may coincide and cancel."""
    known: list[Measure] = []
    others: list[Measure] = []
    for part in measure.parts:
        try:
            line_members(part, _NUMBERS)
        except NotClosed:
            others.append(part)
        else:
            known.append(part)
    try:
        line_members(Convolution(tuple(known)), _NUMBERS) if known else None
    except NotClosed:
        return [*known, *others]
    return [*([Convolution(tuple(known))] if known else []), *others]


def _products(left: list[Any], right: list[Any]) -> list[Any]:
    return [(v * w, (*p, *q)) for v, p in left for w, q in right]


def _moved(factor: Any, scale: Any, by: Any) -> Any:
    """The factor at scale·t + by."""
    scale, by = sympy.S(scale), sympy.S(by)
    if not isinstance(factor, Member):
        kernel, own, shift = factor
        return (kernel, own * scale, shift + own * by)
    if factor.frequency is not None:
        raise NotClosed("a kernel known by its density, translated next to one that is not in pieces")
    lag = factor.lag
    return Member(None if lag is None else (lag.shifted(by) if scale == 1 else lag.stretched(scale)))


def _one_sided_series(terms: _Terms, place: Any, count: int, *, right: bool) -> list[Any]:
    """The coefficients of τⁿ, n < `count`, in k(place + τ) on one side of τ = 0, in SymPy."""
    total = [sympy.S.Zero] * count
    for weight, factors in terms:
        product = [sympy.S(weight)] + [sympy.S.Zero] * (count - 1)
        for factor in factors:
            product = series_product(product, _of_factor(factor, place, count, right))
        total = [a + b for a, b in zip(total, product, strict=True)]
    return [sympy.expand(value) for value in total]


def _of_factor(factor: Any, place: Any, count: int, right: bool) -> list[Any]:
    if not isinstance(factor, Member):
        kernel, scale, shift = factor
        return [value * scale**n for n, value in enumerate(kernel.series(scale * place + shift, count))]
    found = [sympy.S.One] + [sympy.S.Zero] * (count - 1)
    if factor.lag is not None:
        lag = factor.lag
        near = [_of_piece(piece, place, count) for piece in lag.pieces if _reaches(piece, place, right, lag.numbers)]
        found = [sympy.Add(*values) for values in zip(*near, strict=True)] or [sympy.S.Zero] * count
    if factor.frequency is not None:
        found = series_product(found, _of_density(factor.frequency, place, count))
    return found


def _of_piece(piece: Piece, place: Any, count: int) -> list[Any]:
    """Σ c_n tⁿ · e^{g − at − bt² + i(φ + wt)} at place + τ."""
    slope = piece.rate + 2 * piece.curvature * place - sympy.I * piece.wave
    level = piece.level - piece.rate * place - piece.curvature * place**2
    start = sympy.exp(level) * sympy.exp(sympy.I * (piece.phase + piece.wave * place))
    found = curved_series(start, -slope, -piece.curvature, derivatives_at(piece.weights, place), count)
    return [sympy.expand(value) for value in found]


def _of_density(density: Piecewise, place: Any, count: int) -> list[Any]:
    """The coefficients iⁿ/n! ∫ νⁿ e^{iν·place} f(ν) dν of the transform of a density."""
    found = []
    for n in range(count):
        raised = [replace(piece, weights=(sympy.S.Zero,) * n + piece.weights) for piece in density.pieces]
        value = transform(raised, _NUMBERS.frequency(-place), _NUMBERS, _NUMBERS)
        found.append(sympy.I**n * (value.re + sympy.I * value.im) / sympy.factorial(n))
    return found


def _reaches(piece: Piece, place: Any, right: bool, numbers: Any) -> bool:
    """Whether the piece covers the points next to a place, on its right or left."""

    def before(a: Any, b: Any) -> bool:
        return bool(a != b and numbers.before(a, b))

    low, high = piece.low, piece.high
    if right:
        return (low is None or not before(place, low)) and (high is None or before(place, high))
    return (high is None or not before(high, place)) and (low is None or before(low, place))


def even_moment(measure: Measure, order: int, *, positive_definite: bool) -> Any:
    """∫ ωⁿ μ(dω)/k(0) = (−1)^{n/2} k⁽ⁿ⁾(0)/k(0) of a measure on one column, n = `order` even, in SymPy.

    If one of the first n derivatives jumps: oo for a positive definite kernel, which is as smooth everywhere as at 0;
    for others ±oo if the lowest jump is at 0 alone, else nan. The measure may have atoms. Raises NotClosed for a kernel
    unknown to the algebra.
    """
    return _moment(_terms(measure), order, positive_definite=positive_definite)


def _moment(terms: _Terms, order: int, *, positive_definite: bool, is_radial: bool = False) -> Any:
    zero = sympy.S.Zero
    right, left = (_one_sided_series(terms, zero, order + 1, right=side) for side in (True, False))
    if _vanishes(right[0]):
        return sympy.nan
    others = set() if positive_definite else _breakpoints(terms) - {zero}
    jumps = [a - b for a, b in zip(right, left, strict=True)]
    first = next((j for j, jump in enumerate(jumps) if not _vanishes(jump)), None)
    if first is not None and positive_definite:
        return sympy.oo
    if not _are_smooth(terms, others, order if first is None else first):
        return sympy.nan
    if first is not None:
        decides = all(map(_vanishes, jumps[::2])) and not (is_radial and others)
        sign = known_sign((-1) ** ((first + 1) // 2) * jumps[first] / right[0])  # of the density far out
        return sign * sympy.oo if decides and sign else sympy.nan
    sign = (-1) ** (order // 2) * sympy.factorial(order)
    found = _without_poles(sympy.factor_terms(sympy.expand(sympy.expand(sign * right[order]) / right[0])))
    return sympy.Float(sympy.re(found.evalf())) if found.has(sympy.Float) else found


def _are_smooth(terms: _Terms, places: set[Any], order: int) -> bool:
    """Whether neither k nor its first derivatives, up to the order, jump at these places."""
    for place in places:
        right, left = (_one_sided_series(terms, place, order + 1, right=side) for side in (True, False))
        if not all(_vanishes(a - b) for a, b in zip(right, left, strict=True)):
            return False
    return True


def second_moment(measure: Measure, *, positive_definite: bool) -> Any:
    """E‖ω‖² under the normalized measure, also if infinite terms cancel: on one column, or in a radial kernel, as d
    times that of its values on a line. nan if it is not known.
    """
    found = sympy.S(measure.second_moment())
    if found is not sympy.nan:
        return found
    if measure.dim != 1:
        try:
            terms = radial_terms(measure, _NUMBERS, densities=True)
        except NotClosed:
            return found
        members: _Terms = [(sympy.S.One, (Member(term.profile, term.frequency),)) for term in terms]
        if any(term.tilt for term in terms):
            return found
        return measure.dim * _moment(members, 2, positive_definite=positive_definite, is_radial=True)
    of_whole = second_moment_on_line(measure, positive_definite=positive_definite)
    return found if of_whole is None else sympy.S(of_whole)


def second_moment_on_line(measure: Measure, *, positive_definite: bool = False) -> Any | None:
    """∫ ω² μ(dω)/k(0) = −k″(0)/k(0) of a measure on one column, possibly complex; a float for a measure in floats.

    None if it is unknown or undefined; infinite as `even_moment`.
    """
    try:
        found = even_moment(measure, 2, positive_definite=positive_definite)
    except NotClosed:
        return None
    if found is sympy.nan:
        return None
    return float(found) if found.has(sympy.Float) else found


def _without_poles(value: Any) -> Any:
    """A rational function of parameters in lowest terms, so that it has a value where factors cancel."""
    if not value.free_symbols or value.count_ops() > _MOST_OPERATIONS or not value.is_rational_function():
        return value

    def in_lowest_terms() -> Any:
        inner = value.replace(lambda part: part.is_Add, sympy.cancel)  # takes a third of the calls for nested fractions
        return sympy.factor_terms(sympy.expand(sympy.cancel(inner)))

    return within(MOST_CALLS, in_lowest_terms, lambda: value)


def _vanishes(value: Any) -> bool:
    """Whether an expression is 0: by expansion, or as a quotient, if it has symbols, else numerically."""
    if value == 0:
        return True
    if value.free_symbols:
        return bool(sympy.expand(value) == 0 or _without_poles(value) == 0)
    return abs(complex(value.evalf(30))) < 1e-12


_Row = list[tuple[ClosedNumber, ClosedNumber]]  # real and imaginary parts of the coefficients of a power series


def vanishing_jumps(members: Iterable[Member], count: int) -> dict[ClosedNumber, list[bool]]:
    """For each breakpoint of Σ members, which of its first `count` derivatives provably do not jump there.

    Members have closed coefficients. Breakpoints not listed have no jumps. At 0 the transform of an even density has
    its moments as derivatives; elsewhere it is only known to be smooth, so its product with a lag does not jump in the
    orders in which the lag does not. Raises NotDecided.
    """
    rows: dict[tuple[ClosedNumber, int], _Row] = {}
    for number, member in enumerate(members, 1):
        jumps: dict[ClosedNumber, _Row] = {}
        for piece in () if member.lag is None else member.lag.pieces:
            for end, sign in ((piece.low, 1), (piece.high, -1)):
                if end is not None:
                    series = [(sign * re, sign * im) for re, im in _taylor(piece, end, count)]
                    jumps[end] = _added(jumps[end], series) if end in jumps else series
        for end, row in jumps.items():
            smooth = None if member.frequency is None else _smooth_series(member.frequency, end, count)
            if smooth is not None:
                parts = (series_product([term[i] for term in row], smooth) for i in (0, 1))
                row = list(zip(*parts, strict=True))  # noqa: PLW2901
            key = (end, 0 if member.frequency is None or smooth is not None else number)
            rows[key] = _added(rows[key], row) if key in rows else row
    found: dict[ClosedNumber, list[bool]] = {}
    for (end, number), row in rows.items():
        zero = [re == 0 and im == 0 for re, im in row]
        if number:
            zero = [all(zero[: j + 1]) for j in range(count)]
        found[end] = [a and b for a, b in zip(found.get(end, [True] * count), zero, strict=True)]
    return found


def _added(left: _Row, right: _Row) -> _Row:
    return [(a + x, b + y) for (a, b), (x, y) in zip(left, right, strict=True)]


def _smooth_series(density: Piecewise, place: ClosedNumber, count: int) -> list[ClosedNumber] | None:
    """The coefficients of τⁿ, n < `count`, in ∫ f(ν) e^{iντ} dν for an even f of exponentials, at 0; None elsewhere."""
    if place != 0 or not density.is_even or density.pieces != density.with_ends.pieces:
        return None
    found = [ClosedNumber.of(0)] * count
    for piece in density.after_zero.pieces:
        if piece.low != 0 or piece.high is not None or piece.curvature != 0 or piece.wave != 0 or piece.phase != 0:
            return None
        for k in range(0, count, 2):
            moment = ClosedNumber.of(0)
            for n, weight in enumerate(piece.weights):
                moment = moment + weight * factorial(n + k) / piece.rate ** (n + k + 1)
            found[k] = found[k] + moment * exponential(piece.level) * Fraction(2 * (-1) ** (k // 2), factorial(k))
    return found


def _taylor(piece: Piece, place: ClosedNumber, count: int) -> _Row:
    """Real and imaginary parts of the coefficients of τⁿ, n < `count`, in the piece at place + τ."""
    b = piece.curvature
    slope = (piece.rate + 2 * b * place, -piece.wave)
    size = exponential(piece.level - piece.rate * place - b * place * place)
    angle = (piece.phase + piece.wave * place).expression()
    series = [(size * ClosedNumber.of(sympy.cos(angle)), size * ClosedNumber.of(sympy.sin(angle)))]
    for n in range(count - 1):
        re, im = series[n]
        before = series[n - 1] if n else (ClosedNumber.of(0), ClosedNumber.of(0))
        series.append(
            (
                (-slope[0] * re + slope[1] * im - 2 * b * before[0]) * Fraction(1, n + 1),
                (-slope[0] * im - slope[1] * re - 2 * b * before[1]) * Fraction(1, n + 1),
            )
        )
    weights = [d * Fraction(1, factorial(n)) for n, d in enumerate(derivatives_at(piece.weights, place))]
    parts = (series_product([term[i] for term in series], weights) for i in (0, 1))
    return list(zip(*parts, strict=True))
