"""Variances of the estimators of the radial kernel on unit vectors, e^{−γ(1−ρ)}, as functions of the cosine ρ.

All are for one sample; an estimate from n samples has that over n (asymptotically, where it says so).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "minmax_limit",
    "minmax_variance",
    "normalized_variance",
    "paired_variance",
    "phase_variance",
    "rbf_of_cosine",
    "rbf_of_minmax",
]


def rbf_of_cosine(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """k = e^{−γ(1−ρ)}, the Gaussian kernel of scale 1/√γ on unit vectors with cosine ρ."""
    return np.asarray(np.exp(-gamma * (1 - np.asarray(rho, dtype=float))))


def phase_variance(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """V = ½ + ½(1 − k²)² of √2 cos(ω·x + b) √2 cos(ω·y + b) [Li 2017, Theorem 2.1]."""
    k = rbf_of_cosine(rho, gamma)
    return np.asarray(0.5 + 0.5 * (1 - k**2) ** 2)


def paired_variance(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """(1 − k²)²: cosine and sine of one frequency, counted for each of the two columns."""
    return np.asarray((1 - rbf_of_cosine(rho, gamma) ** 2) ** 2)


def normalized_variance(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """V − ¼k²(3 − k⁴), asymptotically, of phase features divided by their norm [Li 2017, Theorem 2.2].

    It exceeds `paired_variance` by ¼k²(1 − k²)²; the estimate is biased of order one over the number of samples.
    """
    k = rbf_of_cosine(rho, gamma)
    return np.asarray(phase_variance(rho, gamma) - k**2 * (3 - k**4) / 4)


def minmax_limit(rho: ArrayLike) -> NDArray[np.float64]:
    """g = (1 − s)/(1 + s), s = √((1 − ρ)/2): what the min-max kernel of long rows tends to.

    The model: coordinates are independent draws of an elliptical law with cosine ρ and bounded moments
    [Li 2017, section 3].
    """
    s = np.sqrt((1 - np.asarray(rho, dtype=float)) / 2)
    return np.asarray((1 - s) / (1 + s))


def rbf_of_minmax(agreement: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """e^{−2γ((1−X)/(1+X))²}, the radial kernel under the model of `minmax_limit`, X the share of keys that agree."""
    x = np.asarray(agreement, dtype=float)
    return np.asarray(np.exp(-2 * gamma * ((1 - x) / (1 + x)) ** 2))


def minmax_variance(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """V_g = e^{−2γ(1−ρ)} g(1−g)³/(1+g)⁶ · 64γ², asymptotically, of `rbf_of_minmax` [Li 2017, Theorem 3.1]."""
    g = minmax_limit(rho)
    k = rbf_of_cosine(rho, gamma)
    return np.asarray(k**2 * g * (1 - g) ** 3 / (1 + g) ** 6 * 64 * gamma**2)
