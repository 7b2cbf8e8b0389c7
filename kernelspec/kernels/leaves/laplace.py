"""The Laplace kernel, exponential in the L1 distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length
from kernelspec.expressions.elementary import infinity
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.special.elementary import floats

if TYPE_CHECKING:
    from kernelspec.distributions.distribution import Positive
    from kernelspec.expressions.pairs import NumericPairs, Pairs
    from kernelspec.kernels.leaf import Stationary
    from kernelspec.random.streams import Stream

__all__ = ["Laplace"]


@dataclass(frozen=True, kw_only=True)
class Laplace(Coordinatewise):
    """k(Δ) = exp(−‖Δ‖₁ / σ) on R^d, σ = `scale` > 0; every ω_i ~ Cauchy(0, 1/σ).

    Density ∏ σ / π(1 + σ²ω_i²). Second moment infinite. Reference: Rahimi and Recht 2007.
    """

    name: ClassVar[str] = "laplace"
    formula: ClassVar[str] = "exp(−‖Δ‖₁ / σ)"
    frequencies: ClassVar[str] = "Cauchy(0, 1/σ) in every coordinate"
    reference: ClassVar[str] = "Rahimi and Recht 2007"

    scale: Scalar = length(1)

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.exp(self.exponent(pairs)))

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(-pairs.absolute_sum() / float(self.scale))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        return sympy.exp(-pairs.absolute_sum() / sympy.S(self.scale))

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return floats(np.exp(-np.abs(lag) / float(self.scale)))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return sympy.exp(-sympy.Abs(lag) / sympy.S(self.scale))

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return np.tan(np.pi * (stream.uniform("angle", shape) - 0.5)) / float(self.scale)

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        return np.asarray(self.draw(stream, len(counts)) * counts[:, None])  # l Cauchy variables are l times one

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        scale = float(self.scale)
        return scale / (np.pi * (1 + np.square(scale * frequency)))

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        scale = sympy.S(self.scale)
        return scale / (sympy.pi * (1 + scale**2 * frequency**2))

    def frequency_variance(self) -> Scalar:
        return infinity(self.scale)

    def pitch_law(self) -> Positive:
        from kernelspec.distributions.gamma_family import Gamma

        return Gamma(shape=2, scale=self.scale)

    def raised(self, exponent: Scalar) -> Laplace:
        return Laplace(scale=self.scale / exponent, dim=self.dim, span=self.span)

    def fuse(self, other: Stationary) -> Laplace | None:
        if not isinstance(other, Laplace):
            return None
        return Laplace(scale=1 / (1 / self.scale + 1 / other.scale), dim=self.dim, span=self.span)
