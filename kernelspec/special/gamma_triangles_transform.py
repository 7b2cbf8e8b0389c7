"""Fourier transforms of mixtures of triangles over powers of a gamma variable."""

from __future__ import annotations

from math import expm1, log, pi, sqrt

import numpy as np

from kernelspec.special.counted_work import spend
from kernelspec.special.gamma_ratio import log_gamma_ratio
from kernelspec.special.gamma_weight import log_gamma_weight

__all__ = ["gamma_triangles_transform"]

_DIGITS = 40.0
_TERMS = 17
_NEAR = 0.5
_DEEP = 600.0
_BLOCK = 256
_OPERATIONS = 300


def gamma_triangles_transform(shape: float, power: float, frequency: np.ndarray) -> np.ndarray:
    """φ̂(ω) = (2/ω²) E[(1 − cos ωR)/R], R = Y^{1/k}, Y ~ Gamma(a, 1), a = `shape`, k = `power`; E R at ω = 0, 0 at ∞.

    For k = 1 in closed form. Otherwise, with p = 1/k, the real part of (2/ω²Γ(a)) ∫ (1 − e^{iωy^p}) y^{a−p−1} e^{−y} dy
    on the ray y = e^{q + iθ}, where nothing oscillates that has not decayed. The integrand is analytic and bounded
    between the rays of 0 and 2θ, so that the trapezoidal rule in q converges exponentially with a step that is in
    proportion to θ alone, whatever ω. For ω E R < 1 the integral of iωy^p, which is imaginary, is taken off under the
    integral, so that nothing cancels as ω → 0. Relative error 1e-13, more by 1/a for small a and by E R/σ(R) for large.
    """
    frequency = np.asarray(frequency, dtype=float)
    w = np.abs(frequency).ravel()
    with np.errstate(over="ignore"):
        mean = float(np.exp(log_gamma_ratio(shape, 1 / power)))
    large = max(1 / mean, 1e-300)
    values = np.where(np.isinf(w), 0.0, mean)
    for slow in (True, False):
        chosen = np.flatnonzero((w > 0) & np.isfinite(w) & ((w < large) == slow))
        for first in range(0, len(chosen), _BLOCK):
            block = chosen[first : first + _BLOCK]
            bounded = np.maximum(w[block], 1e-100 * large)
            values[block] = _closed(shape, bounded) if power == 1 else _on_ray(shape, 1 / power, bounded, slow)
    return values.reshape(frequency.shape)


def _closed(s: float, w: np.ndarray) -> np.ndarray:
    """2/((s − 1) w²) · (1 − Re(1 − iw)^{1−s}), k = 1, with 1 − iw = e^{L − iA}; 2L/w² for s = 1.

    For s < ½ from (1 − iw)^{1−s} − 1 = (1 − iw)((1 − iw)^{−s} − 1) − iw, where nothing cancels as s → 0.
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
    # to the left the integrand falls as y^rate, and is that power alone where y and ωy^p are below all digits
    powers_alone = min(-_DIGITS, -(_DIGITS + log(w.max())) / p)
    low = max(log(a + p) - _DIGITS / rate - 8 / sqrt(rate), powers_alone)
    q = np.arange(low, log(a + p + 9 * sqrt(2 * (a + p)) + 80), step)
    spend(_OPERATIONS * len(q) * len(w))
    ray = q + 1j * angle
    y = np.exp(np.maximum(q, -_DEEP))
    weight = np.exp(log_gamma_weight(a, y) + a * np.minimum(q + _DEEP, 0) + y - np.exp(ray) + 1j * a * angle)
    size = np.clip(p * q + np.log(w)[:, None], -_DEEP, _DEEP)
    x = np.exp(size + 1j * (pi / 2 + p * angle))
    parts = (_exponential(x, slow) * (1j * weight)).real
    return np.asarray(-2 * step * (parts.sum(axis=1) + parts[:, 0] / expm1(rate * step)) / w)


def _exponential(x: np.ndarray, slow: bool) -> np.ndarray:
    """(e^x − 1)/x, or (e^x − 1 − x)/x, with all digits where x is small."""
    if slow:
        near = np.abs(x) < _NEAR
        small = np.where(near, x, 0)
        series = np.zeros_like(x)
        for n in range(_TERMS, 1, -1):
            series = (series + 1) * small / n
        far = np.where(near, 1, x)
        return np.where(near, series, (np.exp(far) - 1 - far) / far)
    return np.asarray(np.expm1(x) / x)
