"""Compiled: the bins that rows fall into. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.bin_panels import bin_rows
from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.key_kernels import scramble
from kernelspec.numerics.packed_weights import ROWS
from kernelspec.random.hashing import WEYL, Hashes

__all__ = ["bin_keys", "bin_row", "ordinary_groups"]

_32, _ODD = np.uint64(32), np.uint64(WEYL)
_WHOLE = 2.0**53


@compiled
def bin_keys(
    numbers: NDArray[Any], inverse: NDArray[Any], offsets: NDArray[Any], largest: NDArray[Any], keys: Hashes
) -> None:
    """Hashes of the bins ⌊x_i / r_i + u_i⌋ of rows x (b, d) into `keys` (b, n).

    1/r and u are in panels of samples, (panels, d or 1, 32), as `pack_weights` makes them. An index enters as the 64
    bits of the floating-point number that it is, and never is −0.0, as u ≥ 0. From 2⁵³ on, or where x/r is no finite
    number, the bins are narrower than the spacing of x, whose bits stand for them, inverted; |x_i| ≤ `largest`_i (d,)
    rules that out. All arrays are C-contiguous.
    """
    (n_rows, n_columns), n, size = numbers.shape, keys.shape[1], inverse.shape[2]
    ordinary = ordinary_groups(numbers, largest)
    spare = np.empty((ROWS, size), dtype=np.uint64)
    for b in range(inverse.shape[0]):
        per, u, first = inverse[b], offsets[b], b * size
        for group in range(ordinary.shape[0]):
            start = group * ROWS
            rows = range(start, min(start + ROWS, n_rows))
            if not ordinary[group]:
                for r in rows:
                    bin_row(numbers[r], per, u, keys[r, first : first + size])
            elif first + size <= n:
                bin_rows(numbers, start, n_rows, n_columns, per, u, keys, start, n_rows, n, first)
            else:
                bin_rows(numbers, start, n_rows, n_columns, per, u, spare, 0, ROWS, size, 0)
                for r in rows:
                    keys[r, first:n] = spare[r - start, : n - first]


@compiled
def ordinary_groups(numbers: NDArray[Any], largest: NDArray[Any]) -> NDArray[Any]:
    """Whether |x_i| ≤ `largest`_i in each of four rows of (b, d), for all fours, and d > 0."""
    n_rows, n_columns = numbers.shape
    ordinary = np.full((n_rows + ROWS - 1) // ROWS, n_columns > 0)
    for r in range(n_rows):
        for i in range(n_columns):
            ordinary[r // ROWS] &= np.abs(numbers[r, i]) <= largest[i]
    return ordinary


@compiled
def bin_row(x: NDArray[Any], inverse: NDArray[Any], offsets: NDArray[Any], state: Hashes) -> None:
    """What `bin_keys` does of one row of any numbers, for those samples of a panel that there are."""
    for j in range(state.shape[0]):
        state[j] = _ODD
    for i in range(x.shape[0]):
        per, u = inverse[i], offsets[i]
        outside = ~np.float64(x[i] + 0.0).view(np.uint64)  # −0.0 + 0.0 is 0.0
        for j in range(state.shape[0]):
            index = np.floor(x[i] * per[j] + u[j])
            word = np.float64(index).view(np.uint64) if np.abs(index) < _WHOLE else outside
            z = (state[j] ^ word) * _ODD
            state[j] = z ^ (z >> _32)
    for j in range(state.shape[0]):
        state[j] = scramble(state[j])
