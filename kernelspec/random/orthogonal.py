"""Normal vectors in orthogonal blocks: each has the normal law, those of a block have no direction in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.streams import Stream, check_runs, lengths_of

__all__ = ["OrthogonalStream"]


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

    def gamma(self, purpose: str, order: float, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        if not self._is_stratified(shape):
            return Stream.gamma(self, purpose, order, shape)
        from scipy.special import gammaincinv

        return np.asarray(gammaincinv(order, self._stratified(purpose, shape)))

    def exponential(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        if not self._is_stratified(shape):
            return Stream.exponential(self, purpose, shape)
        return -np.log1p(-self._stratified(purpose, shape))

    def uniform(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        return self._stratified(purpose, shape) if self._is_stratified(shape) else Stream.uniform(self, purpose, shape)

    def _is_stratified(self, shape: int | tuple[int, ...]) -> bool:
        return self.block > 1 and (isinstance(shape, int) or prod(shape[1:]) == 1)

    def _stratified(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
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
