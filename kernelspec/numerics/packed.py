"""Frequencies and phases packed for the compiled loops, and rows too large for accurate angles.

An angle of t turns is a sum of r products, each rounded once, by at most u|t_k|: u = ε/2, and t_k is the partial sum.
If these errors are independent and uniform, as in stochastic models of rounding [Higham and Mary 2019], and E t_k² ≤ E
t², the angle in radians has an error δ with Var δ ≤ (2πut)² r/3. The average cosine of the difference of two such
angles then has the factor E cos(δ − δ′) ≥ 1 − Var δ. Over n distinct frequencies the average scatters around that by at
most √(2 Var δ / n), its standard deviation: few frequencies, as of cosine(), lose more. The loss counts it twice.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.loading import sparse
from kernelspec.numerics.arrays import Projection, aligned

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = [
    "LOSS",
    "AngleSizes",
    "PackedHadamard",
    "PackedPhasors",
    "kept_size",
    "largest_size",
    "least_lost_turns",
    "lengths_of",
    "loss_of_a_turn",
    "losses",
    "pack_hadamard",
    "pack_phasors",
    "with_scatter",
]

LOSS = 1e-3
"""The loss up to which rows count as accurate."""

_NUMBERS = 2**20  # angles whose sizes are computed together


@dataclass(frozen=True, eq=False)
class AngleSizes:
    """Sizes of the angles of rows, for samples with frequencies `turns` (N, p), dense or CSR, in turns per unit.

    The angle of x is about √Σ_c (x_c turns_jc)² turns, computed per column, since a column of large numbers may have
    small frequencies.
    """

    turns: Any
    more_roundings: int = 0
    restored: bool = False
    """Whether angles of which rounding leaves nothing are computed again, exactly."""

    @cached_property
    def roundings(self) -> int:
        """Roundings per angle: one for every column with a frequency, plus `more_roundings`."""
        if isinstance(self.turns, np.ndarray):
            return int(self.turns.shape[1]) + self.more_roundings
        return int(np.diff(self.turns.tocsr().indptr).max(initial=0)) + self.more_roundings

    def accurate(self, dtype: np.dtype[Any]) -> float:
        """The size up to which numbers of a row have a loss of at most `LOSS`."""
        if dtype.char not in self._accurate:
            self._accurate[dtype.char] = accurate_size(lengths_of(self.turns), self.roundings, dtype)
        return self._accurate[dtype.char]

    def losses(self, rows: Any, dtype: np.dtype[Any]) -> NDArray[np.float64]:
        """The loss of rows (m, p), dense or CSR, whose angles are rounded in this type: (m,), 0 for accurate rows."""
        found = np.zeros(rows.shape[0])
        if largest_size(rows) <= self.accurate(dtype):
            return found
        for start, numbers in self._blocks(rows):
            with np.errstate(all="ignore"):
                # averaged over the samples; the bound of one sample may exceed 1
                least = np.square(lengths_of(numbers * self._bounds) / np.sqrt(2)) * loss_of_a_turn(dtype)
                large = np.flatnonzero(~(least * self.roundings <= _largest_variance(self.n_distinct)))
                sizes = self._of_rows(numbers[large])
                if self.restored:
                    sizes = np.where(are_lost(sizes, dtype), 0.0, sizes)
                own = losses(sizes, self.n_distinct, self.roundings, dtype)
                found[start + large] = np.where(own > LOSS, own, 0.0)
        return found

    @cached_property
    def _accurate(self) -> dict[str, float]:
        return {}

    @cached_property
    def n_distinct(self) -> int:
        """The number of distinct frequencies."""
        return _count_distinct(lengths_of(self.turns))

    def kept(self, dtype: np.dtype[Any]) -> float:
        """The size up to which numbers leave something of at least half of a row's angles."""
        return kept_size(self._typical, dtype)

    def lost(self, rows: Any, dtype: np.dtype[Any]) -> NDArray[np.bool_]:
        """Whether rounding leaves nothing of half of the angles of a row, for rows (m, p), dense or CSR."""
        if not self._typical:
            return np.zeros(rows.shape[0], dtype=bool)
        lost = np.zeros(rows.shape[0], dtype=bool)
        for start, numbers in self._blocks(rows):
            with np.errstate(all="ignore"):
                left = np.flatnonzero(~(lengths_of(numbers * self._bounds) <= kept_size(1.0, dtype)))
                lost[start + left] = are_lost(np.median(self._of_rows(numbers[left]), axis=1), dtype)
        return lost

    def _blocks(self, rows: Any) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Blocks of rows as arrays, with the index of their first row."""
        height = max(1, _NUMBERS // sum(self.turns.shape))
        for start in range(0, rows.shape[0], height):
            part = rows[start : start + height]
            yield start, (part if isinstance(part, np.ndarray) else part.toarray()).astype(np.float64)

    def _of_rows(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sizes of the angles of every row (m, p), in turns: (m, N)."""
        turned = numbers * self._fastest
        size = np.abs(turned).max(axis=1, keepdims=True, initial=0.0)
        squares = np.square(turned / np.where(size > 0, size, 1.0))
        total = self._squares(squares) if isinstance(self._squares, Projection) else squares @ self._squares
        return np.asarray(np.sqrt(total) * size)

    @cached_property
    def _bounds(self) -> NDArray[np.float64]:
        """√(2 mean_j turns_jc²) for every column: half of the squared sizes are at most twice their mean."""
        return np.asarray(lengths_of(self.turns.T) * np.sqrt(2 / self.turns.shape[0]))

    @cached_property
    def _typical(self) -> float:
        return float(np.median(lengths_of(self.turns))) if self.turns.shape[0] else 0.0

    @cached_property
    def _fastest(self) -> NDArray[np.float64]:
        """The largest turns in every column; one for columns without frequencies."""
        turns = abs(self.turns).max(axis=0)
        found = (turns if isinstance(turns, np.ndarray) else turns.toarray()).astype(np.float64).ravel()
        return np.asarray(np.where(found > 0, found, 1.0))

    @cached_property
    def _squares(self) -> Any:
        """The squared turns (p, N), scaled to a largest value of one in every column: packed, or sparse."""
        if isinstance(self.turns, np.ndarray):
            return Projection(np.square(self.turns / self._fastest).T)
        return (self.turns @ sparse.diags_array(1 / self._fastest)).power(2).T


def are_lost(turns: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[np.bool_]:
    """Whether rounding leaves nothing of angles of this size in turns; true for NaN."""
    return np.asarray(~(turns <= least_lost_turns(dtype)))


def losses(turns: NDArray[np.float64], n: int, roundings: int, dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """The loss of rows whose angles have sizes `turns` (m, N), averaged over the samples of n frequencies: (m,).

    No sample loses more than 1; infinite and NaN angles lose 1.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        own = np.square(turns) * (loss_of_a_turn(dtype) * roundings)
    variance = np.mean(np.where(own < 1, own, 1.0), axis=1)
    return np.asarray(np.minimum(with_scatter(variance, n), 1.0))


def with_scatter(variance: Any, n: int) -> Any:
    """The loss for a mean Var δ over samples of n distinct frequencies."""
    return variance + 2 * (2 * variance / max(n, 1)) ** 0.5


def _count_distinct(turns: NDArray[np.float64]) -> int:
    """The number of distinct frequencies, by their sizes in turns (N,); those of −ω have the errors of ω."""
    return len(np.unique(turns[turns > 0]))


def _largest_variance(n: int) -> float:
    """v with v + 2 √(2v/n) = `LOSS`."""
    scatter = 2 * math.sqrt(2 / max(n, 1))
    return ((math.sqrt(scatter**2 + 4 * LOSS) - scatter) / 2) ** 2


def accurate_size(turns: NDArray[np.float64], roundings: int, dtype: np.dtype[Any]) -> float:
    """The size up to which numbers of a row have a loss of at most `LOSS`, for samples with √Σ_c turns_c² = `turns`.

    The solution s of Σ_j min(1, a s² turns_j²) = v N, v as above. With the largest turns first, the sum is at most
    k + a s² Σ_{j > k} turns_j² for every k, with equality for some k: s is the largest solution over these bounds.
    """
    largest = float(turns.max(initial=0.0))
    if not 0 < largest < np.inf:
        return np.inf if largest == 0 else 0.0
    squares = np.square(np.sort(turns) / largest)
    budget = _largest_variance(_count_distinct(turns)) * len(turns)
    left = np.cumsum(squares)[::-1][: int(np.ceil(budget))]
    with np.errstate(divide="ignore"):
        sizes = (budget - np.arange(len(left))) / (loss_of_a_turn(dtype) * max(1, roundings) * left)
    return (1 - 2.0**-20) * float(np.sqrt(sizes.max())) / largest


def loss_of_a_turn(dtype: np.dtype[Any]) -> float:
    """(2πu)²/3: the loss of an angle of one turn rounded once."""
    return float((np.pi * np.finfo(dtype).eps) ** 2 / 3)


def kept_size(turns: float, dtype: np.dtype[Any]) -> float:
    """The size up to which numbers of a row keep the angle of a sample with √Σ_c turns_c² = `turns`.

    Slightly less, so that it agrees with `AngleSizes.lost`, which is rounded.
    """
    return (1 - 2.0**-20) * least_lost_turns(dtype) / turns if turns else np.inf


def lengths_of(rows: Any) -> NDArray[np.float64]:
    """√Σ_c x_c² of every row (m, p), dense or sparse, without overflow of the squares."""
    with np.errstate(all="ignore"):
        if isinstance(rows, np.ndarray):
            size = np.abs(rows).max(axis=1, initial=0.0).astype(np.float64)
            divisor = np.where(size > 0, size, 1.0)[:, None]
            scaled = np.divide(rows, divisor, order="C")  # summation follows the order in memory
            return np.asarray(np.sqrt(np.square(scaled).sum(axis=1)) * size)
        table = rows.tocsr(copy=True)
        size = abs(table).max(axis=1).toarray().astype(np.float64).ravel()
        table.data = table.data / np.repeat(np.where(size > 0, size, 1.0), np.diff(table.indptr))
        return np.asarray(np.sqrt(table.power(2).sum(axis=1)).ravel() * size)


def largest_size(numbers: Any) -> float:
    """The largest absolute value of an array, dense or CSR; NaN if it contains NaN, 0 if it is empty."""
    own = numbers if isinstance(numbers, np.ndarray) else numbers.data
    return float(np.abs(own).max(initial=0.0))


def least_lost_turns(dtype: np.dtype[Any]) -> float:
    """The turns from which rounding loses a quarter of a turn or more: 2⁵¹ in double precision, 2²² in single."""
    return float(2.0 ** (np.finfo(dtype).nmant - 1))


@dataclass(frozen=True, eq=False)
class _Packed(ABC):
    """n samples with `offsets` in turns and amplitudes `sizes`, both zero-padded."""

    n: int
    form: Form
    offsets: NDArray[Any]
    sizes: NDArray[Any]

    @abstractmethod
    def slope(self) -> float:
        """A bound on the angles in turns, and on all numbers on the way, of rows whose numbers are at most 1."""

    @abstractmethod
    def sizes_kept(self) -> tuple[float, float]:
        """`largest_meaningful` and `largest_accurate`."""

    @cached_property
    def largest_meaningful(self) -> float:
        """If no number is larger than this, rounding leaves something of at least half of the angles."""
        return self.sizes_kept()[0]

    @cached_property
    def largest_accurate(self) -> float:
        """If no number is larger than this, rounding loses at most `LOSS`."""
        return self.sizes_kept()[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the arithmetic."""
        return self.sizes.dtype

    @cached_property
    def largest_safe(self) -> float:
        """Features are finite for rows with no number above this size; 0 if no such size is known."""
        with np.errstate(over="ignore", invalid="ignore"):
            slope, most = self.slope(), float(np.finfo(self.dtype).max) / 4
            fits = np.isfinite(self.sizes).all() and float(np.abs(self.offsets).max()) < most and slope < np.inf
        return float(most / max(slope, 1.0)) if fits else 0.0

    @cached_property
    def ordinary(self) -> float:
        """Rows with no number above this size are safe and accurate."""
        size = min(self.largest_safe, self.largest_meaningful, self.largest_accurate)
        own = self.dtype.type(size)
        return float(own if float(own) <= size else np.nextafter(own, self.dtype.type(0)))


@dataclass(frozen=True, eq=False)
class PackedPhasors(_Packed):
    """n samples of p columns: `weights` (panels, p or 1, panel) in turns, `offsets` and `sizes` (panels, panel)."""

    weights: NDArray[Any]

    @cached_property
    def work(self) -> int:
        panels, depth, panel = self.weights.shape
        return int(panels * panel * (depth + 32))

    def slope(self) -> float:
        return max(float(self.weights.max()), -float(self.weights.min())) * float(self.weights.shape[1])

    def sizes_kept(self) -> tuple[float, float]:
        median = float(np.median(self.turns))
        return kept_size(median, self.dtype), accurate_size(self.turns, self.weights.shape[1], self.dtype)

    @cached_property
    def turns(self) -> NDArray[np.float64]:
        """The largest turns of a row of length one: (n,)."""
        panels, depth, panel = self.weights.shape
        height = max(1, _NUMBERS // (depth * panel))
        parts = (self.weights[start : start + height] for start in range(0, panels, height))
        return np.concatenate([lengths_of(part.transpose(0, 2, 1).reshape(-1, depth)) for part in parts])[: self.n]

    def lost(self, rows: Any) -> NDArray[np.bool_]:
        return self._angles.lost(rows, self.dtype)

    def losses(self, rows: Any) -> NDArray[np.float64]:
        accurate = largest_size(rows) <= self.largest_accurate
        return np.zeros(rows.shape[0]) if accurate else self._angles.losses(rows, self.dtype)

    @cached_property
    def _angles(self) -> AngleSizes:
        """Built on first need, since it is as large as the weights."""
        turns = self.weights.transpose(0, 2, 1).reshape(-1, self.weights.shape[1])[: self.n]
        return AngleSizes(turns, restored=True)


def pack_phasors(
    weights: NDArray[Any], phases: NDArray[np.float64], amplitudes: NDArray[np.float64], form: Form
) -> PackedPhasors:
    """Frequencies, in turns and packed, with phases in radians and amplitudes, both (N,)."""
    shape = (weights.shape[0], weights.shape[2])
    offsets = _padded(shape, weights.dtype, phases / (2 * np.pi))
    return PackedPhasors(len(phases), form, offsets, _padded(shape, weights.dtype, _heights(amplitudes, form)), weights)


def _heights(amplitudes: NDArray[np.float64], form: Form) -> NDArray[np.float64]:
    return amplitudes * np.sqrt(2.0) if form == "phase" else amplitudes


def _padded(shape: tuple[int, int], dtype: np.dtype[Any], numbers: NDArray[Any]) -> NDArray[Any]:
    packed = aligned(shape, dtype)
    packed[...] = 0
    with np.errstate(over="ignore"):
        packed.reshape(-1)[: len(numbers)] = numbers
    return packed


@dataclass(frozen=True, eq=False)
class PackedHadamard(_Packed):
    """n samples of d columns: `factors` (blocks, 3, p); `lengths`, in turns, `offsets` and `sizes` (blocks, p)."""

    factors: NDArray[Any]
    lengths: NDArray[Any]

    @property
    def size(self) -> int:
        """p: the padded length of a row, and the samples per block."""
        return int(self.factors.shape[2])

    @cached_property
    def work(self) -> int:
        return int(self.lengths.size * (3 * math.log2(self.size) + 32))

    def slope(self) -> float:
        turned = float(np.abs(self.lengths).max(initial=0.0))
        return float(float(self.size) ** 3 * max(float(np.abs(self.factors[:, 0]).max()), 1.0) * max(turned, 1.0))

    def sizes_kept(self) -> tuple[float, float]:
        kept = kept_size(self._typical_length * self._stretch, self.dtype)
        return kept, accurate_size(self._turns * self._stretch, self._roundings, self.dtype)

    @property
    def _stretch(self) -> float:
        """The length of a row of ones after the first diagonal."""
        return float(lengths_of(self.factors[:1, 0])[0])

    @property
    def _turns(self) -> NDArray[np.float64]:
        """Approximate turns of the samples for a row of length one: (n,)."""
        return np.asarray(np.abs(self.lengths.ravel()[: self.n]), dtype=np.float64) * self.size

    @property
    def _roundings(self) -> int:
        """Roundings per angle: additions of three transforms, scales, and the length."""
        return int(3 * math.log2(self.size)) + 2

    def lost(self, rows: Any) -> NDArray[np.bool_]:
        """Each of the three transforms of p numbers makes a row √p times as long, spread evenly over p samples."""
        return are_lost(self._lengths_of(rows) * self._typical_length, self.dtype)

    def losses(self, rows: Any) -> NDArray[np.float64]:
        found, lengths = np.zeros(rows.shape[0]), self._lengths_of(rows)
        large, n = np.flatnonzero(~(lengths <= self.largest_accurate * self._stretch)), _count_distinct(self._turns)
        for row in large:
            found[row] = losses(lengths[row] * self._turns[None], n, self._roundings, self.dtype)[0]
        return found

    def _lengths_of(self, rows: Any) -> NDArray[np.float64]:
        """The lengths of rows after scaling their columns: (m,)."""
        table = rows if isinstance(rows, np.ndarray) else rows.toarray()
        with np.errstate(over="ignore"):
            return lengths_of(table * self.factors[0, 0, : table.shape[1]].astype(np.float64))

    @cached_property
    def _typical_length(self) -> float:
        """Approximate upper bound on the turns of half of the samples for a row of length one."""
        return float(np.median(self._turns))


def pack_hadamard(
    signs: NDArray[Any],
    lengths: NDArray[np.float64],
    scales: NDArray[np.float64],
    phases: NDArray[np.float64],
    amplitudes: NDArray[np.float64],
    form: Form,
    dtype: np.dtype[Any],
) -> PackedHadamard:
    """Frequencies ω_j = length_j · row j of H D₁ H D₂ H D₃ / p, its first d entries times `scales` (d,), p at a time.

    `signs` (blocks, 3, p) are the diagonals D₁, D₂, D₃ of every block, ±1; `lengths`, `phases` in radians and
    `amplitudes` are (n,) with (blocks − 1) p < n ≤ blocks p.
    """
    blocks, _, p = signs.shape
    factors, shape = aligned(signs.shape, dtype), (blocks, p)
    with np.errstate(over="ignore"):
        factors[...] = signs[:, ::-1]  # the last diagonal is applied first
        factors[:, 0, len(scales) :] = 0
        factors[:, 0, : len(scales)] *= scales.astype(dtype)
    turned = _padded(shape, dtype, lengths / (2 * np.pi * p))
    offsets = _padded(shape, dtype, phases / (2 * np.pi))
    sizes = _padded(shape, dtype, _heights(amplitudes, form))
    return PackedHadamard(len(lengths), form, offsets, sizes, factors, turned)
