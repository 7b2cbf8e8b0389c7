"""Compiled: consistent weighted samples whose random numbers are used once. A module of compiled functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.gcws_kernels import NO_SAMPLE, compete
from kernelspec.numerics.gcws_number_kernels import fill_entry, word_of
from kernelspec.random.hashing import Hashes

__all__ = ["passing_winners"]


@compiled
def passing_winners(
    pointers: NDArray[np.int64],
    coordinates: NDArray[np.int64],
    places: NDArray[np.int64],
    met: NDArray[np.int64],
    logs: NDArray[np.float32],
    words: Hashes,
    table: NDArray[np.float32],
    keys: Hashes,
) -> None:
    """What `winners` gives, of rows with coordinates in order; `places` are theirs in `met`, all that occur, in order.

    Random numbers are made for as many coordinates as `table` (coordinates, 3, tile) holds, which stays in the
    processor's cache, and all rows take them before the next ones are made.
    """
    n, height, tile = pointers.shape[0] - 1, table.shape[0], table.shape[2]
    least, where = np.empty((n, tile), dtype=np.float32), np.empty((n, tile), dtype=np.int32)
    done = np.empty(n, dtype=np.int64)
    table.fill(1)  # samples beyond the last word compute, too
    for first in range(0, words.shape[0], tile):
        own = words[first : min(first + tile, words.shape[0])]
        least.fill(np.inf)
        where.fill(0)
        for i in range(n):
            done[i] = pointers[i]
        for begin in range(0, met.shape[0], height):
            end = min(begin + height, met.shape[0])
            for p in range(begin, end):
                fill_entry(own, met[p], table[p - begin])
            for i in range(n):
                start = done[i]
                stop = start
                while stop < pointers[i + 1] and places[stop] < end:
                    stop += 1
                if stop > start:
                    compete(table, places[start:stop], logs[start:stop], begin, start - pointers[i], least[i], where[i])
                done[i] = stop
        for i in range(n):
            into, start = keys[i, first : first + own.shape[0]], pointers[i]
            for j in range(into.shape[0]):
                if pointers[i + 1] == start:
                    into[j] = NO_SAMPLE
                else:
                    e = start + where[i, j]
                    into[j] = word_of(own[j], coordinates[e], logs[e])
