"""Compiled: the bins of rows in a panel of grids, with the hashes so far in registers. A module of compiled functions.

A panel is as in `panels`: for each column of the data 1/r and u of as many samples as fill 256 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic

from kernelspec.numerics.packed_weights import PANEL, ROWS
from kernelspec.numerics.vectors import INTEGER, Vectors, looped, memory
from kernelspec.random.hashing import MULTIPLIERS, WEYL

__all__ = ["bin_rows"]


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
        lanes, in_panel = vectors.lanes, PANEL // vectors.size
        at_once = 1 if vectors.registers < 32 else 2  # for each of four rows
        odd = vectors.word(WEYL)
        start = vectors.word(WEYL ^ WEYL >> 32)  # which `shifted` makes the odd number

        def clamped(start: Any, r: int, size: Any) -> Any:
            row, end = builder.add(start, INTEGER(r)), builder.sub(size, INTEGER(1))
            return builder.select(builder.icmp_signed("<", row, end), row, end)

        def shifted(words: Any, by: int) -> Any:
            return builder.xor(words, builder.lshr(words, vectors.word(by)))

        def scrambled(words: Any) -> Any:
            for by, factor in zip((30, 27), MULTIPLIERS, strict=True):
                words = builder.mul(shifted(words, by), vectors.word(factor))
            return shifted(words, 31)

        heads = [builder.gep(data, [builder.mul(clamped(i, r, m), p)]) for r in range(ROWS)]
        tops = [builder.add(builder.mul(clamped(at, r, height), width), first) for r in range(ROWS)]
        for left in range(0, in_panel, at_once):
            places = [INTEGER((left + v) * lanes) for v in range(at_once)]

            def step(k: Any, states: Sequence[Any], places: Sequence[Any] = places) -> Sequence[Any]:
                top = builder.mul(k, INTEGER(in_panel * lanes))
                loaded = [[vectors.load(own, builder.add(top, place)) for own in (per, shifts)] for place in places]
                numbers = [vectors.all_alike(builder.load(builder.gep(head, [k]))) for head in heads]
                bins = [vectors.floored_product(x, *own) for x in numbers for own in loaded]
                # the shift of the column before, done here, so that one instruction adds both of its bits and the bin's
                before = [shifted(state, 32) for state in states]
                mixed = [builder.xor(state, vectors.words(own)) for state, own in zip(before, bins, strict=True)]
                return [builder.mul(words, odd) for words in mixed]

            found = [shifted(state, 32) for state in looped(builder, INTEGER(0), p, [start] * (ROWS * at_once), step)]
            corners = [builder.add(top, place) for top in tops for place in places]
            for words, corner in zip(found, corners, strict=True):
                vectors.store(vectors.numbers(scrambled(words)), keys, corner)
        return context.get_dummy_value()

    return types.void(rows, i, m, p, inverse, offsets, keys, at, height, width, first), generate


bin_rows: Any = intrinsic(_bin_rows)
