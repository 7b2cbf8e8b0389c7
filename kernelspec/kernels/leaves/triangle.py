"""The triangle (tent) kernel, a product over the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length
from kernelspec.expressions.elementary import infinity
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.special.elementary import floats
from kernelspec.special.exact_draws import draw_fejer, fejer_density

if TYPE_CHECKING:
    from kernelspec.distributions.distribution import Positive
    from kernelspec.random.streams import Stream

__all__ = ["Triangle"]


@dataclass(frozen=True, kw_only=True)
class Triangle(Coordinatewise):
    """k(Δ) = ∏ max(0, 1 − |Δ_i|/c) on R^d, c = `width` > 0; every ω_i of Fejér density (1 − cos cω)/(πcω²).

    Second moment infinite. Positive definite as a product over columns; the tent of ‖Δ‖₂ is not for d ≥ 2.
    Reference: Feller 1971, section XV.2.
    """

    name: ClassVar[str] = "triangle"
    formula: ClassVar[str] = "∏ max(0, 1 − |Δ_i| / c)"
    frequencies: ClassVar[str] = "Fejér, (1 − cos cω) / (πcω²), in every coordinate"
    reference: ClassVar[str] = "Feller 1971, section XV.2"

    width: Scalar = length(1)

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return floats(np.maximum(0, 1 - np.abs(lag) / float(self.width)))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return sympy.Max(0, 1 - sympy.Abs(lag) / sympy.S(self.width))

    def decay_rate(self) -> Scalar:
        return infinity(self.width)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return draw_fejer(stream, shape) / float(self.width)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        width = float(self.width)
        return width * fejer_density(width * frequency)

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        width = sympy.S(self.width)
        return width / (2 * sympy.pi) * sympy.sinc(width * frequency / 2) ** 2

    def frequency_variance(self) -> Scalar:
        return infinity(self.width)

    def pitch_law(self) -> Positive:
        from kernelspec.distributions.discrete import Discrete

        return Discrete(values=(self.width,), weights=(1,))
