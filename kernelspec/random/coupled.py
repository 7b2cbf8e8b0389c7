"""Coupled random numbers: blocks of orthogonal normal vectors, and scrambled Sobol' points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.streams import Hashes, LawDrawn, Stream, UnevenRuns, check_runs, lengths_of

__all__ = [
    "FEWEST_COLUMNS",
    "Coordinates",
    "HadamardStream",
    "OrthogonalStream",
    "RecordingStream",
    "SobolRunsStream",
    "SobolStream",
    "block_size",
    "hadamard_rows",
    "hadamard_transform",
    "signs_of",
    "sobol_points",
    "sobol_points_of_runs",
]


@dataclass(frozen=True, slots=True)
class OrthogonalStream(Stream):
    """Blocks of d normal vectors in R^d: rows of a random rotation times independent radii of the χ_d law.

    The rotation is Haar distributed: QR with the signs of R's diagonal corrected. Numbers that mix Gaussians, one per
    vector, are stratified within the block: a random permutation of (π_i + U_i)/d through the quantile function. Each
    vector and each mixing number has the right marginal law. The first blocks do not depend on how many follow.
    Reference: Yu, Suresh, Choromanski, Holtmann-Rice and Kumar 2016.
    """

    block: int = 0
    """Vectors per block, if numbers belong to vectors; else 0."""
    lengths: tuple[int, ...] = ()
    """Samples of each of several consecutive draws, whose ends end a block. Empty for a single draw of any length."""

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
        left = blocks * self.block - lengths  # unused places in the last block of each run
        skipped = np.repeat(np.cumsum(left) - left, lengths)
        return np.asarray(((order + within) / self.block).ravel()[np.arange(n) + skipped].reshape(shape))

    def _lengths(self, n: int) -> NDArray[np.intp]:
        """Lengths of the runs drawn together. Raises UnevenRuns unless there is one number per sample."""
        if self.lengths:
            check_runs(self.lengths, n)
        return np.array(self.lengths or (n,), dtype=np.intp)


def _rotations(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (blocks, m, d), m ≤ d, orthonormalized in order: the first m rows of Haar rotations."""
    q, r = np.linalg.qr(np.swapaxes(vectors, 1, 2))
    signs = np.where(np.diagonal(r, axis1=1, axis2=2) < 0, -1.0, 1.0)
    return np.swapaxes(q * signs[:, None, :], 1, 2)


FEWEST_COLUMNS = 64
"""Smallest block size: vectors with fewer entries are as fast to store and multiply directly."""

_ENTRIES = 1 << 22  # numbers transformed at a time
_FACTOR_BITS = 6  # factors of a Hadamard matrix have at most 2^6 rows, if two of that size are not enough


@dataclass(frozen=True, slots=True)
class HadamardStream(OrthogonalStream):
    """Blocks of p = 2^⌈log₂ d⌉ vectors in R^d: the first d entries of rows of H D₁ H D₂ H D₃/p, times radii χ_p/√p.

    H is the Hadamard matrix, H_ij = (−1)^(number of bits shared by i and j); D₁, D₂, D₃ are diagonals of independent
    random signs. Rows are orthogonal and of length √p, and all have one law; their directions are almost, but not
    exactly, uniform on the sphere. Numbers that mix Gaussians are stratified within the block, as for random rotations.
    The first vectors do not depend on how many follow.
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
        """The same vectors before multiplication by the radii."""
        n, d = shape
        runs = self.diagonals_of_runs(purpose, shape)
        return np.concatenate(
            [hadamard_rows(own, length, d) for own, length in zip(runs, self._lengths(n), strict=True)]
        )

    def diagonals_of_runs(self, purpose: str, shape: tuple[int, int]) -> list[Hashes]:
        """For each run, the signs of D₁, D₂, D₃ of every block, packed in 64-bit words: (blocks, 3, p/64)."""
        n, d = shape
        p = block_size(d)
        blocks = -(-self._lengths(n) // p)
        words = self.words(f"{purpose} signs", (int(blocks.sum()), 3, p // 64))
        return np.split(words, np.cumsum(blocks)[:-1])


def block_size(d: int) -> int:
    """p, the smallest power of two ≥ max(d, 64)."""
    return int(max(FEWEST_COLUMNS, 1 << (d - 1).bit_length()))


def signs_of(words: Hashes) -> NDArray[np.float64]:
    """Signs from 64-bit words: (…, words) → (…, 64 words), −1 for every set bit, lowest bit first."""
    bits = (words[..., None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    return 1.0 - 2.0 * bits.reshape(*words.shape[:-1], 64 * words.shape[-1]).astype(float)


def hadamard_rows(words: Hashes, n: int, d: int) -> NDArray[np.float64]:
    """The first d entries of the first n rows of the blocks H D₁ H D₂ H D₃/p, signs packed (blocks, 3, p/64): (n, d).

    Rows are multiplied from the left: three products with the Kronecker factors of H.
    """
    signs = signs_of(words)
    p = signs.shape[-1]
    found, at_once = np.empty((n, d)), max(1, _ENTRIES // p)
    for start in range(0, n, at_once):
        # a piece may hold rows of two blocks
        place = np.arange(start, min(start + at_once, n))
        rows = np.zeros((len(place), p))
        rows[np.arange(len(place)), place % p] = 1
        for k in range(3):
            rows = hadamard_transform(rows) * signs[place // p, k]
        found[place] = rows[:, :d] / p
    return found


def hadamard_transform(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """H times every row (n, p): H is the Kronecker product of two smaller ones, or of more for wide rows."""
    n, p = rows.shape
    bits = p.bit_length() - 1
    if bits > 2 * _FACTOR_BITS:
        count, after = -(-bits // _FACTOR_BITS), 1
        for k in range(count):
            factor = _hadamard((bits + k) // count)
            blocks = rows.reshape(-1, len(factor), after)
            rows = np.matmul(factor, blocks) if after > 1 else blocks[:, :, 0] @ factor
            after *= len(factor)
        return rows.reshape(n, p)
    left, right = _hadamard(bits // 2), _hadamard(bits - bits // 2)
    half = (rows.reshape(-1, len(right)) @ right).reshape(n, len(left), len(right)).swapaxes(1, 2)
    whole = (half.reshape(-1, len(left)) @ left).reshape(n, len(right), len(left))
    return whole.swapaxes(1, 2).reshape(n, p)


@cache
def _hadamard(bits: int) -> NDArray[np.float64]:
    """H of 2^bits rows [Sylvester 1867]."""
    found = np.ones((1, 1))
    for _ in range(bits):
        found = np.block([[found, found], [found, -found]])
    return found


Coordinates = Mapping[tuple[tuple[int, ...], str], tuple[int, int]]
"""Where the numbers of a path and purpose are in the points: their first coordinate, and how many per sample."""

_BITS = 52


@dataclass(frozen=True, slots=True)
class RecordingStream(Stream):
    """Finds the numbers with known quantiles that a law draws, by recording a trial draw of one sample in order."""

    asked: dict[tuple[tuple[int, ...], str], int] = field(default_factory=dict, compare=False)
    """Numbers per sample, by path and purpose."""
    vectors: list[int] = field(default_factory=list, compare=False)
    """The dimensions of the normal vectors."""

    def even(self, purpose: str, shape: int | tuple[int, ...], law: LawDrawn) -> None:
        width = 1 if isinstance(shape, int) else prod(shape[1:])
        self.asked[self.path, purpose] = width
        if law == "normal":
            self.vectors.append(width)

    def coordinates(self) -> tuple[Coordinates, int]:
        """Consecutive coordinates for everything requested, and their total number."""
        places, start = {}, 0
        for key, width in self.asked.items():
            places[key] = (start, width)
            start += width
        return places, start


@dataclass(frozen=True, slots=True, eq=False)
class SobolStream(Stream):
    """Numbers by inversion of the coordinates of one joint point sequence, shared by all factors of a product.

    Numbers without coordinates are independent.
    """

    points: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    coordinates: Coordinates = field(default_factory=dict)

    def even(self, purpose: str, shape: int | tuple[int, ...], law: LawDrawn) -> NDArray[np.float64] | None:
        place = self.coordinates.get((self.path, purpose))
        if place is None:
            return None
        start, width = place
        n = shape if isinstance(shape, int) else shape[0]
        return self.points[:n, start : start + width].reshape(shape)


@dataclass(frozen=True, slots=True, eq=False)
class SobolRunsStream(SobolStream):
    """SobolStream for several consecutive draws, each with its own sequence; `points` holds all of them.

    Raises UnevenRuns unless there is one number per sample, since others would mix the draws.
    """

    lengths: tuple[int, ...] = ()
    """The samples of each draw."""

    def part(self, index: int, chosen: NDArray[np.intp], n: int) -> Stream:
        check_runs(self.lengths, n)
        lengths, own = np.array(self.lengths), lengths_of(chosen, self.lengths)
        first = np.cumsum(lengths) - lengths - (np.cumsum(own) - own)
        rows = np.arange(len(chosen)) + np.repeat(first, own)  # each draw's sequence from its start
        return replace(self, path=(*self.path, index), points=self.points[rows], lengths=tuple(own))

    def even(self, purpose: str, shape: int | tuple[int, ...], law: LawDrawn) -> NDArray[np.float64] | None:
        n = shape if isinstance(shape, int) else shape[0]
        if (self.path, purpose) in self.coordinates and n != len(self.points):
            raise UnevenRuns
        return SobolStream.even(self, purpose, shape, law)


def sobol_points(generator: np.random.Generator, n: int, dim: int) -> NDArray[np.float64]:
    """The first n scrambled Sobol' points in (0, 1)^dim, (n, dim): each uniform, coordinates scrambled independently.

    The sequence has a power of two as its length. These are SciPy's points, shifted by half a unit of the last place so
    that none is 0 or 1, where quantiles are infinite [Owen 1995].
    """
    from scipy.stats import qmc

    points = qmc.Sobol(dim, bits=_BITS, seed=generator).random_base2(max(0, n - 1).bit_length())
    return np.asarray(points[:n] + 0.5 * 2.0**-_BITS)


def sobol_points_of_runs(generator: np.random.Generator, n: int, dim: int, runs: int) -> NDArray[np.float64]:
    """The first n points of `runs` sequences, scrambled independently, one after the other: (runs n, dim).

    Same law as `sobol_points`, for all runs at once: the digits of a point are those of the unscrambled one times a
    random triangular matrix over {0, 1}, whose column j is one at place j and `columns` below it, (runs, dim, digits),
    plus a random shift, (runs, dim) [Matoušek 1998].
    """
    from scipy.stats import qmc

    digits = max(0, n - 1).bit_length()  # all others are zero
    plain = qmc.Sobol(dim, scramble=False, bits=_BITS).random_base2(digits)[:n]
    is_one = np.ldexp(plain[:, :, None], np.arange(1, digits + 1)).astype(np.uint64) & np.uint64(1) > 0
    columns = generator.integers(0, 1 << _BITS, (runs, dim, digits), dtype=np.uint64)
    shifts = generator.integers(0, 1 << _BITS, (runs, dim), dtype=np.uint64)
    lead = np.uint64(1) << (_BITS - np.arange(1, digits + 1)).astype(np.uint64)
    columns = (columns & (lead - np.uint64(1))) | lead
    found = np.repeat(shifts[:, None, :], n, axis=1)
    for j in range(digits):
        found ^= np.where(is_one[:, :, j], columns[:, None, :, j], np.uint64(0))
    return np.asarray((found.reshape(-1, dim) + 0.5) * 2.0**-_BITS)
