"""The Gaussian error linear unit."""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, inf, pi, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.activations.series import central_binomial, first_return_at, half_binomial_at
from kernelspec.special.exact_draws import draw_by_rejection

if TYPE_CHECKING:
    from kernelspec.expressions.arguments import Scalar
    from kernelspec.random.streams import Stream

__all__ = ["Gelu"]

_MEAN_SQUARE = 1 / 3 + 1 / (2 * pi * sqrt(3))


@dataclass(frozen=True, kw_only=True)
class Gelu(Activation):
    """σ(x) = x Φ(x), Φ the normal distribution function.

    Integration by parts gives E σ(X)σ(Y) = ρ E Φ(X)Φ(Y) + (1 + ρ²) E φ(X)φ(Y) + 2ρ E φ′(X)Φ(Y), that is
    ρ/4 + ρ arcsin(ρ/2)/2π + 1/(2π√(4 − ρ²)), which is E σ² = 1/3 + 1/(2π√3) at ρ = 1. The radius of convergence is 2.
    Reference: Hendrycks and Gimpel 2016; Tsuchida, Pearce, van der Heide, Roosta and Gallagher 2021.
    """

    name: ClassVar[str] = "gelu"
    formula: ClassVar[str] = "x Φ(x)"
    reference: ClassVar[str] = "Tsuchida, Pearce, van der Heide, Roosta and Gallagher 2021"
    diverges_at_radius: ClassVar[bool] = True

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        from scipy.special import ndtr

        x = np.asarray(x, dtype=float)
        return np.asarray(x * ndtr(x) / sqrt(_MEAN_SQUARE))

    def series(self, x: np.ndarray) -> np.ndarray:
        peak = 1 / np.sqrt((2 - x) * (2 + x))
        return np.asarray((x / 4 + (x * np.arcsin(x / 2) + peak) / (2 * pi)) / _MEAN_SQUARE)

    def dual_expression(self, rho: Any) -> Any:
        import sympy

        whole = rho / 4 + (rho * sympy.asin(rho / 2) + 1 / sympy.sqrt(4 - rho**2)) / (2 * sympy.pi)
        return whole / (sympy.Rational(1, 3) + 1 / (2 * sympy.pi * sympy.sqrt(3)))

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        degree = np.asarray(degree, dtype=float)
        k = np.floor(np.maximum(degree, 0) / 2)
        even = central_binomial(k) * np.exp2(-np.minimum(2 * k, 1100.0)) * (0.5 + 4 * k / np.square(2 * k - 1))
        found = np.where((degree >= 0) & (degree % 2 == 0), even / (2 * pi), np.where(degree == 1, 0.25, 0.0))
        return found / _MEAN_SQUARE

    def derivative_at_one(self) -> Scalar:
        return (1 / 3 + 2 / (3 * sqrt(3) * pi)) / _MEAN_SQUARE

    def mean_degree(self, weight: float = 1.0) -> float:
        complement = (2 - weight) * (2 + weight)
        if complement <= 0:
            return inf
        peak = 1 / sqrt(complement)
        slope = 1 / 4 + (asin(weight / 2) + weight * peak + weight * peak**3) / (2 * pi)
        return weight * slope / (_MEAN_SQUARE * float(self.series(np.array(weight))))

    def radius(self) -> Scalar:
        return 2.0

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        """Degree 1, 2K from ρ arcsin(ρ/2) with K a first return, or 2N from 1/√(4 − ρ²) with N negative binomial.

        Of the second kind the part (m/2)^{2K−2} K/(2K − 1) is kept.
        """
        complement = (2 - weight) * (2 + weight) / 4
        masses = np.array([weight / 4, weight**2 / (2 * pi), 1 / (4 * pi * sqrt(complement))])
        edges = np.cumsum(masses / masses.sum())[:-1]
        rate = np.log(weight / 2)

        def propose(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            part, k = np.searchsorted(edges, u[:, 0]), first_return_at(u[:, 1])
            kept = np.exp((2 * k - 2) * rate) * k / (2 * k - 1)
            degrees = np.choose(part, [1.0, 2 * k, 2 * half_binomial_at(u[:, 1:], complement)])
            return degrees, np.where(part == 1, kept, 1.0)

        return draw_by_rejection(stream, n, 3, propose)
