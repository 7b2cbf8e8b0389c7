"""The normal law centred at zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.isotropic import Isotropic
from kernelspec.notation.arguments import Scalar, real
from kernelspec.notation.infinity import infinity

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["Gaussian"]


@dataclass(frozen=True, kw_only=True)
class Gaussian(Isotropic):
    """N(0, s²), s = `scale` > 0: density exp(−x²/2s²) / (s√2π), E cos tX = exp(−s²t²/2), second moment s².

    In R^d: N(0, s² I). Reference: Johnson, Kotz and Balakrishnan 1994, chapter 13.
    """

    name: ClassVar[str] = "gaussian"
    formula: ClassVar[str] = "exp(−x²/2s²) / (s√(2π))"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 13"

    scale: Scalar = real(1, above=0)

    def support(self) -> tuple[Scalar, Scalar]:
        return -infinity(self.scale), infinity(self.scale)

    def mean(self) -> Scalar:
        return 0 * self.scale

    def second_moment(self) -> Scalar:
        return self.scale**2

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * np.square(float(self.scale) * t))

    def log_characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return np.asarray(-0.5 * np.square(float(self.scale) * np.asarray(t)))

    def characteristic_function_expression(self, t: Any) -> Any:
        import sympy

        return sympy.exp(-(sympy.S(self.scale) ** 2) * t**2 / 2)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return float(self.scale) * stream.normal("normal", shape)

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        return self.draw(stream, (n, dim))

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        scale = float(self.scale)
        return np.asarray((2 * np.pi * scale**2) ** (-dim / 2) * np.exp(-0.5 * np.square(radius / scale)))

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        import sympy

        variance = sympy.S(self.scale) ** 2
        return (2 * sympy.pi * variance) ** (-sympy.S(dim) / 2) * sympy.exp(-(radius**2) / (2 * variance))
