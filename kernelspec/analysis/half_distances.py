"""How far apart two rows are in one column, where the kernel has fallen to half of what it is at equal rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel

__all__ = ["half_distances"]

_LAGS = np.geomspace(1e-9, 1e9, 721)
_WITHIN, _ROUNDS = 257, 4
"""Lags between two of these, and again between two of those: to a ratio of 1 + 1e-11."""

_BLOCK_BYTES = MAX_BLOCK_BYTES // 16

_MOST_VALUES = 1 << 20
"""Entries of the rows at all these lags, that is of up to 1,454 columns."""


def half_distances(kernel: Kernel, columns: Iterable[int]) -> dict[int, float | None] | None:
    """For each of these columns the least t with k(t e) ≤ k(0)/2, e the column's unit vector, categories being equal.

    None where k does not fall that far, or k(0) is not positive; None for all where there are so many columns that the
    rows would take too long. k must be a function of the lag, and of equalities.
    """
    if len(_LAGS) * int(kernel.dim) > _MOST_VALUES:
        return None
    return {column: _half_distance(kernel, column) for column in columns}


def _half_distance(kernel: Kernel, column: int) -> float | None:
    whole = float(_values(kernel, column, np.zeros(1))[0])
    if not whole > 0:
        return None
    lags = _LAGS
    for round_ in range(1 + _ROUNDS):
        below = np.flatnonzero(_values(kernel, column, lags) <= whole / 2)
        if not len(below):
            return None if round_ == 0 else float(lags[-1])
        if below[0] == 0:
            return 0.0 if round_ == 0 else float(lags[0])
        low, high = lags[below[0] - 1], lags[below[0]]
        lags = np.linspace(low, high, _WITHIN)
    return float(high)


def _values(kernel: Kernel, column: int, lags: NDArray[np.float64]) -> NDArray[np.float64]:
    """k at the lags in one column, in blocks."""
    dim = int(kernel.dim)
    size, found = max(1, _BLOCK_BYTES // (8 * dim)), np.empty(len(lags))
    for start in range(0, len(lags), size):
        some = lags[start : start + size]
        numbers = np.zeros((len(some), dim))
        codes = dict.fromkeys(range(dim), np.zeros(len(some), dtype=np.uint64))
        y = Rows(numbers.copy(), codes)
        numbers[:, column] = some
        found[start : start + size] = kernel.value(NumericPairs(Rows(numbers, codes), y, grid=False))
    return found
