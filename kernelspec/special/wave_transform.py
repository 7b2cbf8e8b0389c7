"""Cosine and sine transforms of the parts of a wave under the Gaussian: kernels whose measure is such a part."""

from __future__ import annotations

from math import ceil, pi, sqrt

import numpy as np

from kernelspec.special.wave_part import WavePart

__all__ = ["wave_cosine", "wave_sine"]

_SERIES_COEFFICIENT = 2 / pi
"""|sin θ| = −(2/π) Σ_k e^{2ikθ} / (4k² − 1) and |cos θ| = −(2/π) Σ_k (−1)^k e^{2ikθ} / (4k² − 1), k ∈ Z."""

_REACH = 9.2  # P(|Z| > 9.2) and e^{−9.2²/2} are below 1e-18
_FLAT = pi / 2 / _REACH


def wave_cosine(part: WavePart, frequency: float, lag: np.ndarray) -> np.ndarray:
    """E w⁺(aZ) cos(τZ), Z ~ N(0, 1), w⁺ the `part` of the wave, a = `frequency` ≥ 0, at τ = `lag` of any shape.

    The Fourier series of the part makes it a sum of Gaussians e^{−(2ka + τ)²/2}, of which those with
    |2ka + τ| < 9.2 count. Below a = 0.17 the wave does not turn where the Gaussian has mass: then |sin aZ| is
    sin a|Z|, whose transform is Dawson's function. Absolute error below 1e-15.
    """
    tau = np.asarray(lag, dtype=float)
    a = frequency
    if part.odd:
        absolute = _absolute_sine(a, tau)
        return absolute if part.sign == 0 else absolute / 2
    turning = (np.exp(-((tau + a) ** 2) / 2) + np.exp(-((tau - a) ** 2) / 2)) / 2
    absolute = turning if a < _FLAT else _series(a, tau, alternating=True)
    return absolute if part.sign == 0 else np.asarray((absolute + part.sign * turning) / 2)


def wave_sine(part: WavePart, frequency: float, lag: np.ndarray) -> np.ndarray:
    """E w⁺(aZ) sin(τZ): ±½ E sin aZ sin τZ for max(±sin, 0), zero for the parts that are even."""
    tau = np.asarray(lag, dtype=float)
    if part.symmetric:
        return np.zeros_like(tau)
    fall = np.exp(-((tau - frequency) ** 2) / 2) - np.exp(-((tau + frequency) ** 2) / 2)
    return np.asarray(part.sign * fall / 4)


def _absolute_sine(a: float, tau: np.ndarray) -> np.ndarray:
    if a >= _FLAT:
        return _series(a, tau, alternating=False)
    from scipy.special import dawsn

    return np.asarray((dawsn((a + tau) / sqrt(2)) + dawsn((a - tau) / sqrt(2))) / sqrt(pi))


def _series(a: float, tau: np.ndarray, *, alternating: bool) -> np.ndarray:
    nearest = np.round(-tau / (2 * a))
    total = np.zeros_like(tau)
    reach = ceil(_REACH / (2 * a)) + 1
    for step in range(-reach, reach + 1):
        k = nearest + step
        sign = 1 - 2 * np.mod(k, 2) if alternating else 1.0
        total -= _SERIES_COEFFICIENT * sign / (4 * k**2 - 1) * np.exp(-((2 * a * k + tau) ** 2) / 2)
    return total
