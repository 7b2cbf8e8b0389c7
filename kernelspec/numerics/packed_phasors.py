"""Frequencies, phases and amplitudes as the compiled loops read them: in turns, in tiles, in one precision."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = ["PackedPhasors", "pack_phasors", "pack_weights"]

_TILE = 512
"""Samples of a tile at most: what belongs to them and a few rows stays in the processor's cache."""

_LANES = 16
"""A tile has a multiple of these: the numbers of one register."""

_DEPTH = 4
"""Columns are filled up to a multiple of these: they are taken four at a time."""


@dataclass(frozen=True, eq=False)
class PackedPhasors:
    """n samples of p columns: `weights` (tiles, p filled up, tile) in turns, `offsets` and `sizes` (tiles, tile)."""

    n: int
    form: Form
    weights: NDArray[Any]
    offsets: NDArray[Any]
    sizes: NDArray[Any]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the arithmetic."""
        return self.weights.dtype

    @property
    def tile(self) -> int:
        """Samples of a tile."""
        return int(self.weights.shape[2])

    @property
    def work(self) -> int:
        """Products for a row, about: a sine takes as long as some of them."""
        tiles, depth, tile = self.weights.shape
        return int(tiles * tile * (depth + 32))

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
        """Numbers of this size turn half of the samples so often that rounding leaves nothing of their angles.

        A quarter of a turn is lost from 2⁵¹ turns on in double precision, 2²² in single.
        """
        rates = np.sort(np.abs(self.weights).max(axis=1).ravel()[: self.n])
        typical = float(rates[(self.n - 1) // 2]) / 2 + float(rates[self.n // 2]) / 2
        return float(2.0 ** (np.finfo(self.dtype).nmant - 1) / typical) if typical else np.inf


def pack_weights(weights: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Weights (N, p) in tiles of samples, filled up with zeros: (tiles, p filled up, tile)."""
    n, p = weights.shape
    tiles = max(1, -(-n // _TILE))
    tile = max(1, -(-n // (tiles * _LANES))) * _LANES
    packed = aligned((tiles, max(1, -(-p // _DEPTH)) * _DEPTH, tile), dtype)
    packed[...] = 0
    with np.errstate(over="ignore"):
        for b in range(tiles):
            own = weights[b * tile : (b + 1) * tile]
            packed[b, :p, : len(own)] = own.T
    return packed


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
