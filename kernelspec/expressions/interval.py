"""Intervals of real numbers, rounded outwards, so that results hold for every number inside."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["PI", "ZERO", "Interval", "above", "below", "exp_of", "log_of", "power_of", "product_below"]


def below(x: float) -> float:
    """The next float below; 0 (exact) and −∞ (open) stay."""
    return x if x in (0, -math.inf) else math.nextafter(x, -math.inf)


def above(x: float, *, attained: bool = True) -> float:
    """The next float above; ∞ stays, and so does 0 unless it is only a bound."""
    if x == 0 and attained:
        return x
    return x if x == math.inf else math.nextafter(x, math.inf)


def product_below(a: float, b: float) -> float:
    """A float at or below a·b, where 0·∞ is 0 because ∞ is not attained."""
    if a == 0 or b == 0:
        return 0.0
    product = a * b
    if product == 0:  # too small for a float
        return 0.0 if (a > 0) == (b > 0) else -math.ulp(0.0)
    return below(product)


def power_of(x: float, p: float) -> float:
    """xᵖ for x ≥ 0, with 0 and ∞ as limits."""
    if p == 0 or x == 1:
        return 1.0
    if x == 0:
        return 0.0 if p > 0 else math.inf
    try:
        return float(x**p)
    except OverflowError:
        return math.inf


def exp_of(x: float) -> float:
    """eˣ, ∞ beyond the largest float."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log_of(x: float) -> float:
    """log x for x ≥ 0, −∞ at 0."""
    return -math.inf if x == 0 else x if x == math.inf else math.log(x)


@dataclass(frozen=True, slots=True)
class Interval:
    """The finite numbers from `low` to `high`; infinite ends are never attained.

    Sums, products and quotients are rounded outwards by one float, functions by two: the C library's exp, log, pow, sin
    and cos are accurate to one unit in the last place. An end that is exactly 0 stays 0, to keep signs.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if math.isnan(self.low):  # of ∞ − ∞: nothing is known
            object.__setattr__(self, "low", -math.inf)
        if math.isnan(self.high):
            object.__setattr__(self, "high", math.inf)

    @classmethod
    def of(cls, value: Fraction) -> Interval:
        """The floats around an exact number."""
        try:
            near = float(value)
        except OverflowError:
            return cls(math.nextafter(math.inf, 0), math.inf) if value > 0 else -cls.of(-value)
        if near == value:
            return cls(near, near)
        low = near if near < value else math.nextafter(near, -math.inf)
        return cls(low, math.nextafter(low, math.inf))

    @property
    def is_positive(self) -> bool:
        """Whether every number inside is greater than 0."""
        return self.low > 0

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __add__(self, other: Interval) -> Interval:
        low, high = self.low + other.low, self.high + other.high
        return Interval(below(low), above(high))  # a float sum that is 0 is exact

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        ends = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(product_below(a, b) for a, b in ends), max(-product_below(-a, b) for a, b in ends))

    def square(self) -> Interval:
        """x², which is never negative."""
        size = self.size()
        low, high = product_below(size.low, size.low), -product_below(-size.high, size.high)
        return Interval(low, high)

    def reciprocal(self) -> Interval:
        """1/x for positive numbers; an end at 0 counts as open."""
        if self.low < 0:
            raise ValueError("the reciprocal needs numbers greater than 0")
        low = 0.0 if self.high == math.inf else max(0.0, below(1 / self.high)) if self.high else math.inf
        return Interval(low, math.inf if self.low == 0 else above(1 / self.low))

    def power(self, exponent: Interval) -> Interval:
        """x ** p for x ≥ 0 and every p of the exponent; an end at 0 counts as open if p may be ≤ 0."""
        if self.low < 0:
            raise ValueError("a power needs numbers that are not negative")
        corners = [power_of(x, p) for x in (self.low, self.high) for p in (exponent.low, exponent.high)]
        high = 0.0 if self.high == 0 < exponent.low else above(above(max(corners), attained=False))
        return Interval(max(0.0, below(below(min(corners)))), high)

    def whole_power(self, exponent: int) -> Interval:
        """xⁿ for an integer n ≥ 0, for numbers of any sign."""
        if exponent == 0:
            return Interval(1.0, 1.0)
        n = Interval(float(exponent), float(exponent))
        if self.low >= 0 or exponent % 2 == 0:
            return self.size().power(n)
        opposite = (-self).size() if self.high <= 0 else Interval(0.0, -self.low)
        upper = Interval(0.0, max(self.high, 0.0)).power(n).high
        return Interval(-opposite.power(n).high, upper if self.high > 0 else -opposite.power(n).low)

    def exp(self) -> Interval:
        """eˣ."""
        return Interval(max(0.0, below(below(exp_of(self.low)))), above(above(exp_of(self.high), attained=False)))

    def log(self) -> Interval:
        """log x for positive numbers; an end at 0 counts as open."""
        if self.low < 0:
            raise ValueError("the logarithm needs numbers greater than 0")
        return Interval(below(below(log_of(self.low))), above(above(log_of(self.high))))

    def cos(self) -> Interval:
        """cos x."""
        if not self.high - self.low < 6:
            return Interval(-1.0, 1.0)
        ends = (math.cos(self.low), math.cos(self.high))
        first, last = (
            (self.low - 1e-9 * abs(self.low) - 1e-9) / math.pi,
            (self.high + 1e-9 * abs(self.high) + 1e-9) / math.pi,
        )
        turns = range(math.ceil(first), math.floor(last) + 1)  # multiples of π inside, or nearly
        if len(turns) > 3:
            return Interval(-1.0, 1.0)
        low = -1.0 if any(turn % 2 for turn in turns) else below(below(min(ends)))
        high = 1.0 if any(turn % 2 == 0 for turn in turns) else above(above(max(ends)))
        return Interval(max(low, -1.0), min(high, 1.0))

    def sin(self) -> Interval:
        """sin x."""
        return (self - Interval(math.nextafter(math.pi / 2, 0), math.nextafter(math.pi / 2, 2))).cos()

    def sinh(self) -> Interval:
        """sinh x = (eˣ − e⁻ˣ)/2, with its sign."""
        ends = [(Interval(x, x).exp() - Interval(-x, -x).exp()) * _HALF for x in (self.low, self.high)]
        low = max(ends[0].low, 0.0) if self.low >= 0 else ends[0].low
        return Interval(low, min(ends[1].high, 0.0) if self.high <= 0 else ends[1].high)

    def cosh(self) -> Interval:
        """cosh x = (eˣ + e⁻ˣ)/2, at least 1."""
        size = self.size()
        ends = [(Interval(x, x).exp() + Interval(-x, -x).exp()) * _HALF for x in (size.low, size.high)]
        return Interval(max(ends[0].low, 1.0), ends[1].high)

    def tanh(self) -> Interval:
        """tanh x, rounded outwards by three floats: the C library's is accurate to two units in the last place."""
        low, high = below(below(below(math.tanh(self.low)))), above(above(above(math.tanh(self.high))))
        return Interval(max(low, -1.0), min(high, 1.0))

    def size(self) -> Interval:
        """|x|."""
        if self.low >= 0:
            return self
        return -self if self.high <= 0 else Interval(0.0, max(-self.low, self.high))

    def hull(self, other: Interval) -> Interval:
        """The smallest interval that contains both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Interval) -> Interval:
        """The intersection, which must not be empty."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else self


ZERO = Interval(0.0, 0.0)
_HALF = Interval(0.5, 0.5)
PI = Interval(math.nextafter(math.pi, 0), math.nextafter(math.pi, 4))
"""An enclosure of π."""
