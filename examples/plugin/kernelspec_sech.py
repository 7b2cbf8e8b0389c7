"""A plug-in of one kernel: the hyperbolic secant, a product over the columns.

`pip install .` in this folder, and specs may say hyperbolic_secant(scale=2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.special.elementary import floats

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["HyperbolicSecant"]


def _sech(x: np.ndarray) -> np.ndarray:
    """1/cosh x without overflow."""
    fall = np.exp(-np.abs(x))
    return floats(2 * fall / (1 + np.square(fall)))


@dataclass(frozen=True, kw_only=True)
class HyperbolicSecant(Coordinatewise):
    """k(Δ) = ∏ sech(Δ_i/σ) on R^d, σ = `scale` > 0; every ω_i has the same law, 2/πσ times as wide.

    Density ∏ (σ/2) sech(πσω_i/2), distribution function ½ + arctan(sinh(πσω_i/2))/π. Second moment d/σ².
    Reference: Feller 1971, section XV.2.
    """

    name: ClassVar[str] = "hyperbolic_secant"
    formula: ClassVar[str] = "∏ sech(Δ_i/σ)"
    frequencies: ClassVar[str] = "hyperbolic secant of scale 2/πσ in every coordinate"
    reference: ClassVar[str] = "Feller 1971, section XV.2"
    is_analytic: ClassVar[bool] = True

    scale: Scalar = length(1)

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return _sech(lag / float(self.scale))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return sympy.sech(lag / sympy.S(self.scale))

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        angle = np.pi * (stream.uniform("angle", shape) - 0.5)
        return np.asarray(np.arcsinh(np.tan(angle)) * (2 / (np.pi * float(self.scale))))

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        scale = float(self.scale)
        return scale / 2 * _sech(np.pi / 2 * scale * frequency)

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        scale = sympy.S(self.scale)
        return scale / 2 * sympy.sech(sympy.pi * scale * frequency / 2)

    def frequency_variance(self) -> Scalar:
        return self.scale**-2
