"""Compiled: bins of rows, and the step from keys to entries of a sparse table.

Panels are as in `panels`: for each data column, 1/r and u of as many samples as fit into 256 bytes.

A key is first mapped to its place: the number of its column among those of its sample (or of all samples), times two,
plus one if the entry is negated. The place `MISSING` means no column.

A dictionary is a list of the keys seen, in order of appearance, and a table of 2ⁿ slots with their numbers in it (−1:
free). Lookup starts at the slot given by the upper bits of the key. Keys are already hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kernelspec.numerics.arrays import PANEL, ROWS
from kernelspec.numerics.compiled import INTEGER, Array, Vectors, clamped, compiled, looped, memory
from kernelspec.numerics.key_kernels import scramble
from kernelspec.random.streams import MULTIPLIERS, WEYL, Hashes

__all__ = [
    "MISSING",
    "bin_keys",
    "compact",
    "find_places",
    "insert_keys",
    "place_bits",
    "place_buckets",
    "rebuild_slots",
    "write_entries",
]

_ODD = np.uint64(WEYL)
_WHOLE = 2.0**53


@compiled
def bin_keys(
    numbers: NDArray[Any], inverse: NDArray[Any], offsets: NDArray[Any], largest: NDArray[Any], keys: Hashes
) -> None:
    """Write hashes of the bins ⌊x_i / r_i + u_i⌋ of rows x (b, d) to `keys` (b, n).

    1/r and u are panels of samples, (panels, d or 1, 32), from `pack_weights`. A bin index is hashed by the 64 bits of
    its floating-point value, which is never −0.0, as u ≥ 0. From 2⁵³ on, or if x/r is not finite, bins are narrower
    than the spacing of x, so the inverted bits of x stand for them; |x_i| ≤ `largest`_i (d,) rules this out. All arrays
    are C-contiguous.
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
    """Whether |x_i| ≤ `largest`_i in each group of four rows of (b, d), and d > 0."""
    n_rows, n_columns = numbers.shape
    ordinary = np.full((n_rows + ROWS - 1) // ROWS, n_columns > 0)
    for r in range(n_rows):
        for i in range(n_columns):
            ordinary[r // ROWS] &= np.abs(numbers[r, i]) <= largest[i]
    return ordinary


@compiled
def bin_row(x: NDArray[Any], inverse: NDArray[Any], offsets: NDArray[Any], state: Hashes) -> None:
    """`bin_keys` for one row of any numbers, for the samples of a panel that exist."""
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


def _shifted(builder: Any, vectors: Vectors, words: Any, by: int) -> Any:
    return builder.xor(words, builder.lshr(words, vectors.word(by)))


def _bin_rows(
    _context: Any, rows: Any, i: Any, m: Any, p: Any, inverse: Any, offsets: Any, keys: Any, at: Any, height: Any,
    width: Any, first: Any,
) -> Any:  # fmt: skip
    """Hashes of ⌊x_k / r_k + u_k⌋, k < p, p > 0, of four rows x from row i on, into `keys` from row `at` on.

    `rows` (m, p) and `keys` (height, width) are C-contiguous; the last row of either stands in for rows beyond it. The
    panel fills the columns of `keys` from `first` on.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data, i, m, p, per, shifts, keys, at, height, width, first = memory(context, builder, signature.args, values)
        vectors = Vectors(context, builder, signature.args[0].dtype)
        heads = [builder.gep(data, [builder.mul(row, p)]) for row in clamped(builder, i, m)]
        tops = [builder.add(builder.mul(row, width), first) for row in clamped(builder, at, height)]
        in_panel = PANEL // vectors.size
        at_once = 1 if vectors.registers < 32 else 2  # per row of the four
        odd = vectors.word(WEYL)
        start = vectors.word(WEYL ^ WEYL >> 32)  # which `_shifted` makes the odd number
        for left in range(0, in_panel, at_once):
            places = [INTEGER((left + v) * vectors.lanes) for v in range(at_once)]

            def step(k: Any, states: Sequence[Any], places: Sequence[Any] = places) -> Sequence[Any]:
                top = builder.mul(k, INTEGER(in_panel * vectors.lanes))
                panels = [builder.add(top, place) for place in places]
                loaded = [[vectors.load(own, place) for own in (per, shifts)] for place in panels]
                numbers = [vectors.all_alike(builder.load(builder.gep(head, [k]))) for head in heads]
                bins = [vectors.floored_product(x, *own) for x in numbers for own in loaded]
                # the shift of the previous column: one instruction adds both of its words and the bin's
                before = [_shifted(builder, vectors, state, 32) for state in states]
                mixed = [builder.xor(state, vectors.words(own)) for state, own in zip(before, bins, strict=True)]
                return [builder.mul(words, odd) for words in mixed]

            found = looped(builder, INTEGER(0), p, [start] * (len(heads) * at_once), step)
            corners = [builder.add(top, place) for top in tops for place in places]
            for state, corner in zip(found, corners, strict=True):
                words = _shifted(builder, vectors, state, 32)
                for by, factor in zip((30, 27), MULTIPLIERS, strict=True):  # `scramble`
                    words = builder.mul(_shifted(builder, vectors, words, by), vectors.word(factor))
                vectors.store(vectors.numbers(_shifted(builder, vectors, words, 31)), keys, corner)
        return context.get_dummy_value()

    return types.void(rows, i, m, p, inverse, offsets, keys, at, height, width, first), generate


bin_rows: Any = intrinsic(_bin_rows)


MISSING = np.uint64(0xFFFFFFFFFFFFFFFF)
_1, _32 = np.uint64(1), np.uint64(32)


@compiled
def place_buckets(keys: Hashes, buckets: Any) -> None:
    """Turn keys (b, n) into places: upper halves scaled to 0, …, buckets − 1, with the last bits as signs."""
    for r in range(keys.shape[0]):
        row = keys[r]
        for j in range(row.shape[0]):
            row[j] = ((row[j] >> _32) * buckets >> _32) << _1 | row[j] & _1


@compiled
def place_bits(keys: Hashes, mask: Any) -> None:
    """Turn keys (b, n) into places: their lowest bits, without signs."""
    for r in range(keys.shape[0]):
        row = keys[r]
        for j in range(row.shape[0]):
            row[j] = (row[j] & mask) << _1


@compiled
def write_entries(
    places: Hashes, values: Array, starts: Array, stride: int, step: int, first_entry: int, data: Array, indices: Array
) -> None:
    """Write a table whose rows all have the same length.

    Sample j of a row has the E entries first_entry + jE, …, with values (E, b, n), or (E, 1, n) if all rows share them.
    Entry e goes to column starts_j + place·stride + e·step, or to −1 if the place is missing.
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
            if per_sample == 1 and stride == 1:  # the common case, vectorized
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
    """Drop entries of column −1 from rows of equal length, in place; their new starts go to `pointers` (rows + 1,)."""
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
    """Enter keys[first:] into `met`, of which `count` are used; stop before exceeding `limit`.

    Returns (count, number of keys processed); the latter is less than all if the dictionary has to grow.
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
    """Enter the keys of `met`, all distinct, into free slots."""
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
def find_places(keys: Hashes, met: Hashes, starts: Array, slots: Array, slot_starts: Array, shared: int) -> int:
    """Turn keys (b, n) into places: twice the column number, plus one to negate.

    Sample j has one column for each of its keys starts_j, … in `met`, followed by `shared` columns into which all other
    keys are hashed, with signs; without shared columns such keys get the place MISSING. The slots of sample j are
    slot_starts_j, …, and hold numbers relative to starts_j. Returns the number of unknown keys.
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
