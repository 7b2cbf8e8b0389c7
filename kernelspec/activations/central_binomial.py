"""c_k = C(2k, k)/4^k, of which the duals with heavy tails are made, and the law of first returns, whose tail it is."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

__all__ = ["central_binomial", "first_return", "first_return_at"]

_TABLE = 256


def central_binomial(k: np.ndarray) -> np.ndarray:
    """c_k = Γ(k + ½)/(√π Γ(k + 1)) for whole numbers k ≥ 0, to 1e-15 at any size.

    Beyond a table by c_k = √(8/πN) (1 − 1/N² + 21/2N⁴ − 671/2N⁶ + …), N = 8k + 2. Reference: Kessler and Schiff 2006.
    """
    k = np.asarray(k, dtype=float)
    table = _table()
    tabulated = table[np.clip(k, 0, _TABLE - 1).astype(np.intp)]
    n = 8 * np.maximum(k, _TABLE - 1) + 2
    square = 1 / n**2
    shape = 1 + square * (-1 + square * (10.5 - 335.5 * square))
    return np.asarray(np.where(k < _TABLE, tabulated, np.sqrt(8 / np.pi / n) * shape))


def first_return(k: np.ndarray) -> np.ndarray:
    """P(K = k) = c_k/(2k − 1), k ≥ 1: the simple random walk is back at 0 for the first time after 2k steps.

    P(K > k) = c_k. Reference: Feller 1968, section III.4.
    """
    k = np.asarray(k, dtype=float)
    return np.asarray(central_binomial(k) / (2 * k - 1))


def first_return_at(u: np.ndarray) -> np.ndarray:
    """Draws of K, as floats, from numbers uniform on (0, 1), by inversion: the number of n ≥ 0 with c_n ≥ u."""
    u = np.asarray(u, dtype=float)
    table = _table()
    within = _TABLE - np.searchsorted(table[::-1], u)
    middle = 8 / (np.pi * np.minimum(u, table[-1]) ** 2)  # N solves c² = (8/πN)(1 − 2/N² + 22/N⁴ − …)
    beyond = np.floor((middle - 2 / middle + 14 / middle**3 - 2) / 8) + 1
    return np.where(u > table[-1], within, np.maximum(beyond, _TABLE))


@lru_cache(maxsize=1)
def _table() -> np.ndarray:
    k = np.arange(1, _TABLE, dtype=np.longdouble)
    table = np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))]).astype(float)
    table.flags.writeable = False
    return table
