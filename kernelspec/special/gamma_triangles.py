"""Mixtures of triangles over powers of a gamma variable: the Polya kernels of the gamma family."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, exp, factorial, lgamma, log, log1p, sqrt

import numpy as np

from kernelspec.special.gamma_ratio import log_gamma_ratio
from kernelspec.special.gamma_weight import log_gamma_weight
from kernelspec.special.log_gamma_slope import log_gamma_slope
from kernelspec.special.piecewise_polynomial import PiecewisePolynomial, interpolated

__all__ = ["gamma_triangles", "log_gamma_triangles"]

_SMALL = 1.0
_TERMS = 26
_NEVER_BELOW = 5.5
_NEVER_ABOVE = 27.7
_WIDTH = 0.75
_DEGREE = 17
_NODES = 24
_ASYMPTOTIC = 1e9


def gamma_triangles(shape: float, power: float, u: np.ndarray, z: np.ndarray) -> np.ndarray:
    """φ = E max(0, 1 − u/R), R = Y^{1/k}, Y ~ Gamma(a, 1), a = `shape`, k = `power`, of u ≥ 0 and z = u^k.

    With p = 1/k and b = a − p: φ = [Γ(a, z) − z^p Γ(b, z)] / Γ(a). For z ≤ 1 the power series, with what Γ has next to
    its poles taken together, so that b may be at or near 0, −1, …. For larger z the integral of
    (1 − (z/y)^p) y^{a−1} e^{−y} / Γ(a) over y > z, nowhere negative: as √Y is nearly normal of variance ¼ for every a,
    ln φ is interpolated on panels of √z of one width, which are integrated when (a, k) is first asked for.
    Relative error a few 1e-13 at most, as far as z is exact, and 1 at u = 0.
    """
    u, z = np.asarray(u, dtype=float), np.asarray(z, dtype=float)
    values = np.ones(z.shape)
    certain = min(shape, shape - 1 / power)
    crowded = certain > (sqrt(_SMALL) + _NEVER_BELOW) ** 2
    low = (sqrt(certain) - _NEVER_BELOW) ** 2 if crowded else _SMALL
    inside, tail = (u > 0) & (z <= low), z > low
    if inside.any():
        log_u = np.log(u[inside])
        if crowded:  # no Y is below z
            values[inside] = -np.expm1(log_u + log_gamma_ratio(shape, -1 / power))
        else:
            values[inside] = _series(shape, power, log_u, z[inside])
    if tail.any():
        root = np.sqrt(z[tail])
        end = sqrt(shape) + _NEVER_ABOVE
        with np.errstate(under="ignore"):
            logarithms = _panels(float(shape), float(power), sqrt(low))(np.minimum(root, end))
            values[tail] = np.where(root < end, np.exp(logarithms), 0.0)
    return np.clip(values, 0.0, 1.0)


def log_gamma_triangles(shape: float, power: float, z: np.ndarray) -> np.ndarray:
    """ln φ for z > 1 and z > a, from the same integral: to a relative 1e-13 of φ or 1e-15 of ln φ.

    From z = 10⁹ max(1, a) on by the first term of the expansion, p z^{a−2} e^{−z}/Γ(a).
    """
    a, p, z = float(shape), 1 / float(power), np.asarray(z, dtype=float)
    found = np.asarray(log_gamma_weight(a, z) + log(p) - 2 * np.log(z))
    near = z < _ASYMPTOTIC * max(1.0, a)
    if near.any():
        found[near] = _integrated(a, p, np.sqrt(z[near]))
    return found


def _series(a: float, k: float, log_u: np.ndarray, z: np.ndarray) -> np.ndarray:
    """1 − z^p Γ(b)/Γ(a) + z^a/Γ(a) Σ p (−z)^n / (n! (a + n)(b + n)), for z ≤ 1."""
    b = a - 1 / k
    log_z = k * log_u
    scale = exp(-lgamma(a))
    pole = max(0, round(-b)) if b < 0.5 else -1
    coefficients = np.empty(max(_TERMS, pole + 1))
    for n in range(len(coefficients)):
        lower = 1 / (a + n) if n or a >= 0.5 else 0.0
        both = lower * (1 / k) / (b + n) if lower and n != pole else -lower if n == pole else 1 / (b + n)
        coefficients[n] = (-1) ** n / factorial(n) * both
    with np.errstate(under="ignore"):
        weight = scale * np.exp(a * log_z)
        series = weight * np.polynomial.polynomial.polyval(z, coefficients)
        if pole < 0:
            return np.asarray(-np.expm1(log_u + log_gamma_ratio(a, -1 / k)) + series)
        ones = 1.0 if a >= 0.5 else -np.expm1(a * (log_z - log_gamma_slope(a)))
        delta = b + pole
        others = range(1, pole + 1)
        slope = log_gamma_slope(delta) + sum(-log1p(-delta / j) / delta if delta else 1 / j for j in others)
        residue = (-1) ** pole / factorial(pole) * scale
        return np.asarray(ones + series - residue * _beside_pole(a + pole, delta, slope, log_z))


def _beside_pole(order: float, delta: float, slope: float, log_z: np.ndarray) -> np.ndarray:
    """z^order (e^x − 1)/δ with x = δ (slope − ln z), no factor of which overflows unless the product does."""
    if abs(delta) < 1e-200:
        return np.asarray(np.exp(order * log_z) * (slope - log_z))
    x = delta * (slope - log_z)
    return np.asarray(np.exp(order * log_z + np.maximum(x, 0)) * np.copysign(-np.expm1(-np.abs(x)), x) / delta)


@lru_cache(maxsize=256)
def _panels(a: float, k: float, start: float) -> PiecewisePolynomial:
    """ln φ over √z."""
    return interpolated(lambda root: _integrated(a, 1 / k, root), start, sqrt(a) + _NEVER_ABOVE, _WIDTH, _DEGREE)


def _integrated(a: float, p: float, root: np.ndarray) -> np.ndarray:
    """ln φ by Gauss's rule on panels of x, √y = √z + x, short ones first."""
    first = min(0.5 / root.max(), root.min() / (2 * p), 0.5)
    edges = [0.0]
    stop = max(0.0, sqrt(a) - root.min()) + _NEVER_BELOW
    while edges[-1] < stop:
        edges.append(edges[-1] + min(max(first, 2 * edges[-1]), 0.75))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    middle, half = (np.array(edges[1:]) + edges[:-1]) / 2, np.diff(edges) / 2
    x, weights = (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()
    totals = np.empty(len(root))
    for at in range(0, len(root), ceil(1e5 / len(x))):
        tau = root[at : at + ceil(1e5 / len(x)), None]
        log_ratio = np.log1p(x / tau)
        integrand = -np.expm1(-2 * p * log_ratio) * np.exp((2 * a - 1) * log_ratio - x * (2 * tau + x))
        totals[at : at + len(tau)] = integrand @ weights * (2 / tau[:, 0])
    return log_gamma_weight(a, root**2) + np.log(totals)
