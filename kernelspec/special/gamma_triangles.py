"""Mixtures of triangles over powers of a gamma variable, and their Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, expm1, factorial, lgamma, log, log1p, pi, sqrt

import numpy as np
from numpy.polynomial import chebyshev

from kernelspec.limits import spend
from kernelspec.special.elementary import log_gamma_ratio, log_gamma_slope, log_gamma_weight

__all__ = [
    "PiecewisePolynomial",
    "gamma_triangles",
    "gamma_triangles_transform",
    "interpolated",
    "log_gamma_triangles",
    "polya_transform_on_ray",
]

_PANEL_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class PiecewisePolynomial:
    """Polynomials in s ∈ [−1, 1] on panels [start + i·width, start + (i + 1)·width].

    `coefficients` has one column per panel, highest power first.
    """

    start: float
    width: float
    coefficients: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The values at x, of any shape; the outer polynomials continue beyond the panels."""
        x = np.asarray(x, dtype=float)
        flat, values = x.ravel(), np.empty(x.size)
        for first in range(0, x.size, _PANEL_BLOCK):  # as much as fits into the cache
            block = slice(first, first + _PANEL_BLOCK)
            values[block] = self._block(flat[block])
        return values.reshape(x.shape)

    def _block(self, x: np.ndarray) -> np.ndarray:
        place = (x - self.start) / self.width
        panel = np.clip(place, 0, self.coefficients.shape[1] - 1).astype(np.intp)
        s = 2 * (place - panel) - 1
        total: np.ndarray = self.coefficients[0][panel]
        for row in self.coefficients[1:]:
            total *= s
            total += row[panel]
        return total


def interpolated(
    function: Callable[[np.ndarray], np.ndarray], start: float, stop: float, width: float, degree: int
) -> PiecewisePolynomial:
    """Interpolate a function in the Chebyshev points of panels that cover [start, stop], end exclusive."""
    panels = max(1, int(np.ceil((stop - start) / width)))
    points = chebyshev.chebpts1(degree + 1)
    centres = start + width * (np.arange(panels) + 0.5)
    values = function((centres[:, None] + width / 2 * points).ravel()).reshape(panels, degree + 1)
    series = np.linalg.solve(chebyshev.chebvander(points, degree), values.T)
    coefficients = np.zeros((degree + 1, panels))
    for power, row in enumerate(series):
        basis = chebyshev.cheb2poly(np.eye(degree + 1)[power])
        coefficients[: len(basis)] += basis[:, None] * row
    return PiecewisePolynomial(start, width, np.ascontiguousarray(coefficients[::-1]))


_RAY_BLOCK = 1 << 14
_SERIES = ((2.0**-6, 8), (1.0, 20))
"""Upper limits of ρ for given numbers of terms of the power series; further terms are below rounding."""

_RAY_OPERATIONS = 200


def polya_transform_on_ray(
    frequency: np.ndarray,
    density: Callable[[np.ndarray], np.ndarray],
    angle: float,
    ends: tuple[float, float],
    step: float,
) -> np.ndarray:
    """φ̂(ω) = (2/ω²) E[(1 − cos Rω)/R] for ω ≠ 0.

    `density` p is analytic for 0 ≤ arg r ≤ 2·`angle` ≤ π/2 and small at both ends there. The transform is Re E[R h(Rω)]
    with h(ρ) = 2(1 + iρ − e^{iρ})/ρ² − 2i/(1 + ρ), whose second term is imaginary on the line and makes h fall like
    ρ^{−2}. e^{iρ} decays above the line, so the integral is taken along r = e^{y + i·angle} by the trapezoidal rule of
    `step` between the `ends` of y [Trefethen and Weideman 2014]. The relative error is 1e-15 times ∫|p| along the ray,
    if e^{−2π·angle/step} is below it.
    """
    frequency = np.abs(np.asarray(frequency, dtype=float))
    y = np.arange(ends[0], ends[1] + step, step)
    ray = np.exp(y + 1j * angle)
    weights = step * ray * (ray * density(ray))
    flat, found = frequency.ravel(), np.empty(frequency.size)
    rows = max(1, _RAY_BLOCK // len(y))
    spend(_RAY_OPERATIONS * len(y) * len(flat))
    for start in range(0, len(flat), rows):
        block = slice(start, start + rows)
        # threads of BLAS would wait busily for products as small as this
        found[block] = np.einsum("ij,j->i", _damped(flat[block, None] * ray), weights).real
    return found.reshape(frequency.shape)


def _damped(rho: np.ndarray) -> np.ndarray:
    """h(ρ), by its power series near zero."""
    found, size = np.empty_like(rho), np.abs(rho)
    low = 0.0
    for high, terms in _SERIES:
        chosen = (size >= low) & (size < high)
        wave, series = 1j * rho[chosen], np.zeros(int(chosen.sum()), dtype=complex)
        for k in range(terms, 2, -1):
            series = (series + 1) * (wave / k)
        found[chosen], low = 1 + series, high
    outer = rho[size >= low]
    inverse = 1 / outer
    found[size >= low] = 2 * inverse * (1j + inverse * (1 - np.exp(1j * outer)))
    return np.asarray(found - 2j / (1 + rho))


_SMALL = 1.0
_TERMS = 26
_NEVER_BELOW = 5.5
_NEVER_ABOVE = 27.7
_WIDTH = 0.75
_DEGREE = 17
_NODES = 24
_ASYMPTOTIC = 1e9


def gamma_triangles(shape: float, power: float, u: np.ndarray, z: np.ndarray) -> np.ndarray:
    """φ = E max(0, 1 − u/R), R = Y^{1/k}, Y ~ Gamma(a, 1), a = `shape`, k = `power`, for u ≥ 0 and z = u^k.

    With p = 1/k and b = a − p: φ = [Γ(a, z) − z^p Γ(b, z)] / Γ(a). For z ≤ 1, the power series, combined with the
    leading part of Γ near its poles, so that b may be at or near 0, −1, …. For larger z, the integral of (1 − (z/y)^p)
    y^{a−1} e^{−y} / Γ(a) over y > z, which is nowhere negative: as √Y is almost normal with variance ¼ for every a, ln
    φ is interpolated on panels of √z of equal width, computed when (a, k) is first used. Relative error at most a few
    1e-13, given an exact z, and 1 at u = 0.
    """
    u, z = np.asarray(u, dtype=float), np.asarray(z, dtype=float)
    values = np.ones(z.shape)
    certain = min(shape, shape - 1 / power)
    crowded = certain > (sqrt(_SMALL) + _NEVER_BELOW) ** 2
    low = (sqrt(certain) - _NEVER_BELOW) ** 2 if crowded else _SMALL
    inside, tail = (u > 0) & (z <= low), z > low
    if inside.any():
        log_u = np.log(u[inside])
        if crowded:  # P(Y < z) = 0
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

    For z ≥ 10⁹ max(1, a), the first term of the expansion, p z^{a−2} e^{−z}/Γ(a).
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
    """z^order (e^x − 1)/δ with x = δ (slope − ln z); factors overflow only if the product does."""
    if abs(delta) < 1e-200:
        return np.asarray(np.exp(order * log_z) * (slope - log_z))
    x = delta * (slope - log_z)
    return np.asarray(np.exp(order * log_z + np.maximum(x, 0)) * np.copysign(-np.expm1(-np.abs(x)), x) / delta)


@lru_cache(maxsize=256)
def _panels(a: float, k: float, start: float) -> PiecewisePolynomial:
    """ln φ over √z."""
    return interpolated(lambda root: _integrated(a, 1 / k, root), start, sqrt(a) + _NEVER_ABOVE, _WIDTH, _DEGREE)


def _integrated(a: float, p: float, root: np.ndarray) -> np.ndarray:
    """ln φ by Gauss's rule on panels of x, √y = √z + x, shorter ones first."""
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


_DIGITS = 40.0
_TRANSFORM_TERMS = 17
_NEAR = 0.5
_DEEP = 600.0
_TRANSFORM_BLOCK = 256
_TRANSFORM_OPERATIONS = 300


def gamma_triangles_transform(shape: float, power: float, frequency: np.ndarray) -> np.ndarray:
    """φ̂(ω) = (2/ω²) E[(1 − cos ωR)/R], R = Y^{1/k}, Y ~ Gamma(a, 1), a = `shape`, k = `power`; E R at ω = 0, 0 at ∞.

    Closed form for k = 1. Otherwise, with p = 1/k, the real part of (2/ω²Γ(a)) ∫ (1 − e^{iωy^p}) y^{a−p−1} e^{−y} dy on
    the ray y = e^{q + iθ}, where oscillations have decayed. The integrand is analytic and bounded between the rays of 0
    and 2θ, so the trapezoidal rule in q converges exponentially with a step proportional to θ, for any ω. For ω E R < 1
    the integral of iωy^p, which is imaginary, is subtracted under the integral, so that nothing cancels as ω → 0.
    Relative error 1e-13, worse by 1/a for small a and by E R/σ(R) for large a.
    """
    frequency = np.asarray(frequency, dtype=float)
    w = np.abs(frequency).ravel()
    with np.errstate(over="ignore"):
        mean = float(np.exp(log_gamma_ratio(shape, 1 / power)))
    large = max(1 / mean, 1e-300)
    values = np.where(np.isinf(w), 0.0, mean)
    for slow in (True, False):
        chosen = np.flatnonzero((w > 0) & np.isfinite(w) & ((w < large) == slow))
        for first in range(0, len(chosen), _TRANSFORM_BLOCK):
            block = chosen[first : first + _TRANSFORM_BLOCK]
            bounded = np.maximum(w[block], 1e-100 * large)
            values[block] = _closed(shape, bounded) if power == 1 else _on_ray(shape, 1 / power, bounded, slow)
    return values.reshape(frequency.shape)


def _closed(s: float, w: np.ndarray) -> np.ndarray:
    """2/((s − 1) w²) · (1 − Re(1 − iw)^{1−s}), k = 1, with 1 − iw = e^{L − iA}; 2L/w² for s = 1.

    For s < ½ computed from (1 − iw)^{1−s} − 1 = (1 − iw)((1 − iw)^{−s} − 1) − iw, which does not cancel as s → 0.
    """
    length = np.where(w < 1, 0.5 * np.log1p(np.square(np.minimum(w, 1))), np.log(np.hypot(1, w)))
    angle, c = np.arctan(w), s - 1
    if c == 0:
        return np.asarray(2 * length / w / w)
    if s < 0.5:
        real = np.expm1(-s * length) * np.cos(s * angle) - 2 * np.square(np.sin(s * angle / 2))
        power_less_one = real + w * np.exp(-s * length) * np.sin(s * angle)
        return np.asarray(-2 / c * power_less_one / w / w)
    return np.asarray(
        2 / c * (2 * np.square(np.sin(c * angle / 2)) - np.expm1(-c * length) * np.cos(c * angle)) / w / w
    )


def _on_ray(a: float, p: float, w: np.ndarray, slow: bool) -> np.ndarray:
    angle = min(pi / 4, pi / (2 * p), 1 / sqrt(a + p))
    step = 2 * pi * angle / _DIGITS
    rate = a + p if slow else a
    # on the left the integrand falls as y^rate, and is a pure power once y and ωy^p are below all digits
    powers_alone = min(-_DIGITS, -(_DIGITS + log(w.max())) / p)
    low = max(log(a + p) - _DIGITS / rate - 8 / sqrt(rate), powers_alone)
    q = np.arange(low, log(a + p + 9 * sqrt(2 * (a + p)) + 80), step)
    spend(_TRANSFORM_OPERATIONS * len(q) * len(w))
    ray = q + 1j * angle
    y = np.exp(np.maximum(q, -_DEEP))
    weight = np.exp(log_gamma_weight(a, y) + a * np.minimum(q + _DEEP, 0) + y - np.exp(ray) + 1j * a * angle)
    size = np.clip(p * q + np.log(w)[:, None], -_DEEP, _DEEP)
    x = np.exp(size + 1j * (pi / 2 + p * angle))
    parts = (_exponential(x, slow) * (1j * weight)).real
    return np.asarray(-2 * step * (parts.sum(axis=1) + parts[:, 0] / expm1(rate * step)) / w)


def _exponential(x: np.ndarray, slow: bool) -> np.ndarray:
    """(e^x − 1)/x, or (e^x − 1 − x)/x if `slow`, accurate for small x."""
    if slow:
        near = np.abs(x) < _NEAR
        small = np.where(near, x, 0)
        series = np.zeros_like(x)
        for n in range(_TRANSFORM_TERMS, 1, -1):
            series = (series + 1) * small / n
        far = np.where(near, 1, x)
        return np.where(near, series, (np.exp(far) - 1 - far) / far)
    return np.asarray(np.expm1(x) / x)
