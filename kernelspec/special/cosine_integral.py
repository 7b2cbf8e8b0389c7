"""Differences of logarithms and cosine integrals that do not cancel."""

from __future__ import annotations

import numpy as np

__all__ = ["cosine_integral_gap", "excess_over_log"]

_TERMS = 14


def excess_over_log(x: np.ndarray) -> np.ndarray:
    """x − ln(1 + x) for x ≥ 0, to a relative error of 1e-15.

    Up to x = ½ with r = x/(2 + x): ln(1 + x) = 2 artanh r and x − 2r = xr, so it is r(x − 2(r²/3 + r⁴/5 + …)).
    """
    x = np.asarray(x, dtype=float)
    small = np.minimum(x, 0.5)
    r = small / (2 + small)
    series = np.zeros_like(r)
    for k in range(_TERMS, 0, -1):
        series = np.square(r) * (1 / (2 * k + 1) + series)
    return np.asarray(np.where(x <= 0.5, r * (small - 2 * series), x - np.log1p(x)))


def cosine_integral_gap(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """∫_low^high (1 − cos u)/u du for 0 ≤ low and high ≥ low + 8, to a relative error of 1e-14 [DLMF 6.2.13]."""
    from scipy.special import sici

    far = low >= 1
    outer, inner = np.where(far, low, 1.0), np.where(far, 0.0, low)
    beyond = np.log1p((high - outer) / outer) - (sici(high)[1] - sici(outer)[1])
    # from low to 1 by the series of the cosine, (x^{2k} − low^{2k}) / (2k (2k)!) with alternating signs
    series, factor = np.zeros_like(inner), np.ones_like(inner)
    for k in range(1, _TERMS):
        factor = -factor / ((2 * k - 1) * (2 * k))
        series -= factor * (1 - inner ** (2 * k)) / (2 * k)
    return np.asarray(beyond + np.where(far, 0.0, series))
