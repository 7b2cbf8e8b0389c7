"""Compiled: Hadamard's transform of as many numbers as stay in registers. A module of compiled functions.

H is Hadamard's matrix of 2^b rows, H_ij = (−1)^(number of bits that i and j share): each bit of a place takes the sum
and the difference of two numbers. Whole vectors are added and subtracted for the bits in which their places differ. For
the bits of places within a vector, it is multiplied by ±1 and added to itself with its numbers exchanged.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from kernelspec.numerics.vectors import INTEGER, Vectors, memory

__all__ = ["BYTES", "MOST_BITS", "transform_in_registers"]

BYTES = 64
"""Of a vector, on every processor: so sums are formed in one order. It may take several registers."""

MOST_BITS = 4
"""At a time: sixteen vectors, where processors with wide registers have thirty-two."""


def _transform_in_registers(
    context: Any, x: Any, first: Any, step: Any, bits: Any, within: Any, factors: Any, offsets: Any
) -> Any:
    """H x on 2^bits vectors of x, from the places `first`, `first` + `step`, …, written where they were.

    Bits of the places in a vector are transformed if `within`. With `factors` f, of the length of x: H f ∘ H x; with
    `offsets` as well: offsets + f ∘ H x, each rounded once. `bits` is 1 to 4 and `within` a constant; no factors, or
    offsets, are None.
    """
    del context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        numbers, start, apart, many, _, factor, offset = memory(context, builder, signature.args, values)
        vectors = Vectors(context, builder, x.dtype, BYTES)

        def transformed(some: list[Any]) -> list[Any]:
            own = range(len(some))
            for bit in (1 << b for b in range(len(some).bit_length() - 1)):
                some = [(builder.fsub if k & bit else builder.fadd)(some[k & ~bit], some[k | bit]) for k in own]
            for bit in (1 << b for b in range(vectors.lanes.bit_length() - 1) if within.literal_value):
                signs = vectors.signs(bit)
                some = [vectors.fused(vector, signs, vectors.exchanged(vector, bit)) for vector in some]
            return some

        def write(size: int) -> None:
            places = [builder.add(start, builder.mul(apart, INTEGER(k))) for k in range(size)]
            found = transformed([vectors.load(numbers, place) for place in places])
            if not isinstance(offsets, types.NoneType):
                shifts = [(vectors.load(factor, place), vectors.load(offset, place)) for place in places]
                found = [vectors.fused(f, vector, c) for vector, (f, c) in zip(found, shifts, strict=True)]
            elif not isinstance(factors, types.NoneType):
                by = [vectors.load(factor, place) for place in places]
                found = transformed([builder.fmul(vector, f) for vector, f in zip(found, by, strict=True)])
            for vector, place in zip(found, places, strict=True):
                vectors.store(vector, numbers, place)

        after = builder.append_basic_block("transformed")
        choice = builder.switch(many, after)
        for b in range(1, MOST_BITS + 1):
            block = builder.append_basic_block("bits")
            choice.add_case(INTEGER(b), block)
            builder.position_at_end(block)
            write(1 << b)
            builder.branch(after)
        builder.position_at_end(after)
        return context.get_dummy_value()

    return types.void(x, first, step, bits, within, factors, offsets), generate


transform_in_registers: Any = intrinsic(prefer_literal=True)(_transform_in_registers)
