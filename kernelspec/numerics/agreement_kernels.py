"""Compiled: inner products over samples whose keys agree. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.random.hashing import Hashes

__all__ = ["add_agreements", "add_products"]

_TILE = 1024
"""Rows of y at a time: their sums stay in the processor's nearest cache."""


@compiled
def add_agreements(
    left_keys: Hashes, right_keys: Hashes, weights: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Add Σ_j w_j 1[left_ij = right_jc] to `out` (n, m), for keys (n, J) and (J, m), in the order of the samples."""
    for first in range(0, out.shape[1], _TILE):
        last = min(first + _TILE, out.shape[1])
        for i in range(out.shape[0]):
            total = out[i][first:last]
            for j in range(left_keys.shape[1]):
                key, weight, other = left_keys[i, j], weights[j], right_keys[j][first:last]
                for c in range(total.shape[0]):
                    total[c] += weight if key == other[c] else 0.0


@compiled
def add_products(
    left_keys: Hashes, right_keys: Hashes, left: NDArray[Any], right: NDArray[Any], out: NDArray[np.float64]
) -> None:
    """Add Σ_j Σ_e left_eij right_ejc 1[left_ij = right_jc] to `out` (n, m), for values (E, n, J) and (E, J, m)."""
    for first in range(0, out.shape[1], _TILE):
        last = min(first + _TILE, out.shape[1])
        for i in range(out.shape[0]):
            total = out[i][first:last]
            for j in range(left_keys.shape[1]):
                key, other = left_keys[i, j], right_keys[j][first:last]
                for e in range(left.shape[0]):
                    a, b = left[e, i, j], right[e, j][first:last]
                    for c in range(total.shape[0]):
                        total[c] += a * b[c] if key == other[c] else 0.0
