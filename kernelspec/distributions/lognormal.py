"""The log-normal law."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp, pi, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import LARGEST, SMALLEST, Positive
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.special.gamma_triangles import polya_transform_on_ray

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernelspec.random.streams import Stream

__all__ = ["LogNormal"]

_NODES = 64
_NEGLIGIBLE = 45.0
_LONGEST = 600.0


@dataclass(frozen=True, kw_only=True)
class LogNormal(Positive):
    """R = e^{μ + σZ}, Z standard normal, μ = `mu`, σ = `sigma` > 0: density e^{−(ln r − μ)²/2σ²} / (rσ√(2π)).

    φ(t) = Φ(−d) − e^{σd + σ²/2} Φ(−d − σ), d = (ln t − μ)/σ, Φ the normal distribution function; φ̂ has no closed
    form. Mean e^{μ + σ²/2}, E[1/R] = e^{σ²/2 − μ}. Reference: Johnson, Kotz and Balakrishnan 1994; the kernel is
    the formula of Black and Scholes 1973.
    """

    name: ClassVar[str] = "lognormal"
    formula: ClassVar[str] = "e^{−(ln r − μ)²/2σ²} / (rσ√(2π))"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994"

    mu: Scalar = real(0, at_least=-100, at_most=100)
    sigma: Scalar = real(1, above=0)

    def mean(self) -> Scalar:
        return _exponential(self.mu + self.sigma**2 / 2)

    def inverse_mean(self) -> Scalar:
        return _exponential(self.sigma**2 / 2 - self.mu)

    def density(self, x: np.ndarray) -> np.ndarray:
        x = np.asarray(x, dtype=float)
        inside = x > 0
        inner = np.where(inside, x, 1.0)
        d = (np.log(inner) - float(self.mu)) / float(self.sigma)
        with np.errstate(under="ignore", over="ignore"):
            values = np.exp(-np.square(d) / 2) / (inner * (float(self.sigma) * sqrt(2 * pi)))
        return np.where(inside, values, 0.0)

    def density_expression(self, x: Any) -> Any:
        import sympy

        mu, sigma = sympy.S(self.mu), sympy.S(self.sigma)
        values = sympy.exp(-((sympy.log(x) - mu) ** 2) / (2 * sigma**2)) / (x * sigma * sympy.sqrt(2 * sympy.pi))
        return sympy.Piecewise((values, x > 0), (0, True))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        """With Mills' ratio m(x) = Φ(−x)/n(x), n the normal density, φ = n(d)(m(d) − m(d + σ)).

        Small t: 1 − t E[1/R] + E max(0, t/R − 1). Where the two ratios are close, their difference is
        ∫₀^∞ e^{−du − u²/2} (1 − e^{−σu}) du. Nothing cancels in any of the three.
        """
        lag = np.asarray(lag, dtype=float)
        sigma = float(self.sigma)
        with np.errstate(divide="ignore"):
            d = ((np.log(lag) - float(self.mu)) / sigma).ravel()
        values = np.ones(d.shape)
        small = np.isfinite(d) & (d < min(-1.0, -sigma))
        middle = np.isfinite(d) & ~small
        apart = middle.copy()
        apart[middle] = _mills(d[middle] + sigma) < 0.75 * _mills(d[middle])
        close = middle & ~apart
        values[small], values[apart], values[close] = (
            _small(d[small], sigma),
            _apart(d[apart], sigma),
            _normal(d[close]) * _mills_integral(d[close], lambda u: -np.expm1(-sigma * u)),
        )
        values[d == np.inf] = 0
        return values.reshape(lag.shape)

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        sigma = float(self.sigma)
        d = (np.log(np.asarray(lag, dtype=float)) - float(self.mu)) / sigma
        ratio = _mills_integral(d, lambda u: -np.expm1(-sigma * u))
        return np.asarray(np.log(ratio) - np.square(d) / 2 - np.log(2 * np.pi) / 2)

    def polya_kernel_expression(self, lag: Any) -> Any:
        import sympy

        mu, sigma = sympy.S(self.mu), sympy.S(self.sigma)
        d = (sympy.log(lag) - mu) / sigma
        more = lag * sympy.exp(sigma**2 / 2 - mu) * sympy.erfc((d + sigma) / sympy.sqrt(2)) / 2
        return sympy.Piecewise((1, sympy.Eq(lag, 0)), (sympy.erfc(d / sympy.sqrt(2)) / 2 - more, True))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        """To a relative error of 1e-12; times 2/(1 − cos e^μ ω) for small σ, where φ̂ nearly vanishes."""
        frequency = np.asarray(frequency, dtype=float)
        mu, sigma = float(self.mu), float(self.sigma)
        angle = min(pi / 4, 2 * sigma)  # the density grows to e^{angle²/2σ²} at most
        spread = min(sigma * (sigma + sqrt(2 * _NEGLIGIBLE + (angle / sigma) ** 2)), _LONGEST)
        nonzero = np.where(frequency == 0, 1.0, frequency) * exp(mu)

        def density(ray: np.ndarray) -> np.ndarray:
            return np.asarray(np.exp(-np.square(np.log(ray) / sigma) / 2) / (ray * (sigma * sqrt(2 * pi))))

        step = 2 * pi * angle / _NEGLIGIBLE
        values = exp(mu) * polya_transform_on_ray(nonzero, density, angle, (-spread, spread), step)
        return np.where(frequency == 0, float(self.mean()), values)

    def polya_transform_expression(self, frequency: Any) -> Any:
        import sympy

        # E[e^{iωR}/R] along the ray r = e^{μ + iψ} x, where it dies out; ψ as for the floats
        mu, sigma, x = sympy.S(self.mu), sympy.S(self.sigma), sympy.Dummy("x", positive=True)
        angle, w = sympy.Min(sympy.pi / 4, 2 * sigma), sympy.Abs(frequency) * sympy.exp(mu)
        decay = sympy.exp((angle**2 - sympy.log(x) ** 2) / (2 * sigma**2) - w * x * sympy.sin(angle))
        phase = w * x * sympy.cos(angle) - angle * (1 + sympy.log(x) / sigma**2)
        wave = sympy.Integral(decay * sympy.cos(phase) / x**2, (x, 0, sympy.oo)) / (sigma * sympy.sqrt(2 * sympy.pi))
        return 2 * sympy.exp(-mu) / frequency**2 * (sympy.exp(sigma**2 / 2) - wave)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        from scipy.special import ndtri

        with np.errstate(over="ignore", under="ignore"):
            drawn = np.exp(float(self.mu) + float(self.sigma) * ndtri(stream.uniforms("pitch", shape)))
        return np.asarray(np.clip(drawn, SMALLEST, LARGEST))


def _exponential(exponent: Scalar) -> Scalar:
    if isinstance(exponent, int | float):
        with np.errstate(over="ignore"):
            return float(np.exp(exponent))
    import sympy

    return sympy.exp(exponent)


def _normal(d: np.ndarray) -> np.ndarray:
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(-np.square(d) / 2) / sqrt(2 * pi))


def _mills(d: np.ndarray) -> np.ndarray:
    from scipy.special import erfcx

    with np.errstate(over="ignore"):
        return np.asarray(sqrt(pi / 2) * erfcx(d / sqrt(2)))


def _apart(d: np.ndarray, sigma: float) -> np.ndarray:
    """n(d)(m(d) − m(d + σ)) where the second is at most three quarters of the first."""
    from scipy.special import log_ndtr, ndtr

    left = ndtr(-d) - np.exp(sigma * d + sigma**2 / 2 + log_ndtr(-d - sigma))
    inner = np.maximum(d, 0.0)
    return np.asarray(np.where(d < 0, left, _normal(inner) * (_mills(inner) - _mills(inner + sigma))))


def _small(d: np.ndarray, sigma: float) -> np.ndarray:
    """1 − t E[1/R] and E max(0, t/R − 1), both positive for d < −σ/2."""
    with np.errstate(under="ignore"):
        below = -np.expm1(sigma * d + sigma**2 / 2)
        return np.asarray(below + _normal(d) * _mills_integral(-d - sigma, lambda u: -np.expm1(-sigma * u)))


def _mills_integral(d: np.ndarray, factor: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """∫₀^∞ e^{−du − u²/2} factor(u) du by Gauss–Legendre up to where the exponent is negligible."""
    end = 2 * _NEGLIGIBLE / (d + np.sqrt(np.square(d) + 2 * _NEGLIGIBLE))
    nodes, weights = _gauss_legendre()
    total = np.zeros_like(d)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        u = node * end
        total += weight * np.exp(-u * (d + u / 2)) * factor(u)
    return np.asarray(total * end)


@cache
def _gauss_legendre() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights, which take longer to find than a small array of values."""
    return np.polynomial.legendre.leggauss(_NODES)
