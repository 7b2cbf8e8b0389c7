"""Frequencies and phases as the compiled loops read them, in panels, and rows too large for their angles.

An angle of t turns is a sum of r products, each rounded once, by at most u|t_k|: u = ε/2, and t_k is the sum so far.
If these errors are independent and uniform, as stochastic models of rounding have it [Higham and Mary 2019], and
E t_k² ≤ E t², the angle in radians is off by δ with Var δ ≤ (2πut)² r/3. The mean of the cosine of the difference of
two such angles then has the factor E cos(δ − δ′) ≥ 1 − Var δ. What is missing of the factor is the loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.arrays import Projection, aligned

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = [
    "LOSS",
    "AngleSizes",
    "PackedHadamard",
    "PackedPhasors",
    "accurate_size",
    "are_lost",
    "kept_size",
    "largest_size",
    "least_lost_turns",
    "lengths_of",
    "loss_of_a_turn",
    "losses",
    "pack_hadamard",
    "pack_phasors",
    "rounded_down",
]

LOSS = 1e-3
"""The loss up to which rows count as accurate."""

_NUMBERS = 2**20
"""Angles whose sizes are looked at together."""


@dataclass(frozen=True, eq=False)
class AngleSizes:
    """How large the angles of rows are for samples that a one in each column turns so often: `turns` (N, p), or CSR.

    The angle of x is about √Σ_c (x_c turns_jc)² turns: column by column, as one of large numbers may have small
    frequencies.
    """

    turns: Any
    more_roundings: int = 0

    @cached_property
    def roundings(self) -> int:
        """How often an angle is rounded: once for every column with a frequency, and `more_roundings`."""
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
                # on average over the samples, each of which may lose more than all
                least = np.square(lengths_of(numbers * self._bounds) / np.sqrt(2)) * loss_of_a_turn(dtype)
                large = np.flatnonzero(~(least * self.roundings <= LOSS))
                own = losses(self._of_rows(numbers[large]), self.roundings, dtype)
                found[start + large] = np.where(own > LOSS, own, 0.0)
        return found

    @cached_property
    def _accurate(self) -> dict[str, float]:
        return {}

    def kept(self, dtype: np.dtype[Any]) -> float:
        """The size up to which numbers leave something of half of the angles of a row, at least."""
        return kept_size(self._typical, dtype)

    def lost(self, rows: Any, dtype: np.dtype[Any]) -> NDArray[np.bool_]:
        """For rows (m, p), dense or CSR, whether rounding leaves nothing of half of their angles: of each by itself."""
        if not self._typical:
            return np.zeros(rows.shape[0], dtype=bool)
        lost = np.zeros(rows.shape[0], dtype=bool)
        for start, numbers in self._blocks(rows):
            with np.errstate(all="ignore"):
                left = np.flatnonzero(~(lengths_of(numbers * self._bounds) <= kept_size(1.0, dtype)))
                lost[start + left] = are_lost(np.median(self._of_rows(numbers[left]), axis=1), dtype)
        return lost

    def _blocks(self, rows: Any) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Some rows at a time as an array, and the number of the first."""
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
        """√(2 mean_j turns_jc²) for every column: half of the squares of sizes are at most twice their mean."""
        return np.asarray(lengths_of(self.turns.T) * np.sqrt(2 / self.turns.shape[0]))

    @cached_property
    def _typical(self) -> float:
        return float(np.median(lengths_of(self.turns))) if self.turns.shape[0] else 0.0

    @cached_property
    def _fastest(self) -> NDArray[np.float64]:
        """The largest turns in every column; one where there are none."""
        turns = abs(self.turns).max(axis=0)
        found = (turns if isinstance(turns, np.ndarray) else turns.toarray()).astype(np.float64).ravel()
        return np.asarray(np.where(found > 0, found, 1.0))

    @cached_property
    def _squares(self) -> Any:
        """The squares of the turns (p, N), of which the largest is one in every column: packed, or sparse."""
        if isinstance(self.turns, np.ndarray):
            return Projection(np.square(self.turns / self._fastest).T)
        from scipy.sparse import diags_array

        return (self.turns @ diags_array(1 / self._fastest)).power(2).T


def are_lost(turns: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[np.bool_]:
    """Whether of so many turns nothing is left in rounding; of NaN nothing is."""
    return np.asarray(~(turns <= least_lost_turns(dtype)))


def losses(turns: NDArray[np.float64], roundings: int, dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """The loss of rows whose angles have these sizes in `turns` (m, N), on average over the samples: (m,).

    No sample loses more than all of it; what is infinite or NaN does.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        own = np.square(turns) * (loss_of_a_turn(dtype) * roundings)
    return np.asarray(np.mean(np.where(own < 1, own, 1.0), axis=1))


def accurate_size(turns: NDArray[np.float64], roundings: int, dtype: np.dtype[Any]) -> float:
    """The size up to which numbers of a row have a loss of at most `LOSS`, for samples whose √Σ_c turns_c² is `turns`.

    The solution s of Σ_j min(1, a s² turns_j²) = `LOSS` N. With the largest turns first, the sum is at most
    k + a s² Σ_{j > k} turns_j² for every k, and equal for some k: s is the largest of the solutions for these bounds.
    """
    largest = float(turns.max(initial=0.0))
    if not 0 < largest < np.inf:
        return np.inf if largest == 0 else 0.0
    squares = np.square(np.sort(turns) / largest)
    budget = LOSS * len(turns)
    left = np.cumsum(squares)[::-1][: int(np.ceil(budget))]
    with np.errstate(divide="ignore"):
        sizes = (budget - np.arange(len(left))) / (loss_of_a_turn(dtype) * max(1, roundings) * left)
    return (1 - 2.0**-20) * float(np.sqrt(sizes.max())) / largest


def loss_of_a_turn(dtype: np.dtype[Any]) -> float:
    """(2πu)²/3: what an angle of one turn loses that is rounded once."""
    return float((np.pi * np.finfo(dtype).eps) ** 2 / 3)


def kept_size(turns: float, dtype: np.dtype[Any]) -> float:
    """The size up to which numbers of a row keep the angle of a sample whose √Σ_c turns_c² is `turns`.

    A little less, as `AngleSizes.lost` is rounded, and is to say the same of every row.
    """
    return (1 - 2.0**-20) * least_lost_turns(dtype) / turns if turns else np.inf


def lengths_of(rows: Any) -> NDArray[np.float64]:
    """√Σ_c x_c² of every row (m, p), dense or sparse, where squares may be beyond all numbers."""
    with np.errstate(all="ignore"):
        if isinstance(rows, np.ndarray):
            size = np.abs(rows).max(axis=1, initial=0.0).astype(np.float64)
            divisor = np.where(size > 0, size, 1.0)[:, None]
            scaled = np.divide(rows, divisor, order="C")  # the order of a sum is that of memory
            return np.asarray(np.sqrt(np.square(scaled).sum(axis=1)) * size)
        table = rows.tocsr(copy=True)
        size = abs(table).max(axis=1).toarray().astype(np.float64).ravel()
        table.data = table.data / np.repeat(np.where(size > 0, size, 1.0), np.diff(table.indptr))
        return np.asarray(np.sqrt(table.power(2).sum(axis=1)).ravel() * size)


def largest_size(numbers: Any) -> float:
    """The largest absolute value of an array, dense or CSR; NaN where one is NaN, 0 where there are none."""
    own = numbers if isinstance(numbers, np.ndarray) else numbers.data
    return float(np.abs(own).max(initial=0.0))


def least_lost_turns(dtype: np.dtype[Any]) -> float:
    """The turns from which on rounding loses a quarter of one or more: 2⁵¹ in double precision, 2²² in single."""
    return float(2.0 ** (np.finfo(dtype).nmant - 1))


@dataclass(frozen=True, eq=False)
class PackedPhasors:
    """n samples of p columns: `weights` (panels, p or 1, panel) in turns, `offsets` and `sizes` (panels, panel)."""

    n: int
    form: Form
    weights: NDArray[Any]
    offsets: NDArray[Any]
    sizes: NDArray[Any]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the arithmetic."""
        return self.weights.dtype

    @cached_property
    def work(self) -> int:
        """Products for a row, about: a sine takes as long as some of them."""
        panels, depth, panel = self.weights.shape
        return int(panels * panel * (depth + 32))

    @cached_property
    def largest_safe(self) -> float:
        """The features of rows whose numbers are at most this in size are finite; 0 where no such size is known."""
        columns = self.weights.shape[1]
        with np.errstate(over="ignore", invalid="ignore"):
            slope = max(float(self.weights.max()), -float(self.weights.min())) * columns
            most = float(np.finfo(self.dtype).max) / 4
            fits = np.isfinite(self.sizes).all() and float(np.abs(self.offsets).max()) < most and slope < np.inf
        return float(most / max(slope, 1.0)) if fits else 0.0

    @cached_property
    def largest_meaningful(self) -> float:
        """Where no number is larger than this, rounding leaves something of half of the angles at least."""
        return kept_size(float(np.median(self._turns)), self.dtype)

    @cached_property
    def largest_accurate(self) -> float:
        """Where no number is larger than this, rounding loses next to nothing: `LOSS` at most."""
        return accurate_size(self._turns, self.weights.shape[1], self.dtype)

    @cached_property
    def _turns(self) -> NDArray[np.float64]:
        """How often a row of length one turns, at most: (n,)."""
        panels, depth, panel = self.weights.shape
        height = max(1, _NUMBERS // (depth * panel))
        parts = (self.weights[start : start + height] for start in range(0, panels, height))
        return np.concatenate([lengths_of(part.transpose(0, 2, 1).reshape(-1, depth)) for part in parts])[: self.n]

    def lost(self, rows: Any) -> NDArray[np.bool_]:
        """For rows (m, p), dense or CSR, whether rounding leaves nothing of half of their angles."""
        return self._angles.lost(rows, self.dtype)

    def losses(self, rows: Any) -> NDArray[np.float64]:
        """The share of the features' products that rows (m, p), dense or CSR, lose in rounding: (m,)."""
        accurate = largest_size(rows) <= self.largest_accurate
        return np.zeros(rows.shape[0]) if accurate else self._angles.losses(rows, self.dtype)

    @cached_property
    def _angles(self) -> AngleSizes:
        """Made for the first rows that may have lost some: as large as the weights."""
        return AngleSizes(self.weights.transpose(0, 2, 1).reshape(-1, self.weights.shape[1])[: self.n])

    @cached_property
    def ordinary(self) -> float:
        """Rows of numbers of at most this size are safe and accurate."""
        return rounded_down(min(self.largest_safe, self.largest_meaningful, self.largest_accurate), self.dtype)


def rounded_down(size: float, dtype: np.dtype[Any]) -> float:
    """The largest number of a type that is at most `size` ≥ 0, which is finite in that type."""
    own = dtype.type(size)
    return float(own if float(own) <= size else np.nextafter(own, dtype.type(0)))


def pack_phasors(
    weights: NDArray[Any], phases: NDArray[np.float64], amplitudes: NDArray[np.float64], form: Form
) -> PackedPhasors:
    """Frequencies, in turns and packed, with phases in radians and amplitudes, both (N,)."""
    shape = (weights.shape[0], weights.shape[2])
    offsets, sizes = aligned(shape, weights.dtype), aligned(shape, weights.dtype)
    scale = np.sqrt(2.0) if form == "phase" else 1.0
    with np.errstate(over="ignore"):
        for packed, own in ((offsets, phases / (2 * np.pi)), (sizes, amplitudes * scale)):
            packed[...] = 0
            packed.reshape(-1)[: len(own)] = own
    return PackedPhasors(len(phases), form, weights, offsets, sizes)


@dataclass(frozen=True, eq=False)
class PackedHadamard:
    """n samples of d columns: `factors` (blocks, 3, p); `lengths`, in turns, `offsets` and `sizes` (blocks, p)."""

    n: int
    form: Form
    factors: NDArray[Any]
    lengths: NDArray[Any]
    offsets: NDArray[Any]
    sizes: NDArray[Any]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the arithmetic."""
        return self.factors.dtype

    @property
    def size(self) -> int:
        """p, the numbers of a row filled up with zeros, and the samples of a block."""
        return int(self.factors.shape[2])

    @cached_property
    def work(self) -> int:
        """Products for a row, about: a sine takes as long as some of them, and so do the additions of a column."""
        return int(self.lengths.size * (3 * math.log2(self.size) + 32))

    @cached_property
    def largest_safe(self) -> float:
        """The features of rows whose numbers are at most this in size are finite; 0 where no such size is known."""
        with np.errstate(over="ignore", invalid="ignore"):
            turned = float(np.abs(self.lengths).max(initial=0.0))
            slope = float(self.size) ** 3 * max(float(np.abs(self.factors[:, 0]).max()), 1.0) * max(turned, 1.0)
            most = float(np.finfo(self.dtype).max) / 4
            fits = np.isfinite(self.sizes).all() and float(np.abs(self.offsets).max()) < most and slope < np.inf
        return float(most / slope) if fits else 0.0

    @cached_property
    def largest_meaningful(self) -> float:
        """Where no number is larger than this, rounding leaves something of half of the angles at least."""
        return kept_size(self._typical_length * self._stretch, self.dtype)

    @cached_property
    def largest_accurate(self) -> float:
        """Where no number is larger than this, rounding loses next to nothing: `LOSS` at most."""
        return accurate_size(self._turns * self._stretch, self._roundings, self.dtype)

    @property
    def _stretch(self) -> float:
        """How long a row of ones is when it is transformed."""
        return float(lengths_of(self.factors[:1, 0])[0])

    @property
    def _turns(self) -> NDArray[np.float64]:
        """Turns of the samples for a row of length one, about: (n,)."""
        return np.asarray(np.abs(self.lengths.ravel()[: self.n]), dtype=np.float64) * self.size

    @property
    def _roundings(self) -> int:
        """Of an angle: by additions of three transforms, by scales and by its length."""
        return int(3 * math.log2(self.size)) + 2

    def lost(self, rows: Any) -> NDArray[np.bool_]:
        """For rows (m, p), dense or CSR, whether rounding leaves nothing of half of their angles.

        Three transforms of p numbers each make a row √p times as long, and spread it over p samples alike.
        """
        return are_lost(self._lengths_of(rows) * self._typical_length, self.dtype)

    def losses(self, rows: Any) -> NDArray[np.float64]:
        """The share of the features' products that rows (m, p), dense or CSR, lose in rounding: (m,)."""
        found, lengths = np.zeros(rows.shape[0]), self._lengths_of(rows)
        large = np.flatnonzero(~(lengths <= self.largest_accurate * self._stretch))
        for row in large:
            found[row] = losses(lengths[row] * self._turns[None], self._roundings, self.dtype)[0]
        return found

    def _lengths_of(self, rows: Any) -> NDArray[np.float64]:
        """How long the rows are when their columns are scaled: (m,)."""
        table = rows if isinstance(rows, np.ndarray) else rows.toarray()
        with np.errstate(over="ignore"):
            return lengths_of(table * self.factors[0, 0, : table.shape[1]].astype(np.float64))

    @cached_property
    def _typical_length(self) -> float:
        """Turns of half of the samples for a row of length one, about, or more."""
        return float(np.median(self._turns))

    @cached_property
    def ordinary(self) -> float:
        """Rows of numbers of at most this size are safe and accurate."""
        return rounded_down(min(self.largest_safe, self.largest_meaningful, self.largest_accurate), self.dtype)


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
    factors = aligned(signs.shape, dtype)
    shape, turned = (blocks, p), np.sqrt(2.0) if form == "phase" else 1.0
    with np.errstate(over="ignore"):
        factors[...] = signs[:, ::-1]  # the last diagonal is the first that a row meets
        factors[:, 0, len(scales) :] = 0
        factors[:, 0, : len(scales)] *= scales.astype(dtype)
        packed = []
        for own in (lengths / (2 * np.pi * p), phases / (2 * np.pi), amplitudes * turned):
            filled = aligned(shape, dtype)
            filled[...] = 0
            filled.reshape(-1)[: len(own)] = own
            packed.append(filled)
    turned_lengths, offsets, sizes = packed
    return PackedHadamard(len(lengths), form, factors, turned_lengths, offsets, sizes)
