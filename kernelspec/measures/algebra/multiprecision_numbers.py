"""The algebra in numbers of many digits: coefficients, and values one frequency at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from kernelspec.special.counted_work import spend

__all__ = ["MultiprecisionNumbers"]

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
