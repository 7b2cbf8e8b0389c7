"""Hash keys of samples: bins, categories, and keys of one column each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.arrays import pack_weights, plain
from kernelspec.random.streams import Hashes, hash_numbers
from kernelspec.samples.declared_arrays import KeptFields, array, places
from kernelspec.samples.factor import check_inner
from kernelspec.samples.samples import BucketArguments, KeyFactor, Side

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["BinningKey", "ChosenKey", "ColumnKey", "DrawnKey", "MatchKey"]


@dataclass(frozen=True)
class DrawnKey(KeptFields, KeyFactor):
    """A key whose fields are arrays, with an entry for every sample, and options, the same for all of them.

    Subclasses say of what `kind` they are, what their fields are, and how the keys of rows follow.
    """

    kind: ClassVar[str]

    @property
    def n_samples(self) -> int:
        return len(next(iter(self._arrays().values())))

    @property
    def structure(self) -> Hashable:
        return (self.kind, *self._options().values())

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, **{name: array[index] for name, array in self._arrays().items()})

    def join(self, others: Sequence[Self]) -> Self:
        parts = [part._arrays() for part in (self, *others)]
        return replace(self, **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {name: value for name, value in self.__getstate__().items() if isinstance(value, np.ndarray)}

    def _options(self) -> dict[str, Any]:
        return {name: value for name, value in self.__getstate__().items() if not isinstance(value, np.ndarray)}


@dataclass(frozen=True)
class ChosenKey(DrawnKey):
    """The category of column `chosen`_j of the table for sample j, mixed with nothing."""

    kind: ClassVar[str] = "chosen"

    chosen: NDArray[np.intp] = array("int64", "samples", at_least=0)

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(np.unique(self.chosen).tolist())

    def keys(self, rows: Rows, side: Side) -> Hashes:
        del side
        codes = np.stack([rows.codes(position) for position in self.columns], axis=1)
        return np.asarray(codes[:, np.searchsorted(self.columns, self.chosen)])


@dataclass(frozen=True)
class ColumnKey(KeyFactor):
    """The key of sample j of `factor`, which reads column 0 of rows of one column, at column `chosen`_j of the table.

    So samples on many columns are one batch of one structure.
    """

    factor: KeyFactor
    chosen: NDArray[np.intp] = array("int64", "samples", at_least=0)

    @property
    def structure(self) -> Hashable:
        return ("column", self.factor.structure)

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(np.unique(self.chosen).tolist())

    @property
    def has_sides(self) -> bool:
        return self.factor.has_sides

    def keys(self, rows: Rows, side: Side) -> Hashes:
        found = np.empty((len(rows), len(self.chosen)), dtype=np.uint64)
        order = np.argsort(self.chosen, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(self.chosen[order])) + 1):
            if len(own):
                found[:, own] = self.factor.take(own).keys(rows.select((int(self.chosen[own[0]]),)), side)
        return found

    @property
    def n_samples(self) -> int:
        return len(self.chosen)

    def validate(self) -> None:
        check_inner(self.factor, self.n_samples, 1)

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, factor=self.factor.take(index), chosen=self.chosen[index])

    def join(self, others: Sequence[Self]) -> Self:
        chosen = np.concatenate([self.chosen, *(other.chosen for other in others)])
        return replace(self, factor=self.factor.join([other.factor for other in others]), chosen=chosen)


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
        from kernelspec.numerics.bin_kernels import bucket_bins

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


@dataclass(frozen=True)
class MatchKey(KeyFactor):
    """The categories of some columns, mixed in order; the same for every sample."""

    positions: tuple[int, ...] = places()

    @property
    def structure(self) -> Hashable:
        return ("match", self.positions)

    @property
    def columns(self) -> tuple[int, ...]:
        return self.positions

    def keys(self, rows: Rows, side: Side) -> Hashes:
        from kernelspec.numerics.key_kernels import mix_columns

        del side
        columns = rows.select(self.positions)
        codes = hash_numbers(columns.dense())
        for position, own in columns.categories.items():
            codes[:, position] = own
        return np.asarray(mix_columns(codes))

    def take(self, index: NDArray[np.intp]) -> MatchKey:
        del index
        return self

    def join(self, others: Sequence[KeyFactor]) -> MatchKey:
        del others
        return self

    @property
    def n_samples(self) -> None:
        return None
