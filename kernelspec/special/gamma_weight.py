"""The weight z^a e^{−z} / Γ(a) of gamma laws, without the loss of digits of large logarithms that cancel."""

from __future__ import annotations

from math import lgamma, log, pi

import numpy as np

from kernelspec.special.gamma_ratio import stirling_remainder

__all__ = ["log_gamma_weight"]

_LARGE = 10.0


def log_gamma_weight(shape: float, z: np.ndarray) -> np.ndarray:
    """ln(z^a e^{−z} / Γ(a)) for a = `shape` > 0 and z ≥ 0, −∞ at z = 0.

    For a ≥ 10 with Stirling's formula cancelled by hand: a (ln(1 + d) − d) + ½ ln(a/2π) − remainder, d = (z − a)/a.
    """
    z = np.asarray(z, dtype=float)
    with np.errstate(divide="ignore"):
        if shape < _LARGE:
            return np.asarray(shape * np.log(z) - z - lgamma(shape))
        distance = (z - shape) / shape
        constant = 0.5 * log(shape / (2 * pi)) - stirling_remainder(shape)
        near = np.abs(distance) < 0.5
        # far below a the logarithm of z itself keeps the digits that 1 + d has lost
        ratio = np.where(near, np.log1p(np.where(near, distance, 0.0)), np.log(z / shape))
        return np.asarray(shape * (ratio - distance) + constant)
