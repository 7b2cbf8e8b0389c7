"""The interface of the algebra's number systems, and the two that round: many digits, and floats with errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NotAvailableYet
from kernelspec.limits import spend
from kernelspec.loading import special

__all__ = [
    "Arithmetic", "Coefficients", "MultiprecisionNumbers", "NotClosed", "Tracked", "TrackedNumbers", "good_enough",
]  # fmt: skip


class NotClosed(NotAvailableYet):
    """The algebra has no closed form, or would need to know more about the symbols."""


class Coefficients(Protocol):
    """Real coefficients of pieces: SymPy expressions, or multiprecision numbers."""

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
        """Whether left < right; None if that depends on symbols."""

    def before(self, left: Any, right: Any) -> bool:
        """Whether left < right. Raises NotClosed if that depends on symbols."""
        order = self.less(left, right)
        if order is None:
            raise NotClosed("the order of two breakpoints depends on symbols")
        return order

    def smaller(self, left: Any, right: Any) -> Any:
        """The minimum of two numbers."""
        return left if self.before(left, right) else right

    def larger(self, left: Any, right: Any) -> Any:
        """The maximum of two numbers."""
        return right if self.before(left, right) else left

    def simplified(self, value: Any) -> Any:
        """The number in a form in which equal numbers are equal."""
        return value


class Arithmetic(Protocol):
    """Complex numbers in which transforms are evaluated, with +, −, ·, / and integer powers."""

    def complex(self, real: Any, imaginary: Any) -> Any:
        """real + i·imaginary, of two coefficients."""

    def real(self, value: Any) -> Any:
        """A coefficient as a number of this system."""

    def frequency(self, value: Any) -> Any:
        """ω as a number of this system."""
        return self.real(value)

    def vanishes(self, value: Any) -> bool:
        """Whether a number is known to be zero; arrays and expressions that may be zero do not count."""
        return bool(value == 0)

    def turned(self, value: Any) -> Any:
        """i·value."""

    def conjugate(self, value: Any) -> Any:
        """The complex conjugate."""

    def exp(self, exponent: Any) -> Any:
        """e^exponent."""

    def logarithm(self, value: Any) -> Any:
        """The principal logarithm of a number in the upper half-plane; for negative numbers, the limit from above."""

    def gaussian_tail(self, exponent: Any, place: Any, whole: Any) -> Any:
        """e^(exponent + z²) erfc(z), z = `place`; `whole` is exponent + z², computed without cancellation."""

    def gaussian_difference(self, exponents: tuple[Any, Any], places: tuple[Any, Any], whole: Any) -> Any:
        """e^whole (erfc(z_1) − erfc(z_2)); `exponents` are whole − z²."""

    def exponential_tail(self, exponent: Any, place: Any, from_below: bool) -> Any:
        """e^(exponent + w) E₁(w), w = `place`; on the cut, w < 0, the limit from above or from below."""

    def crossed(self, exponent: Any, place: Any, from_below: bool) -> Any:
        """e^(exponent + w) if w = `place` lies beyond the cut of E₁ when coming from the other side, else 0.

        Beyond is above the cut, or below if `from_below`; on the cut, the side that `exponential_tail` is not on.
        """

    def polynomial(self, weights: Sequence[Any], base: Any) -> Any:
        """Σ weights[k] base^k."""
        total = self.real(0) * base
        for weight in reversed(weights):
            total = total * base + self.real(weight)
        return total

    def inverse_powers(self, weights: Sequence[Any], base: Any) -> Any:
        """Σ weights[k] / base^{k+1}."""
        total = self.real(0) * base
        for weight in reversed(weights):
            total = (total + self.real(weight)) / base
        return total


_SPARE, _MORE = 15, 10  # digits beyond which the remainder of a canceling sum counts as zero, and more for constants

_OPERATIONS = 1_000_000  # digits for the value of an expression


@cache
def _context(digits: int) -> Any:
    """mpmath's functions with a private precision."""
    from mpmath.ctx_mp import MPContext

    context = MPContext()
    context.dps = digits
    return context


@dataclass(frozen=True)
class MultiprecisionNumbers(Coefficients, Arithmetic):
    """Numbers with `digits` decimal digits, both as coefficients and for complex arithmetic."""

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
        """An expression of SymPy with full digits. Raises TypeError for a symbol."""
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

    # -- values ------------------------------------------------------------------------------------------------------

    def complex(self, real: Any, imaginary: Any) -> Any:
        return self.context.mpc(real, imaginary)

    def real(self, value: Any) -> Any:
        return self.context.mpc(value)

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


_EPSILON = 2.0**-52
_ENOUGH = 5e-12  # largest relative error of floats, against the density or its envelope


def good_enough(error: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether an error is known to be small relative to the size; false if either overflows."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.isfinite(error) & (error <= _ENOUGH * size))


@dataclass(frozen=True)
class Tracked:
    """Complex numbers (n,), or one, with estimates of their absolute errors."""

    value: Any
    error: Any

    def __add__(self, other: Tracked) -> Tracked:
        value = self.value + other.value
        return Tracked(value, self.error + other.error + _EPSILON * np.abs(value))

    def __sub__(self, other: Tracked) -> Tracked:
        return self + -other

    def __neg__(self) -> Tracked:
        return Tracked(-self.value, self.error)

    def __mul__(self, other: Tracked) -> Tracked:
        value = self.value * other.value
        error = np.abs(self.value) * other.error + np.abs(other.value) * self.error
        return Tracked(value, error + self.error * other.error + _EPSILON * np.abs(value))

    def __truediv__(self, other: Tracked) -> Tracked:
        value = self.value / other.value
        error = (self.error + np.abs(value) * other.error) / np.abs(other.value)
        return Tracked(value, error + _EPSILON * np.abs(value))

    def __pow__(self, exponent: int) -> Tracked:
        one = Tracked(np.ones_like(self.value), np.zeros_like(self.error))
        return prod([self] * exponent, start=one)


@dataclass(frozen=True)
class TrackedNumbers(Arithmetic):
    """Complex arithmetic over arrays of frequencies.

    The rounding of a phase ω·p is attributed to the frequency, one unit in its last place, not to the formula.
    """

    def complex(self, real: Any, imaginary: Any) -> Tracked:
        real, imaginary = self.real(real), self.real(imaginary)
        return Tracked(real.value + 1j * imaginary.value, real.error + imaginary.error)

    def frequency(self, value: Any) -> Tracked:
        return Tracked(np.asarray(value, dtype=float), np.zeros(np.shape(value)))

    def real(self, value: Any) -> Tracked:
        if isinstance(value, Tracked):
            return value
        number = np.float64(float(value))
        return Tracked(number, _EPSILON / 2 * np.abs(number))

    def vanishes(self, value: Any) -> bool:
        return False

    def turned(self, value: Tracked) -> Tracked:
        return Tracked(1j * value.value, value.error)

    def conjugate(self, value: Tracked) -> Tracked:
        return Tracked(np.conj(value.value), value.error)

    def exp(self, exponent: Tracked) -> Tracked:
        value = np.exp(exponent.value)
        return Tracked(value, np.abs(value) * self._loss(exponent))

    def logarithm(self, value: Tracked) -> Tracked:
        found = np.log(value.value + 0j)
        return Tracked(found, value.error / np.abs(value.value) + _EPSILON * np.abs(found))

    def gaussian_tail(self, exponent: Tracked, place: Tracked, whole: Tracked) -> Tracked:
        left = np.real(place.value) < 0
        moved = np.where(left, -place.value, place.value)
        faddeeva = special.wofz(1j * moved)
        near = np.exp(exponent.value) * faddeeva
        # the derivative of e^{z²} erfc z is 2z e^{z²} erfc z − 2/√π, about −1/√π z² far out
        slope = np.abs(2 * moved * faddeeva - 2 / np.sqrt(np.pi))
        slope = np.where(np.abs(moved) > 30, 0.6 / np.maximum(np.abs(moved), 1) ** 2, slope)
        slope = slope * np.exp(np.real(exponent.value))
        error = np.abs(near) * (self._loss(exponent) + 20 * _EPSILON) + slope * place.error
        both = np.where(left, 2 * np.exp(np.where(left, whole.value, 0)), 0)
        value = np.where(left, both - near, near)
        return Tracked(value, error + np.abs(both) * self._loss(whole))

    def gaussian_difference(
        self, exponents: tuple[Tracked, Tracked], places: tuple[Tracked, Tracked], whole: Tracked
    ) -> Tracked:
        # if both places lie to the left, erfc(z_1) − erfc(z_2) = erfc(−z_2) − erfc(−z_1) does not cancel
        left = (np.real(places[0].value) < 0) & (np.real(places[1].value) < 0)
        sign = np.where(left, -1.0, 1.0)
        tails = [
            self.gaussian_tail(e, Tracked(sign * z.value, z.error), whole)
            for e, z in zip(exponents, places, strict=True)
        ]
        difference = tails[0] - tails[1]
        return Tracked(sign * difference.value, difference.error)

    def exponential_tail(self, exponent: Tracked, place: Tracked, from_below: bool) -> Tracked:
        at = place.value + 0j
        scaled, loss = _scaled_exponential_integral(at, from_below)
        value = np.exp(exponent.value) * scaled
        slope = np.abs(scaled - 1 / at) * np.exp(np.real(exponent.value))
        return Tracked(value, np.abs(value) * (self._loss(exponent) + loss) + slope * place.error)

    def crossed(self, exponent: Tracked, place: Tracked, from_below: bool) -> Tracked:
        at = place.value + 0j
        beyond = at.imag <= 0 if from_below else at.imag >= 0
        whole = exponent + place
        value = np.where(beyond, np.exp(np.where(beyond, whole.value, 0)), 0)
        return Tracked(value, np.abs(value) * self._loss(whole))

    def _loss(self, exponent: Tracked) -> NDArray[np.float64]:
        """The relative error of e^exponent."""
        return np.asarray(_EPSILON * (1 + np.abs(np.real(exponent.value))))


_FAR = 40.0  # from here on the asymptotic series of the exponential integral has full precision

_NEAR = 1.5  # up to here the power series loses at most one digit

_FRACTIONS = ((_NEAR, 3.0, 150), (3.0, 8.0, 75), (8.0, _FAR, 30))
"""Sizes of w and terms of the continued fraction between them: the remainder falls like exp(−2√(2n|w|))."""


def _scaled_exponential_integral(at: NDArray[Any], from_below: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """e^w E₁(w) and its relative error: a continued fraction on the right, a series far out, SciPy elsewhere."""
    size = np.abs(at)
    far = size > _FAR
    right = (at.real >= 0) & (size > _NEAR) & ~far
    scaled, loss = np.empty_like(at), np.full(at.shape, 20.0)
    scaled[far] = _scaled_series(at[far])
    for least, most, terms in _FRACTIONS:
        here = right & (size > least) & (size <= most)
        if here.any():
            scaled[here] = _continued_fraction(at[here], terms)
    other = ~far & ~right
    if other.any():
        scaled[other], loss[other] = _near_zero(at[other], from_below)
    return scaled, np.asarray(_EPSILON * loss)


def _near_zero(at: NDArray[np.complex128], from_below: bool) -> tuple[NDArray[np.complex128], NDArray[np.float64]]:
    on_cut = (at.imag == 0) & (at.real < 0)
    integral = special.exp1(np.where(on_cut, at.real + 0j, at))
    integral = np.where(on_cut, integral.real + (np.pi if from_below else -np.pi) * 1j, integral)
    size = np.abs(at)
    with np.errstate(over="ignore", invalid="ignore"):
        # the power series loses e^{|w|} relative to the value, which is about e^{−Re w}/|w|
        series = np.where(size < 5, np.exp(np.minimum(size + at.real, 10)) * np.maximum(size, 1), 1)
        return np.asarray(np.exp(at) * integral), np.asarray(20 * series)


def _scaled_series(at: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """e^w E₁(w) ~ Σ (−1)^k k!/w^{k+1} for |w| > 40."""
    total = np.ones_like(at)
    for k in range(35, 0, -1):
        total = 1 - k / at * total
    return np.asarray(total / at)


def _continued_fraction(at: NDArray[np.complex128], terms: int) -> NDArray[np.complex128]:
    """e^w E₁(w) = 1/(w + 1 − 1/(w + 3 − 4/(w + 5 − …))) [DLMF 6.9.1]."""
    total = np.zeros_like(at)
    for k in range(terms, 0, -1):
        total = k * k / (at + 2 * k + 1 - total)
    return np.asarray(1 / (at + 1 - total))
