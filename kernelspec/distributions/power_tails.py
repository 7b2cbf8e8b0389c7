"""Laws with power tails: pareto and inverse_gamma."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, log, pi
from typing import Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import LARGEST, SMALLEST, Positive
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.elementary import infinity
from kernelspec.limits import MAX_SHAPE
from kernelspec.loading import special, sympy
from kernelspec.random.streams import Stream
from kernelspec.special.elementary import exponential_integral, log_gamma_weight, lower_gamma
from kernelspec.special.gamma_triangles import polya_transform_on_ray

__all__ = ["InverseGamma", "Pareto"]

_SWITCH = 2.0
_LEVELS = 120
_TERMS = 16


@dataclass(frozen=True, kw_only=True)
class Pareto(Positive):
    """R ≥ s = `scale`, P(R > r) = (s/r)^a, a = `shape` > 0: density a s^a r^{−a−1}.

    φ(t) = 1 − at/((a+1)s) up to s and (s/t)^a/(a+1) beyond; φ̂(ω) = (2a/sω²)(1/(a+1) − Re E_{a+2}(isω)), E the
    exponential integral. Mean as/(a−1), infinite for a ≤ 1; E[1/R] = a/((a+1)s). Reference: Arnold 2015.
    """

    name: ClassVar[str] = "pareto"
    formula: ClassVar[str] = "a s^a r^{−a−1} on (s, ∞)"
    reference: ClassVar[str] = "Arnold 2015"

    shape: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = real(1, above=0)

    def support(self) -> tuple[Scalar, Scalar]:
        return self.scale, infinity(self.shape, self.scale)

    def mean(self) -> Scalar:
        if isinstance(self.shape, int | float):
            return self.shape * self.scale / (self.shape - 1) if self.shape > 1 else infinity(self.shape, self.scale)
        return sympy.Piecewise((self.shape * self.scale / (self.shape - 1), self.shape > 1), (sympy.oo, True))

    def inverse_mean(self) -> Scalar:
        return self.shape / ((self.shape + 1) * self.scale)

    def density(self, x: np.ndarray) -> np.ndarray:
        x = np.asarray(x, dtype=float)
        a, s = float(self.shape), float(self.scale)
        inside = x >= s
        return np.where(inside, a / s * np.power(s / np.where(inside, x, s), a + 1), 0.0)

    def density_expression(self, x: Any) -> Any:
        a, s = sympy.S(self.shape), sympy.S(self.scale)
        return sympy.Piecewise((a / s * (s / x) ** (a + 1), x >= s), (0, True))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        lag = np.asarray(lag, dtype=float)
        a, s = float(self.shape), float(self.scale)
        inner = np.minimum(lag, s)
        near = ((s - inner) + inner / (a + 1)) / s  # 1 − at/((a+1)s), without cancellation for large a
        return np.asarray(np.where(lag <= s, near, np.power(s / np.maximum(lag, s), a) / (a + 1)))

    def polya_kernel_expression(self, lag: Any) -> Any:
        a, s = sympy.S(self.shape), sympy.S(self.scale)
        return sympy.Piecewise((1 - a * lag / ((a + 1) * s), lag <= s), ((s / lag) ** a / (a + 1), True))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        """To a relative error of 1e-13, times 2/(1 − cos sω) where a is large and sω near a multiple of 2π."""
        a, s = float(self.shape), float(self.scale)
        z = s * np.abs(np.asarray(frequency, dtype=float))
        low, high = np.minimum(z, _SWITCH), np.maximum(z, _SWITCH)
        far = (1 / (a + 1) - _exponential_integral(a + 2, high)) / high**2
        return np.asarray(2 * a * s * np.where(z <= _SWITCH, _near(a, low), far))

    def polya_transform_expression(self, frequency: Any) -> Any:
        a, s = sympy.S(self.shape), sympy.S(self.scale)
        cosine = sympy.re(exponential_integral(a + 2, sympy.I * s * sympy.Abs(frequency)))
        return 2 * a / (s * frequency**2) * (1 / (a + 1) - cosine)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        with np.errstate(over="ignore"):
            ratio = np.power(stream.uniforms("pitch", shape), -1 / float(self.shape))
        return np.asarray(np.minimum(float(self.scale) * ratio, LARGEST))


def _exponential_integral(order: float, z: np.ndarray) -> np.ndarray:
    """Re E_p(iz) = ∫₁^∞ cos(zu) u^{−p} du for z ≥ 2 by its continued fraction [DLMF 8.19.17], from the far end."""
    x = 1j * z
    tail = np.zeros_like(x)
    for n in range(_LEVELS, 0, -1):
        tail = n * (order + n - 1) / (x + order + 2 * n - tail)
    return np.asarray((np.exp(-x) / (x + order - tail)).real)


def _near(a: float, z: np.ndarray) -> np.ndarray:
    """z^{−2} ∫₁^∞ (1 − cos zu) u^{−a−2} du for 0 ≤ z ≤ 2.

    Up to u = 2/z the cosine's series is integrated term by term, ∫₁^{2/z} z^{2n−2} u^{2n−a−2} du; beyond,
    the integral is (z/2)^{a+1} times its value at z = 2.
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        length = np.log(_SWITCH) - np.log(z)
        scaled = np.exp((1 - a) * length)  # (z/2)^{a−1}: infinite at 0 if the mean is infinite
        rest = 1 / (a + 1) - float(_exponential_integral(a + 2, np.array([_SWITCH]))[0])
        total = scaled * rest / _SWITCH**2
        for n in range(1, _TERMS + 1):
            q = 2 * n - 1 - a
            if abs(q) < 1e-300:
                part = np.where(z > 0, np.power(z, 2 * n - 2) * length, np.inf if n == 1 else 0.0)
            else:
                grown = (_SWITCH ** (2 * n - 2) * scaled - np.power(z, 2 * n - 2)) / q
                small = np.power(z, 2 * n - 2) * np.expm1(np.minimum(q * length, 1.0)) / q
                part = np.where(q * length > 1, grown, small)
            total = total + (-1) ** (n + 1) / factorial(2 * n) * part
    if a <= 1:
        return np.where(z == 0, np.inf, total)
    return np.where(z == 0, 1 / (2 * (a - 1)), total)


_NEGLIGIBLE = 45.0


@dataclass(frozen=True, kw_only=True)
class InverseGamma(Positive):
    """R = b/G, G ~ Gamma(a, 1), a = `shape`, b = `scale`: density b^a r^{−a−1} e^{−b/r} / Γ(a).

    φ(t) = P(a, x) − (a/x) P(a + 1, x) with x = b/t and P the regularized incomplete gamma function; φ̂(ω) = (2a/bω²)(1
    − Re[2 ζ^{a+1} K_{a+1}(2ζ) / Γ(a + 1)]), ζ = √(−ibω). Mean b/(a − 1), infinite for a ≤ 1; E[1/R] = a/b. Reference:
    Witkovský 2001.
    """

    name: ClassVar[str] = "inverse_gamma"
    formula: ClassVar[str] = "b^a r^{−a−1} e^{−b/r} / Γ(a)"
    reference: ClassVar[str] = "Witkovský 2001"

    shape: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = real(1, above=0)

    def mean(self) -> Scalar:
        if isinstance(self.shape, int | float):
            return self.scale / (self.shape - 1) if self.shape > 1 else infinity(self.shape, self.scale)
        return sympy.Piecewise((self.scale / (self.shape - 1), self.shape > 1), (sympy.oo, True))

    def inverse_mean(self) -> Scalar:
        return self.shape / self.scale

    def density(self, x: np.ndarray) -> np.ndarray:
        x = np.asarray(x, dtype=float)
        a, b = float(self.shape), float(self.scale)
        inside = x > 0
        inner = np.where(inside, x, 1.0)
        with np.errstate(over="ignore", under="ignore"):
            return np.where(inside, np.exp(log_gamma_weight(a, b / inner)) / inner, 0.0)

    def density_expression(self, x: Any) -> Any:
        a, b = sympy.S(self.shape), sympy.S(self.scale)
        values = b**a * x ** (-a - 1) * sympy.exp(-b / x) / sympy.gamma(a)
        return sympy.Piecewise((values, x > 0), (0, True))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        lag = np.asarray(lag, dtype=float)
        a = float(self.shape)
        with np.errstate(divide="ignore", over="ignore"):
            x = float(self.scale) / lag
        values = np.ones(x.shape)
        near, far = np.isfinite(x) & (x >= a), x < a
        values[near], values[far] = _inverse_gamma_near(a, x[near]), _far(a, x[far])
        return values

    def polya_kernel_expression(self, lag: Any) -> Any:
        a = sympy.S(self.shape)
        x = sympy.S(self.scale) / lag
        beyond = lower_gamma(a, x) - lower_gamma(a + 1, x) / x
        return sympy.Piecewise((1, sympy.Eq(lag, 0)), (beyond / sympy.gamma(a), True))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        """To a relative error of 1e-12; times 2/(1 − cos bω/a) for large a, where φ̂ nearly vanishes."""
        frequency = np.asarray(frequency, dtype=float)
        a, b = float(self.shape), float(self.scale)
        angle = min(pi / 6, 1.5 / a**0.5)  # (cos angle)^{−a}, the size of the density on the ray, stays near e
        step = 2 * pi * angle / 42
        nonzero = np.where(frequency == 0, 1.0, frequency) * b
        # a tail like x^{1−a} up to 1/ω and like x^{−1−a} beyond, cut below e^{−45}; e^{−1/x} ends the other side
        flat = max(0.0, -log(float(np.min(np.abs(nonzero), initial=1.0))))
        reach = 1 + flat + max(0.0, _NEGLIGIBLE - max(0.0, a - 1) * flat) / (1 + a)
        if a > 1:
            reach = min(reach, 1 + _NEGLIGIBLE / (a - 1) - log(a))
        left = -log(2 * (a + _NEGLIGIBLE + 10 * a**0.5))

        def density(ray: np.ndarray) -> np.ndarray:
            size = 1 / np.abs(ray)
            turned = np.exp(log_gamma_weight(a, size) - 1j * a * angle + size * (1 - np.exp(-1j * angle)))
            return np.asarray(turned / ray)

        values = b * polya_transform_on_ray(nonzero, density, angle, (left, reach), step)
        return np.where(frequency == 0, float(self.mean()), values)

    def polya_transform_expression(self, frequency: Any) -> Any:
        a, b = sympy.S(self.shape), sympy.S(self.scale)
        root = sympy.sqrt(-sympy.I * b * sympy.Abs(frequency))
        turned = 2 * root ** (a + 1) * sympy.besselk(a + 1, 2 * root) / sympy.gamma(a + 1)
        return 2 * a / (b * frequency**2) * (1 - sympy.re(turned))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        with np.errstate(divide="ignore", over="ignore"):
            drawn = float(self.scale) / special.gammaincinv(float(self.shape), stream.uniforms("pitch", shape))
        return np.asarray(np.clip(drawn, SMALLEST, LARGEST))


def _inverse_gamma_near(a: float, x: np.ndarray) -> np.ndarray:
    """φ for x ≥ a as a sum of two positive numbers: P(a, x)(x − a)/x + x^{a−1} e^{−x} / Γ(a)."""
    with np.errstate(under="ignore"):
        return np.asarray(special.gammainc(a, x) * ((x - a) / x) + np.exp(log_gamma_weight(a, x)) / x)


def _far(a: float, x: np.ndarray) -> np.ndarray:
    """φ for x < a: x^a e^{−x}/Γ(a + 2) · Σ (n + 1) xⁿ/(a + 2)_n, all positive [DLMF 13.6.5]."""
    total, term, n = np.ones_like(x), np.ones_like(x), 0
    while len(x) and (term > 1e-17 * total).any():
        term = term * (x * ((n + 2) / ((n + 1) * (a + 2 + n))))
        total += term
        n += 1
    with np.errstate(divide="ignore", under="ignore"):
        return np.asarray(np.exp(log_gamma_weight(a, x)) / (a * (a + 1)) * total)
