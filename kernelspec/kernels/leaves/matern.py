"""The Matérn kernel of the Euclidean distance."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length, real
from kernelspec.expressions.elementary import infinity
from kernelspec.kernels.leaves.exponential import Exponential
from kernelspec.kernels.stationary import Radial
from kernelspec.limits import MAX_SHAPE
from kernelspec.special.elementary import Scaled, log_gamma_ratio, matern_expression, matern_factors, matern_function
from kernelspec.special.exact_draws import draw_inverse_gamma

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.random.streams import Stream

__all__ = ["Matern"]


@dataclass(frozen=True, kw_only=True)
class Matern(Radial):
    """k(Δ) = 2^{1−ν} x^ν K_ν(x) / Γ(ν) with x = √(2ν) ‖Δ‖/ℓ on R^d, order ν = `nu` > 0, ℓ = `scale` > 0.

    ω ~ multivariate Student t of 2ν degrees of freedom and scale 1/ℓ, τ = ν / (ℓ² Gamma(ν, 1)). Density
    Γ(ν + d/2) / Γ(ν) · (ℓ²/2πν)^{d/2} (1 + ℓ²‖ω‖²/2ν)^{−ν−d/2}. Second moment dν / ((ν−1)ℓ²), infinite for
    ν ≤ 1. Reference: Rasmussen and Williams 2006, section 4.2.
    """

    name: ClassVar[str] = "matern"
    formula: ClassVar[str] = "2^{1−ν} x^ν K_ν(x) / Γ(ν), x = √(2ν) ‖Δ‖₂ / ℓ"
    frequencies: ClassVar[str] = "multivariate Student t, 2ν degrees of freedom, scale 1/ℓ"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 4.2"

    nu: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = length(1)

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        x = np.sqrt(pairs.squared_norm()) * (sqrt(2 * self.nu) / float(self.scale))
        return Scaled(*matern_factors(self.nu, x))

    def profile(self, distance: np.ndarray) -> np.ndarray:
        return matern_function(self.nu, distance * (sqrt(2 * self.nu) / float(self.scale)))

    def profile_expression(self, distance: Any) -> Any:
        return matern_expression(self.nu, self.scale, distance)

    def raised(self, exponent: Scalar) -> Exponential | None:
        """Of order ½ the kernel is e^{−‖Δ‖/ℓ}; powers of others are no catalogue kernels."""
        if 2 * self.nu != 1:
            return None
        return Exponential(scale=self.scale / exponent, dim=self.dim, span=self.span)

    def draw_variance(self, stream: Stream, n: int) -> np.ndarray:
        return draw_inverse_gamma(stream, "variance", self.nu, n) / float(self.scale) ** 2

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        nu, rate = float(self.nu), float(self.scale) ** 2 / (2 * float(self.nu))
        constant = log_gamma_ratio(nu, dim / 2) + dim / 2 * log(rate / pi)
        return np.asarray(np.exp(constant - (nu + dim / 2) * np.log1p(rate * np.square(radius))))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        import sympy

        nu, half = sympy.S(self.nu), sympy.S(dim) / 2
        rate = sympy.S(self.scale) ** 2 / (2 * nu)
        constant = sympy.gamma(nu + half) / sympy.gamma(nu) * (rate / sympy.pi) ** half
        return constant * (1 + rate * radius**2) ** (-nu - half)

    def frequency_variance(self) -> Scalar:
        if isinstance(self.nu, int | float):
            return self.nu / ((self.nu - 1) * self.scale**2) if self.nu > 1 else infinity(self.nu, self.scale)
        import sympy

        return sympy.Piecewise((self.nu / ((self.nu - 1) * self.scale**2), self.nu > 1), (sympy.oo, True))
