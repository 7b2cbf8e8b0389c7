"""Activations that are linear on either side of zero, steps, signs and the error function."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import asin, inf, pi, sqrt
from typing import Any, ClassVar

import numpy as np

from kernelspec.activations.activation import LARGEST_DEGREE, Activation
from kernelspec.activations.series import central_binomial, first_return_at
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.elementary import infinity
from kernelspec.loading import special, sympy
from kernelspec.random.streams import Stream
from kernelspec.special.elementary import floats
from kernelspec.special.exact_draws import draw_by_rejection

__all__ = ["Abs", "Arcsine", "Erf", "LeakyRelu", "Relu", "Sign", "Step", "TwoSlopes"]


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


@dataclass(frozen=True, kw_only=True)
class Arcsine(Activation):
    """σ̂(ρ) = s + (1 − s) arcsin(qρ)/arcsin(q), 0 < q ≤ 1; coefficients ∝ c_k q^{2k+1}/(2k + 1) at degree 2k + 1.

    c_k = C(2k, k)/4^k. The radius of convergence is 1/q, σ̂′(1) = (1 − s) q/(√(1 − q²) arcsin q). For q = 1, P(l > n) ≈
    (1 − s) (2/π)^{3/2}/√n: 10⁴ draws reach degrees in the millions. Reference: Williams 1998.
    """

    def constant(self) -> Scalar:
        """s, the share of the constant."""
        return 0

    @abstractmethod
    def argument(self) -> Scalar:
        """q."""

    @abstractmethod
    def odds(self) -> float:
        """q²/(1 − q²), without cancellation; ∞ for q = 1."""

    def series(self, x: np.ndarray) -> np.ndarray:
        share = float(self.constant())
        return floats(share + (1 - share) * (self._angle(x) / self._angle(np.array(1.0))))

    def _angle(self, x: np.ndarray) -> np.ndarray:
        """arcsin(qx) = arctan(x / √((1 − q²)/q² + 1 − x²))."""
        other_side = np.sqrt(np.maximum(1 / self.odds() + (1 - x) * (1 + x), 0.0))
        return floats(np.arctan2(x, other_side))

    def dual_expression(self, rho: Any) -> Any:
        q, share = sympy.S(self.argument()), sympy.S(self.constant())
        return share + (1 - share) * sympy.asin(q * rho) / sympy.asin(q)

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        share = float(self.constant())
        degree = np.asarray(degree, dtype=float)
        k = np.floor(np.maximum(degree, 0) / 2)
        power = np.exp(-0.5 * (2 * k + 1) * np.log1p(1 / self.odds()))  # q² = 1/(1 + 1/odds)
        odd = (1 - share) / self._angle(np.array(1.0)) * central_binomial(k) / (2 * k + 1) * power
        return np.where((degree > 0) & (degree % 2 == 1), odd, np.where(degree == 0, share, 0.0))

    def mean_degree(self, weight: float = 1.0) -> float:
        if weight >= float(self.radius()) and weight > 1:
            return inf
        # 1/q² − m², which is 0 for q = m = 1
        side = max(1 / self.odds() + (1 - weight) * (1 + weight), 0.0)
        size = float(self._angle(np.array(1.0)) * self.series(np.array(weight)))
        return float(1 - self.constant()) * weight / sqrt(side) / size if side else inf

    def radius(self) -> Scalar:
        return 1.0 / self.argument()

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        """Degree 0, or 2K − 1 with K a first return, accepted with probability (qm)^{2K−2} K/(2K − 1)."""
        share, q = float(self.constant()), float(self.argument())
        slope = (1 - share) * q * weight / float(self._angle(np.array(1.0)))
        split = share / (share + 2 * slope)
        rate = np.log(min(q * weight, 1.0))

        def propose(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            constant, k = u[:, 0] < split, first_return_at(u[:, 1])
            kept = np.exp((2 * k - 2) * rate) * k / (2 * k - 1)
            return np.where(constant, 0.0, k), np.where(constant, 1.0, kept)

        halves = np.minimum(draw_by_rejection(stream, n, 2, propose), LARGEST_DEGREE // 2).astype(np.int64)
        return np.asarray(np.maximum(2 * halves - 1, 0))  # in integers: large floats are all even


@dataclass(frozen=True, kw_only=True)
class Step(Arcsine):
    """σ(x) = 1 for x > 0, 0 otherwise; σ̂(ρ) = ½ + arcsin(ρ)/π, the arc-cosine kernel of order 0.

    σ̂′(1) = ∞; P(l > n) ≈ 0.254/√n. Reference: Cho and Saul 2009.
    """

    name: ClassVar[str] = "step"
    formula: ClassVar[str] = "1 for x > 0, 0 otherwise"
    reference: ClassVar[str] = "Cho and Saul 2009"

    def constant(self) -> Scalar:
        return Fraction(1, 2)

    def argument(self) -> Scalar:
        return 1

    def odds(self) -> float:
        return inf

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return floats(np.where(floats(x) > 0, np.sqrt(2), 0.0))


@dataclass(frozen=True, kw_only=True)
class Sign(Arcsine):
    """σ(x) = sign x, σ̂(ρ) = (2/π) arcsin ρ; σ̂′(1) = ∞; P(l > n) ≈ 0.508/√n. Reference: Sheppard 1899."""

    name: ClassVar[str] = "sign"
    formula: ClassVar[str] = "sign(x)"
    reference: ClassVar[str] = "Sheppard 1899"

    def argument(self) -> Scalar:
        return 1

    def odds(self) -> float:
        return inf

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return floats(np.sign(floats(x)))


@dataclass(frozen=True, kw_only=True)
class Erf(Arcsine):
    """σ(x) = erf(s x), s = `scale`; σ̂(ρ) = arcsin(qρ)/arcsin(q), q = 2s²/(1 + 2s²), the kernel of Williams.

    The radius of convergence is 1/q, 3/2 for s = 1. Reference: Williams 1998.
    """

    name: ClassVar[str] = "erf"
    formula: ClassVar[str] = "erf(s x)"
    reference: ClassVar[str] = "Williams 1998"

    scale: Scalar = real(1, at_least=1e-70, at_most=1e70)

    def argument(self) -> Scalar:
        return 2 * self.scale**2 / (1 + 2 * self.scale**2)

    def odds(self) -> float:
        double = 2 * float(self.scale) ** 2
        return double**2 / (1 + 2 * double)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        mean_square = 2 / np.pi * self._angle(np.array(1.0))
        return np.asarray(special.erf(float(self.scale) * np.asarray(x, dtype=float)) / np.sqrt(mean_square))
