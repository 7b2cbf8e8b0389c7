"""Distributions symmetric about zero: normal, Cauchy, Laplace and Student's t."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi, sqrt
from typing import Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import Isotropic
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.elementary import infinity, undefined
from kernelspec.limits import MAX_SHAPE
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import (
    Falling,
    Line,
    bessel_density,
    exact_fraction,
    exponential_density,
    matern_weights,
    normal_density,
    number,
    student_density,
)
from kernelspec.special.elementary import (
    log_bessel_density,
    log_gamma_ratio,
    matern_expression,
    matern_factors,
    matern_function,
)
from kernelspec.special.exact_draws import draw_inverse_gamma

__all__ = ["Cauchy", "Gaussian", "Laplace", "StudentT"]


@dataclass(frozen=True, kw_only=True)
class Gaussian(Isotropic):
    """N(0, s²), s = `scale` > 0: density exp(−x²/2s²) / (s√2π), E cos tX = exp(−s²t²/2), second moment s².

    In R^d: N(0, s² I). Reference: Johnson, Kotz and Balakrishnan 1994, chapter 13.
    """

    name: ClassVar[str] = "gaussian"
    formula: ClassVar[str] = "exp(−x²/2s²) / (s√(2π))"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 13"

    scale: Scalar = real(1, above=0)

    def mean(self) -> Scalar:
        return 0 * self.scale

    def second_moment(self) -> Scalar:
        return self.scale**2

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * np.square(float(self.scale) * t))

    def log_characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return np.asarray(-0.5 * np.square(float(self.scale) * np.asarray(t)))

    def characteristic_function_expression(self, t: Any) -> Any:
        return sympy.exp(-(sympy.S(self.scale) ** 2) * t**2 / 2)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return float(self.scale) * stream.normal("normal", shape)

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        return self.draw(stream, (n, dim))

    def kernel_pieces(self, line: Line) -> Any:
        return line.bell(1 / line.number(self.scale))

    def comparable_density(self, dim: int) -> Falling:
        return normal_density(number(self.scale) ** -2, dim)

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        scale = float(self.scale)
        return np.asarray((2 * np.pi * scale**2) ** (-dim / 2) * np.exp(-0.5 * np.square(radius / scale)))

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        variance = sympy.S(self.scale) ** 2
        return (2 * sympy.pi * variance) ** (-sympy.S(dim) / 2) * sympy.exp(-(radius**2) / (2 * variance))


@dataclass(frozen=True, kw_only=True)
class Cauchy(Isotropic):
    """Cauchy(0, s), s = `scale` > 0: density s / π(s² + x²), E cos tX = exp(−s|t|), second moment infinite.

    In R^d: the multivariate Cauchy. Reference: Kotz and Nadarajah 2004, chapter 1.
    """

    name: ClassVar[str] = "cauchy"
    formula: ClassVar[str] = "s / π(s² + x²)"
    reference: ClassVar[str] = "Kotz and Nadarajah 2004, chapter 1"

    scale: Scalar = real(1, above=0)

    def mean(self) -> Scalar:
        return undefined(self.scale)

    def second_moment(self) -> Scalar:
        return infinity(self.scale)

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(-float(self.scale) * np.abs(t)))

    def log_characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return np.asarray(-float(self.scale) * np.abs(t))

    def characteristic_function_expression(self, t: Any) -> Any:
        return sympy.exp(-sympy.S(self.scale) * sympy.Abs(t))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return float(self.scale) * np.tan(np.pi * (stream.uniform("angle", shape) - 0.5))

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        variance = draw_inverse_gamma(stream.in_blocks(dim), "variance", 0.5, (n, 1))
        return np.asarray(float(self.scale) * np.sqrt(variance) * stream.normal("normal", (n, dim)))

    def kernel_pieces(self, line: Line) -> Any:
        return line.decay([1], line.number(self.scale))

    def comparable_density(self, dim: int) -> Falling:
        return student_density(number(0.5), number(self.scale) ** -2, dim)

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        half = (dim + 1) / 2
        constant = lgamma(half) - half * log(pi) - dim * log(self.scale)
        return np.exp(constant - half * np.log1p(np.square(radius / float(self.scale))))

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        scale, half = sympy.S(self.scale), (sympy.S(dim) + 1) / 2
        return sympy.gamma(half) / sympy.pi**half / scale**dim / (1 + radius**2 / scale**2) ** half


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

    def mean(self) -> Scalar:
        return 0 * self.scale

    def second_moment(self) -> Scalar:
        return 2 * self.scale**2

    def density(self, x: np.ndarray) -> np.ndarray:
        scale = float(self.scale)
        return np.asarray(np.exp(-np.abs(x) / scale) / (2 * scale))

    def density_expression(self, x: Any) -> Any:
        scale = sympy.S(self.scale)
        return sympy.exp(-sympy.Abs(x) / scale) / (2 * scale)

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.square(float(self.scale) * np.asarray(t)))

    def characteristic_function_expression(self, t: Any) -> Any:
        return 1 / (1 + sympy.S(self.scale) ** 2 * t**2)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return float(self.scale) * stream.laplace("laplace", shape)

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        variance = 2 * stream.in_blocks(dim).exponential("variance", (n, 1))
        return float(self.scale) * np.sqrt(variance) * stream.normal("normal", (n, dim))

    def kernel_pieces(self, line: Line) -> Any:
        rate = 1 / line.number(self.scale)
        return line.spectral(line.decay([1], rate, rate / 2))

    def comparable_density(self, dim: int) -> Falling:
        rate = 1 / number(self.scale)
        return exponential_density(rate) if dim == 1 else bessel_density(number(1), rate**2 / 2, dim)

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        if dim == 1:
            return self.density(radius)
        constant = -dim / 2 * log(4 * pi * self.scale**2)
        return np.exp(constant + log_bessel_density(1, np.asarray(radius) / self.scale, dim))

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        if dim == 1:
            return self.density_expression(radius)
        scale, order = sympy.S(self.scale), 1 - sympy.S(dim) / 2
        x = radius / scale
        constant = 2 * (4 * sympy.pi * scale**2) ** (order - 1)
        return constant * (x / 2) ** order * sympy.besselk(order, x)


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

    def mean(self) -> Scalar:
        if isinstance(self.dof, int | float):
            return 0 * self.scale if self.dof > 1 else undefined(self.dof, self.scale)
        return sympy.Piecewise((0, self.dof > 1), (sympy.nan, True))

    def second_moment(self) -> Scalar:
        if isinstance(self.dof, int | float):
            finite = self.dof > 2
            return self.scale**2 * self.dof / (self.dof - 2) if finite else infinity(self.dof, self.scale)
        return sympy.Piecewise((self.scale**2 * self.dof / (self.dof - 2), self.dof > 2), (sympy.oo, True))

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return matern_function(self.dof / 2, sqrt(self.dof) * self.scale * np.abs(t))

    def log_characteristic_function(self, t: np.ndarray) -> np.ndarray:
        x = sqrt(self.dof) * self.scale * np.abs(t)
        factor, exponent = matern_factors(self.dof / 2, x)
        return np.asarray(np.log(factor) + exponent)

    def characteristic_function_expression(self, t: Any) -> Any:
        return matern_expression(sympy.S(self.dof) / 2, 1 / sympy.S(self.scale), sympy.Abs(t))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        variance = draw_inverse_gamma(stream, "variance", self.dof / 2, shape)
        return np.asarray(float(self.scale) * np.sqrt(variance) * stream.generator("normal").standard_normal(shape))

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        variance = draw_inverse_gamma(stream.in_blocks(dim), "variance", self.dof / 2, (n, 1))
        return np.asarray(float(self.scale) * np.sqrt(variance) * stream.normal("normal", (n, dim)))

    def kernel_pieces(self, line: Line) -> Any | None:
        dof = exact_fraction(self.dof)
        weights = None if dof is None else matern_weights(dof / 2)
        return None if weights is None else line.decay(weights, line.root(line.number(dof)) * line.number(self.scale))

    def comparable_density(self, dim: int) -> Falling:
        dof = number(self.dof)
        return student_density(dof / 2, 1 / (dof * number(self.scale) ** 2), dim)

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        rate = 1 / float(self.dof * self.scale**2)
        constant = log_gamma_ratio(self.dof / 2, dim / 2) + dim / 2 * log(rate / pi)
        return np.asarray(np.exp(constant - (float(self.dof) + dim) / 2 * np.log1p(rate * np.square(radius))))

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        dof, half = sympy.S(self.dof), sympy.S(dim) / 2
        rate = 1 / (dof * sympy.S(self.scale) ** 2)
        constant = sympy.gamma(dof / 2 + half) / sympy.gamma(dof / 2) * (rate / sympy.pi) ** half
        return constant * (1 + rate * radius**2) ** (-dof / 2 - half)
