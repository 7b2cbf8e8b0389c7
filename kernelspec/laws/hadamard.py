"""Structured frequencies from Hadamard matrices, and their bias."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.formula import FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law
from kernelspec.random.coupled import FEWEST_COLUMNS, HadamardStream, block_size, hadamard_transform
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import cosines
from kernelspec.samples.hadamard_frequencies import HadamardBlocks, HadamardFrequencies, MappedBlocks
from kernelspec.samples.samples import Phasors, Samples

__all__ = ["Isotropic", "hadamard", "hadamard_bias", "isotropic", "lengths_of", "structured", "uniform_direction_mean"]

_FEWEST, _MOST = 16, 1024  # draws of the two diagonals, and the most numbers for them
_NUMBERS = 1 << 24

_AT_ONCE = 1 << 20  # numbers of pairs transformed at a time

_FAR = 10.0  # beyond this many √p, the mean of a plane wave over directions in R^p is below 1e-14


def hadamard_bias(law: Law, pairs: NumericPairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E p(x_i, y_i) − k(x_i, y_i) and its standard errors, (pairs,), for samples of the draws "hadamard".

    A row of H D₁ H D₂ H D₃/p is g'H D₂ H D₃/p with independent signs g. So with y = H D₂ H D₃ Δ/p and the length ℓ of a
    frequency, E[cos ω·Δ | D₂, D₃, ℓ] = ∏_k cos ℓy_k; for a direction uniform on the sphere it would be the mean Ω_p(ℓ√p
    ‖Δ‖) of a plane wave. The difference varies little over D₂ and D₃, and its mean over them and ℓ is the bias. Raises
    TypeError for a law without such draws.
    """
    own = isotropic(law)
    if own is None:
        raise TypeError(f"{law} has no structured frequencies")
    x, y = (side.select(own.places).numbers for side in (pairs.x, pairs.y))
    n, p = len(pairs.x), block_size(own.leaf.dim)
    draws = int(np.clip(_NUMBERS // (n * p), _FEWEST, _MOST))
    generator = Stream(0, (1,)).generator("signs")
    are_minus = np.stack([generator.random((2, p)) < 0.5 for _ in range(draws)])
    lengths = lengths_of(own.leaf, HadamardStream(0, (2,)), draws)
    found, at_once = np.empty((draws, n)), max(1, _AT_ONCE // p)
    for start in range(0, n, at_once):
        part = slice(start, start + at_once)
        difference = x[part] - y[part]
        lag = own.images(np.asarray(difference if isinstance(difference, np.ndarray) else difference.toarray(), float))
        padded, size = np.zeros((len(lag), p)), np.sqrt(p) * np.linalg.norm(lag, axis=1)
        padded[:, : lag.shape[1]] = lag
        for r in range(draws):
            second, third = 1.0 - 2.0 * are_minus[r]
            turned = hadamard_transform(hadamard_transform(padded * third) * second) / p
            found[r, part] = cosines(lengths[r] * turned).prod(axis=1) - uniform_direction_mean(lengths[r] * size, p)
    mass = float(law.magnitude())
    return mass * found.mean(axis=0), mass * found.std(axis=0, ddof=1) / np.sqrt(draws)


def uniform_direction_mean(s: NDArray[np.float64], p: int) -> NDArray[np.float64]:
    """Ω_p(s) = E cos(s u₁) for u uniform on the sphere in R^p, p ≥ 64, s ≥ 0: Γ(p/2) (2/s)^{p/2−1} J_{p/2−1}(s).

    ∫ cos(s sin θ) cos^{p−2}θ dθ by the trapezoidal rule, which is exact to rounding once the step is small enough.
    """
    step = 2 * np.pi / (20 * np.sqrt(p))
    angles = step * np.arange(33)
    weights = np.cos(angles) ** (p - 2)
    weights[0] /= 2
    near = s < _FAR * np.sqrt(p)
    found = np.zeros(s.shape)
    found[near] = cosines(np.multiply.outer(s[near], np.sin(angles))) @ (weights / weights.sum())
    return found


@dataclass(frozen=True)
class Isotropic:
    """An isotropic kernel of the catalogue on linear images of rows: the columns at `places` (positions among the law's
    columns) times `scales`, numbers (columns,) or a matrix (columns of the kernel, columns).
    """

    leaf: Stationary
    places: tuple[int, ...]
    scales: NDArray[np.float64]

    def images(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The input of the kernel, for rows that hold the columns at `places`."""
        return rows * self.scales if self.scales.ndim == 1 else np.asarray(rows @ self.scales.T)


@dataclass(frozen=True, slots=True)
class _Lengths(HadamardStream):
    """The same stream with every row along the first axis, which leaves only the lengths of vectors."""

    @classmethod
    def like(cls, stream: HadamardStream) -> _Lengths:
        return cls(stream.seed, stream.path, stream.block, stream.lengths)

    def rows(self, purpose: str, shape: tuple[int, int]) -> NDArray[np.float64]:
        found = np.zeros(shape)
        found[:, 0] = np.sqrt(block_size(shape[1]))
        return found


def hadamard(law: Law, stream: Stream, n: int, columns: tuple[int, ...]) -> Stream | None:
    """The stream with normal vectors in blocks H D₁ H D₂ H D₃; None for laws that are not of an isotropic kernel."""
    del n, columns
    return None if isotropic(law) is None else HadamardStream(stream.seed, stream.path)


def structured(law: Law, stream: Stream, n: int, columns: tuple[int, ...], runs: int = 1) -> list[Samples]:
    """The samples that the law draws from this stream, with frequencies as signs and lengths instead of a matrix.

    Several `runs` of n samples each, one after the other, share no blocks. Raises PlanError for a law that is not of an
    isotropic kernel.
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
    """The factors of the rows of H D₁ H D₂ H D₃/p, of length √p: radii of the kernel's law, (n,)."""
    drawn = leaf.draw(_Lengths.like(stream), n)
    return np.asarray(drawn[:, 0] / np.sqrt(block_size(leaf.dim)))


def isotropic(law: Law) -> Isotropic | None:
    """The isotropic kernel whose frequencies a law draws, if it has enough columns; else None."""
    return _isotropic(law)


def _isotropic(own: Law | Kernel) -> Isotropic | None:
    match own:
        case FourierLaw():
            return _isotropic(own.kernel)
        case SelectedLaw() | Select():
            found = _isotropic(own.base)
            return None if found is None else replace(found, places=tuple(own.positions[i] for i in found.places))
        case Stretch():
            found, matrix = _isotropic(own.base), np.asarray(own.matrix, dtype=float)
            if found is None:
                return None
            if matrix.ndim < 2:
                scales = np.broadcast_to(matrix, (own.dim,))[list(found.places)]
                return replace(found, scales=found.scales * scales)
            return replace(found, places=tuple(range(own.dim)), scales=found.images(matrix[list(found.places)].T).T)
        case FormulaRadial():  # its radii are those of ‖ω‖, and the first d of p entries have no fixed length
            return None
        case Stationary() if own.is_radial and own.dim >= FEWEST_COLUMNS:
            return Isotropic(own, tuple(range(own.dim)), np.ones(own.dim))
    return None
