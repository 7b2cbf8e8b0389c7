"""Kernels of the distance r = ‖x − y‖ as other libraries define them, each written from its formula."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["exponential", "gaussian", "matern_three_halves"]


def gaussian(X: Any, Y: Any, gamma: float = 0.5) -> NDArray[np.float64]:
    """exp(−γ r²)."""
    return np.exp(-gamma * _distances(X, Y) ** 2)


def exponential(X: Any, Y: Any) -> NDArray[np.float64]:
    """exp(−r)."""
    return np.exp(-_distances(X, Y))


def matern_three_halves(X: Any, Y: Any, rate: float) -> NDArray[np.float64]:
    """(1 + a r) exp(−a r)."""
    scaled = rate * _distances(X, Y)
    return (1 + scaled) * np.exp(-scaled)


def _distances(X: Any, Y: Any) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(np.square(np.asarray(X)[:, None] - np.asarray(Y)[None]).sum(axis=-1)))
