"""Random binning: the key of a sample is the cell of a random grid that a row falls into."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.packed_weights import pack_weights
from kernelspec.numerics.plain import plain
from kernelspec.random.hashing import Hashes
from kernelspec.samples.declared_arrays import array, places
from kernelspec.samples.keys.drawn_key import DrawnKey
from kernelspec.samples.samples import BucketArguments, Side

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["BinningKey"]


@dataclass(frozen=True)
class BinningKey(DrawnKey):
    """The bin ⌊x_i / r_i + u_i⌋ in every column: pitches r > 0 and offsets 0 ≤ u < 1 in pitches, both (n, d).

    Two rows share the key of a sample exactly where all their bins are equal (up to collisions of 64-bit hashes).
    Numbers of any size have bins: where those are narrower than the spacing of floating-point numbers, or the pitch
    is too small to be told from zero, equal numbers share one and different ones do not.
    """

    kind: ClassVar[str] = "binning"

    pitches: NDArray[np.float64] = array("float64", "samples", "columns", above=0)
    offsets: NDArray[np.float64] = array("float64", "samples", "columns", at_least=0, below=1)
    positions: tuple[int, ...] = places("columns")

    @property
    def columns(self) -> tuple[int, ...]:
        return self.positions

    def keys(self, rows: Rows, side: Side) -> Hashes:
        return self.keys_into(rows, side, np.empty((len(rows), len(self.pitches)), dtype=np.uint64))

    def keys_into(self, rows: Rows, side: Side, out: Hashes) -> Hashes:
        from kernelspec.numerics.bin_kernels import bin_keys

        del side
        bin_keys(self._numbers(rows), *self._grid, out)
        return out

    def write_buckets(self, rows: Rows, arguments: BucketArguments) -> bool:
        from kernelspec.numerics.bin_bucket_kernels import bucket_bins

        inverse, offsets, largest = self._grid
        bucket_bins(self._numbers(rows), inverse, offsets, largest, *arguments)
        return True

    def _numbers(self, rows: Rows) -> NDArray[np.float64]:
        return plain(rows.select(self.positions).dense(), np.dtype(np.float64))

    @cached_property
    def _grid(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
        """1/r and u in panels of samples, and for every column of the data an |x| up to which x/r is below 2⁵²."""
        with np.errstate(divide="ignore", over="ignore"):
            inverse = 1 / self.pitches
        largest = 2.0**52 / inverse.max(axis=0, initial=1.0)
        double = np.dtype(np.float64)
        return pack_weights(inverse, double), pack_weights(self.offsets, double), largest
