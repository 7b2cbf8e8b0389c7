"""Activations with entire duals: exp, sin, cos and gaussian, and also gelu."""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, exp, expm1, inf, pi, sqrt, tanh
from typing import Any, ClassVar

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.activations.series import PoissonSeries, central_binomial, first_return_at, half_binomial_at
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.loading import special, sympy
from kernelspec.random.streams import Stream
from kernelspec.special.elementary import floats
from kernelspec.special.exact_draws import draw_by_rejection

__all__ = ["Cos", "Exp", "Gaussian", "Gelu", "Sin"]


@dataclass(frozen=True, kw_only=True)
class Oscillation(PoissonSeries):
    """cos ax and sin ax, with the even and the odd Poisson numbers of rate a²."""

    step: ClassVar[int] = 2

    a: Scalar = real(1, at_least=1e-70, at_most=1e4)

    def rate(self) -> Scalar:
        return self.a**2

    def share(self, weight: float = 1.0) -> float:
        fall = 2 * float(self.rate()) * weight
        return -expm1(-fall) / 2 if self.first else (1 + exp(-fall)) / 2

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        wave = np.sin if self.first else np.cos
        return floats(wave(float(self.a) * floats(x)) / np.sqrt(self.share()))

    def series(self, x: np.ndarray) -> np.ndarray:
        c, size = float(self.rate()), np.abs(x)
        both = -np.expm1(-2 * c * size) if self.first else 1 + np.exp(-2 * c * size)
        grown = np.exp(c * (size - 1)) * both / (2 * self.share())
        return floats(np.copysign(grown, x) if self.first else grown)

    def dual_expression(self, rho: Any) -> Any:
        hyperbolic = sympy.sinh if self.first else sympy.cosh
        return hyperbolic(self.a**2 * rho) / hyperbolic(self.a**2)

    def mean_degree(self, weight: float = 1.0) -> float:
        rate = float(self.rate()) * weight
        return rate / tanh(rate) if self.first else rate * tanh(rate)


class Cos(Oscillation):
    """σ(x) = cos ax, σ̂(ρ) = cosh(a²ρ)/cosh(a²): degrees are even Poisson numbers of rate a², σ̂′(1) = a² tanh a².

    Reference: Louart, Liao and Couillet 2018, table 1.
    """

    name: ClassVar[str] = "cos"
    formula: ClassVar[str] = "cos(a x)"
    reference: ClassVar[str] = "Louart, Liao and Couillet 2018, table 1"


class Sin(Oscillation):
    """σ(x) = sin ax, σ̂(ρ) = sinh(a²ρ)/sinh(a²): degrees are odd Poisson numbers of rate a², σ̂′(1) = a² coth a².

    Reference: Louart, Liao and Couillet 2018, table 1.
    """

    name: ClassVar[str] = "sin"
    formula: ClassVar[str] = "sin(a x)"
    reference: ClassVar[str] = "Louart, Liao and Couillet 2018, table 1"
    first: ClassVar[int] = 1


@dataclass(frozen=True, kw_only=True)
class Exp(PoissonSeries):
    """σ(x) = e^{√c x}, σ̂(ρ) = e^{c(ρ − 1)}: degrees are Poisson numbers of mean c, and σ̂′(1) = c.

    Over a circle or a sphere the dual is a Gaussian kernel. Reference: Daniely, Frostig and Singer 2016.
    """

    name: ClassVar[str] = "exp"
    formula: ClassVar[str] = "exp(√c x)"
    reference: ClassVar[str] = "Daniely, Frostig and Singer 2016"

    c: Scalar = real(1, above=0, at_most=1e8)

    def rate(self) -> Scalar:
        return self.c

    def share(self, weight: float = 1.0) -> float:
        return 1.0

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        c = float(self.c)
        return floats(np.exp(np.sqrt(c) * floats(x) - c))

    def series(self, x: np.ndarray) -> np.ndarray:
        return floats(np.exp(float(self.c) * (x - 1)))

    def dual_expression(self, rho: Any) -> Any:
        return sympy.exp(self.c * (rho - 1))

    def mean_degree(self, weight: float = 1.0) -> float:
        return float(self.c) * weight


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
        return floats(1 / np.sqrt(np.maximum(1 + self._odds * (1 - x) * (1 + x), 0.0)))

    def dual_expression(self, rho: Any) -> Any:
        a = sympy.S(self.a)
        return sympy.sqrt(1 + 4 * a) / sympy.sqrt((1 + 2 * a) ** 2 - 4 * a**2 * rho**2)

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        degree = np.asarray(degree, dtype=float)
        odds, even = self._odds, np.maximum(degree, 0)
        found = central_binomial(even / 2) * np.exp(-0.5 * (even * np.log1p(1 / odds) + np.log1p(odds)))
        return np.where((degree >= 0) & (degree % 2 == 0), found, 0.0)

    @property
    def _odds(self) -> float:
        """q²/(1 − q²)."""
        return 4 * float(self.a) ** 2 / (1 + 4 * float(self.a))

    def mean_degree(self, weight: float = 1.0) -> float:
        odds = self._odds
        complement = 1 + odds * (1 - weight) * (1 + weight)  # (1 − q²m²)/(1 − q²)
        return odds * weight**2 / complement if complement > 0 else inf

    def radius(self) -> Scalar:
        return (1 + 2 * self.a) / (2 * self.a)

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        a = float(self.a)
        # 1 − q²m², from 1 − q² = (1 + 4a)/(1 + 2a)²
        complement = ((1 + 4 * a) + 4 * a**2 * (1 - weight) * (1 + weight)) / (1 + 2 * a) ** 2
        return np.asarray(2 * half_binomial_at(stream.uniforms("degrees", (n, 2)), max(complement, 1e-20)))


_MEAN_SQUARE = 1 / 3 + 1 / (2 * pi * sqrt(3))


@dataclass(frozen=True, kw_only=True)
class Gelu(Activation):
    """σ(x) = x Φ(x), Φ the normal distribution function.

    Integration by parts gives E σ(X)σ(Y) = ρ E Φ(X)Φ(Y) + (1 + ρ²) E φ(X)φ(Y) + 2ρ E φ′(X)Φ(Y), which equals ρ/4 + ρ
    arcsin(ρ/2)/2π + 1/(2π√(4 − ρ²)), and E σ² = 1/3 + 1/(2π√3) at ρ = 1. The radius of convergence is 2. Reference:
    Hendrycks and Gimpel 2016; Tsuchida, Pearce, van der Heide, Roosta and Gallagher 2021.
    """

    name: ClassVar[str] = "gelu"
    formula: ClassVar[str] = "x Φ(x)"
    reference: ClassVar[str] = "Tsuchida, Pearce, van der Heide, Roosta and Gallagher 2021"
    diverges_at_radius: ClassVar[bool] = True

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        x = np.asarray(x, dtype=float)
        return np.asarray(x * special.ndtr(x) / sqrt(_MEAN_SQUARE))

    def series(self, x: np.ndarray) -> np.ndarray:
        peak = 1 / np.sqrt((2 - x) * (2 + x))
        return np.asarray((x / 4 + (x * np.arcsin(x / 2) + peak) / (2 * pi)) / _MEAN_SQUARE)

    def dual_expression(self, rho: Any) -> Any:
        whole = rho / 4 + (rho * sympy.asin(rho / 2) + 1 / sympy.sqrt(4 - rho**2)) / (2 * sympy.pi)
        return whole / (sympy.Rational(1, 3) + 1 / (2 * sympy.pi * sympy.sqrt(3)))

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        degree = np.asarray(degree, dtype=float)
        k = np.floor(np.maximum(degree, 0) / 2)
        even = central_binomial(k) * np.exp2(-np.minimum(2 * k, 1100.0)) * (0.5 + 4 * k / np.square(2 * k - 1))
        found = np.where((degree >= 0) & (degree % 2 == 0), even / (2 * pi), np.where(degree == 1, 0.25, 0.0))
        return found / _MEAN_SQUARE

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

        2K is accepted with probability (m/2)^{2K−2} K/(2K − 1).
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
