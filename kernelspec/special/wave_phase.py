"""The transform of |h| e^{2i arg h}, h = 1 + ic sin aZ: what decides the variance of the phases of a sinh kernel."""

from __future__ import annotations

from functools import lru_cache
from math import asinh, ceil, inf, log2

import numpy as np

__all__ = ["doubled_phase"]

_REACH = 9.2  # e^{−9.2²/2} is below 1e-18
_DECAY = 36.0  # e^{−36} is below 1e-15
_LARGEST = 2**16


def doubled_phase(frequency: float, amplitude: float, lag: np.ndarray) -> np.ndarray:
    """E |h| cos(2 arg h + τZ), h = 1 + ic sin aZ, Z ~ N(0, 1), a = `frequency` ≥ 0, c = `amplitude` ≥ 0, τ = `lag`.

    With F_n the Fourier coefficients of h²/|h| (real, because h(−θ) = conj h(θ)) it is Σ_n F_n e^{−(na + τ)²/2}. They
    fall like e^{−n asinh(1/c)}, so that at most 36/asinh(1/c) of them count, and only those with |na + τ| < 9.2.
    Of more than 2¹⁵ coefficients the others, below 1e-9 of c, are left out.
    """
    tau = np.asarray(lag, dtype=float)
    coefficients = _coefficients(amplitude)
    largest = len(coefficients) // 2
    if frequency == 0:
        return np.asarray(sum(coefficients) * np.exp(-(tau**2) / 2))
    table = np.asarray(coefficients)
    nearest = np.round(-tau / frequency)
    reach = min(ceil(_REACH / frequency) + 1, 2 * largest)
    total = np.zeros_like(tau)
    if reach == 2 * largest:
        for n in range(-largest, largest + 1):
            total += table[largest + n] * np.exp(-((n * frequency + tau) ** 2) / 2)
        return total
    for step in range(-reach, reach + 1):
        order = nearest + step
        known = np.abs(order) <= largest
        place = largest + np.where(known, order, 0).astype(np.intp)
        total += np.where(known, table[place], 0.0) * np.exp(-((order * frequency + tau) ** 2) / 2)
    return total


@lru_cache(maxsize=16)
def _coefficients(c: float) -> tuple[float, ...]:
    """F_n for n = −m, …, m."""
    width = asinh(1 / c) if c > 1e-300 else inf
    needed = min(_LARGEST, max(8.0, 2 * _DECAY / width))
    size = 2 ** ceil(log2(2 * needed))
    h = 1 + 1j * c * np.sin(2 * np.pi * np.arange(size) / size)
    found = np.fft.fft(h**2 / np.abs(h)).real / size
    m = size // 4
    return tuple(np.concatenate([found[-m:], found[: m + 1]]).tolist())
