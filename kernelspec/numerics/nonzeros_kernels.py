"""Compiled: the nonzero entries of signed rows. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled

__all__ = ["entries_of_csr", "entries_of_dense"]


@compiled
def entries_of_dense(numbers: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Pointers (n + 1,), coordinates and absolute values of the nonzeros of a C-contiguous array (n, d)."""
    n, d = numbers.shape
    pointers = np.zeros(n + 1, dtype=np.int64)
    for r in range(n):
        row, count = numbers[r], 0
        for i in range(d):
            count += row[i] != 0
        pointers[r + 1] = pointers[r] + count
    total = pointers[n]
    coordinates = np.empty(total + 1, dtype=np.int64)  # one more: zeros are written too, and written over
    weights = np.empty(total + 1, dtype=np.float64)
    for r in range(n):
        row, p = numbers[r], pointers[r]
        for i in range(d):
            value = np.float64(row[i])
            coordinates[p], weights[p] = 2 * i + (value < 0), abs(value)
            p += value != 0
    return pointers, coordinates[:total], weights[:total]


@compiled
def entries_of_csr(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The same of rows in CSR format with sorted indices; zeros that are stored are left out."""
    n = indptr.shape[0] - 1
    pointers = np.zeros(n + 1, dtype=np.int64)
    coordinates = np.empty(data.shape[0], dtype=np.int64)
    weights = np.empty(data.shape[0], dtype=np.float64)
    place = 0
    for r in range(n):
        for p in range(indptr[r], indptr[r + 1]):
            value = np.float64(data[p])
            if value != 0:
                coordinates[place], weights[place] = 2 * np.int64(indices[p]) + (value < 0), abs(value)
                place += 1
        pointers[r + 1] = place
    return pointers, coordinates[:place], weights[:place]
