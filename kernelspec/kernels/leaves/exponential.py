"""The exponential kernel of the Euclidean distance."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length
from kernelspec.expressions.elementary import infinity
from kernelspec.kernels.stationary import Radial
from kernelspec.special.elementary import floats
from kernelspec.special.exact_draws import draw_inverse_gamma

if TYPE_CHECKING:
    from kernelspec.distributions.distribution import Positive
    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.kernels.leaf import Leaf, Stationary
    from kernelspec.random.streams import Stream

__all__ = ["Exponential"]


@dataclass(frozen=True, kw_only=True)
class Exponential(Radial):
    """k(Δ) = exp(−‖Δ‖₂ / σ) on R^d, σ = `scale` > 0; ω ~ multivariate Cauchy(0, 1/σ), τ = 1/(σ²χ²₁).

    Density Γ((d+1)/2) π^{−(d+1)/2} σ^d (1 + σ²‖ω‖²)^{−(d+1)/2}. Second moment infinite.
    Reference: Rasmussen and Williams 2006, section 4.2 (Matérn of order ½).
    """

    name: ClassVar[str] = "exponential"
    formula: ClassVar[str] = "exp(−‖Δ‖₂ / σ)"
    frequencies: ClassVar[str] = "multivariate Cauchy(0, 1/σ)"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 4.2"

    scale: Scalar = length(1)

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(-np.sqrt(pairs.squared_norm()) / float(self.scale))

    def profile(self, distance: np.ndarray) -> np.ndarray:
        return np.exp(-distance / float(self.scale))

    def profile_expression(self, distance: Any) -> Any:
        import sympy

        return sympy.exp(-distance / sympy.S(self.scale))

    def draw_variance(self, stream: Stream, n: int) -> np.ndarray:
        return draw_inverse_gamma(stream, "variance", 0.5, n) / float(self.scale) ** 2

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        return np.asarray(self.draw(stream, len(counts)) * counts[:, None])  # l Cauchy variables are l times one

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        half = (dim + 1) / 2
        constant = lgamma(half) - half * log(pi) + dim * log(self.scale)
        return np.exp(constant - half * np.log1p(np.square(float(self.scale) * radius)))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        import sympy

        scale, half = sympy.S(self.scale), (sympy.S(dim) + 1) / 2
        return sympy.gamma(half) / sympy.pi**half * scale**dim / (1 + scale**2 * radius**2) ** half

    def frequency_variance(self) -> Scalar:
        return infinity(self.scale)

    def simplest(self) -> Leaf:
        from kernelspec.kernels.leaves.laplace import Laplace

        return Laplace(scale=self.scale, dim=1, span=self.span) if self.dim == 1 else self

    def fuse(self, other: Stationary) -> Exponential | None:
        if not isinstance(other, Exponential):
            return None
        return Exponential(scale=1 / (1 / self.scale + 1 / other.scale), dim=self.dim, span=self.span)

    def raised(self, exponent: Scalar) -> Exponential:
        return Exponential(scale=self.scale / exponent, dim=self.dim, span=self.span)

    def pitch_law(self) -> Positive | None:
        """The Laplace kernel's on one column; exp(−‖Δ‖/σ) is no product on several."""
        if self.dim != 1:
            return None
        from kernelspec.distributions.gamma_family import Gamma

        return Gamma(shape=2, scale=self.scale)
