"""The number systems of the algebra, and its values in many digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Protocol

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.special.quadrature import spend

__all__ = ["Arithmetic", "Coefficients", "MultiprecisionNumbers", "PlainNumbers"]


class Coefficients(Protocol):
    """Real numbers that pieces are made of: SymPy expressions, or multiprecision numbers."""

    def number(self, value: Any) -> Any:
        """A parameter of a kernel as a number of this system."""

    def root(self, value: Any) -> Any:
        """√value."""

    def pi(self) -> Any:
        """π."""

    def exponential(self, value: Any) -> Any:
        """e^value."""

    def is_zero(self, value: Any, size: Any) -> bool:
        """Whether a sum of terms of the given size is zero."""

    def less(self, left: Any, right: Any) -> bool | None:
        """Whether left < right; None where that depends on symbols."""

    def smaller(self, left: Any, right: Any) -> Any:
        """The minimum of two numbers."""

    def larger(self, left: Any, right: Any) -> Any:
        """The maximum of two numbers."""

    def simplified(self, value: Any) -> Any:
        """The number in the form in which equal numbers are equal."""


class Arithmetic(Protocol):
    """Complex numbers in which transforms are evaluated; they have +, −, ·, / and whole powers among themselves."""

    def complex(self, real: Any, imaginary: Any) -> Any:
        """real + i·imaginary, of two coefficients."""

    def frequency(self, value: Any) -> Any:
        """ω as a number of this system."""

    def real(self, value: Any) -> Any:
        """A coefficient as a number of this system."""

    def vanishes(self, value: Any) -> bool:
        """Whether a number is zero, and not an array or an expression that may be."""

    def turned(self, value: Any) -> Any:
        """i·value."""

    def conjugate(self, value: Any) -> Any:
        """The complex conjugate."""

    def exp(self, exponent: Any) -> Any:
        """e^exponent."""

    def logarithm(self, value: Any) -> Any:
        """The principal logarithm of a number in the upper half-plane; of a negative number that from above."""

    def gaussian_tail(self, exponent: Any, place: Any, whole: Any) -> Any:
        """e^(exponent + z²) erfc(z), z = `place`; `whole` is exponent + z², computed without cancellation."""

    def gaussian_difference(self, exponents: tuple[Any, Any], places: tuple[Any, Any], whole: Any) -> Any:
        """e^whole (erfc(z_1) − erfc(z_2)); `exponents` are whole − z²."""

    def exponential_tail(self, exponent: Any, place: Any, from_below: bool) -> Any:
        """e^(exponent + w) E₁(w), w = `place`; on the cut, w < 0, the limit from above or from below."""

    def crossed(self, exponent: Any, place: Any, from_below: bool) -> Any:
        """e^(exponent + w) where w = `place` lies beyond the cut of E₁ for one who came from the other side, else 0.

        Beyond is above it, or below for `from_below`; on the cut it is the side that `exponential_tail` is not on.
        """

    def polynomial(self, weights: Sequence[Any], base: Any) -> Any:
        """Σ weights[k] base^k."""

    def inverse_powers(self, weights: Sequence[Any], base: Any) -> Any:
        """Σ weights[k] / base^{k+1}."""

    def parts(self, value: Any) -> tuple[Any, Any]:
        """Real and imaginary part."""


@dataclass(frozen=True)
class PlainNumbers(ExactNumbers):
    """Expressions with the imaginary unit in them, not taken apart."""

    def complex(self, real: Any, imaginary: Any) -> Any:
        import sympy

        return sympy.S(real) + sympy.I * sympy.S(imaginary)

    def frequency(self, value: Any) -> Any:
        return value

    def real(self, value: Any) -> Any:
        import sympy

        return sympy.S(value)

    def vanishes(self, value: Any) -> bool:
        return bool(value == 0)

    def turned(self, value: Any) -> Any:
        import sympy

        return sympy.I * value

    def exp(self, exponent: Any) -> Any:
        import sympy

        return sympy.exp(exponent)

    def _short_exp(self, exponent: Any) -> Any:
        """The exponential of a square as it stands, where that is shorter than multiplied out."""
        import sympy

        return sympy.exp(min(sympy.expand(exponent), exponent, key=lambda form: form.count_ops()))

    def logarithm(self, value: Any) -> Any:
        import sympy

        return sympy.log(value)

    def gaussian_tail(self, exponent: Any, place: Any, whole: Any) -> Any:
        import sympy

        return self._short_exp(whole) * sympy.erfc(place)

    def gaussian_difference(self, exponents: tuple[Any, Any], places: tuple[Any, Any], whole: Any) -> Any:
        import sympy

        return self._short_exp(whole) * (sympy.erf(places[1]) - sympy.erf(places[0]))

    def exponential_tail(self, exponent: Any, place: Any, from_below: bool) -> Any:
        import sympy

        if sympy.expand(sympy.im(place)) == 0:  # on the cut where it is negative
            angle = sympy.Piecewise((0, place > 0), (sympy.pi if from_below else -sympy.pi, True))
            return sympy.exp(exponent + place) * (sympy.I * angle - sympy.Ei(-place))
        return sympy.exp(exponent + place) * sympy.expint(1, place)

    def crossed(self, exponent: Any, place: Any, from_below: bool) -> Any:
        import sympy

        height = sympy.expand(sympy.im(place))
        beyond = sympy.Lt(height, 0) if from_below else sympy.Ge(height, 0)
        return sympy.Piecewise((sympy.exp(exponent + place), beyond), (0, True))

    def polynomial(self, weights: Sequence[Any], base: Any) -> Any:
        import sympy

        return sympy.factor_terms(sympy.Add(*[weight * base**n for n, weight in enumerate(weights)]))

    def inverse_powers(self, weights: Sequence[Any], base: Any) -> Any:
        import sympy

        return sympy.Add(*[weight / base ** (k + 1) for k, weight in enumerate(weights)])

    def parts(self, value: Any) -> tuple[Any, Any]:
        import sympy

        return sympy.re(value), sympy.im(value)


_SPARE = 15
"""Digits beyond which what is left of a sum that cancels counts as zero."""

_MORE = 10
"""Digits with which constants are computed, beyond those kept."""

_OPERATIONS = 1_000_000
"""For the value of an expression."""


@cache
def _context(digits: int) -> Any:
    """mpmath's functions with a precision of their own, so that no one else's is changed."""
    from mpmath.ctx_mp import MPContext

    context = MPContext()
    context.dps = digits
    return context


@dataclass(frozen=True)
class MultiprecisionNumbers:
    """Numbers with `digits` decimal digits; both coefficients and complex arithmetic."""

    digits: int

    @property
    def context(self) -> Any:
        """mpmath with this many digits."""
        return _context(self.digits)

    # -- coefficients ------------------------------------------------------------------------------------------------

    def number(self, value: Any) -> Any:
        if isinstance(value, Fraction):
            return self.context.mpf(value.numerator) / value.denominator
        if isinstance(value, int | float):
            return self.context.mpf(value)
        try:
            return +self.context.convert(value)
        except TypeError:
            return self._of_expression(value)

    def _of_expression(self, value: Any) -> Any:
        """An expression of SymPy with all the digits. Raises TypeError for a symbol."""
        spend(_OPERATIONS)
        if not value.is_number:
            raise TypeError(f"{value} is not a number")
        found = value.evalf(self.digits + _MORE)
        if not found.is_Float:
            raise TypeError(f"{value} is not a known real number")
        return +self.context.convert(found)

    def root(self, value: Any) -> Any:
        return self.context.sqrt(value)

    def pi(self) -> Any:
        return +self.context.pi

    def exponential(self, value: Any) -> Any:
        return self.context.exp(value)

    def is_zero(self, value: Any, size: Any) -> bool:
        return bool(abs(value) <= abs(size) * self.context.mpf(10) ** (_SPARE - self.digits))

    def less(self, left: Any, right: Any) -> bool | None:
        return bool(left < right)

    def smaller(self, left: Any, right: Any) -> Any:
        return min(left, right)

    def larger(self, left: Any, right: Any) -> Any:
        return max(left, right)

    def simplified(self, value: Any) -> Any:
        return value

    # -- values ------------------------------------------------------------------------------------------------------

    def complex(self, real: Any, imaginary: Any) -> Any:
        return self.context.mpc(real, imaginary)

    def frequency(self, value: Any) -> Any:
        return self.context.mpc(value)

    def real(self, value: Any) -> Any:
        return self.context.mpc(value)

    def vanishes(self, value: Any) -> bool:
        return bool(value == 0)

    def turned(self, value: Any) -> Any:
        return value * self.context.mpc(0, 1)

    def conjugate(self, value: Any) -> Any:
        return self.context.conj(value)

    def exp(self, exponent: Any) -> Any:
        return self.context.exp(exponent)

    def logarithm(self, value: Any) -> Any:
        return self.context.log(value)

    def gaussian_tail(self, exponent: Any, place: Any, whole: Any) -> Any:
        return self.context.exp(whole) * self.context.erfc(place)

    def gaussian_difference(self, exponents: tuple[Any, Any], places: tuple[Any, Any], whole: Any) -> Any:
        first, second = places
        if first.real < 0 and second.real < 0:
            first, second = -second, -first
        return self.context.exp(whole) * (self.context.erfc(first) - self.context.erfc(second))

    def exponential_tail(self, exponent: Any, place: Any, from_below: bool) -> Any:
        value = self.context.e1(place)
        if place.imag == 0 and place.real < 0:
            value = self.context.mpc(value.real, self.context.pi if from_below else -self.context.pi)
        return self.context.exp(exponent + place) * value

    def crossed(self, exponent: Any, place: Any, from_below: bool) -> Any:
        beyond = place.imag <= 0 if from_below else place.imag >= 0
        return self.context.exp(exponent + place) if beyond else self.context.mpc(0)

    def polynomial(self, weights: Sequence[Any], base: Any) -> Any:
        total = self.context.mpc(0)
        for weight in reversed(weights):
            total = total * base + weight
        return total

    def inverse_powers(self, weights: Sequence[Any], base: Any) -> Any:
        total = self.context.mpc(0)
        for weight in reversed(weights):
            total = (total + weight) / base
        return total

    def parts(self, value: Any) -> tuple[Any, Any]:
        return value.real, value.imag
