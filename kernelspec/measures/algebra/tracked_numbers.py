"""The algebra in floats: arrays of values with a bound on what rounding has done to each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tracked", "TrackedNumbers", "good_enough"]

_EPSILON = 2.0**-52
_ENOUGH = 5e-12
"""Relative error, against the density or its envelope, that floats may have."""

_FAR = 40.0
"""From here on the asymptotic series of the exponential integral has all its digits."""

_NEAR = 1.5
"""Up to here its power series loses no more than a digit."""

_FRACTIONS = ((_NEAR, 3.0, 150), (3.0, 8.0, 75), (8.0, _FAR, 30))
"""Between which sizes of w how many terms of its continued fraction: what is left falls like exp(−2√(2n|w|))."""


def good_enough(error: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where an error is known to be small beside the size; not where either overflows."""
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
        value = self.value - other.value
        return Tracked(value, self.error + other.error + _EPSILON * np.abs(value))

    def __neg__(self) -> Tracked:
        return Tracked(-self.value, self.error)

    def __mul__(self, other: Tracked) -> Tracked:
        value = self.value * other.value
        error = np.abs(self.value) * other.error + np.abs(other.value) * self.error
        return Tracked(value, error + self.error * other.error + _EPSILON * np.abs(value))

    def __truediv__(self, other: Tracked) -> Tracked:
        value = self.value / other.value
        return Tracked(
            value, (self.error + np.abs(value) * other.error) / np.abs(other.value) + _EPSILON * np.abs(value)
        )

    def __pow__(self, exponent: int) -> Tracked:
        result = Tracked(np.ones_like(self.value), np.zeros_like(self.error))
        for _ in range(exponent):
            result = result * self
        return result


@dataclass(frozen=True)
class TrackedNumbers:
    """Complex arithmetic over arrays of frequencies.

    The rounding of a phase ω·p is that of the frequency, one unit in its last place: no error of the formula.
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
        from scipy.special import wofz

        left = np.real(place.value) < 0
        moved = np.where(left, -place.value, place.value)
        faddeeva = wofz(1j * moved)
        near = np.exp(exponent.value) * faddeeva
        # the derivative of e^{z²} erfc z is 2z e^{z²} erfc z − 2/√π, about −1/√π z² far away
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
        # where both places lie to the left, erfc(z_1) − erfc(z_2) = erfc(−z_2) − erfc(−z_1) does not cancel
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

    def polynomial(self, weights: Sequence[Any], base: Tracked) -> Tracked:
        total = Tracked(np.zeros_like(base.value), np.zeros_like(base.error))
        for weight in reversed(weights):
            total = total * base + self.real(weight)
        return total

    def inverse_powers(self, weights: Sequence[Any], base: Tracked) -> Tracked:
        total = Tracked(np.zeros_like(base.value), np.zeros_like(base.error))
        for weight in reversed(weights):
            total = (total + self.real(weight)) / base
        return total

    def parts(self, value: Tracked) -> tuple[Tracked, Tracked]:
        return Tracked(np.real(value.value), value.error), Tracked(np.imag(value.value), value.error)

    def _loss(self, exponent: Tracked) -> NDArray[np.float64]:
        """The relative error of e^exponent."""
        return np.asarray(_EPSILON * (1 + np.abs(np.real(exponent.value))))


def _scaled_exponential_integral(at: NDArray[Any], from_below: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """e^w E₁(w) and its relative error: a continued fraction to the right, a series far away, SciPy's elsewhere."""
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
    from scipy.special import exp1

    on_cut = (at.imag == 0) & (at.real < 0)
    integral = exp1(np.where(on_cut, at.real + 0j, at))
    integral = np.where(on_cut, integral.real + (np.pi if from_below else -np.pi) * 1j, integral)
    size = np.abs(at)
    with np.errstate(over="ignore", invalid="ignore"):
        # the power series loses e^{|w|} against the value, which is about e^{−Re w}/|w|
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
