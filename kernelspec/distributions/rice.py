"""The Rice law."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log, pi, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import LARGEST, SMALLEST, Positive
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.elementary import holds, infinity
from kernelspec.special.gamma_triangles import PiecewisePolynomial, interpolated, polya_transform_on_ray

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["Rice"]

_LARGEST_RATIO = 1e9
_NEVER_BELOW, _NEVER_ABOVE = 9.6, 38.7
_NEGLIGIBLE, _WITHIN = 45.0, 14.0
_LARGE = 1e4
_WIDTH, _DEGREE, _NODES = 0.75, 13, 80


@dataclass(frozen=True, kw_only=True)
class Rice(Positive):
    """R = |ν + σ(Z₁ + iZ₂)|, Z₁, Z₂ standard normal, ν = `nu` ≥ 0, σ = `sigma` > 0: density
    r/σ² e^{−(r² + ν²)/2σ²} I₀(rν/σ²).

    φ(t) = ∫₀^∞ x g(t + x) dx with g(r) = p(r)/r; neither φ nor φ̂ has a closed form. With δ = ν²/2σ²:
    mean σ√(π/2) e^{−δ/2} ((1 + δ) I₀(δ/2) + δ I₁(δ/2)), E[1/R] = √(π/2) e^{−δ/2} I₀(δ/2) / σ. Raises RangeError
    for ν/σ above 1e9. Reference: Rice 1945.
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
                "beyond, R is nu to all digits that count, as that of discrete([nu], [1])",
                self.span,
            )

    def decay_rate(self) -> Scalar:
        return infinity(self.nu, self.sigma)

    def mean(self) -> Scalar:
        if self._has_numbers():
            from scipy.special import i0e, i1e

            half = (self.nu / self.sigma / 2) ** 2
            return float(self.sigma * sqrt(pi / 2) * ((1 + 2 * half) * i0e(half) + 2 * half * i1e(half)))
        import sympy

        half = (self.nu / self.sigma / 2) ** 2
        parts = (1 + 2 * half) * sympy.besseli(0, half) + 2 * half * sympy.besseli(1, half)
        return self.sigma * sympy.sqrt(sympy.pi / 2) * sympy.exp(-half) * parts

    def inverse_mean(self) -> Scalar:
        half = (self.nu / self.sigma / 2) ** 2
        if self._has_numbers():
            from scipy.special import i0e

            return float(sqrt(pi / 2) * i0e(half) / self.sigma)
        import sympy

        return sympy.sqrt(sympy.pi / 2) * sympy.exp(-half) * sympy.besseli(0, half) / self.sigma

    def density(self, x: np.ndarray) -> np.ndarray:
        nu, sigma = float(self.nu), float(self.sigma)
        r = np.asarray(x, dtype=float) / sigma
        inner = np.maximum(r, 0.0)
        return np.where(r >= 0, inner * _quotient(inner, nu / sigma) / sigma, 0.0)

    def density_expression(self, x: Any) -> Any:
        import sympy

        return sympy.Piecewise((x * self._quotient_expression(x), x >= 0), (0, True))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        """By interpolation of ln φ over t/σ, from the integral at the nodes; straight where no R is below t."""
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
        import sympy

        r = sympy.Dummy("r", positive=True)  # alone in the exponent: SymPy looks for the roots of long ones
        return sympy.Integral((r - lag) * self._quotient_expression(r), (r, lag, sympy.oo))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        """To a relative error of 1e-12; 1e-14 ν/σ, times 2/(1 − cos νω), for large ν/σ."""
        frequency = np.asarray(frequency, dtype=float)
        nu, sigma = float(self.nu) / float(self.sigma), float(self.sigma)
        angle = min(pi / 12, 1.2 / (1 + nu))  # e^{ν² sin² ψ / 2 cos 2ψ}, the size of the density there, stays small

        def density(ray: np.ndarray) -> np.ndarray:
            return np.asarray(ray * np.exp(-np.square(ray - nu) / 2) * _scaled_bessel(nu * ray))

        ends = (log(nu - _WITHIN), log(nu + _WITHIN)) if nu > 2 * _WITHIN else (-40.0, log(1.5 * nu + _WITHIN))
        step = 2 * pi * angle / _NEGLIGIBLE
        nonzero = np.where(frequency == 0, 1.0, frequency * sigma)
        values = sigma * polya_transform_on_ray(nonzero, density, angle, ends, step)
        return np.where(frequency == 0, float(self.mean()), values)

    def polya_transform_expression(self, frequency: Any) -> Any:
        import sympy

        r = sympy.Dummy("r", positive=True)
        gap = 4 / frequency**2 * sympy.sin(frequency * r / 2) ** 2
        return sympy.Integral(gap * self._quotient_expression(r), (r, 0, sympy.oo))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        from scipy.special import ndtri

        along, across = (ndtri(stream.uniforms(f"pitch, {part}", shape)) for part in ("along", "across"))
        sigma = float(self.sigma)
        return np.clip(np.hypot(float(self.nu) + sigma * along, sigma * across), SMALLEST, LARGEST)

    def _has_numbers(self) -> bool:
        return isinstance(self.nu, int | float) and isinstance(self.sigma, int | float)

    def _quotient_expression(self, r: Any) -> Any:
        """p(r)/r in SymPy."""
        import sympy

        nu, variance = sympy.S(self.nu), sympy.S(self.sigma) ** 2
        return sympy.exp(-(r**2 + nu**2) / (2 * variance)) * sympy.besseli(0, r * nu / variance) / variance


def _quotient(r: np.ndarray, nu: float) -> np.ndarray:
    """p(r)/r for σ = 1."""
    from scipy.special import i0e

    with np.errstate(under="ignore"):
        return np.asarray(np.exp(-np.square(r - nu) / 2) * i0e(r * nu))


def _scaled_bessel(z: np.ndarray) -> np.ndarray:
    """e^{−z} I₀(z) for 0 ≤ arg z < π/2; by its expansion where z is large [DLMF 10.40.1]."""
    from scipy.special import ive

    large = np.abs(z) > _LARGE
    inner, outer = np.where(large, 1.0, z), np.where(large, z, 1.0)
    eighth = 1 / (8 * outer)
    expansion = (1 + eighth * (1 + eighth * 4.5 * (1 + eighth * 25 / 3))) / np.sqrt(2 * pi * outer)
    return np.where(large, expansion, ive(0, inner) * np.exp(-1j * inner.imag))


@lru_cache(maxsize=64)
def _panels(nu: float) -> PiecewisePolynomial:
    """ln φ for σ = 1, from the first R that is possible in floating point to the last."""
    start = max(0.0, nu - _NEVER_BELOW)
    return interpolated(lambda t: _log_kernel(nu, t), start, nu + _NEVER_ABOVE, _WIDTH, _DEGREE)


def _log_kernel(nu: float, t: np.ndarray) -> np.ndarray:
    """ln ∫₀^∞ x p(t + x)/(t + x) dx by Gauss–Legendre, with the size at t, or at ν where that is greater, in front."""
    from scipy.special import i0e

    beyond, before = np.maximum(t - nu, 0.0), np.maximum(nu - t, 0.0)
    low = np.maximum(before - _NEVER_BELOW, 0.0)
    end = before + 2 * _NEGLIGIBLE / (beyond + np.sqrt(np.square(beyond) + 2 * _NEGLIGIBLE))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    x = low[:, None] + (end - low)[:, None] * (nodes + 1) / 2
    exponent = -np.square(x - before[:, None]) / 2 - x * beyond[:, None]
    total = (x * np.exp(exponent) * i0e(nu * (t[:, None] + x))) @ weights * (end - low) / 2
    return np.asarray(np.log(total) - np.square(beyond) / 2)
