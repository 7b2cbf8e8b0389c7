"""The inverse gamma law."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import LARGEST, SMALLEST, Positive
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.elementary import infinity
from kernelspec.limits import MAX_SHAPE
from kernelspec.special.elementary import log_gamma_weight, lower_gamma
from kernelspec.special.gamma_triangles import polya_transform_on_ray

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["InverseGamma"]

_NEGLIGIBLE = 45.0


@dataclass(frozen=True, kw_only=True)
class InverseGamma(Positive):
    """R = b/G, G ~ Gamma(a, 1), a = `shape`, b = `scale`: density b^a r^{−a−1} e^{−b/r} / Γ(a).

    φ(t) = P(a, x) − (a/x) P(a + 1, x) with x = b/t and P the regularised incomplete gamma function;
    φ̂(ω) = (2a/bω²)(1 − Re[2 ζ^{a+1} K_{a+1}(2ζ) / Γ(a + 1)]), ζ = √(−ibω). Mean b/(a − 1), infinite for a ≤ 1;
    E[1/R] = a/b. Reference: Witkovský 2001.
    """

    name: ClassVar[str] = "inverse_gamma"
    formula: ClassVar[str] = "b^a r^{−a−1} e^{−b/r} / Γ(a)"
    reference: ClassVar[str] = "Witkovský 2001"

    shape: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = real(1, above=0)

    def support(self) -> tuple[Scalar, Scalar]:
        return 0, infinity(self.shape, self.scale)

    def mean(self) -> Scalar:
        if isinstance(self.shape, int | float):
            return self.scale / (self.shape - 1) if self.shape > 1 else infinity(self.shape, self.scale)
        import sympy

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
        import sympy

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
        values[near], values[far] = _near(a, x[near]), _far(a, x[far])
        return values

    def polya_kernel_expression(self, lag: Any) -> Any:
        import sympy

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
        import sympy

        a, b = sympy.S(self.shape), sympy.S(self.scale)
        root = sympy.sqrt(-sympy.I * b * sympy.Abs(frequency))
        turned = 2 * root ** (a + 1) * sympy.besselk(a + 1, 2 * root) / sympy.gamma(a + 1)
        return 2 * a / (b * frequency**2) * (1 - sympy.re(turned))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        from scipy.special import gammaincinv

        with np.errstate(divide="ignore", over="ignore"):
            drawn = float(self.scale) / gammaincinv(float(self.shape), stream.uniforms("pitch", shape))
        return np.asarray(np.clip(drawn, SMALLEST, LARGEST))


def _near(a: float, x: np.ndarray) -> np.ndarray:
    """φ for x ≥ a as a sum of two positive numbers: P(a, x)(x − a)/x + x^{a−1} e^{−x} / Γ(a)."""
    from scipy.special import gammainc

    with np.errstate(under="ignore"):
        return np.asarray(gammainc(a, x) * ((x - a) / x) + np.exp(log_gamma_weight(a, x)) / x)


def _far(a: float, x: np.ndarray) -> np.ndarray:
    """φ for x < a: x^a e^{−x}/Γ(a + 2) · Σ (n + 1) xⁿ/(a + 2)_n, all positive [DLMF 13.6.5]."""
    total, term, n = np.ones_like(x), np.ones_like(x), 0
    while len(x) and (term > 1e-17 * total).any():
        term = term * (x * ((n + 2) / ((n + 1) * (a + 2 + n))))
        total += term
        n += 1
    with np.errstate(divide="ignore", under="ignore"):
        return np.asarray(np.exp(log_gamma_weight(a, x)) / (a * (a + 1)) * total)
