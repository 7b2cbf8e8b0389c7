"""Vectors that are nearly normal, in blocks, from three diagonals of signs and Hadamard's matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes
from kernelspec.random.orthogonal import OrthogonalStream
from kernelspec.random.streams import Stream

__all__ = ["FEWEST_COLUMNS", "HadamardStream", "block_size", "hadamard_rows", "hadamard_transform", "signs_of"]

FEWEST_COLUMNS = 64
"""Of vectors in blocks: those of fewer entries are stored and multiplied as fast as they are."""

_ENTRIES = 1 << 22
"""Numbers that are transformed at a time."""


@dataclass(frozen=True, slots=True)
class HadamardStream(OrthogonalStream):
    """Blocks of p = 2^⌈log₂ d⌉ vectors in R^d: the first d entries of the rows of H D₁ H D₂ H D₃/p times radii χ_p/√p.

    H is Hadamard's matrix, H_ij = (−1)^(number of bits that i and j share), D₁, D₂, D₃ are diagonals of independent
    random signs. The rows are orthogonal and of length √p; their directions are nearly, and not exactly, uniform on the
    sphere. All rows have one law. What mixes Gaussians is stratified within the block, as for random rotations. The
    first vectors do not depend on how many follow.
    Reference: Yu, Suresh, Choromanski, Holtmann-Rice and Kumar 2016, section 4; Le, Sarlós and Smola 2013.
    """

    def in_blocks(self, size: int) -> Stream:
        return replace(self, block=block_size(size) if size >= FEWEST_COLUMNS else 0)

    def normal(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        if isinstance(shape, int) or len(shape) != 2 or shape[1] < FEWEST_COLUMNS:
            return Stream.normal(self, purpose, shape)
        radii = np.sqrt(self.generator(f"{purpose} radius").chisquare(p := block_size(shape[1]), shape[0]) / p)
        return self.rows(purpose, shape) * radii[:, None]

    def rows(self, purpose: str, shape: tuple[int, int]) -> NDArray[np.float64]:
        """The same vectors before they are multiplied by radii."""
        n, d = shape
        runs = self.diagonals_of_runs(purpose, shape)
        return np.concatenate(
            [hadamard_rows(own, length, d) for own, length in zip(runs, self._lengths(n), strict=True)]
        )

    def diagonals_of_runs(self, purpose: str, shape: tuple[int, int]) -> list[Hashes]:
        """For every run the signs of D₁, D₂, D₃ of every block, in words of 64: (blocks, 3, p/64)."""
        n, d = shape
        p = block_size(d)
        blocks = -(-self._lengths(n) // p)
        words = self.words(f"{purpose} signs", (int(blocks.sum()), 3, p // 64))
        return np.split(words, np.cumsum(blocks)[:-1])


def block_size(d: int) -> int:
    """p, the least power of two that is not below d, nor below 64."""
    return int(max(FEWEST_COLUMNS, 1 << (d - 1).bit_length()))


def signs_of(words: Hashes) -> NDArray[np.float64]:
    """Signs from words of 64: (…, words) → (…, 64 words), −1 for every bit that is set, the lowest bit first."""
    bits = (words[..., None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    return 1.0 - 2.0 * bits.reshape(*words.shape[:-1], 64 * words.shape[-1]).astype(float)


def hadamard_rows(words: Hashes, n: int, d: int) -> NDArray[np.float64]:
    """The first d entries of the first n rows of the blocks H D₁ H D₂ H D₃/p, signs in words (blocks, 3, p/64): (n, d).

    Every row is multiplied from the left: three products with Kronecker's factors of H.
    """
    signs = signs_of(words)
    p = signs.shape[-1]
    found, at_once = np.empty((n, d)), max(1, _ENTRIES // p)
    for start in range(0, n, at_once):
        # rows of two blocks may stand in one piece
        place = np.arange(start, min(start + at_once, n))
        rows = np.zeros((len(place), p))
        rows[np.arange(len(place)), place % p] = 1
        for k in range(3):
            rows = hadamard_transform(rows) * signs[place // p, k]
        found[place] = rows[:, :d] / p
    return found


def hadamard_transform(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """H times every row (n, p): H is the Kronecker product of two smaller ones."""
    n, p = rows.shape
    bits = p.bit_length() - 1
    left, right = _hadamard(bits // 2), _hadamard(bits - bits // 2)
    half = (rows.reshape(-1, len(right)) @ right).reshape(n, len(left), len(right))
    return (
        (half.swapaxes(1, 2).reshape(-1, len(left)) @ left)
        .reshape(n, len(right), len(left))
        .swapaxes(1, 2)
        .reshape(n, p)
    )


@cache
def _hadamard(bits: int) -> NDArray[np.float64]:
    """H of 2^bits rows [Sylvester 1867]."""
    found = np.ones((1, 1))
    for _ in range(bits):
        found = np.block([[found, found], [found, -found]])
    return found
