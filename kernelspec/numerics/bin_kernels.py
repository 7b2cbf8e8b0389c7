"""Compiled: the bins that rows fall into, as keys or straight as entries of a table.

A panel is as in `panels`: for each column of the data 1/r and u of as many samples as fill 256 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kernelspec.numerics.arrays import PANEL, ROWS
from kernelspec.numerics.column_kernels import write_bucket_row
from kernelspec.numerics.compiled import INTEGER, Vectors, clamped, compiled, looped, memory
from kernelspec.numerics.key_kernels import scramble, scrambled
from kernelspec.random.streams import MULTIPLIERS, WEYL, Hashes

__all__ = [
    "bin_keys",
    "bin_row",
    "bin_rows",
    "bucket_bins",
    "bucket_rows",
    "for_bins",
    "ordinary_groups",
    "scrambled_words",
]

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


def scrambled_words(builder: Any, vectors: Vectors, words: Any) -> Any:
    """`hashing.scramble` of every word."""
    for by, factor in zip((30, 27), MULTIPLIERS, strict=True):
        words = builder.mul(_shifted(builder, vectors, words, by), vectors.word(factor))
    return _shifted(builder, vectors, words, 31)


def for_bins(
    builder: Any, vectors: Vectors, heads: Sequence[Any], p: Any, per: Any, shifts: Any,
    finish: Callable[[int, int, Any], None],
) -> None:  # fmt: skip
    """Call finish(r, j, keys) for the hashes of ⌊x_k / r_k + u_k⌋, k < p, p > 0, of all rows and samples of a panel.

    The rows x are at the addresses `heads`; `keys` is a vector, of row r and the samples from the j-th on.
    """
    in_panel = PANEL // vectors.size
    at_once = 1 if vectors.registers < 32 else 2  # for each of four rows
    odd = vectors.word(WEYL)
    start = vectors.word(WEYL ^ WEYL >> 32)  # which `_shifted` makes the odd number
    for left in range(0, in_panel, at_once):
        places = [(left + v) * vectors.lanes for v in range(at_once)]

        def step(k: Any, states: Sequence[Any], places: Sequence[int] = places) -> Sequence[Any]:
            top = builder.mul(k, INTEGER(in_panel * vectors.lanes))
            tops = [builder.add(top, INTEGER(place)) for place in places]
            loaded = [[vectors.load(own, place) for own in (per, shifts)] for place in tops]
            numbers = [vectors.all_alike(builder.load(builder.gep(head, [k]))) for head in heads]
            bins = [vectors.floored_product(x, *own) for x in numbers for own in loaded]
            # the shift of the column before, done here, so that one instruction adds both of its words and the bin's
            before = [_shifted(builder, vectors, state, 32) for state in states]
            mixed = [builder.xor(state, vectors.words(own)) for state, own in zip(before, bins, strict=True)]
            return [builder.mul(words, odd) for words in mixed]

        found = looped(builder, INTEGER(0), p, [start] * (len(heads) * at_once), step)
        corners = [(r, place) for r in range(len(heads)) for place in places]
        for state, (r, place) in zip(found, corners, strict=True):
            finish(r, place, scrambled_words(builder, vectors, _shifted(builder, vectors, state, 32)))


def _shifted(builder: Any, vectors: Vectors, words: Any, by: int) -> Any:
    return builder.xor(words, builder.lshr(words, vectors.word(by)))


def _bin_rows(
    context: Any, rows: Any, i: Any, m: Any, p: Any, inverse: Any, offsets: Any, keys: Any, at: Any, height: Any,
    width: Any, first: Any,
) -> Any:  # fmt: skip
    """Hashes of ⌊x_k / r_k + u_k⌋, k < p, p > 0, of four rows x from the i-th on into `keys`, from the row `at` on.

    `rows` (m, p) and `keys` (height, width) are C-contiguous; the last row of either stands in for those beyond it. In
    `keys` the panel takes the columns from `first` on.
    """
    del context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data, i, m, p, per, shifts, keys, at, height, width, first = memory(context, builder, signature.args, values)
        vectors = Vectors(context, builder, signature.args[0].dtype)
        heads = [builder.gep(data, [builder.mul(row, p)]) for row in clamped(builder, i, m)]
        tops = [builder.add(builder.mul(row, width), first) for row in clamped(builder, at, height)]

        def finish(r: int, place: int, words: Any) -> None:
            vectors.store(vectors.numbers(words), keys, builder.add(tops[r], INTEGER(place)))

        for_bins(builder, vectors, heads, p, per, shifts, finish)
        return context.get_dummy_value()

    return types.void(rows, i, m, p, inverse, offsets, keys, at, height, width, first), generate


bin_rows: Any = intrinsic(_bin_rows)


def _bucket_rows(
    context: Any, rows: Any, i: Any, m: Any, p: Any, inverse: Any, offsets: Any, before: Any, buckets: Any, values: Any,
    starts: Any, first: Any, data: Any, indices: Any, width: Any, entry: Any,
) -> Any:  # fmt: skip
    """What `bin_rows` finds in four rows, from the i-th on, as `write_buckets` writes it, with no key in memory.

    `rows` (m, p), and `data` and `indices` (m, width), real numbers and whole ones, are C-contiguous; the last row
    stands in for those beyond it. The panel is of the samples from `first` on, of which `before` is what `scrambled`
    makes of their keys; it takes the entries of a row from `entry` on.
    """
    del context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        read, i, m, p, per, shifts, before, buckets, values, starts, first, data, indices, width, entry = memory(
            context, builder, signature.args, arguments
        )
        vectors = Vectors(context, builder, signature.args[0].dtype)
        numbers, columns = (
            Vectors(
                context, builder, signature.args[own].dtype, vectors.lanes * signature.args[own].dtype.bitwidth // 8
            )
            for own in (8, 12)
        )
        own_rows = clamped(builder, i, m)
        heads = [builder.gep(read, [builder.mul(row, p)]) for row in own_rows]
        tops = [builder.add(builder.mul(row, width), entry) for row in own_rows]
        half, number = vectors.word(32), builder.bitcast(buckets, ir.DoubleType())
        # that the upper half is zero is said, so that a product of halves is one instruction
        many = builder.and_(vectors.words(vectors.all_alike(number)), vectors.word(0xFFFFFFFF))

        def finish(r: int, place: int, words: Any) -> None:
            sample, corner = builder.add(first, INTEGER(place)), builder.add(tops[r], INTEGER(place))
            own = scrambled_words(builder, vectors, builder.add(vectors.words(vectors.load(before, sample)), words))
            numbers.store(numbers.negated_by(own, numbers.load(values, sample)), data, corner)
            bucket = builder.lshr(builder.mul(builder.lshr(own, half), many), half)
            found = builder.add(vectors.words(vectors.load(starts, sample)), bucket)
            columns.store(columns.shortened(found), indices, corner)

        for_bins(builder, vectors, heads, p, per, shifts, finish)
        return context.get_dummy_value()

    return types.void(
        rows, i, m, p, inverse, offsets, before, buckets, values, starts, first, data, indices, width, entry
    ), generate


bucket_rows: Any = intrinsic(_bucket_rows)


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
