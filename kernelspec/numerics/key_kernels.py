"""Compiled: mixing and comparing the keys of a block of rows, and products of columns.

`scramble` and `mix_keys` agree bit for bit with kernelspec.random.streams.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import Array, compiled
from kernelspec.random.streams import MULTIPLIERS, WEYL, Hashes

__all__ = [
    "add_agreements",
    "add_products",
    "apply_matrix",
    "entries_of_csr",
    "entries_of_dense",
    "mix_columns",
    "mix_keys",
    "mix_runs",
    "multiply_complex",
    "multiply_real",
    "scramble",
    "scrambled",
]

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
    """`scramble` of keys (n,) plus the offset, which `mix_keys` adds others to."""
    found = np.empty_like(keys)
    for j in range(keys.shape[0]):
        found[j] = scramble(keys[j] + offset)
    return found


@compiled
def mix_keys(first: Hashes, second: Hashes, offset: Any) -> Hashes:
    """`mix(first, second)` of keys (1, n) or (b, n) and keys (b, n) or (b, 1); `offset` is (salt + 1)·WEYL mod 2⁶⁴."""
    mixed = np.empty((second.shape[0], first.shape[1]), dtype=np.uint64)
    start = scrambled(first[0], offset)
    for r in range(mixed.shape[0]):
        if r > 0 and first.shape[0] > 1:
            start = scrambled(first[r], offset)
        row, other = mixed[r], second[r]
        for j in range(row.shape[0]):
            row[j] = scramble(start[j] + other[j if other.shape[0] > 1 else 0])
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
    """x A' for rows (b, p) and A' (p, q), summed in the order of the columns: the same bits in any batch."""
    image = np.zeros((numbers.shape[0], matrix.shape[1]))
    for r in range(numbers.shape[0]):
        row = image[r]
        for i in range(numbers.shape[1]):
            x, weights = numbers[r, i], matrix[i]
            for k in range(row.shape[0]):
                row[k] += x * weights[k]
    return image


@compiled
def mix_runs(keys: Hashes, starts: NDArray[Any]) -> Hashes:
    """The keys (b, t), or (b, 1) for t equal ones, mixed in order from 0 over starts_j to starts_{j+1}: (b, n)."""
    mixed = np.empty((keys.shape[0], starts.shape[0] - 1), dtype=np.uint64)
    step = 0 if keys.shape[1] == 1 else 1
    for r in range(keys.shape[0]):
        row, out = keys[r], mixed[r]
        for j in range(out.shape[0]):
            key = np.uint64(0)
            for t in range(starts[j], starts[j + 1]):
                key = scramble(scramble(key + _ODD) + row[t * step])
            out[j] = key
    return mixed


_TILE = 1024  # rows of y at a time, so that their sums stay in the L1 cache


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


@compiled
def multiply_real(
    data: NDArray[Any], starts: NDArray[Any], first: NDArray[Any], scale: NDArray[Any], out: NDArray[Any]
) -> None:
    """out_rj = ∏ scale_t x_{r, first_t} over t from starts_j to starts_{j+1}; 0 if any factor is 0."""
    for r in range(data.shape[0]):
        row, values = data[r], out[r]
        for j in range(values.shape[0]):
            value = 1.0
            for t in range(starts[j], starts[j + 1]):
                factor = scale[t] * row[first[t]]
                if factor == 0.0:  # even if the others overflow
                    value = 0.0
                    break
                value *= factor
            values[j] = value


@compiled
def multiply_complex(
    data: Array, starts: Array, first: Array, second: Array, turn: Array, scale: Array, out: Array
) -> None:
    """`multiply_real` for factors scale_t (x_{r, first_t} + i turn_t x_{r, second_t}), real if second_t is −1."""
    for r in range(data.shape[0]):
        row, values = data[r], out[r]
        for j in range(values.shape[0]):
            real, imaginary = 1.0, 0.0
            for t in range(starts[j], starts[j + 1]):
                a, b = scale[t] * row[first[t]], 0.0
                if second[t] >= 0:
                    b = scale[t] * turn[t] * row[second[t]]
                if a == 0.0 and b == 0.0:
                    real, imaginary = 0.0, 0.0
                    break
                real, imaginary = real * a - imaginary * b, real * b + imaginary * a
            values[j] = complex(real, imaginary)


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
    coordinates = np.empty(total + 1, dtype=np.int64)  # one more: zeros are written, then overwritten
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
    """`entries_of_dense` for rows in CSR format with sorted indices; explicit zeros are dropped."""
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
