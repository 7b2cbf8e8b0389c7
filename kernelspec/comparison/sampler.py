"""A sampler of another library: how it is made, the kernel it claims, and the variance predicted of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMNS", "Kernel", "Sampler", "variance_of_pairs", "variance_of_phases"]

COLUMNS = 64
"""Columns of the features of every sampler."""

Kernel = Callable[[Any, Any], NDArray[np.float64]]


@dataclass(frozen=True)
class Sampler:
    """How a sampler is made, what it claims, and the variance predicted of its estimates, where one is known.

    `make` gives an estimator with `fit` and `transform`, or a callable features(X, generator).
    """

    claims: str
    make: Callable[[], Any]
    kernel: Kernel
    variance: Callable[[Any], NDArray[np.float64]] | None = None


def variance_of_phases(kernel: Kernel, X: Any) -> NDArray[np.float64]:
    """Of a mean over n columns √2 cos(ω·x + b): (1 + k(2Δ)/2 − k²)/n, for a kernel of the difference of rows."""
    return np.asarray((1 + _doubled(kernel, X) / 2 - kernel(X, X) ** 2) / COLUMNS)


def variance_of_pairs(kernel: Kernel, X: Any) -> NDArray[np.float64]:
    """Of a mean over n/2 pairs (cos ω·x, sin ω·x): (1 + k(2Δ) − 2k²)/n, for a kernel of the difference of rows."""
    return np.asarray((1 + _doubled(kernel, X) - 2 * kernel(X, X) ** 2) / COLUMNS)


def _doubled(kernel: Kernel, X: Any) -> NDArray[np.float64]:
    return kernel(2 * np.asarray(X), 2 * np.asarray(X))
