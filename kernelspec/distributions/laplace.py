"""The Laplace (double exponential) law centred at zero."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.isotropic import Isotropic
from kernelspec.notation.arguments import Scalar, real
from kernelspec.notation.infinity import infinity
from kernelspec.special.matern_function import log_bessel_density

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["Laplace"]


@dataclass(frozen=True, kw_only=True)
class Laplace(Isotropic):
    """Laplace(0, s), s = `scale` > 0: density exp(−|x|/s) / 2s, E cos tX = 1 / (1 + s²t²), second moment 2s².

    In R^d: √E times N(0, 2s² I) with E ~ Exp(1), of density 2(4πs²)^{−d/2} (r/2s)^{1−d/2} K_{1−d/2}(r/s), infinite
    at r = 0 for d ≥ 2. Reference: Kotz, Kozubowski and Podgórski 2001, chapter 5.
    """

    name: ClassVar[str] = "laplace"
    formula: ClassVar[str] = "exp(−|x|/s) / 2s"
    reference: ClassVar[str] = "Kotz, Kozubowski and Podgórski 2001, chapter 5"

    scale: Scalar = real(1, above=0)

    def support(self) -> tuple[Scalar, Scalar]:
        return -infinity(self.scale), infinity(self.scale)

    def mean(self) -> Scalar:
        return 0 * self.scale

    def second_moment(self) -> Scalar:
        return 2 * self.scale**2

    def density(self, x: np.ndarray) -> np.ndarray:
        scale = float(self.scale)
        return np.asarray(np.exp(-np.abs(x) / scale) / (2 * scale))

    def density_expression(self, x: Any) -> Any:
        import sympy

        scale = sympy.S(self.scale)
        return sympy.exp(-sympy.Abs(x) / scale) / (2 * scale)

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.square(float(self.scale) * np.asarray(t)))

    def characteristic_function_expression(self, t: Any) -> Any:
        import sympy

        return 1 / (1 + sympy.S(self.scale) ** 2 * t**2)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return float(self.scale) * stream.laplace("laplace", shape)

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        variance = 2 * stream.in_blocks(dim).exponential("variance", (n, 1))
        return float(self.scale) * np.sqrt(variance) * stream.normal("normal", (n, dim))

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        if dim == 1:
            return self.density(radius)
        constant = -dim / 2 * log(4 * pi * self.scale**2)
        return np.exp(constant + log_bessel_density(1, np.asarray(radius) / self.scale, dim))

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        import sympy

        if dim == 1:
            return self.density_expression(radius)
        scale, order = sympy.S(self.scale), 1 - sympy.S(dim) / 2
        x = radius / scale
        constant = 2 * (4 * sympy.pi * scale**2) ** (order - 1)
        return constant * (x / 2) ** order * sympy.besselk(order, x)
