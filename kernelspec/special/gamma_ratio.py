"""Ratios of gamma functions without the loss of digits of a difference of two large logarithms."""

from __future__ import annotations

from math import lgamma, log, log1p

__all__ = ["log_gamma_ratio", "stirling_remainder"]

_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_LARGE = 10.0


def stirling_remainder(x: float) -> float:
    """ln Γ(x) − [(x − ½) ln x − x + ½ ln 2π] for x ≥ 10, to 1e-16 [DLMF 5.11.1]."""
    total = 0.0
    for coefficient in reversed(_STIRLING):
        total = total / x**2 + coefficient
    return total / x


def log_gamma_ratio(x: float, shift: float) -> float:
    """ln Γ(x + shift) − ln Γ(x), both arguments positive."""
    if min(x, x + shift) < _LARGE:
        return lgamma(x + shift) - lgamma(x)
    leading = (x + shift - 0.5) * log1p(shift / x) + shift * (log(x) - 1)
    return leading + stirling_remainder(x + shift) - stirling_remainder(x)
