"""Compiled: the bins that rows fall into, hashed into the entries of a sparse table. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.bin_bucket_panels import bucket_rows
from kernelspec.numerics.bin_kernels import bin_row, ordinary_groups
from kernelspec.numerics.bin_panels import bin_rows
from kernelspec.numerics.column_kernels import write_bucket_row
from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.key_kernels import scrambled
from kernelspec.numerics.packed_weights import ROWS
from kernelspec.random.hashing import Hashes

__all__ = ["bucket_bins"]

_TILE = 64 // ROWS
"""Groups of rows that a panel of grids is used for in turn, while their entries are in the cache."""


@compiled
def bucket_bins(
    numbers: NDArray[Any],
    inverse: NDArray[Any],
    offsets: NDArray[Any],
    largest: NDArray[Any],
    first: Hashes,
    offset: Any,
    buckets: Any,
    values: NDArray[Any],
    starts: NDArray[np.int64],
    first_entry: int,
    data: NDArray[Any],
    indices: NDArray[Any],
) -> None:
    """`write_buckets` of the keys that `bin_keys` finds, in one pass that writes no key; the data are real."""
    (n_rows, n_columns), n, size = numbers.shape, first.shape[0], inverse.shape[2]
    ordinary, before = ordinary_groups(numbers, largest), scrambled(first, offset)
    spare = np.empty((ROWS, size), dtype=np.uint64)
    for tile in range(0, ordinary.shape[0], _TILE):
        for b in range(inverse.shape[0]):
            per, u, left, entry = inverse[b], offsets[b], b * size, first_entry + b * size
            right = min(left + size, n)
            for group in range(tile, min(tile + _TILE, ordinary.shape[0])):
                start = group * ROWS
                if ordinary[group] and left + size <= n:
                    bucket_rows(
                        numbers, start, n_rows, n_columns, per, u,
                        before, buckets, values, starts, left, data, indices, data.shape[1], entry,
                    )  # fmt: skip
                    continue
                if ordinary[group]:
                    bin_rows(numbers, start, n_rows, n_columns, per, u, spare, 0, ROWS, size, 0)
                for r in range(start, min(start + ROWS, n_rows)):
                    own = spare[r - start, : right - left]
                    if not ordinary[group]:
                        bin_row(numbers[r], per, u, own)
                    end = entry + right - left
                    write_bucket_row(
                        before[left:right], own, buckets, values[left:right], starts[left:right],
                        data[r, entry:end], indices[r, entry:end],
                    )  # fmt: skip
