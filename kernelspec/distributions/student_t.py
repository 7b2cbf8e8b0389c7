"""Student's t law centred at zero."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.isotropic import Isotropic
from kernelspec.limits import MAX_SHAPE
from kernelspec.notation.arguments import Scalar, real
from kernelspec.notation.infinity import infinity, undefined
from kernelspec.special.gamma_ratio import log_gamma_ratio
from kernelspec.special.inverse_gamma import draw_inverse_gamma
from kernelspec.special.matern_expression import matern_expression
from kernelspec.special.matern_function import matern_factors, matern_function

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["StudentT"]


@dataclass(frozen=True, kw_only=True)
class StudentT(Isotropic):
    """Student's t of n = `dof` > 0 degrees of freedom, scale s > 0, centred at zero.

    Density Γ((n+1)/2) / (Γ(n/2) s√(nπ)) · (1 + x²/ns²)^{−(n+1)/2}; E cos tX = 2^{1−ν} z^ν K_ν(z) / Γ(ν), ν = n/2,
    z = √n s|t| (a Matérn function); second moment s²n/(n−2), infinite for n ≤ 2. In R^d: the multivariate t.
    Reference: Hurst 1995; Kotz and Nadarajah 2004.
    """

    name: ClassVar[str] = "student_t"
    formula: ClassVar[str] = "Γ((n+1)/2) / (Γ(n/2) s√(nπ)) · (1 + x²/ns²)^{−(n+1)/2}"
    reference: ClassVar[str] = "Hurst 1995; Kotz and Nadarajah 2004"

    dof: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = real(1, above=0)

    def support(self) -> tuple[Scalar, Scalar]:
        return -infinity(self.dof, self.scale), infinity(self.dof, self.scale)

    def mean(self) -> Scalar:
        if isinstance(self.dof, int | float):
            return 0 * self.scale if self.dof > 1 else undefined(self.dof, self.scale)
        import sympy

        return sympy.Piecewise((0, self.dof > 1), (sympy.nan, True))

    def second_moment(self) -> Scalar:
        if isinstance(self.dof, int | float):
            finite = self.dof > 2
            return self.scale**2 * self.dof / (self.dof - 2) if finite else infinity(self.dof, self.scale)
        import sympy

        return sympy.Piecewise((self.scale**2 * self.dof / (self.dof - 2), self.dof > 2), (sympy.oo, True))

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return matern_function(self.dof / 2, sqrt(self.dof) * self.scale * np.abs(t))

    def log_characteristic_function(self, t: np.ndarray) -> np.ndarray:
        x = sqrt(self.dof) * self.scale * np.abs(t)
        factor, exponent = matern_factors(self.dof / 2, x)
        return np.asarray(np.log(factor) + exponent)

    def characteristic_function_expression(self, t: Any) -> Any:
        import sympy

        return matern_expression(sympy.S(self.dof) / 2, 1 / sympy.S(self.scale), sympy.Abs(t))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        variance = draw_inverse_gamma(stream, "variance", self.dof / 2, shape)
        return np.asarray(float(self.scale) * np.sqrt(variance) * stream.generator("normal").standard_normal(shape))

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        variance = draw_inverse_gamma(stream.in_blocks(dim), "variance", self.dof / 2, (n, 1))
        return np.asarray(float(self.scale) * np.sqrt(variance) * stream.normal("normal", (n, dim)))

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        rate = 1 / float(self.dof * self.scale**2)
        constant = log_gamma_ratio(self.dof / 2, dim / 2) + dim / 2 * log(rate / pi)
        return np.asarray(np.exp(constant - (float(self.dof) + dim) / 2 * np.log1p(rate * np.square(radius))))

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        import sympy

        dof, half = sympy.S(self.dof), sympy.S(dim) / 2
        rate = 1 / (dof * sympy.S(self.scale) ** 2)
        constant = sympy.gamma(dof / 2 + half) / sympy.gamma(dof / 2) * (rate / sympy.pi) ** half
        return constant * (1 + rate * radius**2) ** (-dof / 2 - half)
