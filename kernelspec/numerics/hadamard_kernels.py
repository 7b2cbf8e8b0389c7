"""Compiled: Fourier features whose frequencies are rows of H D₁ H D₂ H D₃, without their matrix.

A module of compiled functions. H is Hadamard's matrix of p = 2^b rows, H_ij = (−1)^(number of bits that i and j share),
and H x takes p log p additions [Fino and Algazi 1976]. A pass adds and subtracts four quarters of x, two bits of H. The
first passes write what belongs together side by side: so loads and stores go through memory in order, though in the end
numbers are added that stand beside each other, and the bits of a place are rotated to the left by two. The others leave
the places, and take less time.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kernelspec.numerics.beyond_kernels import count_beyond
from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.fused import multiply_add
from kernelspec.numerics.turns import write_turns

__all__ = ["write_hadamard_rows"]


@compiled
def _pass_of_one_bit(x: NDArray[Any], factors: NDArray[Any], out: NDArray[Any]) -> None:
    """One bit of H times `factors` ∘ x, from x (p,) into `out` (p,)."""
    m = x.shape[0] // 2
    for j in range(m):
        p, q = x[j] * factors[j], x[m + j] * factors[m + j]
        out[2 * j] = p + q
        out[2 * j + 1] = p - q


@compiled
def _pass_of_two_bits(x: NDArray[Any], factors: NDArray[Any], out: NDArray[Any]) -> None:
    """Two bits of the same."""
    m = x.shape[0] // 4
    for j in range(m):
        a, b = x[j] * factors[j], x[m + j] * factors[m + j]
        c, d = x[2 * m + j] * factors[2 * m + j], x[3 * m + j] * factors[3 * m + j]
        p, q, r, s = a + b, a - b, c + d, c - d
        out[4 * j] = p + r
        out[4 * j + 1] = q + s
        out[4 * j + 2] = p - r
        out[4 * j + 3] = q - s


@compiled
def _next_two_bits(x: NDArray[Any], out: NDArray[Any]) -> None:
    """Two more bits of H x, from x into `out`."""
    m = x.shape[0] // 4
    for j in range(m):
        a, b, c, d = x[j], x[m + j], x[2 * m + j], x[3 * m + j]
        p, q, r, s = a + b, a - b, c + d, c - d
        out[4 * j] = p + r
        out[4 * j + 1] = q + s
        out[4 * j + 2] = p - r
        out[4 * j + 3] = q - s


@compiled
def _two_bits_in_place(x: NDArray[Any], out: NDArray[Any]) -> None:
    """Two more bits of H x, each number at the place where it was, from x into `out`."""
    m = x.shape[0] // 4
    for j in range(m):
        a, b, c, d = x[j], x[m + j], x[2 * m + j], x[3 * m + j]
        p, q, r, s = a + b, a - b, c + d, c - d
        out[j] = p + r
        out[m + j] = q + s
        out[2 * m + j] = p - r
        out[3 * m + j] = q - s


@compiled
def _transform(work: NDArray[Any], factors: NDArray[Any], rotating: NDArray[Any], bits: int) -> int:
    """Which row of `work` (3, 2^bits) is H f₂ ∘ H f₁ ∘ H f₀ ∘ x in the end, x = work[0], which stays, f = `factors`.

    So many passes of each transform are `rotating`; f₁ and f₂ are in the order of the places they leave.
    """
    place, free = 0, 1
    for k in range(3):
        if bits % 2:
            _pass_of_one_bit(work[place], factors[k], work[free])
            left = bits // 2
        else:
            _pass_of_two_bits(work[place], factors[k], work[free])
            left = bits // 2 - 1
        size = work.shape[1]
        place = free
        for step in range(left):
            free = 3 - place
            if step < rotating[k]:
                _next_two_bits(work[place], work[free])
            else:
                for first in range(0, work.shape[1], size):
                    part = slice(first, first + size)
                    _two_bits_in_place(work[place][part], work[free][part])
                size //= 4
            place = free
        free = 3 - place
    return place


@compiled
def write_hadamard_rows(
    rows: NDArray[Any],
    factors: NDArray[Any],
    lengths: NDArray[Any],
    offsets: NDArray[Any],
    sizes: NDArray[Any],
    rotating: NDArray[Any],
    paired: Any,
    coefficients: Any,
    most: float,
    work: NDArray[Any],
    out: NDArray[Any],
) -> int:
    """Write a cos 2πt of rows (m, d) and n samples into `out` (m, n), and a sin 2πt beside it (m, 2n) if `paired`.

    t = offset + length · (H f₂ ∘ H f₁ ∘ H f₀ ∘ x), the rows filled up with zeros to p numbers: p samples a block.
    `factors` (blocks, 3, p) are f₀, f₁, f₂ of every block, f₁ and f₂ in the order that passes leave: of each transform
    the first, and as many more as `rotating` (3,) says, rotate places, and all of them together leave all where it was
    (`packed_hadamard`). `lengths`, `offsets` and the amplitudes `sizes` are (blocks, p). `work` (3, p) is memory to
    work in. All arrays are C-contiguous. Returns how many numbers of the rows are not at most `most` in size.
    """
    columns, p, beyond = rows.shape[1], work.shape[1], 0
    bits = 0
    while (1 << bits) < p:
        bits += 1
    work[0, columns:] = 0
    for i in range(rows.shape[0]):
        work[0, :columns] = rows[i]
        beyond += count_beyond(rows[i], most)
        for b in range(factors.shape[0]):
            turns = work[_transform(work, factors[b], rotating, bits)]
            own, start = lengths[b], offsets[b]
            for j in range(p):
                turns[j] = multiply_add(own[j], turns[j], start[j])
            write_turns(turns, sizes[b], coefficients, paired, b * p, out[i])
    return beyond
