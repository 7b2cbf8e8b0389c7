"""Closed densities in SymPy: on a line, and for radial products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import combinations
from typing import Any, TypeVar

from kernelspec.expressions.symbolic import bounded
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ExactNumbers, PlainNumbers
from kernelspec.measures.algebra.line import (
    density_of_member,
    gathered_terms,
    is_even,
    line_members,
    require_closed,
    transforms_of_member,
)
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.numbers import Coefficients
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, transform
from kernelspec.measures.algebra.radial import (
    RadialTerm,
    derivative_weights,
    derivatives_of_line,
    fractions,
    has_curvature,
    line_derivative,
    radial_terms,
    require_radial,
)
from kernelspec.measures.measure import Measure
from kernelspec.special.elementary import hypergeometric

__all__ = ["complex_value", "function_of", "line_expression", "line_parts", "radial_expression"]

_Interval = tuple[Any, Any]

_Part = TypeVar("_Part", Member, RadialTerm)


def function_of(whole: Piecewise, at: Any) -> Any:
    """A real function at a real symbol: an expression, piecewise if there are ends; for an even function, in |at|."""
    pieces, place = whole.pieces, at
    if whole.is_even and not all(piece.is_whole_line for piece in pieces):
        pieces, place = whole.after_zero.pieces, sympy.Abs(at)
    found: dict[_Interval, Any] = {}
    for piece in pieces:
        # the real part: pieces with a wave come in conjugate pairs
        value = sympy.factor_terms(_size(piece, place) * sympy.cos(piece.phase + piece.wave * place))
        found[piece.low, piece.high] = found.get((piece.low, piece.high), sympy.S.Zero) + value
    cases = [(value, _inside(interval, place, place is not at)) for interval, value in found.items()]
    if all(_apart(a, b, whole.numbers) for a, b in combinations(found, 2)):
        return sympy.Piecewise(*cases, (0, True))
    return sympy.Add(*[sympy.Piecewise(case, (0, True)) for case in cases])


def complex_value(piece: Piece, at: Any) -> Any:
    """Σ c_n tⁿ e^{g − at − bt²} e^{i(φ + wt)} inside the piece."""
    return _size(piece, at) * sympy.exp(sympy.I * (piece.phase + piece.wave * at))


def _size(piece: Piece, at: Any) -> Any:
    polynomial = sympy.Add(*[c * at**n for n, c in enumerate(piece.weights)])
    return polynomial * sympy.exp(piece.level - piece.rate * at - piece.curvature * at**2)


def _inside(interval: _Interval, at: Any, from_zero: bool) -> Any:
    low, high = interval
    starts = sympy.true if low is None or (from_zero and low == 0) else sympy.Ge(at, low)
    return starts if high is None else sympy.And(starts, sympy.Lt(at, high))


def _apart(a: _Interval, b: _Interval, numbers: Coefficients) -> bool:
    """Whether two intervals are known not to overlap."""
    gaps = [(end, start) for end, start in ((a[1], b[0]), (b[1], a[0])) if end is not None and start is not None]
    return any(end == start or numbers.less(end, start) is True for end, start in gaps)


def line_expression(measure: Measure, omega: Any) -> Any:
    """μ(ω): in real form for an even member, in complex numbers for others. Raises NotClosed without a closed form."""

    def total(members: Sequence[Member]) -> Any:
        for member in members:
            require_closed(member)
        return sympy.Add(*[_of_member(member, omega) for member in members])

    return _by_cases(partial(line_members, measure), total)


_MOST_GAPS = 3


def _by_cases(parts_in: Callable[[ExactNumbers], Sequence[_Part]], value: Callable[[Sequence[_Part]], Any]) -> Any:
    """The value of the parts, with cases for equal parameters whose difference divides the weights of a density.

    The rates a and b of two factors give 1/(a − b). With more than three such differences, or many denominators, only
    the general form.
    """

    def cases(numbers: ExactNumbers) -> Any:
        parts = parts_in(numbers)
        gaps = _gaps(parts)
        whole = value(parts)
        if not 0 < len(gaps) <= _MOST_GAPS:
            return whole
        equal = []
        for gap in gaps:
            with suppress(NotClosed):  # rates of opposite sign, which no scales have
                equal.append((cases(ExactNumbers((*numbers.equal, gap))), sympy.Eq(*gap)))
        return sympy.Piecewise(*equal, (whole, True))

    return cases(ExactNumbers())


def _gaps(parts: Sequence[_Part]) -> list[tuple[Any, Any]]:
    """The (symbol, value) at which a denominator of the weights vanishes, if it is linear in a symbol."""
    weights = (w for part in parts if part.frequency for piece in part.frequency.pieces for w in piece.weights)
    powers = {power for weight in weights for power in weight.atoms(sympy.Pow)}
    below = {power.base for power in powers if power.exp.is_negative and power.base.is_zero is None}
    if len(below) > 2 * _MOST_GAPS:  # three rates or more: factoring would take longer than the density
        return []
    factors = [factor for base in below for factor, _ in sympy.factor_list(base)[1] if factor.is_zero is None]
    found = set()
    for factor in factors:
        symbol = max(factor.free_symbols, key=str)
        rise = factor.diff(symbol)
        if not rise.has(symbol):
            found.add((symbol, sympy.expand(symbol - factor / rise)))
    return sorted(found, key=str)


def line_parts(measure: Measure, omega: Any) -> tuple[Any, Any]:
    """(Re μ, Im μ) at ω, each in real form. Raises NotClosed without a closed form."""
    numbers = ExactNumbers()
    total = numbers.real(0)
    for member in line_members(measure, numbers):
        if is_even(member) or member.lag is None:
            total = total + numbers.real(_of_member(member, omega))
        elif _singular_points(member):
            whole = _of_member(member, omega)
            total = total + numbers.complex(sympy.re(whole), sympy.im(whole))
        else:
            total = total + density_of_member(member, numbers.frequency(omega), numbers)
    return total.re, total.im


def _of_member(member: Member, omega: Any) -> Any:
    if member.lag is None:
        if member.frequency is None or any(piece.wave != 0 for piece in member.frequency.pieces):
            raise NotClosed("a density with waves, which has a form by parts only")
        return function_of(member.frequency, omega)
    even = is_even(member)
    numbers = ExactNumbers() if even else PlainNumbers()

    def value(at: Any) -> Any:
        found = density_of_member(member, numbers.frequency(at), numbers)
        return found.re if even else found

    other = _in_complex_numbers(member, omega) if even else _by_parity(member, omega)
    whole = gathered_terms(_shorter(value(omega), other))
    special = [
        (value(point) if member.frequency is None else _by_integral(member, point), sympy.Eq(omega, point))
        for point in _singular_points(member)
    ]
    return sympy.Piecewise(*special, (whole, True)) if special else whole


def _in_complex_numbers(member: Member, omega: Any) -> Any | None:
    """The density of an even member as a real part, if special functions need one; None otherwise.

    The real part is kept unevaluated: SymPy would multiply it out.
    """
    whole, right, _ = transforms_of_member(member, omega, PlainNumbers())
    if right is None or not right.has(sympy.erf, sympy.erfc, sympy.expint, sympy.Ei):
        return None
    if whole.has(sympy.I):
        whole, right = sympy.S.Zero, right + whole / 2
    content, right = right.as_content_primitive() if right.is_Add else (sympy.S.One, right)
    return (whole / 2 + content * sympy.re(right, evaluate=False)) / sympy.pi


def _by_parity(member: Member, omega: Any) -> Any | None:
    """The density of the even part of k plus that of the odd part, if both have fewer pieces than k."""
    lag = member.lag
    if lag is None or (member.frequency is not None and not member.frequency.is_even):
        return None
    half, back = sympy.S.Half, lag.mirrored()
    even, odd = (lag + back).scaled(half), (lag + back.scaled(-1)).scaled(half)
    sides = [len(part.after_zero.pieces) for part in (even, odd, lag, back)]
    if not even.pieces or not odd.pieces or sides[0] + sides[1] >= sides[2] + sides[3]:
        return None
    whole, right, _ = transforms_of_member(Member(odd, member.frequency), omega, PlainNumbers())
    imaginary = sympy.S.Zero if right is None else sympy.im(right, evaluate=False)  # the left is minus its conjugate
    return _of_member(Member(even, member.frequency), omega) + (whole / 2 + sympy.I * imaginary) / sympy.pi


def _shorter(first: Any, second: Any | None) -> Any:
    """The second if it saves a third of the operations."""
    return first if second is None or 2 * first.count_ops() <= 3 * second.count_ops() else second


def _singular_points(member: Member) -> list[Any]:
    """Frequencies at which single terms have canceling poles: those of pieces that do not decay."""
    found: list[Any] = []
    for piece in member.lag.pieces if member.lag is not None else ():
        if piece.rate != 0 or piece.curvature != 0 or piece.is_whole_line:
            continue
        if member.frequency is None:
            candidates = [piece.wave]
        else:
            ends = [end for part in member.frequency.pieces for end in (part.low, part.high) if end is not None]
            candidates = [piece.wave + end for end in ends]
        found += [point for point in candidates if point not in found]
    return found


@lru_cache(maxsize=64)
def _by_integral(member: Member, point: Any) -> Any:
    """The density at one frequency as an integral over the lags, which are bounded when this is needed."""
    numbers = ExactNumbers()
    if member.lag is None or member.frequency is None:
        raise NotClosed("not a product")
    t = sympy.Symbol("t", positive=True)
    smooth = transform(member.frequency.pieces, numbers.frequency(-t), numbers, numbers).re
    even, total = is_even(member), sympy.S.Zero
    for side, sign in ((member.lag, -1), (member.lag.mirrored(), 1)):
        for piece in side.after_zero.pieces:
            level = piece.level - piece.rate * t - piece.curvature * t**2
            size = sympy.Add(*[c * t**n for n, c in enumerate(piece.weights)]) * sympy.exp(level) * smooth
            angle = piece.phase + piece.wave * t + sign * point * t
            wave = sympy.cos(angle) if even else sympy.exp(sympy.I * angle)
            high = sympy.oo if piece.high is None else piece.high
            integral = sympy.Integral(size * wave, (t, piece.low, high))
            total += bounded(partial(_with_sine_integrals, integral), partial(sympy.S, integral)) / (2 * sympy.pi)
    return total


def _with_sine_integrals(integral: Any) -> Any:
    """The integral of powers of t, from 1/t on, times sines and cosines; as it is if it is none of these."""
    from sympy.simplify.fu import TR8

    ((t, low, high),) = integral.limits
    total = sympy.S.Zero
    for term in () if integral.function.has(sympy.exp) else sympy.Add.make_args(sympy.expand(TR8(integral.function))):
        size, rest = term.as_independent(t)
        wave = rest * t
        if wave.func is sympy.sin and wave.args[0].has(t):
            total += size * (sympy.Si(wave.args[0].subs(t, high)) - sympy.Si(wave.args[0].subs(t, low)))
        else:
            total += sympy.integrate(term, (t, low, high))
    return integral if total == 0 or total.has(sympy.Integral) else total


def radial_expression(measure: Measure, frequency: SymbolicPairs) -> Any:
    """μ(ω) for products of radial kernels, some of them tilted or shifted Gaussians. Raises NotClosed."""
    return _by_cases(partial(radial_terms, measure, densities=True), partial(_of_terms, frequency))


def _of_terms(frequency: SymbolicPairs, terms: Sequence[RadialTerm]) -> Any:
    found, left = [], list(terms)
    while left:
        term = left.pop(0)
        value = _of_term(term, frequency)
        opposite = next((other for other in left if _is_opposite(term, other)), None)
        if opposite is not None:  # f(r) sinh(β·Δ): the densities of e^{β·Δ} and e^{−β·Δ} are conjugate
            left.remove(opposite)
            value = 2 * sympy.I * sympy.im(value, evaluate=False)
        found.append(value)
    return sympy.Add(*found)


def _is_opposite(term: RadialTerm, other: RadialTerm) -> bool:
    """Whether the other is the negative of the term at −Δ."""
    if (
        not term.tilt
        or term.frequency != other.frequency
        or len(term.tilt) != len(other.tilt)
        or any(a + b != 0 for a, b in zip(term.tilt, other.tilt, strict=True))
    ):
        return False
    return not (term.profile + other.profile).pieces


def _of_term(term: RadialTerm, frequency: SymbolicPairs) -> Any:
    if term.tilt:
        frequency = frequency.shift(tuple(-sympy.I * entry for entry in term.tilt))
    square, dim, pieces = frequency.squared_norm(), frequency.dim, term.profile.after_zero.pieces
    has_ends = any(piece.low != 0 or piece.high is not None for piece in pieces)
    has_waves = any(piece.wave != 0 for piece in pieces)
    if term.tilt or term.frequency is not None or not (has_ends or has_waves):
        require_radial(term.profile, dim, term.frequency)
    elif not term.profile.decays or not term.profile.is_even:
        raise NotClosed("a function of the distance that does not decay, or is not even")
    if not has_ends and not has_curvature(term.profile) and term.frequency is None:
        return _fraction(term.profile, square, dim)
    if not isinstance(dim, int) or dim % 2 == 0:
        if any(any(piece.shape[2:]) for piece in pieces):
            raise NotClosed("a function of the distance with breakpoints, or a Gaussian, outside of odd dimensions")
        return _of_polynomials(term.profile, square, dim)
    value = _from_line(term, dim, sympy.sqrt(square))
    if term.tilt or dim == 1:
        return value
    special = [(_at_zero(term, dim), sympy.Eq(square, 0))]
    poles = (abs(piece.wave) for piece in pieces if piece.rate == piece.curvature == 0 != piece.wave)
    for pole in dict.fromkeys(poles):
        numbers = ExactNumbers()
        found = derivatives_of_line(term.profile, dim, numbers.frequency(pole), numbers)
        special.append((found.re, sympy.Eq(square, pole**2)))
    return sympy.Piecewise(*special, (value, True))


def _of_polynomials(profile: Piecewise, square: Any, dim: Any) -> Any:
    """For polynomials on intervals: ∫_0^v r^{n+d−1} ₀F₁(; d/2; −ρ²r²/4) dr is v^{n+d}/(n+d) times a ₁F₂."""
    half, total = sympy.S(dim) / 2, []
    for piece in profile.after_zero.pieces:
        for end, sign in ((piece.high, 1), (piece.low, -1)):
            for n, weight in enumerate(piece.weights):
                order = half + sympy.S(n) / 2
                wave = hypergeometric([order], [half, order + 1], -square * end**2 / 4)
                total.append(sign * weight * end ** (n + dim) / (n + dim) * wave)
    return 2 / ((4 * sympy.pi) ** half * sympy.gamma(half)) * sympy.Add(*total)


def _from_line(term: RadialTerm, dim: int, radius: Any) -> Any:
    """The density in odd d from the one on the line: one transform of k(t) times a polynomial per side of zero.

    For real ‖ω‖ the sides are conjugate, and the first is enough.
    """
    numbers, m, zero = ExactNumbers(), (dim - 1) // 2, sympy.S.Zero
    profile, is_complex = term.profile, bool(term.tilt)
    if term.frequency is not None:
        if is_complex:
            return derivatives_of_line(profile, dim, radius, PlainNumbers(), term.frequency)
        return derivatives_of_line(profile, dim, numbers.frequency(radius), numbers, term.frequency).re
    whole = profile.whole_line
    if is_complex:
        smooth = derivatives_of_line(whole, dim, radius, PlainNumbers())
    else:
        smooth = derivatives_of_line(whole, dim, numbers.frequency(radius), numbers).re
    half = profile.with_ends.after_zero.pieces
    if not half:
        return smooth
    alphas = derivative_weights(dim)
    lowest = min(alphas)
    # factor out what all terms share
    r = sympy.Dummy("r", positive=None if is_complex else True)
    size = radius ** (lowest - 2 * m) / (-2 * sympy.pi) ** m / (2 * sympy.pi)
    factors = [zero] * lowest + [
        alphas.get(j, 0) * (-sympy.I * r) ** (j - lowest) for j in range(lowest, max(alphas) + 1)
    ]

    def side(sign: int) -> Any:
        pieces = []
        for piece in half:
            weights = [zero] * (len(piece.weights) + len(factors) - 1)
            for j, factor in enumerate(factors):
                for n, weight in enumerate(piece.weights):
                    weights[n + j] += sign**j * factor * weight
            pieces.append(replace(piece, weights=tuple(weights)))
        return transform(pieces, sign * r, numbers, PlainNumbers())

    turn = (-sympy.I) ** lowest
    if is_complex:
        return smooth + size * turn * _plain_terms_together(side(1) + side(-1)).subs(r, radius)
    part = sympy.im if lowest % 2 else sympy.re
    sign = (-1) ** (lowest // 2)  # Re((−i)^n z) is ±Re z, or ±Im z
    return smooth + 2 * sign * size * part(_plain_terms_together(side(1)).subs(r, radius), evaluate=False)


def _plain_terms_together(value: Any) -> Any:
    """The sum in a shorter form: terms without special functions, which partly cancel, multiplied
    out; common factors.
    """
    terms = sympy.Add.make_args(value)
    special = [term for term in terms if term.has(sympy.erfc)]
    plain = sympy.Add(*[term for term in terms if term not in special])
    return sympy.expand(plain) + sympy.factor_terms(sympy.Add(*special))


def _fraction(profile: Piecewise, square: Any, dim: Any) -> Any:
    """The density from `fractions`; a wave e^{i(φ + wr)} is a factor e^{iφ} and a complex rate."""
    h = (sympy.S(dim) + 1) / 2
    pieces, has_waves = profile.after_zero.pieces, any(piece.wave != 0 for piece in profile.pieces)
    if has_waves:
        zero = sympy.S.Zero
        turned = [
            replace(piece.scaled(sympy.exp(sympy.I * piece.phase)), rate=piece.rate - sympy.I * piece.wave)
            for piece in pieces
        ]
        profile = Piecewise(tuple(replace(piece, phase=zero, wave=zero) for piece in turned), profile.numbers)
    found = []
    for c, weights in fractions(profile, dim):
        q, top = sympy.Symbol("q", positive=True), len(weights) - 1
        numerator = sympy.Add(*[b * c ** (2 * j) * q ** (top - j) for j, b in enumerate(weights)])
        whole = sympy.factor_terms(sympy.factor(sympy.expand(numerator)))
        found.append((whole * q ** (-h - top)).subs(q, c**2 + square))
    total = sympy.re(sympy.Add(*found), evaluate=False) if has_waves else sympy.Add(*found)
    return sympy.gamma(h) / sympy.pi**h * total


def _at_zero(term: RadialTerm, dim: int) -> Any:
    """(2π)^{−d} times the integral of k: half the surface of the sphere times ∫ |r|^{d−1} k(r) dr."""
    numbers, half = ExactNumbers(), sympy.Rational(dim, 2)
    mass = line_derivative(term.profile, dim - 1, numbers.frequency(0), numbers, term.frequency).re
    return (-1) ** ((dim - 1) // 2) * sympy.pi**half / sympy.gamma(half) / (2 * sympy.pi) ** dim * mass
