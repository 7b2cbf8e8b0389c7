"""Structured frequencies as the compiled loop reads them: signs, lengths, phases and amplitudes, in blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned
from kernelspec.numerics.lost_angles import accurate_size, are_lost, kept_size, lengths_of, losses
from kernelspec.numerics.packed_phasors import rounded_down

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = ["PackedHadamard", "pack_hadamard"]


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
