"""The rational quadratic kernel of the Euclidean distance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log, pi, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length, real
from kernelspec.kernels.stationary import Radial
from kernelspec.limits import MAX_SHAPE
from kernelspec.special.elementary import as_exponent, gamma_function, log_bessel_density

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["RationalQuadratic"]


@dataclass(frozen=True, kw_only=True)
class RationalQuadratic(Radial):
    """k(Δ) = (1 + ‖Δ‖²/2αℓ²)^{−α} on R^d, α = `alpha` > 0, ℓ = `scale` > 0; τ ~ Gamma(α, rate α) / ℓ².

    ω is symmetric variance-gamma: density (αℓ²/2π)^{d/2} (2/Γ(α)) (x/2)^{α−d/2} K_{α−d/2}(x) with
    x = √(2α) ℓ‖ω‖, infinite at ω = 0 for α ≤ d/2. Second moment d/ℓ².
    Reference: Rasmussen and Williams 2006, section 4.2.
    """

    name: ClassVar[str] = "rational_quadratic"
    formula: ClassVar[str] = "(1 + ‖Δ‖² / 2αℓ²)^{−α}"
    frequencies: ClassVar[str] = "N(0, τ ℓ⁻² I) with τ ~ Gamma(α, rate α)"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 4.2"

    alpha: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = length(1)

    def profile(self, distance: np.ndarray) -> np.ndarray:
        alpha, scale = float(self.alpha), float(self.scale)
        return np.exp(-alpha * np.log1p(np.square(distance / scale) / (2 * alpha)))

    def profile_expression(self, distance: Any) -> Any:
        import sympy

        alpha = sympy.S(self.alpha)
        return (1 + distance**2 / (2 * alpha * sympy.S(self.scale) ** 2)) ** -alpha

    def draw_variance(self, stream: Stream, n: int) -> np.ndarray:
        return stream.gamma("variance", float(self.alpha), n) / float(self.alpha * self.scale**2)

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        # l gamma variances of order α add up to one of order lα, and so do the frequencies given them
        normal = stream.generator("normal").standard_normal((len(counts), self.dim))
        variance = stream.generator("variance").standard_gamma(self.alpha * counts) / float(self.alpha * self.scale**2)
        return np.asarray(normal * np.sqrt(variance)[:, None])

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        x = sqrt(2 * self.alpha) * self.scale * np.asarray(radius)
        constant = dim / 2 * log(self.alpha * self.scale**2 / (2 * pi))
        return np.exp(constant + log_bessel_density(self.alpha, x, dim))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        import sympy

        alpha, scale, half = sympy.S(self.alpha), sympy.S(self.scale), sympy.S(dim) / 2
        x = sympy.sqrt(2 * alpha) * scale * radius
        constant = (alpha * scale**2 / (2 * sympy.pi)) ** half * 2 / gamma_function(alpha)
        values = constant * (x / 2) ** as_exponent(alpha - half) * sympy.besselk(alpha - half, x)
        at_zero = (alpha * scale**2 / (2 * sympy.pi)) ** half * gamma_function(alpha - half) / gamma_function(alpha)
        peak = sympy.Piecewise((at_zero, alpha > half), (sympy.oo, True))
        return sympy.Piecewise((peak, sympy.Eq(radius, 0)), (values, True))

    def frequency_variance(self) -> Scalar:
        return self.scale**-2

    def raised(self, exponent: Scalar) -> RationalQuadratic:
        """Another order; α ℓ² stays."""
        scale = self.scale * exponent ** Fraction(-1, 2)
        return RationalQuadratic(alpha=self.alpha * exponent, scale=scale, dim=self.dim, span=self.span)
