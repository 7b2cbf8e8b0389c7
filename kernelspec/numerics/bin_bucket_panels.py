"""Compiled: the bins of rows in a panel of grids, hashed into entries of a table. A module of compiled functions."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from kernelspec.numerics.bin_panels import clamped, for_bins, scrambled_words
from kernelspec.numerics.vectors import INTEGER, Vectors, memory

__all__ = ["bucket_rows"]


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
