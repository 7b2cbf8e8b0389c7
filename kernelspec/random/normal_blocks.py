"""Normal vectors in blocks: orthogonal ones, and structured ones from Hadamard's matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.streams import Hashes, LawDrawn, Stream, check_runs, lengths_of

__all__ = [
    "FEWEST_COLUMNS",
    "HadamardStream",
    "OrthogonalStream",
    "block_size",
    "hadamard_rows",
    "hadamard_transform",
    "signs_of",
]


@dataclass(frozen=True, slots=True)
class OrthogonalStream(Stream):
    """Blocks of d normal vectors in R^d: the rows of a random rotation times independent radii of the χ_d law.

    The rotation has Haar's law: QR with the signs of R's diagonal put right. What mixes Gaussians, one number a vector,
    is stratified within the block: a random permutation of (π_i + U_i)/d through its quantile. Every vector alone, and
    every mixing number, has the right law. The first blocks do not depend on how many follow.
    Reference: Yu, Suresh, Choromanski, Holtmann-Rice and Kumar 2016.
    """

    block: int = 0
    """Vectors in a block, where numbers belong to vectors; 0 where they do not."""
    lengths: tuple[int, ...] = ()
    """Of several draws, one after the other, the samples of each: blocks end with them. One, however long, if empty."""

    def part(self, index: int, chosen: NDArray[np.intp], n: int) -> Stream:
        if not self.lengths:
            return self.child(index)
        check_runs(self.lengths, n)
        return replace(self, path=(*self.path, index), lengths=tuple(lengths_of(chosen, self.lengths)))

    def in_blocks(self, size: int) -> Stream:
        return replace(self, block=size)

    def normal(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        if isinstance(shape, int) or len(shape) != 2 or shape[1] < 2:
            return Stream.normal(self, purpose, shape)
        n, d = shape
        lengths = self._lengths(n)
        starts = np.cumsum(lengths) - lengths
        vectors = Stream.normal(self, purpose, shape)
        for length in np.unique(lengths).tolist():
            places = starts[lengths == length, None] + np.arange(length)
            whole = length // d * d
            if whole:
                blocks = places[:, :whole].reshape(-1, d)
                vectors[blocks] = _rotations(vectors[blocks])
            if whole < length:
                vectors[places[:, whole:]] = _rotations(vectors[places[:, whole:]])
        radii = np.sqrt(self.generator(f"{purpose} radius").chisquare(d, n))
        return vectors * radii[:, None]

    def even(self, purpose: str, shape: int | tuple[int, ...], law: LawDrawn) -> NDArray[np.float64] | None:
        is_one_number = isinstance(shape, int) or prod(shape[1:]) == 1
        if self.block < 2 or not is_one_number or law in ("normal", "laplace"):  # these do not mix Gaussians
            return None
        lengths = self._lengths(n := shape if isinstance(shape, int) else shape[0])
        blocks = -(-lengths // self.block)
        order = self.generator(f"{purpose} order").random((blocks.sum(), self.block)).argsort(axis=1)
        within = self.generator(f"{purpose} place").random((blocks.sum(), self.block))
        left = blocks * self.block - lengths  # of the last block of each
        skipped = np.repeat(np.cumsum(left) - left, lengths)
        return np.asarray(((order + within) / self.block).ravel()[np.arange(n) + skipped].reshape(shape))

    def _lengths(self, n: int) -> NDArray[np.intp]:
        """How many of n numbers are drawn together. Raises UnevenRuns where they are not one for every sample."""
        if self.lengths:
            check_runs(self.lengths, n)
        return np.array(self.lengths or (n,), dtype=np.intp)


def _rotations(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (blocks, m, d), m ≤ d, made orthonormal one after the other: the first m rows of Haar's rotations."""
    q, r = np.linalg.qr(np.swapaxes(vectors, 1, 2))
    signs = np.where(np.diagonal(r, axis1=1, axis2=2) < 0, -1.0, 1.0)
    return np.swapaxes(q * signs[:, None, :], 1, 2)


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
