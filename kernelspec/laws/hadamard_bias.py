"""How far the mean of structured frequencies is from the kernel: measured, with most of the noise taken off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.laws.hadamard import isotropic, lengths_of
from kernelspec.random.hadamard import HadamardStream, block_size, hadamard_transform
from kernelspec.random.streams import Stream
from kernelspec.samples.half_angles import cosines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.laws.law import Law
    from kernelspec.notation.pairs import NumericPairs

__all__ = ["hadamard_bias", "uniform_direction_mean"]

_FEWEST, _MOST = 16, 1024
"""Draws of the two diagonals, for as many numbers as these at most:"""
_NUMBERS = 1 << 24

_FAR = 10.0
"""Beyond so many √p the mean of a plane wave over directions in R^p is below 1e-14."""


def hadamard_bias(law: Law, pairs: NumericPairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E p(x_i, y_i) − k(x_i, y_i) and its standard errors, (pairs,), for samples of the draws "hadamard".

    A row of H D₁ H D₂ H D₃/p is g'H D₂ H D₃/p with independent signs g. So with y = H D₂ H D₃ Δ/p and the length ℓ of a
    frequency, E[cos ω·Δ | D₂, D₃, ℓ] = ∏_k cos ℓy_k; were the direction uniform on the sphere it would be the mean
    Ω_p(ℓ√p ‖Δ‖) of a plane wave. The difference varies little over D₂ and D₃, and its mean over them and ℓ is the bias.
    Raises TypeError for a law without such draws.
    """
    own = isotropic(law)
    if own is None:
        raise TypeError(f"there are no structured frequencies of {law}")
    x, y = (side.select(own.places).numbers for side in (pairs.x, pairs.y))
    difference = x - y
    lag = own.images(np.asarray(difference if isinstance(difference, np.ndarray) else difference.toarray(), float))
    n, d = lag.shape
    p = block_size(d)
    padded = np.zeros((n, p))
    padded[:, :d] = lag
    draws = int(np.clip(_NUMBERS // (n * p), _FEWEST, _MOST))
    stream = Stream(0, (1,))
    signs = 1.0 - 2.0 * (stream.uniform("signs", (draws, 2, p)) < 0.5)
    lengths, size = lengths_of(own.leaf, HadamardStream(0, (2,)), draws), np.sqrt(p) * np.linalg.norm(lag, axis=1)
    found = np.empty((draws, n))
    for r in range(draws):
        turned = hadamard_transform(hadamard_transform(padded * signs[r, 1]) * signs[r, 0]) / p
        found[r] = cosines(lengths[r] * turned).prod(axis=1) - uniform_direction_mean(lengths[r] * size, p)
    mass = float(law.magnitude())
    return mass * found.mean(axis=0), mass * found.std(axis=0, ddof=1) / np.sqrt(draws)


def uniform_direction_mean(s: NDArray[np.float64], p: int) -> NDArray[np.float64]:
    """Ω_p(s) = E cos(s u₁) for u uniform on the sphere in R^p, p ≥ 64, s ≥ 0: Γ(p/2) (2/s)^{p/2−1} J_{p/2−1}(s).

    ∫ cos(s sin θ) cos^{p−2}θ dθ by the trapezoidal rule, which for waves and bells is exact to rounding once the step
    is small enough for both.
    """
    step = 2 * np.pi / (20 * np.sqrt(p))
    angles = step * np.arange(33)
    weights = np.cos(angles) ** (p - 2)
    weights[0] /= 2
    near = s < _FAR * np.sqrt(p)
    found = np.zeros(s.shape)
    found[near] = cosines(np.multiply.outer(s[near], np.sin(angles))) @ (weights / weights.sum())
    return found
