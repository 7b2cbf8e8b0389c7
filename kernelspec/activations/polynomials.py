"""Polynomials, Hermite polynomials and the identity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial, sqrt
from typing import ClassVar

import numpy as np

from kernelspec.activations.series import FiniteSeries
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, integer, numbers
from kernelspec.special.elementary import floats

__all__ = ["Hermite", "Identity", "Polynomial"]


@dataclass(frozen=True, kw_only=True)
class Hermite(FiniteSeries):
    """σ(x) = He_n(x)/√n!, σ̂(ρ) = ρⁿ: every degree is n. Reference: O'Donnell 2014, section 11.2."""

    name: ClassVar[str] = "hermite"
    formula: ClassVar[str] = "He_n(x)/√n!"
    reference: ClassVar[str] = "O'Donnell 2014, section 11.2"

    n: Scalar = integer(at_least=0, at_most=10_000)

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        return ((int(self.n), 1.0),)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        x = floats(x)
        before, found = np.zeros_like(x), np.ones_like(x)
        for k in range(int(self.n)):
            before, found = found, (x * found - sqrt(k) * before) / sqrt(k + 1)
        return found


@dataclass(frozen=True, kw_only=True)
class Identity(FiniteSeries):
    """σ(x) = x, σ̂(ρ) = ρ: every degree is one."""

    name: ClassVar[str] = "identity"
    formula: ClassVar[str] = "x"
    reference: ClassVar[str] = "Daniely, Frostig and Singer 2016"

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        return ((1, 1.0),)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.array(x, dtype=float)


_MOST_COEFFICIENTS = 101


@dataclass(frozen=True, kw_only=True)
class Polynomial(FiniteSeries):
    """σ(x) = Σ c_j x^j, c = `coefficients`, the constant first; a_l ∝ (Σ_k c_{l+2k} (l + 2k)!/(2^k k!))²/l!.

    Raises RangeError for more than 101 coefficients and where all are zero. Reference: O'Donnell 2014, section 11.2.
    """

    name: ClassVar[str] = "polynomial"
    formula: ClassVar[str] = "Σ c_j x^j"
    reference: ClassVar[str] = "O'Donnell 2014, section 11.2"

    coefficients: tuple[Scalar, ...] = numbers()

    def __post_init__(self) -> None:
        if len(self.coefficients) > _MOST_COEFFICIENTS:
            raise RangeError(
                f"polynomial() takes up to {_MOST_COEFFICIENTS} coefficients, not {len(self.coefficients)}", self.span
            )
        if all(coefficient == 0 for coefficient in self.coefficients):
            raise RangeError("the coefficients of polynomial() must not all be zero", self.span)

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        squares = _squares(self.coefficients)
        total = sum(squares)
        exact = isinstance(total, Fraction)
        shares = (float(square / total) if exact else square / total for square in squares)
        return [(degree, share) for degree, share in enumerate(shares) if share != 0]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        x = floats(x)
        largest = max(abs(Fraction(c)) for c in self.coefficients)
        scaled = tuple(Fraction(c) / largest for c in self.coefficients)
        norm, total = sqrt(sum(_squares(scaled))), np.zeros_like(x)
        for c in reversed(scaled):
            total = total * x + float(c) / norm
        return total


@lru_cache(maxsize=64)
def _squares(coefficients: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """The exact squared coefficients of the normalized Hermite polynomials."""
    c = [Fraction(entry) if isinstance(entry, int | float) else entry for entry in coefficients]
    squares = []
    for low in range(len(c)):
        parts = (
            c[high] * Fraction(factorial(high), 2 ** ((high - low) // 2) * factorial((high - low) // 2))
            for high in range(low, len(c), 2)
        )
        squares.append(sum(parts) ** 2 * Fraction(1, factorial(low)))
    return tuple(squares)
