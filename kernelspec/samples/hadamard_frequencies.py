"""Frequencies that are rows of H D₁ H D₂ H D₃, stored as signs and lengths instead of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.coupled import block_size, hadamard_rows, hadamard_transform, signs_of
from kernelspec.random.streams import Hashes
from kernelspec.samples.declared_arrays import array

__all__ = ["DenseBlock", "HadamardBlocks", "HadamardFrequencies", "MappedBlocks"]

_ENTRIES, _NARROW = 1 << 20, 1 << 12
"""Numbers transformed at a time, and the sizes whose last transform is always whole."""


@dataclass(frozen=True, eq=False)
class HadamardBlocks:
    """ω_j = length_j · (row j mod p of block ⌊j/p⌋), on the columns at `places`, each times its scale.

    A block is H D₁ H D₂ H D₃/p, truncated to the number of places: H_ij = (−1)^(number of bits that i and j share).
    `words` (blocks, 3, p/64) hold the signs of D₁, D₂, D₃; a set bit means −1, lowest bits first.
    """

    words: Hashes = array("uint64", "blocks", 3, "words")
    lengths: NDArray[np.float64] = array("float64", "samples")
    places: NDArray[np.int64] = array("int64", "inputs", at_least=0)
    scales: NDArray[np.float64] = array("float64", "inputs")

    def validate(self) -> None:
        """Raise ValueError unless blocks have the size that the places need, and their number fits the samples."""
        blocks, size, n = len(self.words), 64 * self.words.shape[2], len(self.lengths)
        if not len(self.places) or size != block_size(len(self.places)) or blocks != -(-n // size):
            raise ValueError(
                f"there are {blocks} blocks of {size} samples for {n} samples of {len(self.places)} columns"
            )

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def least_width(self) -> int:
        """The fewest columns of a table."""
        return int(self.places.max()) + 1

    def head(self, n: int) -> HadamardBlocks:
        """The first n samples."""
        return replace(self, words=self.words[: -(-n // (64 * self.words.shape[2]))], lengths=self.lengths[:n])

    def moved(self, places: NDArray[np.intp]) -> HadamardBlocks:
        """The same on other columns: `places` maps old positions to new ones."""
        return replace(self, places=places[self.places].astype(np.int64))

    def products(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """ω_j·x of rows (n, width), (n, samples), without the matrix."""
        signs = signs_of(self.words)
        n, p = len(self), signs.shape[2]
        found, at_once = np.empty((len(rows), n)), max(1, _ENTRIES // p)
        for start in range(0, len(rows), at_once):
            part = slice(start, start + at_once)
            some = rows[part, self.places] * self.scales
            padded = np.zeros((len(some), p))
            padded[:, : some.shape[1]] = some
            for first, second, third, place in zip(*signs.swapaxes(0, 1), range(0, n, p), strict=True):
                turned = hadamard_transform(hadamard_transform(padded * third) * second) * first
                if p > _NARROW:  # the first q rows of H are those of the smaller matrix, side by side
                    turned = turned.reshape(len(some), -1, min(p, block_size(n - place))).sum(axis=1)
                found[part, place : place + p] = hadamard_transform(turned)[:, : n - place]
        return np.asarray(found * (self.lengths / p))

    def toarray(self, width: int) -> NDArray[np.float64]:
        """The matrix (samples, width); repeated places are added."""
        found = np.zeros((len(self), width))
        own = hadamard_rows(self.words, len(self), len(self.places)) * self.lengths[:, None] * self.scales
        np.add.at(found.T, self.places, own.T)
        return found


@dataclass(frozen=True, eq=False)
class MappedBlocks:
    """The frequencies A'ω of rows x that `blocks` reads as Ax: multiplies x by `matrix` A first."""

    blocks: HadamardBlocks
    matrix: NDArray[np.float64] = array("float64", "rows", "columns")

    def validate(self) -> None:
        """Raise ValueError unless the matrix has all rows that the blocks read."""
        if self.blocks.least_width > len(self.matrix):
            raise ValueError(f"the matrix has {len(self.matrix)} rows, but more are read")

    def __len__(self) -> int:
        return len(self.blocks)

    @property
    def least_width(self) -> int:
        """The fewest columns of a table."""
        return int(self.matrix.shape[1])

    def head(self, n: int) -> MappedBlocks:
        """The first n samples."""
        return MappedBlocks(self.blocks.head(n), self.matrix)

    def moved(self, places: NDArray[np.intp]) -> MappedBlocks:
        """The same on other columns: `places` maps old positions to new ones."""
        return MappedBlocks(self.blocks, _moved_columns(self.matrix, places))

    def products(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """ω_j·x of rows (n, width), (n, samples)."""
        return self.blocks.products(rows[:, : self.least_width] @ self.matrix.T)

    def toarray(self, width: int) -> NDArray[np.float64]:
        """The matrix (samples, width)."""
        return DenseBlock(self.blocks.toarray(len(self.matrix)) @ self.matrix).toarray(width)


@dataclass(frozen=True, eq=False)
class DenseBlock:
    """Plain frequencies beside structured ones."""

    frequencies: NDArray[np.float64] = array("float64", "samples", "columns")

    def __len__(self) -> int:
        return len(self.frequencies)

    @property
    def least_width(self) -> int:
        """The fewest columns of a table."""
        return int(self.frequencies.shape[1])

    def head(self, n: int) -> DenseBlock:
        """The first n samples."""
        return DenseBlock(self.frequencies[:n])

    def moved(self, places: NDArray[np.intp]) -> DenseBlock:
        """The same on other columns: `places` maps old positions to new ones."""
        return DenseBlock(_moved_columns(self.frequencies, places))

    def products(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """ω_j·x of rows (n, width), (n, samples)."""
        return np.asarray(rows[:, : self.frequencies.shape[1]] @ self.frequencies.T)

    def toarray(self, width: int) -> NDArray[np.float64]:
        """The matrix (samples, width)."""
        found = np.zeros((len(self), width))
        found[:, : self.frequencies.shape[1]] = self.frequencies
        return found


@dataclass(frozen=True, eq=False)
class HadamardFrequencies:
    """A frequency matrix (samples, width) of consecutive parts; only its first samples are taken unchanged."""

    ndim: ClassVar[int] = 2
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.float64)

    parts: tuple[HadamardBlocks | MappedBlocks | DenseBlock, ...]
    width: int

    def validate(self) -> None:
        """Raise ValueError unless there are parts, and all columns that they read."""
        if not self.parts or max(part.least_width for part in self.parts) > self.width:
            raise ValueError(f"invalid {len(self.parts)} parts: they must read at most {self.width} columns")

    @property
    def shape(self) -> tuple[int, int]:
        return sum(map(len, self.parts)), self.width

    def head(self, n: int) -> HadamardFrequencies:
        """The first n samples."""
        kept: list[HadamardBlocks | MappedBlocks | DenseBlock] = []
        for part in self.parts:
            if n > 0:
                kept.append(part if len(part) <= n else part.head(n))
            n -= len(part)
        return HadamardFrequencies(tuple(kept), self.width)

    def moved(self, places: NDArray[np.intp], width: int) -> HadamardFrequencies:
        """The same on `width` columns: `places` maps old positions to new ones."""
        return HadamardFrequencies(tuple(part.moved(places) for part in self.parts), width)

    def products(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """ω_j·x of rows (n, width), (n, samples)."""
        return np.concatenate([part.products(rows) for part in self.parts], axis=1)

    def toarray(self) -> NDArray[np.float64]:
        """The matrix itself, which must be computed."""
        return np.concatenate([np.empty((0, self.width)), *(part.toarray(self.width) for part in self.parts)])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.toarray(), dtype=dtype)

    def __getitem__(self, index: Any) -> HadamardFrequencies | NDArray[np.float64]:
        n = self.shape[0]
        if isinstance(index, slice) and index.start in (None, 0) and index.step in (None, 1):
            return self.head(len(range(n)[index]))
        if isinstance(index, np.ndarray) and np.array_equal(index, np.arange(len(index))):
            return self.head(len(index))
        return np.asarray(self.toarray()[index])

    @staticmethod
    def join(parts: Sequence[HadamardFrequencies | NDArray[np.float64]], width: int) -> HadamardFrequencies:
        """Consecutive samples, all on equally many columns."""
        found: list[HadamardBlocks | MappedBlocks | DenseBlock] = []
        for part in parts:
            found += part.parts if isinstance(part, HadamardFrequencies) else (DenseBlock(part),)
        return HadamardFrequencies(tuple(found), width)


def _moved_columns(matrix: NDArray[np.float64], places: NDArray[np.intp]) -> NDArray[np.float64]:
    """The columns of a matrix moved to these places, among zeros; columns at the same place are added."""
    found = np.zeros((len(matrix), int(places.max(initial=-1)) + 1))
    for i in range(matrix.shape[1]):
        found[:, places[i]] += matrix[:, i]
    return found
