"""Hash keys of samples: bins, categories, weighted sampling, of single columns, and of mapped or translated rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.arrays import pack_weights, plain
from kernelspec.random.streams import Hashes, hash_numbers
from kernelspec.samples.declared_arrays import LARGEST, array, places
from kernelspec.samples.factor import FactorRuns, check_inner
from kernelspec.samples.samples import KeyFactor, Side
from kernelspec.tables.rows import Rows

__all__ = [
    "LARGEST_TABLE",
    "ROWS_AT_ONCE",
    "TILE",
    "BinningKey",
    "ChosenKey",
    "ColumnKey",
    "GcwsKey",
    "MappedKey",
    "MatchKey",
    "PoissonKey",
    "RunKey",
    "TranslatedKey",
    "nonzeros",
]


@dataclass(frozen=True)
class ChosenKey(KeyFactor):
    """The unmixed category of column `chosen`_j of the table for sample j."""

    chosen: NDArray[np.intp] = array("int64", "samples", at_least=0)

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(np.unique(self.chosen).tolist())

    def keys(self, rows: Rows, side: Side) -> Hashes:
        codes = np.stack([rows.codes(position) for position in self.columns], axis=1)
        return np.asarray(codes[:, np.searchsorted(self.columns, self.chosen)])


@dataclass(frozen=True)
class ColumnKey(KeyFactor):
    """The key of sample j of `factor`, which reads column 0 of one-column rows, at column `chosen`_j of the table.

    Samples on many columns thus form one batch of one structure.
    """

    factor: KeyFactor
    chosen: NDArray[np.intp] = array("int64", "samples", at_least=0)

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(np.unique(self.chosen).tolist())

    def keys(self, rows: Rows, side: Side) -> Hashes:
        found = np.empty((len(rows), len(self.chosen)), dtype=np.uint64)
        order = np.argsort(self.chosen, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(self.chosen[order])) + 1):
            if len(own):
                found[:, own] = self.factor.take(own).keys(rows.select((int(self.chosen[own[0]]),)), side)
        return found

    def validate(self) -> None:
        check_inner(self.factor, len(self.chosen), 1)


@dataclass(frozen=True)
class BinningKey(KeyFactor):
    """The bin ⌊x_i / r_i + u_i⌋ in every column: pitches r > 0 and offsets 0 ≤ u < 1 in pitches, both (n, d).

    Two rows share the key of a sample if and only if all their bins are equal (up to collisions of 64-bit hashes).
    Numbers of any size have bins: if bins are narrower than the spacing of floats, or the pitch is almost zero, only
    equal numbers share one.
    """

    pitches: NDArray[np.float64] = array("float64", "samples", "columns", above=0)
    offsets: NDArray[np.float64] = array("float64", "samples", "columns", at_least=0, below=1)
    positions: tuple[int, ...] = places("columns")

    def keys(self, rows: Rows, side: Side) -> Hashes:
        return self.keys_into(rows, side, np.empty((len(rows), len(self.pitches)), dtype=np.uint64))

    def keys_into(self, rows: Rows, side: Side, out: Hashes) -> Hashes:
        from kernelspec.numerics.column_kernels import bin_keys

        bin_keys(self._numbers(rows), *self._grid, out)
        return out

    def _numbers(self, rows: Rows) -> NDArray[np.float64]:
        return plain(rows.select(self.positions).dense(), np.dtype(np.float64))

    @cached_property
    def _grid(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
        """1/r and u in panels of samples, and for every data column the |x| up to which x/r is below 2⁵²."""
        with np.errstate(divide="ignore", over="ignore"):
            inverse = 1 / self.pitches
        largest = 2.0**52 / inverse.max(axis=0, initial=1.0)
        double = np.dtype(np.float64)
        return pack_weights(inverse, double), pack_weights(self.offsets, double), largest


@dataclass(frozen=True)
class MatchKey(KeyFactor):
    """The categories of some columns, mixed in order; the same for every sample."""

    positions: tuple[int, ...] = places()

    def keys(self, rows: Rows, side: Side) -> Hashes:
        from kernelspec.numerics.key_kernels import mix_columns

        columns = rows.select(self.positions)
        codes = hash_numbers(columns.dense())
        for position, own in columns.categories.items():
            codes[:, position] = own
        return np.asarray(mix_columns(codes))


@dataclass(frozen=True)
class MappedKey(KeyFactor):
    """key(A x) for the key of `factor`, x being the columns `positions` of the table.

    `matrix` is A: a number (), one number per column (p,), or a matrix (q, p); the factor reads columns 0, 1, … of Ax.
    """

    factor: KeyFactor
    matrix: NDArray[np.float64]
    positions: tuple[int, ...] = places()

    def keys(self, rows: Rows, side: Side) -> Hashes:
        numbers = np.array(rows.select(self.positions).dense(), dtype=np.float64, order="C")
        return self.factor.keys(Rows(self._image(numbers)), side)

    def validate(self) -> None:
        p = len(self.positions)
        if self.matrix.dtype != np.float64 or self.matrix.shape not in ((), (p,), (*self.matrix.shape[:1], p)):
            raise ValueError(f"the matrix has the shape {self.matrix.shape} for {p} columns")
        if not (np.abs(self.matrix) <= LARGEST).all():
            raise ValueError("the matrix must have finite entries")
        check_inner(self.factor, self.n_samples or 0, len(self.matrix) if self.matrix.ndim == 2 else p)

    def _image(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.matrix.ndim < 2:
            return numbers * self.matrix
        from kernelspec.numerics.key_kernels import apply_matrix

        return np.asarray(apply_matrix(numbers, np.array(self.matrix.T, order="C")))


@dataclass(frozen=True)
class TranslatedKey(KeyFactor):
    """key(x + r) on the left and key(y) on the right, for the key of `factor`; r is `by` on the columns `positions`."""

    factor: KeyFactor
    by: tuple[float, ...]
    positions: tuple[int, ...] = places()

    @property
    def columns(self) -> tuple[int, ...]:
        return self.factor.columns

    @property
    def has_sides(self) -> bool:
        return True

    def keys(self, rows: Rows, side: Side) -> Hashes:
        if side == "right":
            return self.factor.keys(rows, side)
        numbers = rows.dense().copy()
        numbers[:, list(self.positions)] += np.asarray(self.by)
        return self.factor.keys(Rows(numbers, rows.categories), side)

    @property
    def least_width(self) -> int:
        return max(self.factor.least_width, *(position + 1 for position in self.positions))

    def validate(self) -> None:
        if len(self.by) != len(self.positions) or len(set(self.positions)) < len(self.positions) or not self.by:
            raise ValueError("a translation needs one entry per column")
        if not all(abs(entry) <= LARGEST for entry in self.by):
            raise ValueError("a translation must be finite")


@dataclass(frozen=True)
class RunKey(FactorRuns[KeyFactor], KeyFactor):
    """The keys of `factor` from starts_j up to starts_{j+1}, mixed in order: they differ if any of these does."""

    def validate(self) -> None:
        super().validate()
        if not isinstance(self.factor, KeyFactor):
            raise ValueError("the factor of runs of keys must have keys")

    def keys(self, rows: Rows, side: Side) -> Hashes:
        from kernelspec.numerics.key_kernels import mix_runs

        return np.asarray(mix_runs(self.factor.keys(rows, side), self.starts))


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
"""Random numbers of up to this many (coordinate, sample) pairs, 12 bytes each, are stored; others are recomputed."""
ROWS_AT_ONCE = 16
"""Rows that share a tile of recomputed tables."""
_NONZEROS_AT_ONCE = 2**20
_COORDINATES_AT_ONCE = 128
"""Pairs whose random numbers are computed together: 400 kB, in the CPU cache."""


@dataclass(frozen=True)
class GcwsKey(KeyFactor):
    """(i*, t*) in 64 bits for every sample; its random numbers are hashes of `words` (n,) and of the coordinates.

    P(keys of x and y agree) = Σ min(x̃, ỹ)/Σ max(x̃, ỹ), up to the single precision of ln x̃: relative 1e-7·(1 + |ln
    x̃|). Rows of zeros share a key of their own. With `zero_bit` the key is i* only: it agrees more often, biased
    upwards.
    """

    words: Hashes = array("uint64", "samples")
    positions: tuple[int, ...] = places()
    zero_bit: bool = False

    def keys(self, rows: Rows, side: Side = "left") -> Hashes:
        return self.keys_into(rows, side, np.empty((len(rows), len(self.words)), dtype=np.uint64))

    def keys_into(self, rows: Rows, side: Side, out: Hashes) -> Hashes:
        from kernelspec.numerics.weighted_kernels import logarithms, scramble_words, winners

        entries = nonzeros(rows, self.positions)
        if 2 * len(self.positions) * len(self.words) <= LARGEST_TABLE:
            logs = logarithms(entries.weights)
            winners(entries.pointers, entries.coordinates, entries.coordinates, logs, self._tables, out)
        else:
            from kernelspec.numerics.weighted_kernels import passing_winners

            table = np.empty((_COORDINATES_AT_ONCE, 3, self._tile), dtype=np.float32)
            for part, some in _parts(entries):
                met, places = np.unique(some.coordinates, return_inverse=True)
                logs = logarithms(some.weights)
                passing_winners(some.pointers, some.coordinates, places, met, logs, self.words, table, out[part])
        scramble_words(out, self.zero_bit)
        return out

    @cached_property
    def _tables(self) -> NDArray[np.float32]:
        from kernelspec.numerics.weighted_kernels import random_tables

        return np.asarray(random_tables(self.words, np.arange(2 * len(self.positions)), self._tile))

    @property
    def _tile(self) -> int:
        return min(TILE, -(-len(self.words) // 16) * 16)


def _parts(entries: Nonzeros) -> Iterator[tuple[slice, Nonzeros]]:
    """The rows in parts with a bounded number of nonzeros, or of one row."""
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
"""Most samples per process that a key may leave out, because they take time too."""

_WORDS_AT_ONCE = 2**22


@dataclass(frozen=True)
class PoissonKey(KeyFactor):
    """The point of least rank below the row: sample `slots[j]` of the `sizes[j]` that share the process `words[j]`.

    On every coordinate i points (weight, rank) form a Poisson process of unit intensity for each sample. The sample
    of x is the point of least rank with weight ≤ x̃_i, over all i: it is that of y too with probability
    Σ min(x̃, ỹ)/Σ max(x̃, ỹ), because the least point of the union of both regions is uniform on it; up to 1e-8 for
    the weights left out. Rows of zeros share a key. With `zero_bit` the key is i alone: biased upwards.
    """

    words: Hashes = array("uint64", "samples")
    slots: NDArray[np.int64] = array("int64", "samples", at_least=0, below=_MOST_SHARING)
    sizes: NDArray[np.int64] = array("int64", "samples", at_least=1, at_most=_MOST_SHARING)
    positions: tuple[int, ...] = places()
    zero_bit: bool = False

    def validate(self) -> None:
        """Raise ValueError unless sizes are powers of two above the slots, and equal for equal words."""
        if (self.slots >= self.sizes).any() or (self.sizes & (self.sizes - 1)).any():
            raise ValueError("the slots must be below the sizes, which must be powers of two")
        if self.sizes.max(initial=1) > max(_MOST_UNUSED, 2 * len(self.sizes)):
            raise ValueError(f"{self.sizes.max()} samples share a process, but there are only {len(self.sizes)}")
        _, first, which = np.unique(self.words, return_index=True, return_inverse=True)
        if (self.sizes[first][which.ravel()] != self.sizes).any():
            raise ValueError("samples that share a process must have one size")

    def keys(self, rows: Rows, side: Side = "left") -> Hashes:
        from kernelspec.numerics.weighted_kernels import least_points

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
