"""Compiled: the bins of rows in a panel of grids, with the hashes so far in registers. A module of compiled functions.

A panel is as in `panels`: for each column of the data 1/r and u of as many samples as fill 256 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic

from kernelspec.numerics.packed_weights import PANEL, ROWS
from kernelspec.numerics.vectors import INTEGER, Vectors, looped, memory
from kernelspec.random.hashing import MULTIPLIERS, WEYL

__all__ = ["bin_rows", "clamped", "for_bins", "scrambled_words"]


def clamped(builder: Any, first: Any, size: Any) -> list[Any]:
    """The numbers of four rows from the `first` on; the last of `size` rows stands in for those beyond it."""
    last = builder.sub(size, INTEGER(1))
    rows = [builder.add(first, INTEGER(r)) for r in range(ROWS)]
    return [builder.select(builder.icmp_signed("<", row, last), row, last) for row in rows]


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
