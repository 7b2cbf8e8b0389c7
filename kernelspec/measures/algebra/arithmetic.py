"""The number systems in which the algebra works: what each of them has to offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

__all__ = ["Arithmetic", "Coefficients"]


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
