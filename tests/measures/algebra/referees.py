"""Independent values: kernels as plain functions of the lag, and their transforms by quadrature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.measures.measure import Measure
from kernelspec.measures.measure_of import measure_of

Function = Callable[[Any], Any]


def measure_of_text(text: str, dim: int | None = 1, *, symbolic: bool = False) -> Measure:
    spec = ks.parse(text)
    return measure_of((spec.symbolic_kernel if symbolic else spec.kernel)(Columns(dim)))


def gaussian(s: float = 1) -> Function:
    return lambda t: mp.exp(-t * t / (2 * s * s))


def laplace(s: float = 1) -> Function:
    return lambda t: mp.exp(-abs(t) / s)


def matern(order: int, s: float = 1) -> Function:
    """ν = 3/2 or 5/2, by Rasmussen and Williams 2006, equation 4.17."""

    def value(t: Any) -> Any:
        x = mp.sqrt(order) * (t if isinstance(t, mp.mpc) else abs(t)) / s  # with the digits of the moment
        return (1 + x + (x * x / 3 if order == 5 else 0)) * mp.exp(-x)

    return value


def triangle(c: float = 1) -> Function:
    return lambda t: max(mp.mpf(0), 1 - abs(t) / c)


def cauchy(s: float = 1) -> Function:
    return lambda t: 1 / (1 + t * t / mp.mpf(s) ** 2)


def rational_quadratic(alpha: int, s: float = 1) -> Function:
    return lambda t: (1 + t * t / (2 * alpha * mp.mpf(s) ** 2)) ** -alpha


def sinc(b: float = 1) -> Function:
    return lambda t: mp.sin(b * t) / (b * t) if t else mp.mpf(1)


def cosine(w: float = 1) -> Function:
    return lambda t: mp.cos(w * t)


def tilted(k: Function, beta: float) -> Function:
    return lambda t: k(t) * mp.exp(beta * t)


def shifted(k: Function, r: float) -> Function:
    return lambda t: k(t + r)


def product(*factors: Function) -> Function:
    return lambda t: mp.fprod(k(t) for k in factors)


def density(k: Function, omega: float, reach: float = 60, breaks: tuple[float, ...] = ()) -> complex:
    """(2π)^{−1} ∫ k(t) e^{−iωt} dt, k negligible beyond the reach."""
    cuts = sorted({*np.linspace(-reach, reach, 121), 0.0, *breaks})
    return complex(mp.quad(lambda t: k(t) * mp.expj(-omega * t), cuts) / (2 * mp.pi))


def radial_density(k: Function, radius: float, dim: int, reach: float = 60) -> float:
    """(2π)^{−d/2} ρ^{1−d/2} ∫ r^{d/2} J_{d/2−1}(rρ) k(r) dr."""
    order = mp.mpf(dim) / 2 - 1
    cuts = np.linspace(0, reach, 121)
    found = mp.quad(lambda r: r ** (order + 1) * mp.besselj(order, r * radius) * k(r), cuts)
    return float(found * mp.mpf(radius) ** -order / (2 * mp.pi) ** (order + 1))
