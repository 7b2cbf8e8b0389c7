"""Positive laws whose Polya kernels are transformed along a complex ray: lognormal() and rice()."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp, log, pi, sqrt
from typing import Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import LARGEST, SMALLEST, Positive
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.elementary import holds, infinity
from kernelspec.loading import special, sympy
from kernelspec.random.streams import Stream
from kernelspec.special.gamma_triangles import PiecewisePolynomial, interpolated, polya_transform_on_ray

__all__ = ["LogNormal", "Rice"]

_NODES = 64
_NEGLIGIBLE = 45.0
_LONGEST = 600.0


@dataclass(frozen=True, kw_only=True)
class LogNormal(Positive):
    """R = e^{μ + σZ}, Z standard normal, μ = `mu`, σ = `sigma` > 0: density e^{−(ln r − μ)²/2σ²} / (rσ√(2π)).

    φ(t) = Φ(−d) − e^{σd + σ²/2} Φ(−d − σ), d = (ln t − μ)/σ, Φ the normal distribution function; φ̂ has no closed form.
    Mean e^{μ + σ²/2}, E[1/R] = e^{σ²/2 − μ}. Reference: Johnson, Kotz and Balakrishnan 1994; the kernel is the formula
    of Black and Scholes 1973.
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
        mu, sigma = sympy.S(self.mu), sympy.S(self.sigma)
        values = sympy.exp(-((sympy.log(x) - mu) ** 2) / (2 * sigma**2)) / (x * sigma * sympy.sqrt(2 * sympy.pi))
        return sympy.Piecewise((values, x > 0), (0, True))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        """With Mills' ratio m(x) = Φ(−x)/n(x), n the normal density, φ = n(d)(m(d) − m(d + σ)).

        For small t: 1 − t E[1/R] + E max(0, t/R − 1). If the two ratios are close, their difference is computed as ∫₀^∞
        e^{−du − u²/2} (1 − e^{−σu}) du. None of the three cancels.
        """
        lag = np.asarray(lag, dtype=float)
        sigma = float(self.sigma)
        with np.errstate(divide="ignore"):
            d = ((np.log(lag) - float(self.mu)) / sigma).ravel()
        values = np.where(d == np.inf, 0.0, 1.0)
        small = np.isfinite(d) & (d < min(-1.0, -sigma))
        middle = np.isfinite(d) & ~small
        apart = middle.copy()
        apart[middle] = _mills(d[middle] + sigma) < 0.75 * _mills(d[middle])
        close = middle & ~apart
        values[small], values[apart] = _small(d[small], sigma), _apart(d[apart], sigma)
        values[close] = _normal(d[close]) * _mills_integral(d[close], sigma)
        return values.reshape(lag.shape)

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        sigma = float(self.sigma)
        d = (np.log(np.asarray(lag, dtype=float)) - float(self.mu)) / sigma
        ratio = _mills_integral(d, sigma)
        return np.asarray(np.log(ratio) - np.square(d) / 2 - np.log(2 * np.pi) / 2)

    def polya_kernel_expression(self, lag: Any) -> Any:
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
        # E[e^{iωR}/R] along the ray r = e^{μ + iψ} x, where it decays; ψ as for the floats
        mu, sigma, x = sympy.S(self.mu), sympy.S(self.sigma), sympy.Dummy("x", positive=True)
        angle, w = sympy.Min(sympy.pi / 4, 2 * sigma), sympy.Abs(frequency) * sympy.exp(mu)
        decay = sympy.exp((angle**2 - sympy.log(x) ** 2) / (2 * sigma**2) - w * x * sympy.sin(angle))
        phase = w * x * sympy.cos(angle) - angle * (1 + sympy.log(x) / sigma**2)
        wave = sympy.Integral(decay * sympy.cos(phase) / x**2, (x, 0, sympy.oo)) / (sigma * sympy.sqrt(2 * sympy.pi))
        return 2 * sympy.exp(-mu) / frequency**2 * (sympy.exp(sigma**2 / 2) - wave)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            drawn = np.exp(float(self.mu) + float(self.sigma) * special.ndtri(stream.uniforms("pitch", shape)))
        return np.asarray(np.clip(drawn, SMALLEST, LARGEST))


def _exponential(exponent: Scalar) -> Scalar:
    if isinstance(exponent, int | float):
        with np.errstate(over="ignore"):
            return float(np.exp(exponent))
    return sympy.exp(exponent)


def _normal(d: np.ndarray) -> np.ndarray:
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(-np.square(d) / 2) / sqrt(2 * pi))


def _mills(d: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.asarray(sqrt(pi / 2) * special.erfcx(d / sqrt(2)))


def _apart(d: np.ndarray, sigma: float) -> np.ndarray:
    """n(d)(m(d) − m(d + σ)) if the second ratio is at most three quarters of the first."""
    left = special.ndtr(-d) - np.exp(sigma * d + sigma**2 / 2 + special.log_ndtr(-d - sigma))
    inner = np.maximum(d, 0.0)
    return np.asarray(np.where(d < 0, left, _normal(inner) * (_mills(inner) - _mills(inner + sigma))))


def _small(d: np.ndarray, sigma: float) -> np.ndarray:
    """1 − t E[1/R] and E max(0, t/R − 1), both positive for d < −σ/2."""
    with np.errstate(under="ignore"):
        below = -np.expm1(sigma * d + sigma**2 / 2)
        return np.asarray(below + _normal(d) * _mills_integral(-d - sigma, sigma))


def _mills_integral(d: np.ndarray, sigma: float) -> np.ndarray:
    """∫₀^∞ e^{−du − u²/2} (1 − e^{−σu}) du by Gauss–Legendre, cut where the exponential is negligible."""
    end = 2 * _NEGLIGIBLE / (d + np.sqrt(np.square(d) + 2 * _NEGLIGIBLE))
    nodes, weights = _gauss_legendre()
    total = np.zeros_like(d)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        u = node * end
        total += weight * np.exp(-u * (d + u / 2)) * -np.expm1(-sigma * u)
    return np.asarray(total * end)


@cache
def _gauss_legendre() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights, cached: finding them takes longer than using them on a small array."""
    return np.polynomial.legendre.leggauss(_NODES)


_LARGEST_RATIO = 1e9
_NEVER_BELOW, _NEVER_ABOVE = 9.6, 38.7
_RICE_NEGLIGIBLE, _WITHIN = 45.0, 14.0
_LARGE = 1e4
_WIDTH, _DEGREE, _RICE_NODES = 0.75, 13, 80


@dataclass(frozen=True, kw_only=True)
class Rice(Positive):
    """R = |ν + σ(Z₁ + iZ₂)|, Z₁, Z₂ standard normal, ν = `nu` ≥ 0, σ = `sigma` > 0.

    Density r/σ² e^{−(r² + ν²)/2σ²} I₀(rν/σ²). φ(t) = ∫₀^∞ x g(t + x) dx with g(r) = p(r)/r; neither φ nor φ̂ has a
    closed form. With δ = ν²/2σ²: mean σ√(π/2) e^{−δ/2} ((1 + δ) I₀(δ/2) + δ I₁(δ/2)), E[1/R] = √(π/2) e^{−δ/2} I₀(δ/2)
    / σ. Raises RangeError for ν/σ above 1e9. Reference: Rice 1945.
    """

    name: ClassVar[str] = "rice"
    formula: ClassVar[str] = "r/σ² e^{−(r² + ν²)/2σ²} I₀(rν/σ²)"
    reference: ClassVar[str] = "Rice 1945"

    nu: Scalar = real(at_least=0)
    sigma: Scalar = real(1, above=0)

    def __post_init__(self) -> None:
        if holds(self.nu > _LARGEST_RATIO * self.sigma):
            raise RangeError(
                f"rice() needs nu of at most {_LARGEST_RATIO:g} times sigma, not nu={self.nu} and sigma={self.sigma}: "
                "beyond that R equals nu to working precision. Use discrete([nu], [1])",
                self.span,
            )

    def decay_rate(self) -> Scalar:
        return infinity(self.nu, self.sigma)

    def mean(self) -> Scalar:
        half = (self.nu / self.sigma / 2) ** 2
        if self._has_numbers():
            parts = (1 + 2 * half) * special.i0e(half) + 2 * half * special.i1e(half)
            return float(self.sigma * sqrt(pi / 2) * parts)
        parts = (1 + 2 * half) * sympy.besseli(0, half) + 2 * half * sympy.besseli(1, half)
        return self.sigma * sympy.sqrt(sympy.pi / 2) * sympy.exp(-half) * parts

    def inverse_mean(self) -> Scalar:
        half = (self.nu / self.sigma / 2) ** 2
        if self._has_numbers():
            return float(sqrt(pi / 2) * special.i0e(half) / self.sigma)
        return sympy.sqrt(sympy.pi / 2) * sympy.exp(-half) * sympy.besseli(0, half) / self.sigma

    def density(self, x: np.ndarray) -> np.ndarray:
        nu, sigma = float(self.nu), float(self.sigma)
        r = np.asarray(x, dtype=float) / sigma
        inner = np.maximum(r, 0.0)
        return np.where(r >= 0, inner * _quotient(inner, nu / sigma) / sigma, 0.0)

    def density_expression(self, x: Any) -> Any:
        return sympy.Piecewise((x * self._quotient_expression(x), x >= 0), (0, True))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        """By interpolation of ln φ over t/σ, from the integral at the nodes; linear where P(R < t) = 0."""
        lag = np.asarray(lag, dtype=float)
        nu, sigma = float(self.nu) / float(self.sigma), float(self.sigma)
        start, end = max(0.0, nu - _NEVER_BELOW), nu + _NEVER_ABOVE
        t = lag / sigma
        with np.errstate(under="ignore"):
            values = np.exp(_panels(nu)(np.clip(t, start, end)))
        values = values + np.maximum(start - t, 0) * (float(self.inverse_mean()) * sigma)
        return np.asarray(np.where(lag == 0, 1.0, np.where(t >= end, 0.0, np.minimum(values, 1.0))))

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        sigma = float(self.sigma)
        return _log_kernel(float(self.nu) / sigma, np.asarray(lag, dtype=float) / sigma)

    def polya_kernel_expression(self, lag: Any) -> Any:
        r = sympy.Dummy("r", positive=True)  # alone in the exponent: SymPy searches long exponents for roots
        return sympy.Integral((r - lag) * self._quotient_expression(r), (r, lag, sympy.oo))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        """To a relative error of 1e-12; 1e-14 ν/σ, times 2/(1 − cos νω), for large ν/σ."""
        frequency = np.asarray(frequency, dtype=float)
        nu, sigma = float(self.nu) / float(self.sigma), float(self.sigma)
        angle = min(pi / 12, 1.2 / (1 + nu))  # e^{ν² sin² ψ / 2 cos 2ψ}, the size of the density there, stays small

        def density(ray: np.ndarray) -> np.ndarray:
            return np.asarray(ray * np.exp(-np.square(ray - nu) / 2) * _scaled_bessel(nu * ray))

        ends = (log(nu - _WITHIN), log(nu + _WITHIN)) if nu > 2 * _WITHIN else (-40.0, log(1.5 * nu + _WITHIN))
        step = 2 * pi * angle / _RICE_NEGLIGIBLE
        nonzero = np.where(frequency == 0, 1.0, frequency * sigma)
        values = sigma * polya_transform_on_ray(nonzero, density, angle, ends, step)
        return np.where(frequency == 0, float(self.mean()), values)

    def polya_transform_expression(self, frequency: Any) -> Any:
        r = sympy.Dummy("r", positive=True)
        gap = 4 / frequency**2 * sympy.sin(frequency * r / 2) ** 2
        return sympy.Integral(gap * self._quotient_expression(r), (r, 0, sympy.oo))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        along, across = (special.ndtri(stream.uniforms(f"pitch, {part}", shape)) for part in ("along", "across"))
        sigma = float(self.sigma)
        return np.asarray(np.clip(np.hypot(float(self.nu) + sigma * along, sigma * across), SMALLEST, LARGEST))

    def _has_numbers(self) -> bool:
        return isinstance(self.nu, int | float) and isinstance(self.sigma, int | float)

    def _quotient_expression(self, r: Any) -> Any:
        """p(r)/r in SymPy."""
        nu, variance = sympy.S(self.nu), sympy.S(self.sigma) ** 2
        return sympy.exp(-(r**2 + nu**2) / (2 * variance)) * sympy.besseli(0, r * nu / variance) / variance


def _quotient(r: np.ndarray, nu: float) -> np.ndarray:
    """p(r)/r for σ = 1."""
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(-np.square(r - nu) / 2) * special.i0e(r * nu))


def _scaled_bessel(z: np.ndarray) -> np.ndarray:
    """e^{−z} I₀(z) for 0 ≤ arg z < π/2; asymptotic for large z [DLMF 10.40.1]."""
    large = np.abs(z) > _LARGE
    inner, outer = np.where(large, 1.0, z), np.where(large, z, 1.0)
    eighth = 1 / (8 * outer)
    expansion = (1 + eighth * (1 + eighth * 4.5 * (1 + eighth * 25 / 3))) / np.sqrt(2 * pi * outer)
    return np.where(large, expansion, special.ive(0, inner) * np.exp(-1j * inner.imag))


@lru_cache(maxsize=64)
def _panels(nu: float) -> PiecewisePolynomial:
    """ln φ for σ = 1, from the smallest R possible in floating point to the largest."""
    start = max(0.0, nu - _NEVER_BELOW)
    return interpolated(lambda t: _log_kernel(nu, t), start, nu + _NEVER_ABOVE, _WIDTH, _DEGREE)


def _log_kernel(nu: float, t: np.ndarray) -> np.ndarray:
    """ln ∫₀^∞ x p(t + x)/(t + x) dx by Gauss–Legendre, with the size at max(t, ν) factored out."""
    beyond, before = np.maximum(t - nu, 0.0), np.maximum(nu - t, 0.0)
    low = np.maximum(before - _NEVER_BELOW, 0.0)
    end = before + 2 * _RICE_NEGLIGIBLE / (beyond + np.sqrt(np.square(beyond) + 2 * _RICE_NEGLIGIBLE))
    nodes, weights = np.polynomial.legendre.leggauss(_RICE_NODES)
    x = low[:, None] + (end - low)[:, None] * (nodes + 1) / 2
    exponent = -np.square(x - before[:, None]) / 2 - x * beyond[:, None]
    total = (x * np.exp(exponent) * special.i0e(nu * (t[:, None] + x))) @ weights * (end - low) / 2
    return np.asarray(np.log(total) - np.square(beyond) / 2)
