"""Compiled: consistent weighted samples, Algorithm 1 of Li 2017. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.gcws_number_kernels import sample_word
from kernelspec.numerics.key_kernels import scramble
from kernelspec.random.hashing import Hashes

__all__ = ["NO_SAMPLE", "compete", "scramble_words", "winners"]

NO_SAMPLE = np.uint64(2**64 - 1)
"""Stands for the sample of a row of zeros."""

_STEP = np.uint64(2**32 - 1)


@compiled
def compete(
    table: NDArray[np.float32],
    at: NDArray[np.int64],
    log: NDArray[np.float32],
    begin: int,
    first: int,
    least: NDArray[np.float32],
    where: NDArray[np.int32],
) -> None:
    """Let entries of a row, numbered from `first` on, win the samples where their a is less than the `least` so far.

    Their random numbers are table[at − begin].
    """
    p = 0
    while p + 4 <= at.shape[0]:  # four entries at a time: the running minimum is read and written once
        p0, p1, p2, p3 = np.int32(first + p), np.int32(first + p + 1), np.int32(first + p + 2), np.int32(first + p + 3)
        l0, l1, l2, l3 = log[p], log[p + 1], log[p + 2], log[p + 3]
        q0, q1 = table[at[p] - begin], table[at[p + 1] - begin]
        q2, q3 = table[at[p + 2] - begin], table[at[p + 3] - begin]
        for j in range(least.shape[0]):
            a0 = q0[2, j] - (np.floor(np.divide(l0, q0[0, j]) + q0[1, j]) - q0[1, j]) * q0[0, j] - q0[0, j]
            a1 = q1[2, j] - (np.floor(np.divide(l1, q1[0, j]) + q1[1, j]) - q1[1, j]) * q1[0, j] - q1[0, j]
            a2 = q2[2, j] - (np.floor(np.divide(l2, q2[0, j]) + q2[1, j]) - q2[1, j]) * q2[0, j] - q2[0, j]
            a3 = q3[2, j] - (np.floor(np.divide(l3, q3[0, j]) + q3[1, j]) - q3[1, j]) * q3[0, j] - q3[0, j]
            m0, w0 = (a0 if a0 <= a1 else a1), (p0 if a0 <= a1 else p1)
            m1, w1 = (a2 if a2 <= a3 else a3), (p2 if a2 <= a3 else p3)
            w0 = w0 if m0 <= m1 else w1
            m0 = m0 if m0 <= m1 else m1
            m1, w1 = least[j], where[j]
            where[j] = w0 if m0 < m1 else w1
            least[j] = m0 if m0 < m1 else m1
        p += 4
    while p < at.shape[0]:
        p0, l0, q0 = np.int32(first + p), log[p], table[at[p] - begin]
        for j in range(least.shape[0]):
            a0 = q0[2, j] - (np.floor(np.divide(l0, q0[0, j]) + q0[1, j]) - q0[1, j]) * q0[0, j] - q0[0, j]
            m1, w1 = least[j], where[j]
            where[j] = p0 if a0 < m1 else w1
            least[j] = a0 if a0 < m1 else m1
        p += 1


@compiled
def winners(
    pointers: NDArray[np.int64],
    coordinates: NDArray[np.int64],
    places: NDArray[np.int64],
    logs: NDArray[np.float32],
    tables: NDArray[np.float32],
    keys: Hashes,
) -> None:
    """The samples (i*, t*) of rows, as i*·2³² + (t* mod 2³²), into `keys` (n, at most tiles × tile).

    t = ⌊ln ũ / r + β⌋, a = ln c − r (t − β) − r, i* = argmin a, the first one where several are least. `places` are
    those of the coordinates in the tables. Single precision, one operation at a time.
    """
    tiles, tile = tables.shape[0], tables.shape[3]
    least, where = np.empty(tile, dtype=np.float32), np.empty(tile, dtype=np.int32)
    for b in range(tiles):
        table = tables[b]
        first = b * tile
        used = min(tile, keys.shape[1] - first)
        for row in range(pointers.shape[0] - 1):
            start = pointers[row]
            count = pointers[row + 1] - start
            at, log = places[start : start + count], logs[start : start + count]
            for j in range(tile):
                least[j], where[j] = np.inf, 0
            compete(table, at, log, 0, 0, least, where)
            into = keys[row, first : first + used]
            if count == 0:
                into[:] = NO_SAMPLE
                continue
            for j in range(used):
                e = where[j]
                into[j] = sample_word(coordinates[start + e], log[e], table[at[e], 0, j], table[at[e], 1, j])


@compiled
def scramble_words(keys: Hashes, without_steps: Any) -> None:
    """Scatter the words of `winners` over 64 bits, in place: a bijection; without t* where that is asked for."""
    for row in range(keys.shape[0]):
        line = keys[row]
        for j in range(line.shape[0]):
            word = line[j]
            line[j] = scramble((word | _STEP) if without_steps else word)
