"""The contract of an activation, and the activations by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kernelspec.catalogue import ACTIVATIONS
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, call_text, declared
from kernelspec.loading import Span, sympy
from kernelspec.random.streams import Stream
from kernelspec.special.elementary import floats

__all__ = ["LARGEST_DEGREE", "Activation", "load_activation"]

LARGEST_DEGREE = 2**62
"""Degrees are capped here. Even for the heaviest laws, step and sign, less than 1e-9 of the mass lies beyond."""

_ROUNDING = 1e-9  # arguments that exceed the limit by less than this share are treated as rounded


@dataclass(frozen=True, kw_only=True)
class Activation(ABC):
    """σ, unnormalized, with its dual σ̂(ρ) = E σ(X)σ(Y) / E σ(X)² = Σ a_l ρ^l, X and Y normal with correlation ρ.

    a_l ≥ 0 is the squared coefficient of the l-th normalized Hermite polynomial in σ/√E σ², and Σ a_l = 1. Arguments
    are floats in numeric trees and SymPy expressions in symbolic ones; the latter support only the expression and
    the radius. Reference: Daniely, Frostig and Singer 2016.
    """

    span: Span | None = field(default=None, compare=False, repr=False)

    name: ClassVar[str]
    formula: ClassVar[str]
    reference: ClassVar[str]
    diverges_at_radius: ClassVar[bool] = False
    """Whether Σ a_l m^l diverges at m equal to the radius of convergence, if that exceeds one."""

    @abstractmethod
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        """σ(x)/√E σ², the activation scaled to mean square one under normal input."""

    @abstractmethod
    def series(self, x: np.ndarray) -> np.ndarray:
        """Σ a_l x^l for |x| ≤ radius(), in closed form if there is one; to 1e-14 for |x| ≤ 1."""

    @abstractmethod
    def dual_expression(self, rho: Any) -> Any:
        """σ̂(ρ) in SymPy."""

    def dual_of_expression(self, rho: Any) -> Any:
        """`dual_expression` at the value of a kernel; unevaluated for a number given by an integral.

        SymPy would compute its digits, possibly forever, to find the sign under a root or in an exponential.
        """
        with sympy.evaluate(not (rho.is_number and rho.has(sympy.Integral))):
            return self.dual_expression(rho)

    @abstractmethod
    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        """a_l as floats, for degrees from 0 to 1e12 and beyond."""

    @abstractmethod
    def mean_degree(self, weight: float = 1.0) -> float:
        """E l = m σ̂′(m)/σ̂(m) under q_l ∝ a_l m^l, 0 < m = `weight` ≤ radius(): ∞ for heavy tails.

        At one it is σ̂′(1) = Σ l a_l = E σ′²/E σ², infinite for activations that jump.
        """

    def growth(self, weight: float = 1.0) -> float:
        """m σ̂′(m)/σ̂(m), the mean degree if no degrees are left out; NaN if it is not known."""
        return self.mean_degree(weight)

    @abstractmethod
    def radius(self) -> Scalar:
        """The radius of convergence of Σ a_l x^l; at least one."""

    @abstractmethod
    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        """Draws (n,) of integers, as floats or ints, from the law ∝ a_l m^l, m = `weight`, which has been checked.

        The first draws do not depend on how many follow.
        """

    def dual(self, rho: np.ndarray) -> np.ndarray:
        """σ̂(ρ), in [−1, 1]; ρ beyond ±1 by rounding counts as ±1, and gives NaN further out."""
        return floats(np.clip(self._within(rho, 1.0), -1.0, 1.0))

    def dual_at(self, x: np.ndarray) -> np.ndarray:
        """Σ a_l x^l, also for arguments beyond ±1; NaN if it diverges."""
        radius = float(self.radius())
        found = self._within(x, radius)
        if self.diverges_at_radius and radius > 1:
            return np.where(np.abs(x) >= radius, np.nan, found)
        return found

    def dual_absolute(self, x: np.ndarray) -> np.ndarray:
        """Σ |a_l| x^l for x ≥ 0; ∞ if it diverges."""
        x = np.asarray(x, dtype=float)
        found = self.dual_at(x)
        return np.asarray(np.where(np.isnan(found) & ~np.isnan(x), np.inf, found))

    def law(self, degree: np.ndarray, weight: float = 1.0) -> np.ndarray:
        """q_l = a_l m^l / Σ a_i m^i, the probabilities of degrees at a weight m > 0 for which the sum is finite."""
        degree = np.asarray(degree, dtype=float)
        found = self.coefficient(degree)
        if weight == 1:
            return found
        with np.errstate(divide="ignore"):
            powers = np.exp(np.log(found) + degree * math.log(weight))
        return np.asarray(powers / self.dual_absolute(np.array(weight)))

    def draw_degrees(self, stream: Stream, n: int, weight: float = 1.0) -> np.ndarray:
        """n independent degrees, int64, from the law q_l = a_l m^l / Σ a_i m^i with m = `weight`.

        Exact up to the rounding of the uniform numbers, 2⁻⁵³, and the cap at 2⁶². The first draws do not depend on n.
        Raises RangeError if m ≤ 0 or Σ a_l m^l diverges.
        """
        radius = float(self.radius())
        diverges = radius < math.inf and not math.isfinite(float(self.dual_absolute(np.array(weight))))
        if not 0 < weight < math.inf or diverges:
            raise RangeError(
                f"{self} has no law of degrees at the weight {weight:g}: it must be positive and Σ a_l m^l finite, "
                f"which converges for m < {radius:g}",
                self.span,
            )
        drawn = self.propose_degrees(stream, n, min(float(weight), radius))
        if drawn.dtype == np.int64:
            return drawn
        return np.asarray(np.minimum(drawn, float(LARGEST_DEGREE)), dtype=np.int64)

    @property
    def omitted(self) -> float:
        """The share of E σ² that σ̂ and its degrees leave out: 0, unless only some coefficients are known."""
        return 0.0

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left out except by rounding."""
        return True

    def _within(self, x: np.ndarray, limit: float) -> np.ndarray:
        x = floats(x)
        inside = np.clip(x, -limit, limit)
        with np.errstate(over="ignore", divide="ignore"):
            return np.where(np.abs(x) <= limit * (1 + _ROUNDING), self.series(inside), np.nan)

    def __str__(self) -> str:
        return call_text(self) if declared(type(self)) else self.name


def load_activation(name: str) -> type[Activation]:
    """The class of an activation."""
    found: type[Activation] = ACTIVATIONS.load(name)
    return found
