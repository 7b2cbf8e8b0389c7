"""Frequencies, phases and amplitudes as the compiled loops read them: in turns, in panels, in one precision."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned
from kernelspec.numerics.lost_angles import AngleSizes, accurate_size, kept_size, largest_size, lengths_of

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = ["PackedPhasors", "pack_phasors", "rounded_down"]


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

    @property
    def _turns(self) -> NDArray[np.float64]:
        """How often a row of length one turns, at most: (n,)."""
        return np.concatenate([lengths_of(panel.T) for panel in self.weights])[: self.n]

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
