"""Compiled: keys of a block of rows. All arrays are C-contiguous; keys are changed in place where that is possible.

`scramble` and `mix_keys` are those of kernelspec.random.hashing, bit for bit. A module of compiled functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.random.hashing import MULTIPLIERS, WEYL, Hashes

__all__ = ["apply_matrix", "mix_columns", "mix_keys", "scramble", "scrambled"]

_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)
_FIRST, _SECOND = (np.uint64(factor) for factor in MULTIPLIERS)
_ODD = np.uint64(WEYL)


@compiled
def scramble(z: Any) -> Any:
    """A bijection of 64-bit words that changes about half of the output bits for any one input bit."""
    z ^= z >> _30
    z *= _FIRST
    z ^= z >> _27
    z *= _SECOND
    return z ^ (z >> _31)


@compiled
def scrambled(keys: Hashes, offset: Any) -> Hashes:
    """`scramble` of keys (n,) with the offset added: what `mix_keys` adds others to."""
    found = np.empty_like(keys)
    for j in range(keys.shape[0]):
        found[j] = scramble(keys[j] + offset)
    return found


@compiled
def mix_keys(first: Hashes, second: Hashes, offset: Any) -> Hashes:
    """`mix(first, second)` of keys (1, n) or (b, n) and keys (b, n) or (b, 1).

    `offset` is (salt + 1)·WEYL mod 2⁶⁴. Written over one of the two that has the size (b, n), if there is one.
    """
    n_rows, n = second.shape[0], first.shape[1]
    if first.shape[0] == n_rows > 1 or (n_rows == 1 and second.shape[1] < n):
        for r in range(n_rows):
            row, other = first[r], second[r]
            if other.shape[0] == n:
                for j in range(n):
                    row[j] = scramble(scramble(row[j] + offset) + other[j])
            else:
                for j in range(n):
                    row[j] = scramble(scramble(row[j] + offset) + other[0])
        return first
    start = scrambled(first[0], offset)
    if second.shape[1] == n:
        for r in range(n_rows):
            row = second[r]
            for j in range(n):
                row[j] = scramble(start[j] + row[j])
        return second
    mixed = np.empty((n_rows, n), dtype=np.uint64)
    for r in range(n_rows):
        row, other = mixed[r], second[r]
        for j in range(n):
            row[j] = scramble(start[j] + other[0])
    return mixed


@compiled
def mix_columns(codes: Hashes) -> Hashes:
    """The columns of `codes` (b, d) mixed in order, from zero: (b, 1)."""
    keys = np.zeros((codes.shape[0], 1), dtype=np.uint64)
    for r in range(codes.shape[0]):
        key = np.uint64(0)
        for i in range(codes.shape[1]):
            key = scramble(scramble(key + _ODD) + codes[r, i])
        keys[r, 0] = key
    return keys


@compiled
def apply_matrix(numbers: NDArray[Any], matrix: NDArray[Any]) -> NDArray[Any]:
    """x A' for rows (b, p) and A' (p, q), every sum in the order of the columns: the same bits in any batch."""
    image = np.zeros((numbers.shape[0], matrix.shape[1]))
    for r in range(numbers.shape[0]):
        row = image[r]
        for i in range(numbers.shape[1]):
            x, weights = numbers[r, i], matrix[i]
            for k in range(row.shape[0]):
                row[k] += x * weights[k]
    return image
