"""Compiled: Fourier features with structured frequencies.

H is the Hadamard matrix of p = 2^b rows, H_ij = (−1)^(number of bits shared by i and j); H x costs p log p additions
[Fino and Algazi 1976]. Each bit of a place takes the sum and the difference of two numbers: for high bits, whole
vectors are added and subtracted; for the bits within a vector, it is multiplied by ±1 and added to itself with its
lanes swapped. One pass over the p numbers handles as many bits as registers allow, in any order, so the last pass of
one transform is the first of the next, with numbers kept in registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import INTEGER, Vectors, compiled, intrinsic, memory, types
from kernelspec.numerics.phasor_kernels import write_turns
from kernelspec.numerics.projection_kernels import count_beyond

__all__ = ["write_hadamard_rows"]

BYTES = 64
"""Bytes of a vector on every processor, so that sums have one order. It may span several registers."""

MOST_BITS = 4
"""Numbers at a time: sixteen vectors; processors with wide registers have thirty-two."""


def _transform_in_registers(
    _context: Any, x: Any, first: Any, step: Any, bits: Any, within: Any, factors: Any, offsets: Any
) -> Any:
    """H x on 2^bits vectors of x, from the places `first`, `first` + `step`, …, in place.

    Bits within a vector are transformed if `within`. With `factors` f, of the length of x: H f ∘ H x; with `offsets` as
    well: offsets + f ∘ H x, each rounded once. `bits` is 1 to 4 and `within` a constant; pass None for no factors or
    offsets.
    """

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


@compiled
def _pass(x: NDArray[Any], bits: int, step: int, factors: Any) -> None:
    """The `bits` of H x by which places `step` apart differ; with `factors`, H f ∘ H x for these bits."""
    for start in range(0, x.shape[0], step << bits):
        for first in range(start, start + step, BYTES // x.itemsize):
            transform_in_registers(x, first, step, bits, False, factors, None)


@compiled
def _pass_of_the_lowest_bits(x: NDArray[Any], bits: int, factors: NDArray[Any], offsets: Any) -> None:
    """H f ∘ H x for the lowest bits: those within a vector and `bits` more; with `offsets`, offsets + f ∘ H x."""
    step = BYTES // x.itemsize
    for first in range(0, x.shape[0], step << bits):
        transform_in_registers(x, first, step, bits, True, factors, offsets)


@compiled
def _bits_of_passes(p: int, lanes: int) -> NDArray[np.int64]:
    """Bits per pass, from the highest bit of a place to those of whole vectors; at least two passes."""
    bits = 0
    while (lanes << bits) < p:
        bits += 1
    passes = max(2, -(-bits // MOST_BITS))
    return (bits + np.arange(passes)) // passes


@compiled
def _transform(
    x: NDArray[Any], factors: NDArray[Any], lengths: NDArray[Any], offsets: NDArray[Any], bits: NDArray[np.int64]
) -> None:
    """x becomes offsets + lengths ∘ H f₂ ∘ H f₁ ∘ H x, f = `factors`: from high bits to low ones, back, and again."""
    last, step = len(bits) - 1, x.shape[0]
    for k in range(last):
        step >>= bits[k]
        _pass(x, bits[k], step, None)
    _pass_of_the_lowest_bits(x, bits[last], factors[1], None)
    for k in range(last - 1, 0, -1):
        _pass(x, bits[k], step, None)
        step <<= bits[k]
    _pass(x, bits[0], step, factors[2])
    for k in range(1, last):
        step >>= bits[k]
        _pass(x, bits[k], step, None)
    _pass_of_the_lowest_bits(x, bits[last], lengths, offsets)


@compiled
def write_hadamard_rows(
    rows: NDArray[Any],
    factors: NDArray[Any],
    lengths: NDArray[Any],
    offsets: NDArray[Any],
    sizes: NDArray[Any],
    paired: Any,
    coefficients: Any,
    most: float,
    work: NDArray[Any],
    out: NDArray[Any],
) -> int:
    """Write a cos 2πt of rows (m, d) and n samples to `out` (m, n), and a sin 2πt beside it (m, 2n) if `paired`.

    t = offset + length · (H f₂ ∘ H f₁ ∘ H f₀ ∘ x), with rows zero-padded to p ≥ 64 numbers: p samples per block.
    `factors` (blocks, 3, p) are f₀, f₁, f₂ of every block. `lengths`, `offsets` and the amplitudes `sizes` are (blocks,
    p); `work` (p,) is scratch memory. All arrays are C-contiguous. Returns how many input numbers exceed `most` in
    absolute value or are NaN.
    """
    columns, p = rows.shape[1], work.shape[0]
    bits = _bits_of_passes(p, BYTES // work.itemsize)
    for b in range(factors.shape[0]):
        for i in range(rows.shape[0]):
            for j in range(columns):
                work[j] = factors[b, 0, j] * rows[i, j]
            work[columns:] = 0
            _transform(work, factors[b], lengths[b], offsets[b], bits)
            write_turns(work.reshape(1, p), sizes[b], coefficients, paired, b * p, out[i : i + 1])
    return count_beyond(rows.reshape(-1), most)
