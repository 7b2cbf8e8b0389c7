"""Hash keys of consistent weighted sampling: GCWS and Poisson."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.streams import Hashes
from kernelspec.samples.declared_arrays import array, places
from kernelspec.samples.keys import DrawnKey
from kernelspec.samples.samples import Side

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["LARGEST_TABLE", "ROWS_AT_ONCE", "TILE", "GcwsKey", "Nonzeros", "PoissonKey", "nonzeros"]


class Nonzeros(NamedTuple):
    """Row r has `weights[pointers[r]:pointers[r + 1]]` on `coordinates`, in the order of the columns.

    Coordinate 2i is the positive part of column i, 2i + 1 the negative one.
    """

    pointers: NDArray[np.int64]
    coordinates: NDArray[np.int64]
    weights: NDArray[np.float64]


def nonzeros(rows: Rows, positions: tuple[int, ...]) -> Nonzeros:
    """The entries of some columns: ũ_{2i} = max(u_i, 0), ũ_{2i+1} = max(−u_i, 0). Sparse rows stay sparse."""
    from kernelspec.numerics.key_kernels import entries_of_csr, entries_of_dense

    numbers = rows.select(positions).numbers
    if isinstance(numbers, np.ndarray):
        return Nonzeros(*entries_of_dense(np.ascontiguousarray(numbers)))
    if not numbers.has_canonical_format:
        numbers = numbers.copy()
        numbers.sum_duplicates()
    return Nonzeros(*entries_of_csr(numbers.indptr, numbers.indices, numbers.data))


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
        from kernelspec.numerics.gcws_kernels import logarithms, scramble_words, winners

        del side
        entries = nonzeros(rows, self.positions)
        if 2 * len(self.positions) * len(self.words) <= LARGEST_TABLE:
            logs = logarithms(entries.weights)
            winners(entries.pointers, entries.coordinates, entries.coordinates, logs, self._tables, out)
        else:
            from kernelspec.numerics.gcws_kernels import passing_winners

            table = np.empty((_COORDINATES_AT_ONCE, 3, self._tile), dtype=np.float32)
            for part, some in _parts(entries):
                met, places = np.unique(some.coordinates, return_inverse=True)
                logs = logarithms(some.weights)
                passing_winners(some.pointers, some.coordinates, places, met, logs, self.words, table, out[part])
        scramble_words(out, self.zero_bit)
        return out

    @cached_property
    def _tables(self) -> NDArray[np.float32]:
        from kernelspec.numerics.gcws_kernels import random_tables

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


_MOST_SHARING = 2**24
_MOST_UNUSED = 2**20
"""Samples that share a process with those of a key may be left out, up to so many: they take time as well."""

_WORDS_AT_ONCE = 2**22


@dataclass(frozen=True)
class PoissonKey(DrawnKey):
    """The point of least rank below the row: sample `slots[j]` of the `sizes[j]` that share the process `words[j]`.

    On every coordinate i points (weight, rank) form a Poisson process of unit intensity for each sample. The sample
    of x is the point of least rank with weight ≤ x̃_i, over all i: it is that of y too with probability
    Σ min(x̃, ỹ)/Σ max(x̃, ỹ), because the least point of the union of both regions is uniform on it; up to 1e-8 for
    the weights left out. Rows of zeros share a key. With `zero_bit` the key is i alone: biased upwards.
    """

    kind: ClassVar[str] = "poisson"

    words: Hashes = array("uint64", "samples")
    slots: NDArray[np.int64] = array("int64", "samples", at_least=0, below=_MOST_SHARING)
    sizes: NDArray[np.int64] = array("int64", "samples", at_least=1, at_most=_MOST_SHARING)
    positions: tuple[int, ...] = places()
    zero_bit: bool = False

    def validate(self) -> None:
        """A size is a power of two above the slots, and the same wherever the word is."""
        if (self.slots >= self.sizes).any() or (self.sizes & (self.sizes - 1)).any():
            raise ValueError("the slots must be below the sizes, which must be powers of two")
        if self.sizes.max(initial=1) > max(_MOST_UNUSED, 2 * len(self.sizes)):
            raise ValueError(f"{self.sizes.max()} samples share a process, of which {len(self.sizes)} are there")
        _, first, which = np.unique(self.words, return_index=True, return_inverse=True)
        if (self.sizes[first][which.ravel()] != self.sizes).any():
            raise ValueError("samples that share a process must have one size")

    @property
    def columns(self) -> tuple[int, ...]:
        return self.positions

    def keys(self, rows: Rows, side: Side = "left") -> Hashes:
        from kernelspec.numerics.poisson_kernels import least_points

        del side
        entries = nonzeros(rows, self.positions)
        fractions, exponents = np.frexp(entries.weights)
        keys = np.empty((len(rows), len(self.words)), dtype=np.uint64)
        for word in np.unique(self.words):
            mine = np.flatnonzero(self.words == word)
            needed = np.zeros(self.sizes[mine[0]], dtype=np.bool_)
            needed[self.slots[mine]] = True
            height = max(1, _WORDS_AT_ONCE // len(needed))
            for start in range(0, len(rows), height):
                pointers = entries.pointers[start : start + height + 1]
                block = np.empty((len(pointers) - 1, len(needed)), dtype=np.uint64)
                least_points(pointers, entries.coordinates, fractions, exponents, word, needed, self.zero_bit, block)
                keys[start : start + height, mine] = block[:, self.slots[mine]]
        return keys
