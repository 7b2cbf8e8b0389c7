"""Compiled: dictionaries of keys by open addressing. A module of compiled functions.

A dictionary is a list of the keys met, in the order in which they were, and a table of 2ⁿ slots with their numbers in
it (−1: free). A key is sought from the slot that its upper bits name onwards. Keys are hashes already.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.column_kernels import MISSING
from kernelspec.numerics.compiled import compiled
from kernelspec.random.hashing import Hashes

__all__ = ["find_places", "insert_keys", "rebuild_slots"]

_1, _32 = np.uint64(1), np.uint64(32)


@compiled
def insert_keys(keys: Hashes, first: int, met: Hashes, count: int, limit: int, slots: NDArray[np.int32]) -> Any:
    """Enter keys[first:] into `met`, of which `count` are used; stops before there are more than `limit`.

    Returns (count, number of keys looked at): less than all of them where the dictionary has to grow.
    """
    size = np.uint64(slots.shape[0])
    for r in range(first, keys.shape[0]):
        key = keys[r]
        slot = (key >> _32) * size >> _32
        while True:
            number = slots[slot]
            if number < 0:
                if count == limit:
                    return count, r
                met[count], slots[slot] = key, count
                count += 1
                break
            if met[number] == key:
                break
            slot += _1
            if slot == size:
                slot = np.uint64(0)
    return count, keys.shape[0]


@compiled
def rebuild_slots(met: Hashes, slots: NDArray[np.int32]) -> None:
    """Enter the keys of `met`, all different, into free slots."""
    size = np.uint64(slots.shape[0])
    slots.fill(-1)
    for number in range(met.shape[0]):
        slot = (met[number] >> _32) * size >> _32
        while slots[slot] >= 0:
            slot += _1
            if slot == size:
                slot = np.uint64(0)
        slots[slot] = number


@compiled
def find_places(
    keys: Hashes,
    met: Hashes,
    starts: NDArray[np.int64],
    slots: NDArray[np.int32],
    slot_starts: NDArray[np.int64],
    shared: int,
) -> int:
    """Keys (b, n) become places: twice the number of their column, plus one to negate.

    Sample j has a column for each of its keys starts_j, … in `met`, and then `shared` ones, into which all other keys
    are hashed, with signs; without those the place of such a key is MISSING. The slots of sample j are slot_starts_j,
    …, and hold numbers counted from starts_j. Returns how many keys are not met.
    """
    missing = 0
    for j in range(keys.shape[1]):
        own, table = met[starts[j] : starts[j + 1]], slots[slot_starts[j] : slot_starts[j + 1]]
        size = np.uint64(table.shape[0])
        first, end = np.uint64(starts[j] + j * shared), np.uint64(starts[j + 1] + j * shared)
        for r in range(keys.shape[0]):
            key = keys[r, j]
            slot = (key >> _32) * size >> _32
            place = MISSING
            while True:
                number = table[slot]
                if number < 0:
                    missing += 1
                    if shared > 0:
                        place = (end + ((key >> _32) * np.uint64(shared) >> _32)) << _1 | (key & _1)
                    break
                if own[number] == key:
                    place = (first + np.uint64(number)) << _1
                    break
                slot += _1
                if slot == size:
                    slot = np.uint64(0)
            keys[r, j] = place
    return missing
