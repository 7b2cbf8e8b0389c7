"""How far apart two rows are in one column, where the kernel has fallen to half of what it is at equal rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel

__all__ = ["half_distances"]

_LAGS = np.geomspace(1e-9, 1e9, 721)
_HALVINGS = 40


def half_distances(kernel: Kernel, columns: Iterable[int]) -> dict[int, float | None]:
    """For each of these columns the least t with k(t e) ≤ k(0)/2, e the column's unit vector, categories being equal.

    None where k does not fall that far, or k(0) is not positive. k must be a function of the lag, and of equalities.
    """
    return {column: _half_distance(kernel, column) for column in columns}


def _half_distance(kernel: Kernel, column: int) -> float | None:
    whole = float(_values(kernel, column, np.zeros(1))[0])
    below = np.flatnonzero(_values(kernel, column, _LAGS) <= whole / 2)
    if not whole > 0 or not len(below):
        return None
    if below[0] == 0:
        return 0.0
    low, high = _LAGS[below[0] - 1], _LAGS[below[0]]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = _values(kernel, column, np.array([middle]))[0] > whole / 2
        low, high = (middle, high) if above else (low, middle)
    return float(high)


def _values(kernel: Kernel, column: int, lags: NDArray[np.float64]) -> NDArray[np.float64]:
    numbers = np.zeros((len(lags), int(kernel.dim)))
    codes = {i: np.zeros(len(lags), dtype=np.uint64) for i in range(int(kernel.dim))}
    y = Rows(numbers.copy(), codes)
    numbers[:, column] = lags
    return np.asarray(np.broadcast_to(kernel.value(NumericPairs(Rows(numbers, codes), y, grid=False)), len(lags)))
