"""Samples whose frequencies are rows of H D₁ H D₂ H D₃: stored as signs and radii, applied by fast transforms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.kernels.families.formula_radial import FormulaRadial
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.selection import SelectedLaw
from kernelspec.random.hadamard import FEWEST_COLUMNS, HadamardStream, block_size
from kernelspec.samples.hadamard_frequencies import HadamardBlocks, HadamardFrequencies, MappedBlocks
from kernelspec.samples.samples import Phasors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.law import Law
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["Isotropic", "hadamard", "isotropic", "lengths_of", "structured"]


@dataclass(frozen=True)
class Isotropic:
    """An isotropic kernel of the catalogue on linear images of rows: the columns at `places`, of those of a law, times
    `scales`, numbers (columns,) or a matrix (columns of the kernel, columns).
    """

    leaf: Stationary
    places: tuple[int, ...]
    scales: NDArray[np.float64]

    def images(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the kernel reads of rows that are the columns at `places`."""
        return rows * self.scales if self.scales.ndim == 1 else np.asarray(rows @ self.scales.T)


@dataclass(frozen=True, slots=True)
class _Lengths(HadamardStream):
    """The same stream with every row along the first axis: what is left of the vectors is how long they are."""

    @classmethod
    def like(cls, stream: HadamardStream) -> _Lengths:
        return cls(stream.seed, stream.path, stream.block, stream.lengths)

    def rows(self, purpose: str, shape: tuple[int, int]) -> NDArray[np.float64]:
        del purpose
        found = np.zeros(shape)
        found[:, 0] = np.sqrt(block_size(shape[1]))
        return found


def hadamard(law: Law, stream: Stream, n: int, columns: tuple[int, ...]) -> Stream | None:
    """The stream with normal vectors in blocks H D₁ H D₂ H D₃; None for laws that are not of an isotropic kernel."""
    del n, columns
    return None if isotropic(law) is None else HadamardStream(stream.seed, stream.path)


def structured(law: Law, stream: Stream, n: int, columns: tuple[int, ...], runs: int = 1) -> list[Samples]:
    """The samples that the law draws from this stream, their frequencies as signs and lengths instead of a matrix.

    Of several `runs` of n samples each, one after the other, none has a block in common with another.
    Raises PlanError for a law that is not of an isotropic kernel.
    """
    own = isotropic(law)
    if own is None:
        raise PlanError(f"draws='hadamard' changes nothing for these samples: {law}")
    d, total = own.leaf.dim, n * runs
    whole = HadamardStream(stream.seed, stream.path, lengths=(n,) * runs)
    lengths = np.split(lengths_of(own.leaf, whole, total), runs)
    signs = whole.diagonals_of_runs("normal", (total, d))
    places, scales = np.arange(d), own.scales if own.scales.ndim == 1 else np.ones(d)
    blocks = [HadamardBlocks(words, length, places, scales) for words, length in zip(signs, lengths, strict=True)]
    is_matrix = own.scales.ndim == 2
    parts = tuple(MappedBlocks(each, own.scales) if is_matrix else each for each in blocks)
    read = tuple(columns[i] for i in own.places)
    phasors = Phasors.symmetric(read, HadamardFrequencies(parts, len(read))).merged()
    (drawn,) = law.draw(_Lengths.like(whole), total, columns)
    return [replace(drawn, phasors=phasors)]


def lengths_of(leaf: Stationary, stream: HadamardStream, n: int) -> NDArray[np.float64]:
    """What the rows of H D₁ H D₂ H D₃/p, of length √p, are multiplied by: radii of the kernel's law, (n,)."""
    drawn = leaf.draw(_Lengths.like(stream), n)
    return np.asarray(drawn[:, 0] / np.sqrt(block_size(leaf.dim)))


def isotropic(law: Law) -> Isotropic | None:
    """The isotropic kernel whose frequencies a law draws, if it is on enough columns; else None."""
    match law:
        case FourierLaw():
            return _of_kernel(law.kernel)
        case SelectedLaw():
            found = isotropic(law.base)
            return None if found is None else replace(found, places=tuple(law.positions[i] for i in found.places))
    return None


def _of_kernel(kernel: Kernel) -> Isotropic | None:
    match kernel:
        case Select():
            found = _of_kernel(kernel.base)
            return None if found is None else replace(found, places=tuple(kernel.positions[i] for i in found.places))
        case Stretch():
            found, matrix = _of_kernel(kernel.base), np.asarray(kernel.matrix, dtype=float)
            if found is None:
                return None
            if matrix.ndim < 2:
                scales = np.broadcast_to(matrix, (kernel.dim,))[list(found.places)]
                return replace(found, scales=found.scales * scales)
            return replace(found, places=tuple(range(kernel.dim)), scales=found.images(matrix[list(found.places)].T).T)
        case FormulaRadial():  # its radii are those of ‖ω‖ itself, and the first d of p entries have no fixed length
            return None
        case Stationary() if kernel.is_radial and kernel.dim >= FEWEST_COLUMNS:
            return Isotropic(kernel, tuple(range(kernel.dim)), np.ones(kernel.dim))
    return None
