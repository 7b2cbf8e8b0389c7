"""The Cauchy law centred at zero."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.isotropic import Isotropic
from kernelspec.notation.arguments import Scalar, real
from kernelspec.notation.infinity import infinity, undefined
from kernelspec.special.inverse_gamma import draw_inverse_gamma

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["Cauchy"]


@dataclass(frozen=True, kw_only=True)
class Cauchy(Isotropic):
    """Cauchy(0, s), s = `scale` > 0: density s / π(s² + x²), E cos tX = exp(−s|t|), second moment infinite.

    In R^d: the multivariate Cauchy. Reference: Kotz and Nadarajah 2004, chapter 1.
    """

    name: ClassVar[str] = "cauchy"
    formula: ClassVar[str] = "s / π(s² + x²)"
    reference: ClassVar[str] = "Kotz and Nadarajah 2004, chapter 1"

    scale: Scalar = real(1, above=0)

    def support(self) -> tuple[Scalar, Scalar]:
        return -infinity(self.scale), infinity(self.scale)

    def mean(self) -> Scalar:
        return undefined(self.scale)

    def second_moment(self) -> Scalar:
        return infinity(self.scale)

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(-float(self.scale) * np.abs(t)))

    def log_characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return np.asarray(-float(self.scale) * np.abs(t))

    def characteristic_function_expression(self, t: Any) -> Any:
        import sympy

        return sympy.exp(-sympy.S(self.scale) * sympy.Abs(t))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return float(self.scale) * np.tan(np.pi * (stream.uniform("angle", shape) - 0.5))

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        variance = draw_inverse_gamma(stream.in_blocks(dim), "variance", 0.5, (n, 1))
        return np.asarray(float(self.scale) * np.sqrt(variance) * stream.normal("normal", (n, dim)))

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        half = (dim + 1) / 2
        constant = lgamma(half) - half * log(pi) - dim * log(self.scale)
        return np.exp(constant - half * np.log1p(np.square(radius / float(self.scale))))

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        import sympy

        scale, half = sympy.S(self.scale), (sympy.S(dim) + 1) / 2
        return sympy.gamma(half) / sympy.pi**half / scale**dim / (1 + radius**2 / scale**2) ** half
