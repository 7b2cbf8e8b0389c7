"""ln Γ next to 1, over the distance from 1: what is left of Γ next to its poles."""

from __future__ import annotations

__all__ = ["log_gamma_slope"]

_EULER = 0.5772156649015329
_TERMS = 28


def log_gamma_slope(distance: float) -> float:
    """ln Γ(1 + δ) / δ for |δ| ≤ ½, which is −γ at δ = 0, to a rounding [DLMF 5.7.3].

    ln Γ(1 + δ) = −ln(1 + δ) + (1 − γ) δ + Σ_{k≥2} (ζ(k) − 1) (−δ)^k / k, whose terms fall like (δ/2)^k.
    """
    import numpy as np
    from scipy.special import zetac

    k = np.arange(2, _TERMS)
    series = float(np.sum(zetac(k) / k * (-distance) ** (k - 1)))
    first = float(np.log1p(distance)) / distance if abs(distance) > 1e-300 else 1.0
    return 1 - _EULER - first - series
