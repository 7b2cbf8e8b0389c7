"""Generalized consistent weighted sampling: the key of a sample is (i*, t*) of Li 2017, Algorithm 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes
from kernelspec.samples.declared_arrays import array, places
from kernelspec.samples.keys.drawn_key import DrawnKey
from kernelspec.samples.keys.nonzeros import Nonzeros, nonzeros
from kernelspec.samples.samples import Side

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["LARGEST_TABLE", "ROWS_AT_ONCE", "TILE", "GcwsKey"]

TILE = 256
LARGEST_TABLE = 2**24
"""Up to this many (coordinate, sample) pairs, 12 bytes each, the random numbers are kept; beyond they are made anew."""
ROWS_AT_ONCE = 16
"""Rows that share a tile of the tables where these are made anew."""
_NONZEROS_AT_ONCE = 2**20
_COORDINATES_AT_ONCE = 128
"""Of which random numbers are made before the rows take them: 400 kilobytes, in the processor's cache."""


@dataclass(frozen=True)
class GcwsKey(DrawnKey):
    """(i*, t*) in 64 bits for every sample; its random numbers are hashes of `words` (n,) and of the coordinates.

    P(keys of x and y agree) = Σ min(x̃, ỹ)/Σ max(x̃, ỹ), up to the single precision of ln x̃: relative 1e-7·(1 + |ln x̃|).
    Rows of zeros share a key of their own. With `zero_bit` the key is i* alone: agrees more often, biased upwards.
    """

    kind: ClassVar[str] = "gcws"

    words: Hashes = array("uint64", "samples")
    positions: tuple[int, ...] = places()
    zero_bit: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        return self.positions

    def keys(self, rows: Rows, side: Side = "left") -> Hashes:
        return self.keys_into(rows, side, np.empty((len(rows), len(self.words)), dtype=np.uint64))

    def keys_into(self, rows: Rows, side: Side, out: Hashes) -> Hashes:
        from kernelspec.numerics.gcws_kernels import scramble_words, winners
        from kernelspec.numerics.gcws_number_kernels import logarithms

        del side
        entries = nonzeros(rows, self.positions)
        if 2 * len(self.positions) * len(self.words) <= LARGEST_TABLE:
            logs = logarithms(entries.weights)
            winners(entries.pointers, entries.coordinates, entries.coordinates, logs, self._tables, out)
        else:
            from kernelspec.numerics.gcws_passing_kernels import passing_winners

            table = np.empty((_COORDINATES_AT_ONCE, 3, self._tile), dtype=np.float32)
            for part, some in _parts(entries):
                met, places = np.unique(some.coordinates, return_inverse=True)
                logs = logarithms(some.weights)
                passing_winners(some.pointers, some.coordinates, places, met, logs, self.words, table, out[part])
        scramble_words(out, self.zero_bit)
        return out

    @cached_property
    def _tables(self) -> NDArray[np.float32]:
        from kernelspec.numerics.gcws_number_kernels import random_tables

        return np.asarray(random_tables(self.words, np.arange(2 * len(self.positions)), self._tile))

    @property
    def _tile(self) -> int:
        return min(TILE, -(-len(self.words) // 16) * 16)


def _parts(entries: Nonzeros) -> Iterator[tuple[slice, Nonzeros]]:
    """The rows in parts of so many nonzeros, or of one row."""
    pointers, row, n = entries.pointers, 0, len(entries.pointers) - 1
    while row < n:
        reach = np.searchsorted(pointers, pointers[row] + _NONZEROS_AT_ONCE, side="right") - 1
        stop = max(row + 1, int(reach))
        inside = slice(pointers[row], pointers[stop])
        own = Nonzeros(pointers[row : stop + 1] - pointers[row], entries.coordinates[inside], entries.weights[inside])
        yield slice(row, stop), own
        row = stop
