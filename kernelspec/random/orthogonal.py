"""Normal vectors in orthogonal blocks: each has the normal law, those of a block have no direction in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.streams import Stream, UnevenRuns

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
    runs: int = 1
    run: int = 0
    """So many draws of so many samples each, one after the other: blocks end with them. One, however long, if 0."""

    def in_blocks(self, size: int) -> Stream:
        return replace(self, block=size)

    def normal(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        if isinstance(shape, int) or len(shape) != 2 or shape[1] < 2:
            return Stream.normal(self, purpose, shape)
        n, d = shape
        run = self._run(n)
        directions = np.empty(shape)
        vectors, found = Stream.normal(self, purpose, shape).reshape(-1, run, d), directions.reshape(-1, run, d)
        whole = run // d * d
        if whole:
            found[:, :whole] = _rotations(vectors[:, :whole].reshape(-1, d, d)).reshape(-1, whole, d)
        if whole < run:
            found[:, whole:] = _rotations(vectors[:, whole:])
        radii = np.sqrt(self.generator(f"{purpose} radius").chisquare(d, n))
        return directions * radii[:, None]

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
        run = self._run(n := shape if isinstance(shape, int) else shape[0])
        runs, blocks = n // run, -(-run // self.block)
        order = self.generator(f"{purpose} order").random((runs * blocks, self.block)).argsort(axis=1)
        within = self.generator(f"{purpose} place").random((runs * blocks, self.block))
        return ((order + within) / self.block).reshape(runs, blocks * self.block)[:, :run].reshape(shape)

    def _run(self, n: int) -> int:
        """How many of n numbers are drawn together. Raises UnevenRuns where they are not one for every sample."""
        if self.run and n != self.run * self.runs:
            raise UnevenRuns
        return self.run or max(1, n)


def _rotations(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (blocks, m, d), m ≤ d, made orthonormal one after the other: the first m rows of Haar's rotations."""
    q, r = np.linalg.qr(np.swapaxes(vectors, 1, 2))
    signs = np.where(np.diagonal(r, axis1=1, axis2=2) < 0, -1.0, 1.0)
    return np.swapaxes(q * signs[:, None, :], 1, 2)
