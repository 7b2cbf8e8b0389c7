"""Kernels and spectral laws on a line as piecewise exponential polynomials, as declared by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from math import factorial
from operator import add
from typing import Any

from kernelspec.expressions.formula import Formula, Operations, evaluate, terms_of
from kernelspec.kernels.leaf import Leaf
from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ClosedCoefficients
from kernelspec.measures.algebra.frequency_pieces import on_disjoint_intervals
from kernelspec.measures.algebra.numbers import Coefficients
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, translated_polynomial
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided, exponential

__all__ = ["Member", "PieceMaker", "lag_of", "outside_pieces", "pieces_of"]


@dataclass(frozen=True)
class Member:
    """A kernel on a line by its pieces: `lag` those of k(t), `frequency` those of its spectral density; one may be
    None.
    """

    lag: Piecewise | None = None
    frequency: Piecewise | None = None


def pieces_of(kernel: Leaf, numbers: Coefficients) -> Member:
    """The pieces of a kernel on one column. Raises NotClosed if it has none."""
    found: Member | None = kernel.pieces(PieceMaker(numbers))
    if found is None:
        raise NotClosed(f"{kernel} is not a piecewise exponential polynomial{kernel.pieces_if}")
    return found


def lag_of(member: Member) -> Piecewise:
    """The function of the lag. Raises NotClosed for a density."""
    if member.lag is None:
        raise NotClosed("a density where a function of the lag is needed")
    return member.lag


@dataclass(frozen=True)
class PieceMaker:
    """The operations with which kernels declare their pieces, `special.closed_forms.Line`; each returns a member."""

    numbers: Coefficients

    def number(self, value: Any) -> Any:
        return self.numbers.number(value)

    def root(self, value: Any) -> Any:
        return self.numbers.root(value)

    def exponential(self, value: Any) -> Any:
        return self.numbers.exponential(value)

    def bell(self, scale: Any) -> Member:
        curvature = self.numbers.simplified(self.number(1) / (2 * self.number(scale) ** 2))
        return self._of([self._piece(None, None, (self.number(1),), curvature=curvature)])

    def decay(self, weights: Any, rate: Any, factor: Any = 1) -> Member:
        scaled = tuple(self.numbers.simplified(factor * self.number(c) * rate**n) for n, c in enumerate(weights))
        piece = self._piece(self.number(0), None, scaled, rate=self.numbers.simplified(rate))
        return self._of([piece, piece.mirrored()])

    def tents(self, widths: list[tuple[Any, Any]]) -> Member:
        pieces = []
        for width, weight in widths:
            if not self.numbers.is_zero(weight, weight):
                piece = self._piece(self.number(0), width, (weight, -weight / width))
                pieces += [piece, piece.mirrored()]
        return self._of(pieces)

    def polynomials(self, parts: list[tuple[Any, Any, tuple[Any, ...]]]) -> Member:
        n = self.number
        pieces = [self._piece(n(low), n(high), tuple(map(n, weights))) for low, high, weights in parts]
        return self._of([*pieces, *(piece.mirrored() for piece in pieces)])

    def wave(self, frequency: Any) -> Member:
        half, angle = self.number(1) / 2, self.number(frequency)
        return self._of([self._piece(None, None, (half,), wave=each) for each in (angle, -angle)])

    def damped(self, rate: Any, wave: Any, share: Any) -> Member:
        zero, quarter = self.number(0), self.numbers.pi() / 2
        simplified = self.numbers.simplified
        pieces = []
        for size, phase in ((self.number(1), zero), (share, quarter)):
            for sign in (1, -1):
                exponent = (zero, simplified(rate), zero, -sign * phase, simplified(sign * wave))
                pieces.append(Piece(zero, None, (simplified(size / 2),), *exponent))
        return self._of([*pieces, *(piece.mirrored() for piece in pieces)])

    def formula(self, formula: Formula) -> Member:
        def number(value: ClosedNumber | None) -> Any:
            return None if value is None else self.number(value.expression())

        function, pole = _pieces_or_why(formula)
        pieces = []
        for piece in function.pieces:
            low, high, *others = map(number, piece.shape)
            moved = Piece(low, high, tuple(map(number, piece.weights)), *others)
            if pole:
                pieces.append(moved)
                continue
            odd = piece.weights[0 if piece.phase.terms else 1 :: 2]  # for waves with a quarter phase, the even ones
            if piece.low == 0 and piece.high is None and not piece.rate.terms and not any(c.terms for c in odd):
                pieces.append(replace(moved, low=None))  # analytic at 0
            else:
                pieces += [moved, moved.mirrored()]
        return self.spectral(self._of(pieces)) if pole else self._of(pieces)

    def band(self, bandwidth: Any) -> Member:
        size = self.number(bandwidth)
        return self.spectral(self._of([self._piece(-size, size, (1 / (2 * size),))]))

    def spectral(self, function: Member) -> Member:
        return Member(None, function.lag)

    def shifted(self, function: Member, by: Any) -> Member:
        return Member(lag_of(function).shifted(by))

    def tilted(self, function: Member, by: Any) -> Member:
        return Member(lag_of(function).tilted(by))

    def stretched(self, function: Member, factor: Any) -> Member:
        return Member(lag_of(function).stretched(factor))

    def total(self, terms: list[tuple[Any, Any]]) -> Member:
        pieces = [piece for weight, member in terms for piece in lag_of(member).scaled(weight).pieces]
        return self._of(pieces)

    def _of(self, pieces: list[Piece]) -> Member:
        return Member(Piecewise.of(pieces, self.numbers))

    def _piece(
        self, low: Any, high: Any, weights: tuple[Any, ...], rate: Any = None, curvature: Any = None, wave: Any = None
    ) -> Piece:
        zero = self.number(0)
        rate, curvature, wave = (zero if value is None else value for value in (rate, curvature, wave))
        return Piece(low, high, weights, zero, rate, curvature, zero, wave)


_MOST_PRODUCTS, _LARGEST_DEGREE, _LARGEST_POWER = 400, 16, 12
_ZERO, _HALF = ClosedNumber.of(0), ClosedNumber.of(Fraction(1, 2))


def _of_formula(formula: Formula) -> tuple[Piecewise, int]:
    """The formula for t > 0 with products, powers, cosh and sinh multiplied out, and 0; or a density and the order of
    the pole that is canceled, as in (1 − cos t)/t². Raises NotClosed."""
    found = _found_or_why_not(formula)
    if isinstance(found, str):
        raise NotClosed(found)
    return found


@lru_cache(maxsize=256)
def _found_or_why_not(formula: Formula) -> tuple[Piecewise, int] | str:
    """The same, or why there is none: that takes as long to find out."""
    try:
        found, pole = _lowest_terms(*evaluate(formula, (_power_of_t(1), 0), _FormulaPieces()))
        if pole:
            return _density_of_waves(found, pole), pole
        if found.decays or any(p.curvature.terms or p.phase.terms or p.wave.terms for p in found.pieces):
            return found, 0
        return on_disjoint_intervals(found.pieces, ClosedCoefficients()), 0  # max(0, 1 − t)² ends at 1
    except (NotDecided, ZeroDivisionError) as error:
        return f"a formula with {error}"
    except NotClosed as error:
        return str(error)


def _pieces_or_why(formula: Formula) -> tuple[Piecewise, int]:
    """The same; NotClosed names the part of the formula that has no pieces."""
    try:
        return _of_formula(formula)
    except NotClosed:
        if (outside := outside_pieces(formula)) is None:
            raise
        where = "" if str(formula).endswith(f"-> {outside[0]}") else f", in {formula},"
        raise NotClosed(f"{outside[0]}{where} is {outside[1]}") from None


def _lowest_terms(function: Piecewise, pole: int) -> tuple[Piecewise, int]:
    """f(t) t⁻ⁿ without common factors t."""
    firsts = (next(k for k, weight in enumerate(piece.weights) if weight.terms) for piece in function.pieces)
    common = min(pole, min(firsts, default=pole))
    cut = (replace(piece, weights=piece.weights[common:]) for piece in function.pieces)
    return Piecewise.of(cut, function.numbers), pole - common


def _density_of_waves(waves: Piecewise, pole: int) -> Piecewise:
    """The spectral density of an even f(t) = t⁻ⁿ Σ c t^k cos(wt + φ) without a pole: splines with knots at ±w.

    t⁻ᵐ e^{iwt} has the density iᵐ (w − ω)^{m−1} sign(w − ω) / (2 (m − 1)!), up to polynomials, which cancel if f is
    finite at 0. Raises NotClosed for other functions.
    """
    splines: list[Piece] = []
    for piece in waves.pieces:
        if any(c.terms for c in (piece.low, piece.level, piece.rate, piece.curvature)) or piece.high is not None:
            raise NotClosed("a quotient by t of what is not a sum of waves")
        for k, weight in enumerate(piece.weights):
            m = pole - k
            if not weight.terms:
                continue
            if m < 1 or m % 2 != bool(piece.phase.terms):
                raise NotClosed("a quotient that is not even, or does not fall to 0")
            size = weight * ClosedNumber.of(Fraction((-1) ** ((m + 1) // 2), 4 * factorial(m - 1)))
            for turn in (1, -1):  # cos(wt + π/2) = −sin(wt): its two exponentials have opposite signs
                knot, own = piece.wave * ClosedNumber.of(turn), size * ClosedNumber.of(-turn if m % 2 else 1)
                spline = translated_polynomial((_ZERO,) * (m - 1) + (own,), -knot)
                splines.append(Piece(knot, None, tuple(spline), *[_ZERO] * 5))
                splines.append(Piece(None, knot, tuple(-c for c in spline), *[_ZERO] * 5))
    found = on_disjoint_intervals(splines, ClosedCoefficients())
    if any(piece.low is None or piece.high is None for piece in found.pieces):
        raise NotClosed("a quotient that is infinite at 0")
    return found


def outside_pieces(formula: Formula) -> tuple[str, str] | None:
    """The smallest part of a formula that is not a piecewise exponential polynomial, and what it is; None if all is."""
    for term in reversed(list(terms_of(formula.body))):
        part = Formula(term, formula.variable)
        try:
            _of_formula(part)
        except NotClosed as error:
            return str(part).partition("-> ")[2], str(error)
    return None


def _polynomial(weights: Sequence[Any]) -> Piecewise:
    return _piece(tuple(map(ClosedNumber.of, weights)))


def _piece(weights: tuple[ClosedNumber, ...], *others: ClosedNumber) -> Piecewise:
    """For t > 0; `others` are level, rate, curvature, phase and wave."""
    return Piecewise.of([Piece(_ZERO, None, weights, *others, *[_ZERO] * (5 - len(others)))], ClosedCoefficients())


class _FormulaPieces(Operations[tuple[Piecewise, int]]):
    """Pairs (f, n) for f(t) t⁻ⁿ."""

    def constant(self, value: Any) -> tuple[Piecewise, int]:
        return _polynomial([value]), 0

    def pi(self) -> tuple[Piecewise, int]:
        return _polynomial([sympy.pi]), 0

    def sum(self, terms: Sequence[tuple[Piecewise, int]]) -> tuple[Piecewise, int]:
        pole = max(order for _, order in terms)
        return reduce(add, (_times(f, _power_of_t(pole - order)) if pole > order else f for f, order in terms)), pole

    def negation(self, operand: tuple[Piecewise, int]) -> tuple[Piecewise, int]:
        return _negated(operand[0]), operand[1]

    def product(self, factors: Sequence[tuple[Piecewise, int]]) -> tuple[Piecewise, int]:
        return reduce(_times, (f for f, _ in factors)), sum(order for _, order in factors)

    def quotient(self, numerator: tuple[Piecewise, int], denominator: tuple[Piecewise, int]) -> tuple[Piecewise, int]:
        return self.product([numerator, _inverse(*denominator)])

    def constant_power(self, base: tuple[Piecewise, int], exponent: tuple[Piecewise, int]) -> tuple[Piecewise, int]:
        count = _constants(_without_pole(exponent), 1)[0].rational()
        if count is not None and count.denominator != 1:
            return _polynomial([_constants(_without_pole(base), 1)[0].root(count)]), 0
        if count is None or abs(count) > _LARGEST_POWER:
            raise NotClosed("a power that is not whole, or large")
        return self.product([self.constant(1), *[base if count > 0 else _inverse(*base)] * abs(int(count))])

    def function(self, name: str, arguments: Sequence[tuple[Piecewise, int]]) -> tuple[Piecewise, int]:
        return _function(name, list(map(_without_pole, arguments))), 0


def _without_pole(quotient: tuple[Piecewise, int]) -> Piecewise:
    """f for f(t) t⁻⁰. Raises NotClosed."""
    if quotient[1]:
        raise NotClosed("a function of a quotient by t")
    return quotient[0]


def _power_of_t(order: int) -> Piecewise:
    return _polynomial([0] * order + [1])


def _negated(function: Piecewise) -> Piecewise:
    return function.scaled(ClosedNumber.of(-1))


def _times(left: Piecewise, right: Piecewise) -> Piecewise:
    degree = sum(max((len(piece.weights) for piece in side.pieces), default=0) for side in (left, right))
    if len(left.pieces) * len(right.pieces) > _MOST_PRODUCTS or degree > _LARGEST_DEGREE:
        raise NotClosed("a formula of too many terms")
    return Piecewise.of(map(_of_quarters, (left * right).pieces), left.numbers)


def _inverse(function: Piecewise, pole: int) -> tuple[Piecewise, int]:
    """1/f for c tⁿ e^{…}. Raises NotClosed."""
    (piece,) = function.pieces if len(function.pieces) == 1 else (None,)
    if (
        piece is None
        or any(weight.terms for weight in piece.weights[:-1])
        or piece.phase.terms
        or piece.high is not None
        or piece.low.terms
    ):
        raise NotClosed("a quotient whose denominator is not an exponential")
    others = (-piece.level, -piece.rate, -piece.curvature, _ZERO, -piece.wave)
    found, order = _piece((piece.weights[-1].inverse(),), *others), len(piece.weights) - 1 - pole
    return (found, order) if order >= 0 else (_times(found, _power_of_t(-order)), 0)


def _function(name: str, arguments: list[Piecewise]) -> Piecewise:
    if name in ("max", "min"):
        sign = ClosedNumber.of(1 if name == "max" else -1)
        other, base = sorted(arguments, key=lambda own: not own.pieces)  # max(0, 1 − t) ends at 1
        return base + _positive((other + _negated(base)).scaled(sign)).scaled(sign)
    if name == "exp":
        return _exponential(_constants(arguments[0], 3))
    if name in ("cosh", "sinh"):
        weights = _constants(arguments[0], 3)
        other = _exponential([-c for c in weights]).scaled(ClosedNumber.of(1 if name == "cosh" else -1))
        return (_exponential(weights) + other).scaled(_HALF)
    if name in ("sqrt", "log"):
        value = _constants(arguments[0], 1)[0]
        return _polynomial([value.root(Fraction(1, 2)) if name == "sqrt" else sympy.log(value.expression())])
    if name not in ("cos", "sin"):
        raise NotClosed(_LONG[1])
    phase, turn = _constants(arguments[0], 2)
    if name == "sin":
        phase = phase - ClosedNumber.of(sympy.pi / 2)
    waves = [_piece((_HALF,), _ZERO, _ZERO, _ZERO, sign * phase, sign * turn) for sign in (1, -1)]
    return Piecewise.of((_of_quarters(piece) for wave in waves for piece in wave.pieces), waves[0].numbers)


_LONG = {
    1: "a function that is neither an exponential nor a wave",
    2: "a function of what is not linear",
    3: "an exponential of what is not quadratic",
}


def _constants(function: Piecewise, count: int) -> list[ClosedNumber]:
    """The coefficients of a polynomial of a degree below `count`. Raises NotClosed."""
    weights: tuple[ClosedNumber, ...] = function.pieces[0].weights if function.pieces else ()
    flat = _polynomial([1]).pieces[0].shape
    if len(weights) > count or any(piece.shape != flat for piece in function.pieces):
        raise NotClosed(_LONG[count])
    return [*weights, *[_ZERO] * (count - len(weights))]


def _exponential(weights: list[ClosedNumber]) -> Piecewise:
    return _piece((exponential(weights[0]),), _ZERO, -weights[1], -weights[2])


def _positive(line: Piecewise) -> Piecewise:
    """max(0, a + bt). Raises NotClosed for another function."""
    a, b = _constants(line, 2)
    place = _ZERO if not b.terms else -a / b
    if place.sign() <= 0:
        return line if (b.sign() or a.sign()) > 0 else line.scaled(_ZERO)
    return line.restricted(place, None) if b.sign() > 0 else line.restricted(_ZERO, place)


def _of_quarters(piece: Piece) -> Piece:
    """The piece with phase 0 or π/2. Raises NotClosed unless the phase is a multiple of a quarter turn."""
    quarters = (piece.phase / ClosedNumber.of(sympy.pi / 2)).rational()
    if quarters is None or quarters.denominator != 1:
        raise NotClosed("a wave with a phase")
    turned = piece.scaled(ClosedNumber.of(-1)) if int(quarters) % 4 >= 2 else piece
    return replace(turned, phase=ClosedNumber.of(sympy.pi / 2) if int(quarters) % 2 else _ZERO)
