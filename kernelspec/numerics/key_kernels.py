"""Compiled: keys of a block of rows. All arrays are C-contiguous; keys are changed in place where that is possible.

`scramble` and `mix_keys` are those of kernelspec.random.hashing, bit for bit. A module of compiled functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.random.hashing import WEYL, Hashes

__all__ = ["apply_matrix", "bin_keys", "mix_columns", "mix_keys", "scramble"]

_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_ODD = np.uint64(WEYL)
_WHOLE = 2.0**53


@compiled
def scramble(z: Any) -> Any:
    """A bijection of 64-bit words that changes about half of the output bits for any one input bit."""
    z ^= z >> _30
    z *= _FIRST
    z ^= z >> _27
    z *= _SECOND
    return z ^ (z >> _31)


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
    start = np.empty(n, dtype=np.uint64)
    for j in range(n):
        start[j] = scramble(first[0, j] + offset)
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
def _step(state: Any, word: Any) -> Any:
    """A bijection of the state for every word, and of the word for every state."""
    z = (state ^ word) * _ODD
    return z ^ (z >> _32)


@compiled
def bin_keys(
    numbers: NDArray[Any], inverse: NDArray[Any], offsets: NDArray[Any], largest: NDArray[Any], keys: Hashes
) -> None:
    """Hashes of the bins ⌊x_i / r_i + u_i⌋ of rows x (b, d), for 1/r and u, both (d, n), into `keys` (b, n).

    An index enters as the 64 bits of the floating-point number that it is, and never is −0.0, as u ≥ 0. From 2⁵³ on, or
    where x/r is no finite number, the bins are narrower than the spacing of x, whose bits stand for them, inverted;
    |x_i| ≤ `largest`_i (d,) rules that out. Two rows and two columns go at a time: 1/r, u and the
    keys so far are read once for two steps.
    """
    n_rows, n_columns = numbers.shape
    r = 0
    while r < n_rows:
        ordinary = r + 2 <= n_rows and n_columns > 0
        if ordinary:
            for i in range(n_columns):
                ordinary &= np.abs(numbers[r, i]) <= largest[i] and np.abs(numbers[r + 1, i]) <= largest[i]
        if ordinary:
            _two_rows(numbers[r : r + 2], inverse, offsets, keys[r : r + 2])
            r += 2
        else:
            _any_row(numbers[r], inverse, offsets, keys[r])
            r += 1


@compiled
def _two_rows(x: NDArray[Any], inverse: NDArray[Any], offsets: NDArray[Any], keys: Hashes) -> None:
    first, second = keys[0], keys[1]
    i = x.shape[1] % 2
    if i:  # then an even number of columns is left
        a, b, per, u = x[0, 0], x[1, 0], inverse[0], offsets[0]
        for j in range(first.shape[0]):
            first[j] = _step(_ODD, np.float64(np.floor(a * per[j] + u[j])).view(np.uint64))
            second[j] = _step(_ODD, np.float64(np.floor(b * per[j] + u[j])).view(np.uint64))
    else:
        for j in range(first.shape[0]):
            first[j], second[j] = _ODD, _ODD
    while i < x.shape[1]:
        a, b, c, d = x[0, i], x[0, i + 1], x[1, i], x[1, i + 1]
        per, u, next_per, next_u = inverse[i], offsets[i], inverse[i + 1], offsets[i + 1]
        for j in range(first.shape[0]):
            scale, shift, next_scale, next_shift = per[j], u[j], next_per[j], next_u[j]
            state = _step(first[j], np.float64(np.floor(a * scale + shift)).view(np.uint64))
            first[j] = _step(state, np.float64(np.floor(b * next_scale + next_shift)).view(np.uint64))
            state = _step(second[j], np.float64(np.floor(c * scale + shift)).view(np.uint64))
            second[j] = _step(state, np.float64(np.floor(d * next_scale + next_shift)).view(np.uint64))
        i += 2
    for j in range(first.shape[0]):
        first[j], second[j] = scramble(first[j]), scramble(second[j])


@compiled
def _any_row(x: NDArray[Any], inverse: NDArray[Any], offsets: NDArray[Any], state: Hashes) -> None:
    for j in range(state.shape[0]):
        state[j] = _ODD
    for i in range(x.shape[0]):
        per, u = inverse[i], offsets[i]
        outside = ~np.float64(x[i] + 0.0).view(np.uint64)  # −0.0 + 0.0 is 0.0
        for j in range(state.shape[0]):
            index = np.floor(x[i] * per[j] + u[j])
            word = np.float64(index).view(np.uint64) if np.abs(index) < _WHOLE else outside
            state[j] = _step(state[j], word)
    for j in range(state.shape[0]):
        state[j] = scramble(state[j])


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
