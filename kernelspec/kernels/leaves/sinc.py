"""The sinc kernel of band-limited functions, a product over the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, real
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.special.elementary import sinc

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["Sinc"]


@dataclass(frozen=True, kw_only=True)
class Sinc(Coordinatewise):
    """k(Δ) = ∏ sin(bΔ_i) / (bΔ_i) on R^d, b = `bandwidth` > 0; every ω_i ~ U(−b, b).

    Density (2b)^{−d} on the cube. Second moment db²/3. Reference: Tobar 2019.
    """

    name: ClassVar[str] = "sinc"
    formula: ClassVar[str] = "∏ sin(bΔ_i) / (bΔ_i)"
    frequencies: ClassVar[str] = "U(−b, b) in every coordinate"
    reference: ClassVar[str] = "Tobar 2019"
    is_analytic: ClassVar[bool] = True

    bandwidth: Scalar = real(1, above=0)

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return sinc(self.bandwidth * lag)

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return sympy.sinc(sympy.S(self.bandwidth) * lag)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return float(self.bandwidth) * (2 * stream.uniform("uniform", shape) - 1)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        return np.where(np.abs(frequency) <= self.bandwidth, 0.5 / self.bandwidth, 0.0)

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        bandwidth = sympy.S(self.bandwidth)
        return sympy.Piecewise((1 / (2 * bandwidth), sympy.Abs(frequency) <= bandwidth), (0, True))

    def frequency_variance(self) -> Scalar:
        return self.bandwidth**2 / 3
