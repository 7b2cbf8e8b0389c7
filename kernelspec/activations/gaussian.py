"""Gaussian bumps."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.activations.central_binomial import central_binomial
from kernelspec.activations.half_binomial import half_binomial_at
from kernelspec.notation.arguments import Scalar, real
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["Gaussian"]


@dataclass(frozen=True, kw_only=True)
class Gaussian(Activation):
    """σ(x) = e^{−ax²}, a > 0; σ̂(ρ) = √((1 − q²)/(1 − q²ρ²)), q = 2a/(1 + 2a); radius 1/q, σ̂′(1) = 4a²/(1 + 4a).

    Coefficients √(1 − q²) c_k q^{2k} at degree 2k: twice a negative binomial number of order ½.
    Reference: Williams 1998.
    """

    name: ClassVar[str] = "gaussian"
    formula: ClassVar[str] = "exp(−a x²)"
    reference: ClassVar[str] = "Williams 1998"
    diverges_at_radius: ClassVar[bool] = True

    a: Scalar = real(1, at_least=1e-70, at_most=1e70)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        a = float(self.a)
        return floats((1 + 4 * a) ** 0.25 * np.exp(-a * np.square(floats(x))))

    def series(self, x: np.ndarray) -> np.ndarray:
        return floats(1 / np.sqrt(np.maximum(1 + float(self.derivative_at_one()) * (1 - x) * (1 + x), 0.0)))

    def dual_expression(self, rho: Any) -> Any:
        import sympy

        a = sympy.S(self.a)
        return sympy.sqrt((1 + 4 * a) / ((1 + 2 * a) ** 2 - 4 * a**2 * rho**2))

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        degree = np.asarray(degree, dtype=float)
        odds = float(self.derivative_at_one())  # q²/(1 − q²)
        even = np.maximum(degree, 0)
        found = central_binomial(even / 2) * np.exp(-0.5 * (even * np.log1p(1 / odds) + np.log1p(odds)))
        return np.where((degree >= 0) & (degree % 2 == 0), found, 0.0)

    def derivative_at_one(self) -> Scalar:
        return 4 * self.a**2 / (1 + 4 * self.a)

    def mean_degree(self, weight: float = 1.0) -> float:
        odds = float(self.derivative_at_one())  # q²/(1 − q²)
        complement = 1 + odds * (1 - weight) * (1 + weight)  # (1 − q²m²)/(1 − q²)
        return odds * weight**2 / complement if complement > 0 else inf

    def radius(self) -> Scalar:
        return (1 + 2 * self.a) / (2 * self.a)

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        a = float(self.a)
        # 1 − q²m², from 1 − q² = (1 + 4a)/(1 + 2a)²
        complement = ((1 + 4 * a) + 4 * a**2 * (1 - weight) * (1 + weight)) / (1 + 2 * a) ** 2
        return np.asarray(2 * half_binomial_at(stream.uniforms("degrees", (n, 2)), max(complement, 1e-20)))
