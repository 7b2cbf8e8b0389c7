"""The exact number systems of the algebra: SymPy expressions, and numbers with a normal form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb
from operator import mul
from typing import Any

from kernelspec.loading import sympy
from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided, exponential

__all__ = ["ClosedCoefficients", "ExactComplex", "ExactNumbers", "PlainNumbers"]


@dataclass(frozen=True)
class ExactComplex:
    """re + i·im, two real SymPy expressions."""

    re: Any
    im: Any

    def __add__(self, other: ExactComplex) -> ExactComplex:
        return ExactComplex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: ExactComplex) -> ExactComplex:
        return ExactComplex(self.re - other.re, self.im - other.im)

    def __neg__(self) -> ExactComplex:
        return ExactComplex(-self.re, -self.im)

    def __mul__(self, other: ExactComplex) -> ExactComplex:
        return ExactComplex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __truediv__(self, other: ExactComplex) -> ExactComplex:
        if other.im == 0:
            return ExactComplex(self.re / other.re, self.im / other.re)
        if other.re == 0:
            return ExactComplex(self.im / other.im, -self.re / other.im)
        size = other.re**2 + other.im**2
        product = self * ExactComplex(other.re, -other.im)
        return ExactComplex(product.re / size, product.im / size)

    def __pow__(self, exponent: int) -> ExactComplex:
        return reduce(mul, [self] * exponent, ExactComplex(sympy.S.One, sympy.S.Zero))


@dataclass(frozen=True)
class _SymbolicCoefficients(Coefficients):
    """SymPy's numbers and symbols; the first of each pair of `equal` is replaced by the second."""

    equal: tuple[tuple[Any, Any], ...] = ()

    def number(self, value: Any) -> Any:
        found = sympy.S(value)
        return found.subs(self.equal) if self.equal else found

    def root(self, value: Any) -> Any:
        return sympy.sqrt(value)

    def pi(self) -> Any:
        return sympy.pi

    def exponential(self, value: Any) -> Any:
        return sympy.exp(value)

    def is_zero(self, value: Any, size: Any) -> bool:
        return bool(value == 0 or self.simplified(value) == 0)

    def less(self, left: Any, right: Any) -> bool | None:
        difference = sympy.factor_terms(self.simplified(right - left))  # w(3 − √5), whose sign SymPy knows
        if difference.is_positive:
            return True
        return False if difference.is_nonpositive else None

    def smaller(self, left: Any, right: Any) -> Any:
        return sympy.Min(left, right)

    def larger(self, left: Any, right: Any) -> Any:
        return sympy.Max(left, right)

    def simplified(self, value: Any) -> Any:
        return sympy.expand(sympy.S(value))


@dataclass(frozen=True)
class ExactNumbers(_SymbolicCoefficients, Arithmetic):
    """Expressions; complex numbers in two real parts."""

    def complex(self, real: Any, imaginary: Any) -> ExactComplex:
        return ExactComplex(sympy.S(real), sympy.S(imaginary))

    def real(self, value: Any) -> ExactComplex:
        return self.complex(value, 0)

    def vanishes(self, value: Any) -> bool:
        return bool(value.re == 0 and value.im == 0)

    def turned(self, value: ExactComplex) -> ExactComplex:
        return ExactComplex(-value.im, value.re)

    def conjugate(self, value: ExactComplex) -> ExactComplex:
        return ExactComplex(value.re, -value.im)

    def exp(self, exponent: ExactComplex) -> ExactComplex:
        size = sympy.exp(exponent.re)
        return ExactComplex(size * sympy.cos(exponent.im), size * sympy.sin(exponent.im))

    def logarithm(self, value: ExactComplex) -> ExactComplex:
        if value.im == 0:
            angle = sympy.Piecewise((0, value.re > 0), (sympy.pi, True))
            return ExactComplex(sympy.log(sympy.Abs(value.re)), angle)
        # the imaginary part is positive whenever the algebra takes a logarithm
        angle = sympy.pi / 2 - sympy.atan(value.re / value.im)
        return ExactComplex(sympy.log(value.re**2 + value.im**2) / 2, angle)

    def gaussian_tail(self, exponent: ExactComplex, place: ExactComplex, whole: ExactComplex) -> ExactComplex:
        x, y = place.re, place.im
        if y == 0:
            return self.exp(whole) * self.real(sympy.erfc(x))
        if x == 0:
            size = sympy.exp(-(y**2))
            return self.exp(exponent) * ExactComplex(size, -size * sympy.erfi(y))
        z = x + sympy.I * y
        value = sympy.exp(z**2) * sympy.erfc(z)
        return self.exp(exponent) * ExactComplex(sympy.re(value), sympy.im(value))

    def gaussian_difference(
        self, exponents: tuple[ExactComplex, ...], places: tuple[ExactComplex, ...], whole: ExactComplex
    ) -> ExactComplex:
        if all(place.im == 0 for place in places):
            return self.exp(whole) * self.real(sympy.erf(places[1].re) - sympy.erf(places[0].re))
        tails = [self.gaussian_tail(e, place, whole) for e, place in zip(exponents, places, strict=True)]
        return tails[0] - tails[1]

    def exponential_tail(self, exponent: ExactComplex, place: ExactComplex, from_below: bool) -> ExactComplex:
        x, y = place.re, place.im
        if y == 0:
            sign = 1 if from_below else -1
            angle = sympy.Piecewise((0, x > 0), (sign * sympy.pi, True))
            size = sympy.exp(x)
            return self.exp(exponent) * ExactComplex(-size * sympy.Ei(-x), size * angle)
        w = x + sympy.I * y
        value = sympy.exp(w) * sympy.expint(1, w)
        return self.exp(exponent) * ExactComplex(sympy.re(value), sympy.im(value))

    def crossed(self, exponent: ExactComplex, place: ExactComplex, from_below: bool) -> ExactComplex:
        size = self.exp(exponent + place)
        beyond = sympy.Lt(place.im, 0) if from_below else sympy.Ge(place.im, 0)
        return ExactComplex(*(sympy.Piecewise((part, beyond), (0, True)) for part in (size.re, size.im)))

    def polynomial(self, weights: Sequence[Any], base: ExactComplex) -> ExactComplex:
        x, y = base.re, base.im
        real: list[Any] = []
        imaginary: list[Any] = []
        for n, weight in enumerate(weights):
            for k in range(n + 1):
                term = weight * comb(n, k) * x ** (n - k) * y**k * (-1) ** (k // 2)
                (imaginary if k % 2 else real).append(term)
        return ExactComplex(sympy.factor_terms(sympy.Add(*real)), sympy.factor_terms(sympy.Add(*imaginary)))

    def inverse_powers(self, weights: Sequence[Any], base: ExactComplex) -> ExactComplex:
        while weights and weights[-1] == 0:
            weights = weights[:-1]
        if not weights:
            return self.real(0)
        x, y = base.re, base.im
        if x == 0 or y == 0:
            return sum((self.real(weight) / base ** (k + 1) for k, weight in enumerate(weights)), self.real(0))
        # Σ w_k conj(s)^{k+1} |s|^{2(K−1−k)} / |s|^{2K}, by powers of y; numerator and denominator have no common factor
        count = len(weights)
        powers = [sympy.S.One]
        for _ in range(2 * count):
            powers.append(sympy.expand(powers[-1] * x))
        real: list[Any] = [sympy.S.Zero] * (2 * count)
        imaginary: list[Any] = [sympy.S.Zero] * (2 * count)
        for k, weight in enumerate(weights):
            rest = count - 1 - k
            for i in range(k + 2):
                sign = (-1) ** ((i + 1) // 2)
                target = imaginary if i % 2 else real
                for m in range(rest + 1):
                    size = sign * comb(k + 1, i) * comb(rest, m)
                    target[i + 2 * m] += size * weight * powers[k + 1 - i + 2 * (rest - m)]
        sides = []
        for coefficients in (real, imaginary):
            terms = [sympy.expand(c) * y**n for n, c in enumerate(coefficients)]
            sides.append(sympy.factor_terms(sympy.Add(*terms)) / (sympy.expand(x**2) + y**2) ** count)
        return ExactComplex(*sides)


@dataclass(frozen=True)
class PlainNumbers(_SymbolicCoefficients, Arithmetic):
    """Expressions that contain the imaginary unit, not split into parts."""

    def complex(self, real: Any, imaginary: Any) -> Any:
        return sympy.S(real) + sympy.I * sympy.S(imaginary)

    def real(self, value: Any) -> Any:
        return sympy.S(value)

    def turned(self, value: Any) -> Any:
        return sympy.I * value

    def conjugate(self, value: Any) -> Any:
        return sympy.conjugate(value)

    def exp(self, exponent: Any) -> Any:
        return sympy.exp(exponent)

    def _short_exp(self, exponent: Any) -> Any:
        """The exponential of a square, unexpanded if that is shorter."""
        return sympy.exp(min(sympy.expand(exponent), exponent, key=lambda form: form.count_ops()))

    def logarithm(self, value: Any) -> Any:
        return sympy.log(value)

    def gaussian_tail(self, exponent: Any, place: Any, whole: Any) -> Any:
        return self._short_exp(whole) * sympy.erfc(place)

    def gaussian_difference(self, exponents: tuple[Any, Any], places: tuple[Any, Any], whole: Any) -> Any:
        return self._short_exp(whole) * (sympy.erf(places[1]) - sympy.erf(places[0]))

    def exponential_tail(self, exponent: Any, place: Any, from_below: bool) -> Any:
        if sympy.expand(sympy.im(place)) == 0:  # on the cut if it is negative
            angle = sympy.Piecewise((0, place > 0), (sympy.pi if from_below else -sympy.pi, True))
            return sympy.exp(exponent + place) * (sympy.I * angle - sympy.Ei(-place))
        return sympy.exp(exponent + place) * sympy.expint(1, place)

    def crossed(self, exponent: Any, place: Any, from_below: bool) -> Any:
        height = sympy.expand(sympy.im(place))
        beyond = sympy.Lt(height, 0) if from_below else sympy.Ge(height, 0)
        return sympy.Piecewise((sympy.exp(exponent + place), beyond), (0, True))

    def polynomial(self, weights: Sequence[Any], base: Any) -> Any:
        return sympy.factor_terms(sympy.Add(*[weight * base**n for n, weight in enumerate(weights)]))

    def inverse_powers(self, weights: Sequence[Any], base: Any) -> Any:
        return sympy.Add(*[weight / base ** (k + 1) for k, weight in enumerate(weights)])


@dataclass(frozen=True)
class ClosedCoefficients(Coefficients):
    """Coefficients alone. Operations raise NotDecided if a normal form or a sign is not known."""

    def number(self, value: Any) -> ClosedNumber:
        return ClosedNumber.of(value)

    def root(self, value: ClosedNumber) -> ClosedNumber:
        return value.root(Fraction(1, 2))

    def pi(self) -> ClosedNumber:
        return ClosedNumber.of(sympy.pi)

    def exponential(self, value: ClosedNumber) -> ClosedNumber:
        return exponential(value)

    def is_zero(self, value: ClosedNumber, size: ClosedNumber) -> bool:
        return ClosedNumber.of(value).sign() == 0

    def less(self, left: ClosedNumber, right: ClosedNumber) -> bool | None:
        try:
            return (ClosedNumber.of(right) - left).sign() > 0
        except NotDecided:
            return None
