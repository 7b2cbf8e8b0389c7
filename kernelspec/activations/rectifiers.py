"""Rectifiers and other activations that are linear on either side of zero."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import asin, pi
from typing import Any, ClassVar

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.activations.series import central_binomial, first_return_at
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.elementary import infinity
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.elementary import floats
from kernelspec.special.exact_draws import draw_by_rejection

__all__ = ["Abs", "LeakyRelu", "Relu", "TwoSlopes"]


@dataclass(frozen=True, kw_only=True)
class TwoSlopes(Activation):
    """σ(x) = x for x > 0, s x for x < 0: (1 + s)/2 of x and (1 − s)/2 of |x|, which are orthogonal.

    σ̂(ρ) = [(1 + s)² ρ + (1 − s)² α(ρ)] / 2(1 + s²), α(ρ) = (2/π)(√(1 − ρ²) + ρ arcsin ρ) the dual of |x|, whose
    coefficients are (2/π) c_k/(2k − 1)² at degree 2k, c_k = C(2k, k)/4^k. σ̂′(1) = 1.
    Reference: Cho and Saul 2009; Daniely, Frostig and Singer 2016.
    """

    @abstractmethod
    def left_slope(self) -> Scalar:
        """s, the slope for x < 0."""

    def shares(self) -> tuple[Scalar, Scalar]:
        """The weights of the duals of x and |x|."""
        return _shares(self.left_slope())

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        s = float(self.left_slope())
        x = floats(x)
        return floats(np.where(x > 0, x, s * x) * np.sqrt(2 / (1 + s**2)))

    def series(self, x: np.ndarray) -> np.ndarray:
        straight, bent = (float(share) for share in self.shares())
        if bent == 0:
            return floats(straight * x)
        absolute = 2 / np.pi * (np.sqrt((1 - x) * (1 + x)) + x * np.arcsin(x))
        return floats(straight * x + bent * absolute)

    def dual_expression(self, rho: Any) -> Any:
        straight, bent = _shares(sympy.S(self.left_slope()))
        return straight * rho + bent * 2 / sympy.pi * (sympy.sqrt(1 - rho**2) + rho * sympy.asin(rho))

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        straight, bent = (float(share) for share in self.shares())
        degree = np.asarray(degree, dtype=float)
        k = np.floor(np.maximum(degree, 0) / 2)
        even = bent * 2 / np.pi * central_binomial(k) / np.square(2 * k - 1)
        return np.where((degree >= 0) & (degree % 2 == 0), even, np.where(degree == 1, straight, 0.0))

    def derivative_at_one(self) -> Scalar:
        return 1.0

    def mean_degree(self, weight: float = 1.0) -> float:
        straight, bent = (float(share) for share in self.shares())
        slope = straight + bent * (2 / pi * asin(weight) if bent else 0.0)
        return weight * slope / float(self.series(np.array(weight)))

    def radius(self) -> Scalar:
        return infinity() if self.left_slope() == 1 else 1.0

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        """Degrees 0 and 1, or 2K with K a first return, accepted with probability m^{2K−2}/(2K − 1)."""
        straight, bent = (float(share) for share in self.shares())
        masses = np.array([bent * 2 / np.pi, straight * weight, bent * 2 / np.pi * weight**2])
        edges = np.cumsum(masses / masses.sum())[:-1]

        def propose(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            part, k = np.searchsorted(edges, u[:, 0]), first_return_at(u[:, 1])
            kept = np.exp((2 * k - 2) * np.log(weight)) / (2 * k - 1)
            return np.where(part == 2, 2 * k, part), np.where(part == 2, kept, 1.0)

        return draw_by_rejection(stream, n, 2, propose)


def _shares(s: Scalar) -> tuple[Scalar, Scalar]:
    return (1 + s) ** 2 / (2 * (1 + s**2)), (1 - s) ** 2 / (2 * (1 + s**2))


@dataclass(frozen=True, kw_only=True)
class Relu(TwoSlopes):
    """σ(x) = max(0, x), σ̂(ρ) = (√(1 − ρ²) + ρ (π − arccos ρ))/π, the arc-cosine kernel of order 1.

    Coefficients 1/π, ½, and c_k/π(2k − 1)² at degree 2k; σ̂′(1) = 1. Reference: Cho and Saul 2009.
    """

    name: ClassVar[str] = "relu"
    formula: ClassVar[str] = "max(0, x)"
    reference: ClassVar[str] = "Cho and Saul 2009"

    def left_slope(self) -> Scalar:
        return 0


@dataclass(frozen=True, kw_only=True)
class LeakyRelu(TwoSlopes):
    """σ(x) = x for x > 0, s x for x < 0, s = `slope`: relu for s = 0, the identity for s = 1, |x| for s = −1.

    Reference: Tsuchida, Roosta and Gallagher 2018.
    """

    name: ClassVar[str] = "leaky_relu"
    formula: ClassVar[str] = "max(0, x) + s min(0, x)"
    reference: ClassVar[str] = "Tsuchida, Roosta and Gallagher 2018"

    slope: Scalar = real(0.01, at_least=-1e100, at_most=1e100)

    def left_slope(self) -> Scalar:
        return self.slope


@dataclass(frozen=True, kw_only=True)
class Abs(TwoSlopes):
    """σ(x) = |x|, σ̂(ρ) = (2/π)(√(1 − ρ²) + ρ arcsin ρ).

    Coefficients (2/π) c_k/(2k − 1)² at degree 2k; σ̂′(1) = 1. Reference: Louart, Liao and Couillet 2018, table 1.
    """

    name: ClassVar[str] = "abs"
    formula: ClassVar[str] = "|x|"
    reference: ClassVar[str] = "Louart, Liao and Couillet 2018, table 1"

    def left_slope(self) -> Scalar:
        return -1
