"""Enclosures of a formula and its derivatives on whole intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.formula import Formula, Operations, divides, evaluate
from kernelspec.expressions.interval import PI, ZERO, Interval
from kernelspec.expressions.taylor import NotAnalytic, Number, Taylor, as_interval, taylor

__all__ = ["Undecided", "enclose", "enclose_in_octaves", "expansion", "mended_start"]

_ORDER = 24
_WIDEST, _OCTAVES = 4.0, 40
_SMALL = 2.0**-54


@dataclass(frozen=True)
class Expansion:
    """Σ c_k t^k, which equals f on [0, `reach`] up to rounding, with two derivatives."""

    coefficients: tuple[float, ...]
    reach: float

    def derivatives(self, t: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """f, f′ and f″."""
        series = np.polynomial.Polynomial(self.coefficients)
        return [np.asarray(part(t)) for part in (series, series.deriv(), series.deriv(2))]


@lru_cache(maxsize=256)
def expansion(formula: Formula) -> Expansion | None:
    """The expansion of a formula with a removable 0/0 at t = 0; None for others, whose own rules work there."""
    for high, found in _series(formula):
        n = len(found.start) - 1
        if n < 4:
            return None
        size = as_interval(found.start[0]).size().low
        rest = as_interval(found.around[n]).size().high * high**n
        bend = max(as_interval(found.start[2]).size().low, size)
        if rest <= _SMALL * size and n * n * rest <= _SMALL * bend * high**2:
            numbers = tuple(_middle(x) for x in found.start[:n])
            return Expansion(numbers, high)
    return None


@lru_cache(maxsize=256)
def mended_start(formula: Formula) -> Number | None:
    """The limit at t = 0 of a formula with a removable 0/0 there, which may be 0; None for others."""
    return next((found.start[0] for _, found in _series(formula)), None)


def _series(formula: Formula) -> Iterator[tuple[float, Taylor]]:
    """The ends h of intervals [0, h], from the longest on, and the series there."""
    if formula.unknowns() or not divides(formula):
        return
    for octave in range(_OCTAVES):
        high = _WIDEST * 2.0**-octave
        try:
            found = taylor(formula, high, _ORDER)
        except NotAnalytic:
            continue
        if not found.is_mended:
            return
        yield high, found


def enclosed_near_zero(formula: Formula, high: float) -> Enclosure | None:
    """The enclosure on (0, high] of a formula with a removable 0/0 at t = 0; None if there is none.

    f = Σ_{k<n} c_k t^k + r(t) t^n with r in the interval of f⁽ⁿ⁾/n!, and f″ likewise.
    """
    if not high <= _WIDEST or expansion(formula) is None:
        return None
    try:
        found = taylor(formula, high, _ORDER)
    except NotAnalytic:
        return None
    value, slope, curvature = (_enclosed(found, high, order) for order in (0, 1, 2))
    positive = value.is_positive
    log = EVERYTHING if positive else ZERO
    return finished(Enclosure(value, slope, curvature, positive, log, log))


def _enclosed(found: Taylor, high: float, order: int) -> Interval:
    line, last = Interval(0.0, high), len(found.start) - 1
    numbers = [*found.start[:last], found.around[last]]
    for _ in range(order):
        numbers = [_scaled(x, k) for k, x in enumerate(numbers)][1:]
    total = as_interval(numbers[-1])
    for x in numbers[-2::-1]:
        total = total * line + as_interval(x)
    return total


def _scaled(x: Number, k: int) -> Number:
    return x * k if isinstance(x, Fraction) else x * Interval(float(k), float(k))


def _middle(x: Number) -> float:
    return float(x) if isinstance(x, Fraction) else (x.low + x.high) / 2


_ONE, _MINUS_ONE = Interval(1.0, 1.0), Interval(-1.0, -1.0)
_QUARTER = Interval(0.25, 0.25)


def enclose(formula: Formula, low: float, high: float) -> Enclosure:
    """The enclosure of a formula on [low, high], 0 ≤ low < high; on (0, high] if low is 0. Raises Undecided."""
    near = enclosed_near_zero(formula, high) if low == 0 else None
    if near is not None:
        return near
    line = Interval(low, high)
    inverse = line.reciprocal()
    return evaluate(formula, Enclosure(line, Interval(1.0, 1.0), ZERO, True, inverse, -inverse.square()), _Enclosures())


def enclose_in_octaves(formula: Formula, low: float, high: float) -> Enclosure:
    """The enclosure on [low, high], low > 0, with derivatives in s = log t: sharp if f resembles a power of t.

    t f′ = f_s and t² f″ = f_ss − f_s. Raises Undecided.
    """
    line = Interval(low, high)
    return evaluate(formula, Enclosure(line, line, line, True, _ONE, ZERO), _Enclosures())


def _number(value: Interval) -> Enclosure:
    return Enclosure(value, ZERO, ZERO, value.is_positive)


class _Enclosures(Operations["Enclosure"]):
    def constant(self, value: Any) -> Enclosure:
        if not isinstance(value, Fraction):
            raise Undecided
        return _number(Interval.of(value))

    def pi(self) -> Enclosure:
        return _number(PI)

    def sum(self, terms: Sequence[Enclosure]) -> Enclosure:
        found = reduce(_sum, terms)
        return _averaged(found, terms) if all(term.is_positive for term in terms) else found

    def negation(self, x: Enclosure) -> Enclosure:
        turned = Enclosure(-x.value, -x.slope, -x.curvature, may_rise=x.may_fall, may_fall=x.may_rise)
        return finished(turned)

    def product(self, factors: Sequence[Enclosure]) -> Enclosure:
        return reduce(_product, factors)

    def quotient(self, numerator: Enclosure, denominator: Enclosure) -> Enclosure:
        if denominator.value.high < 0:
            return self.quotient(self.negation(numerator), self.negation(denominator))
        return _product(numerator, self.constant_power(denominator, _number(_MINUS_ONE)))

    def constant_power(self, base: Enclosure, exponent: Enclosure) -> Enclosure:
        p = exponent.value
        if p.low == p.high and p.low == int(p.low) and 0 <= p.low <= 64 and not base.is_positive:
            return finished(_whole_power(base, int(p.low)))
        if base.value.low < 0 or not (base.is_positive or p.low >= 1):
            raise Undecided
        v, factor = base.value, p * (p - Interval(1.0, 1.0))
        if p.low >= 1:
            factor = factor.meet(NOT_NEGATIVE)
        first = p * v.power(p - Interval(1.0, 1.0))
        second = factor * v.power(p - Interval(2.0, 2.0)) if factor != ZERO else ZERO
        found = _chain(base, v.power(p), first, second, positive=base.is_positive)
        if base.is_positive:
            found = replace(found, log_slope=p * base.log_slope, log_curvature=p * base.log_curvature)
        return finished(found)

    def function(self, name: str, arguments: Sequence[Enclosure]) -> Enclosure:
        x = arguments[0]
        match name:
            case "max":
                return _maximum(x, arguments[1])
            case "min":
                return self.negation(_maximum(self.negation(x), self.negation(arguments[1])))
            case "abs":
                if x.is_positive:
                    return x
                opposite = self.negation(x)
                return opposite if opposite.is_positive else _maximum(x, opposite)
            case "sqrt":
                return self.constant_power(x, _number(Interval(0.5, 0.5)))
            case "exp":
                e = x.value.exp()
                found = _chain(x, e, e, e, positive=True)
                return finished(replace(found, log_slope=x.slope, log_curvature=x.curvature))
            case "log":
                if not x.is_positive:
                    raise Undecided
                value = x.value.log()
                return finished(
                    Enclosure(value, x.log_slope, x.log_curvature, may_rise=x.may_rise, may_fall=x.may_fall)
                )
        return _smooth(name, x)


def _smooth(name: str, x: Enclosure) -> Enclosure:
    """Waves and hyperbolic functions; Undecided for the others."""
    match name:
        case "sin" | "cos":
            s, c = x.value.sin(), x.value.cos()
            return finished(_chain(x, s, c, -s) if name == "sin" else _chain(x, c, -s, -c))
        case "sinh" | "cosh":
            s, c = x.value.sinh(), x.value.cosh()
            rising = name == "sinh"
            return finished(_chain(x, s, c, s, positive=x.is_positive) if rising else _chain(x, c, s, c, positive=True))
        case "tanh":
            t = x.value.tanh()
            first = (Interval(1.0, 1.0) - t.square()).meet(NOT_NEGATIVE)
            return finished(_chain(x, t, first, -(t * first + t * first), positive=x.is_positive))
    raise Undecided


def _whole_power(x: Enclosure, n: int) -> Enclosure:
    v = x.value
    factors = (Interval(float(n), float(n)), Interval(float(n * (n - 1)), float(n * (n - 1))))
    first = factors[0] * v.whole_power(n - 1) if n else ZERO
    second = factors[1] * v.whole_power(n - 2) if n > 1 else ZERO
    return _chain(x, v.whole_power(n), first, second)


def _turned(x: Enclosure, factor: Interval) -> tuple[bool, bool]:
    """Whether f′·factor may increase and decrease at a kink of f."""
    rise = (x.may_rise and factor.high > 0) or (x.may_fall and factor.low < 0)
    fall = (x.may_fall and factor.high > 0) or (x.may_rise and factor.low < 0)
    return rise, fall


def _chain(x: Enclosure, value: Interval, first: Interval, second: Interval, *, positive: bool = False) -> Enclosure:
    """g(x) from enclosures of g, g′ and g″ on the values of x."""
    rise, fall = _turned(x, first)
    curvature = second * x.slope.square() + first * x.curvature
    log = EVERYTHING if positive else ZERO
    return Enclosure(value, first * x.slope, curvature, positive, log, log, rise, fall)


def _sum(a: Enclosure, b: Enclosure) -> Enclosure:
    positive = (a.is_positive and b.value.low >= 0) or (b.is_positive and a.value.low >= 0)
    log = EVERYTHING if positive else ZERO
    rise, fall = a.may_rise or b.may_rise, a.may_fall or b.may_fall
    return finished(
        Enclosure(a.value + b.value, a.slope + b.slope, a.curvature + b.curvature, positive, log, log, rise, fall)
    )


def _averaged(found: Enclosure, terms: Sequence[Enclosure]) -> Enclosure:
    """The logarithmic derivatives of Σ f_i, all positive, are averages with weights w_i = f_i/Σ f_j.

    ℓ′ = Σ w_i ℓ_i′ and ℓ″ = Σ w_i ℓ_i″ + Var_w ℓ_i′; the variance is at most a quarter of the squared range.
    """
    slopes = reduce(Interval.hull, (term.log_slope for term in terms))
    bends = reduce(Interval.hull, (term.log_curvature for term in terms))
    spread = (Interval(slopes.high, slopes.high) - Interval(slopes.low, slopes.low)).square() * _QUARTER
    averaged = bends + Interval(0.0, spread.high)
    return finished(
        replace(found, log_slope=found.log_slope.meet(slopes), log_curvature=found.log_curvature.meet(averaged))
    )


def _product(a: Enclosure, b: Enclosure) -> Enclosure:
    rises, falls = zip(_turned(a, b.value), _turned(b, a.value), strict=True)
    positive = a.is_positive and b.is_positive
    cross = a.slope * b.slope
    return finished(
        Enclosure(
            a.value * b.value,
            a.slope * b.value + a.value * b.slope,
            a.curvature * b.value + (cross + cross) + a.value * b.curvature,
            positive,
            a.log_slope + b.log_slope if positive else ZERO,
            a.log_curvature + b.log_curvature if positive else ZERO,
            any(rises),
            any(falls),
        )
    )


def _maximum(a: Enclosure, b: Enclosure) -> Enclosure:
    """One of them if it is clearly larger on the whole interval; else both, and a kink at which f′ increases."""
    if a.value.low > b.value.high:
        return a
    if b.value.low > a.value.high:
        return b
    positive = a.is_positive or b.is_positive
    both = a.is_positive and b.is_positive
    value = Interval(max(a.value.low, b.value.low), max(a.value.high, b.value.high))
    return finished(
        Enclosure(
            value,
            a.slope.hull(b.slope),
            a.curvature.hull(b.curvature),
            positive,
            a.log_slope.hull(b.log_slope) if both else EVERYTHING if positive else ZERO,
            a.log_curvature.hull(b.log_curvature) if both else EVERYTHING if positive else ZERO,
            True,
            a.may_fall or b.may_fall,
        )
    )


EVERYTHING = Interval(-math.inf, math.inf)
NOT_NEGATIVE = Interval(0.0, math.inf)


class Undecided(Exception):
    """A part of the formula may be undefined, or not differentiable, somewhere on the interval."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Enclosures of a function on an interval: f is continuous, and its values, f′ and f″ lie in these intervals.

    The derivatives are those between kinks, one-sided at them; at a kink f′ may `rise` or `fall`. If f is known to be
    positive (an interval that starts at 0 is open there), `log_slope` and `log_curvature` enclose (log f)′ and (log
    f)″, which keeps products, quotients, powers and exponentials sharp: (∏ f_i)″ = f (Σ ℓ_i″ + (Σ ℓ_i′)²).
    """

    value: Interval
    slope: Interval
    curvature: Interval
    is_positive: bool = False
    log_slope: Interval = ZERO
    log_curvature: Interval = ZERO
    may_rise: bool = False
    may_fall: bool = False

    @property
    def is_convex(self) -> bool:
        """Whether f is proved convex on the interval."""
        return self.curvature.low >= 0 and not self.may_fall

    @property
    def is_convex_in_octaves(self) -> bool:
        """The same for derivatives in s = log t, where t² f″/f = ℓ_ss + ℓ_s² − ℓ_s, ℓ = log f."""
        if self.may_fall or not self.is_positive:
            return False
        slope = self.log_slope
        return (self.log_curvature + slope.square() - slope).low >= 0


def finished(found: Enclosure) -> Enclosure:
    """Tighten value, derivatives and logarithmic derivatives by one another."""
    for part in (found.value, found.slope, found.curvature):
        if math.isnan(part.low) or math.isnan(part.high):
            raise Undecided
    if found.value.is_positive and not found.is_positive:
        found = replace(found, is_positive=True, log_slope=EVERYTHING, log_curvature=EVERYTHING)
    if not found.is_positive:
        return found
    value = found.value.meet(NOT_NEGATIVE)
    inverse = value.reciprocal()
    log_slope = found.log_slope.meet(found.slope * inverse)
    log_curvature = found.log_curvature.meet(found.curvature * inverse - log_slope.square())
    return replace(
        found,
        value=value,
        slope=found.slope.meet(value * log_slope),
        curvature=found.curvature.meet(value * (log_curvature + log_slope.square())),
        log_slope=log_slope,
        log_curvature=log_curvature,
    )
