"""Compiled: from keys to the entries of a sparse table, by hashing or by a dictionary.

Between the two stands the place of a key: the number of its column among those of its sample (or of all samples), times
two, plus one if the entry is negated. The place `MISSING` is no column.

A dictionary is a list of the keys met, in the order in which they were, and a table of 2ⁿ slots with their numbers in
it (−1: free). A key is sought from the slot that its upper bits name onwards. Keys are hashes already.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.key_kernels import scramble, scrambled
from kernelspec.random.streams import Hashes

__all__ = [
    "MISSING",
    "compact",
    "find_places",
    "insert_keys",
    "place_bits",
    "place_buckets",
    "rebuild_slots",
    "write_bucket_row",
    "write_buckets",
    "write_entries",
]

MISSING = np.uint64(0xFFFFFFFFFFFFFFFF)
_1, _32 = np.uint64(1), np.uint64(32)


@compiled
def place_buckets(keys: Hashes, buckets: Any) -> None:
    """Keys (b, n) become places: their upper halves scaled to 0, …, buckets − 1, with their last bits for signs."""
    for r in range(keys.shape[0]):
        row = keys[r]
        for j in range(row.shape[0]):
            row[j] = _bucket(row[j], buckets) << _1 | row[j] & _1


@compiled
def write_buckets(
    first: Hashes,
    last: Hashes,
    offset: Any,
    buckets: Any,
    values: NDArray[Any],
    starts: NDArray[np.int64],
    first_entry: int,
    data: NDArray[Any],
    indices: NDArray[Any],
) -> None:
    """`mix_keys` of first (n,) and last (b, n), `place_buckets` and `write_entries` of values (n,), in one pass."""
    before, end = scrambled(first, offset), first_entry + last.shape[1]
    for r in range(last.shape[0]):
        entries, columns = data[r][first_entry:end], indices[r][first_entry:end]
        write_bucket_row(before, last[r], buckets, values, starts, entries, columns)


@compiled
def write_bucket_row(
    before: Hashes,
    last: Hashes,
    buckets: Any,
    values: NDArray[Any],
    starts: NDArray[np.int64],
    data: NDArray[Any],
    indices: NDArray[Any],
) -> None:
    """The entries (n,) of one row with keys `last`, where `scrambled` has made `before` of those of the samples."""
    for j in range(last.shape[0]):
        key = scramble(before[j] + last[j])
        data[j] = -values[j] if key & _1 else values[j]
        indices[j] = starts[j] + np.int64(_bucket(key, buckets))


@compiled
def _bucket(key: Any, buckets: Any) -> Any:
    """The upper half of a key, scaled to 0, …, buckets − 1."""
    return (key >> _32) * buckets >> _32


@compiled
def place_bits(keys: Hashes, mask: Any) -> None:
    """Keys (b, n) become places: their lowest bits, without signs."""
    for r in range(keys.shape[0]):
        row = keys[r]
        for j in range(row.shape[0]):
            row[j] = (row[j] & mask) << _1


@compiled
def write_entries(
    places: Hashes,
    values: NDArray[Any],
    starts: NDArray[np.int64],
    stride: int,
    step: int,
    first_entry: int,
    data: NDArray[Any],
    indices: NDArray[Any],
) -> None:
    """Write the rows of a table whose rows are all of one length.

    Sample j of a row has the E entries first_entry + jE, …, with values (E, b, n), or (E, 1, n) if the rows share
    them. Entry e goes to the column starts_j + place·stride + e·step, or to −1 where the place is missing.
    """
    per_sample, shared, n = values.shape[0], values.shape[1] == 1, places.shape[1]
    last = first_entry + per_sample * n
    for r in range(places.shape[0]):
        where = places[r]
        entries, columns = data[r][first_entry:last], indices[r][first_entry:last]
        largest = np.uint64(0)
        for j in range(n):
            largest = max(largest, where[j])
        for e in range(per_sample):
            own = values[e, 0 if shared else r]
            if per_sample == 1 and stride == 1:  # the common case, in steps that the processor takes eight at a time
                for j in range(n):
                    entries[j] = -own[j] if where[j] & _1 else own[j]
                    columns[j] = starts[j] + np.int64(where[j] >> _1)
            else:
                for j in range(n):
                    entries[j * per_sample + e] = -own[j] if where[j] & _1 else own[j]
                    columns[j * per_sample + e] = starts[j] + np.int64(where[j] >> _1) * stride + e * step
        if largest == MISSING:
            for j in range(n):
                if where[j] == MISSING:
                    for e in range(per_sample):
                        columns[j * per_sample + e] = -1


@compiled
def compact(data: NDArray[Any], indices: NDArray[Any], pointers: NDArray[Any]) -> None:
    """Drop the entries of column −1 from rows of one length, in place; `pointers` (rows + 1,) gets their new starts."""
    n_rows = pointers.shape[0] - 1
    length, kept = data.shape[0] // n_rows, 0
    for r in range(n_rows):
        pointers[r] = kept
        for k in range(r * length, (r + 1) * length):
            if indices[k] >= 0:
                data[kept], indices[kept] = data[k], indices[k]
                kept += 1
    pointers[n_rows] = kept


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
