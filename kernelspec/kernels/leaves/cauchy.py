"""The Cauchy kernel, a product over the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.special.elementary import floats

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.random.streams import Stream

__all__ = ["Cauchy"]


@dataclass(frozen=True, kw_only=True)
class Cauchy(Coordinatewise):
    """k(Δ) = ∏ 1 / (1 + Δ_i²/σ²) on R^d, σ = `scale` > 0; every ω_i ~ Laplace(0, 1/σ).

    Density ∏ (σ/2) exp(−σ|ω_i|). Second moment 2d/σ². Reference: Rahimi and Recht 2007.
    """

    name: ClassVar[str] = "cauchy"
    formula: ClassVar[str] = "∏ 1 / (1 + Δ_i²/σ²)"
    frequencies: ClassVar[str] = "Laplace(0, 1/σ) in every coordinate"
    reference: ClassVar[str] = "Rahimi and Recht 2007"
    is_analytic: ClassVar[bool] = True

    scale: Scalar = length(1)

    def distance(self, pairs: NumericPairs) -> np.ndarray:
        """‖Δ‖₂: near 0 the logarithm of k is quadratic."""
        return floats(np.sqrt(pairs.squared_norm()))

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.square(lag / float(self.scale)))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return 1 / (1 + lag**2 / sympy.S(self.scale) ** 2)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return stream.laplace("laplace", shape) / float(self.scale)

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        # a Laplace variable is the difference of two exponential ones, whose sums have gamma laws
        shape = np.repeat(counts[:, None], self.dim, axis=1)
        rise, fall = (stream.generator(purpose).standard_gamma(shape) for purpose in ("rise", "fall"))
        return np.asarray((rise - fall) / float(self.scale))

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        scale = float(self.scale)
        return np.asarray(0.5 * scale * np.exp(-scale * np.abs(frequency)))

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        scale = sympy.S(self.scale)
        return scale / 2 * sympy.exp(-scale * sympy.Abs(frequency))

    def frequency_variance(self) -> Scalar:
        return 2 / self.scale**2
