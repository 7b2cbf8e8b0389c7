"""Factors of samples: batches of keys or amplitudes, their runs and values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.declared_arrays import KeptFields, array, array_schema, check_starts, places_schema
from kernelspec.samples.frequencies import numbers_on, phasors, positions_read, products
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.samples.samples import Samples, Side

__all__ = [
    "AmplitudeFactor",
    "AmplitudeRuns",
    "Factor",
    "FactorRuns",
    "amplitude_values",
    "check_inner",
    "factor_values",
    "has_sides",
    "joined_starts",
    "multiply_amplitudes",
    "taken_runs",
]


def taken_runs(starts: NDArray[np.intp], index: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The samples of the runs at `index`, and their new starts (m + 1,), from all `starts` (n + 1,)."""
    lengths = np.diff(starts)[index]
    own = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    flat = np.arange(own[-1]) + np.repeat(starts[:-1][index] - own[:-1], lengths)
    return flat.astype(np.intp), own


def joined_starts(parts: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """The starts of consecutive parts' runs."""
    lengths = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)


class Factor(KeptFields, ABC):
    """One factor of the key or amplitude of each sample in a batch, with its random numbers.

    A frozen dataclass. Arrays declared with "samples" as their first length have an entry per sample, and inner factors
    have the same samples; other fields are shared by all samples.
    """

    @property
    def structure(self) -> Hashable:
        """Factors of equal structure can be joined into one batch."""
        own = [getattr(self, field.name) for field in fields(self) if array_schema(field) is None]  # type: ignore[arg-type]
        return (type(self), *map(_compared, own))

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of the table that are read."""
        return positions_read(
            column
            for field in fields(self)  # type: ignore[arg-type]
            if places_schema(field)
            for column in getattr(self, field.name)
        )

    @property
    def has_sides(self) -> bool:
        """Whether a row has different values as x and as y in k(x, y)."""
        return any(own.has_sides for own in self._of_samples().values() if isinstance(own, Factor))

    def take(self, index: NDArray[np.intp]) -> Self:
        """Some of the samples."""
        taken = {
            name: own.take(index) if isinstance(own, Factor) else own[index] for name, own in self._of_samples().items()
        }
        return replace(self, **taken)  # type: ignore[type-var]

    def join(self, others: Sequence[Self]) -> Self:
        """This batch followed by the others, all of equal structure."""
        joined: dict[str, Any] = {}
        for name, own in self._of_samples().items():
            more = [getattr(other, name) for other in others]
            joined[name] = own.join(more) if isinstance(own, Factor) else np.concatenate([own, *more])
        return replace(self, **joined)  # type: ignore[type-var]

    @property
    def n_samples(self) -> int | None:
        """The number of samples in the batch; None if it represents any number."""
        own = next(iter(self._of_samples().values()), None)
        return own.n_samples if isinstance(own, Factor) else None if own is None else len(own)

    @property
    def least_width(self) -> int:
        """The fewest columns of a table."""
        return max(self.columns, default=-1) + 1

    def validate(self) -> None:
        """Raise ValueError unless declared arrays are consistent; a saved map may hold anything."""

    def _of_samples(self) -> dict[str, Any]:
        """The fields with an entry per sample: arrays, then inner factors."""
        own = {field.name: (getattr(self, field.name), array_schema(field)) for field in fields(self)}  # type: ignore[arg-type]
        arrays = {name: value for name, (value, schema) in own.items() if schema and schema.shape[0] == "samples"}
        return arrays | {name: value for name, (value, _) in own.items() if isinstance(value, Factor)}


def _compared(value: Any) -> Hashable:
    if isinstance(value, Factor):
        return value.structure
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def check_inner(factor: Factor, n_samples: int, width: int | None = None) -> None:
    """Raise ValueError unless an inner factor has `n_samples` samples, and reads at most `width` columns."""
    if factor.n_samples not in (None, n_samples):
        raise ValueError(f"the factor has {factor.n_samples} samples instead of {n_samples}")
    if width is not None and factor.least_width > width:
        raise ValueError(f"the factor reads {factor.least_width} columns, but rows have {width}")


_MOST_EQUAL = 2**24

FactorT = TypeVar("FactorT", bound=Factor)


@dataclass(frozen=True)
class FactorRuns(Factor, Generic[FactorT]):
    """Sample j combines those of `factor` from starts_j up to starts_{j+1}; subclasses define how.

    `starts` (n + 1,) ends with the number of samples of the factor.
    """

    factor: FactorT
    starts: NDArray[np.intp] = array("int64", "samples + 1", at_least=0)

    may_be_empty: ClassVar[bool] = True
    """Whether an empty run is valid."""

    @property
    def columns(self) -> tuple[int, ...]:
        return self.factor.columns

    def take(self, index: NDArray[np.intp]) -> Self:
        flat, starts = taken_runs(self.starts, index)
        return replace(self, factor=self.factor.take(flat), starts=starts)

    def join(self, others: Sequence[Self]) -> Self:
        starts = joined_starts([self.starts, *(other.starts for other in others)])
        return replace(self, factor=self.factor.join([other.factor for other in others]), starts=starts)

    @property
    def n_samples(self) -> int:
        return len(self.starts) - 1

    @property
    def least_width(self) -> int:
        return self.factor.least_width

    def validate(self) -> None:
        end = self.factor.n_samples
        if end is None:  # any number of equal samples, read one by one
            end = min(int(self.starts.max(initial=0)), _MOST_EQUAL)
        check_starts(self.starts, end, empty_runs=self.may_be_empty)


class AmplitudeFactor(Factor):
    """One factor of the amplitude of each sample in a batch: z_L(x) on the left, conj z_R(y) on the right."""

    @property
    @abstractmethod
    def is_complex(self) -> bool:
        """Whether the values are complex."""

    @abstractmethod
    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        """z_L or z_R of a few rows, (rows, samples), float64 or complex128: a new array that the caller may change."""

    def times(self, other: AmplitudeFactor) -> AmplitudeFactor | None:
        """Both, sample by sample, as one factor, if they fuse."""
        return None

    def runs(self, starts: NDArray[np.intp]) -> AmplitudeFactor:
        """Products of samples from starts_j up to starts_{j+1}; `starts` (n + 1,) ends with the number of samples."""
        return AmplitudeRuns(self, starts)


@dataclass(frozen=True)
class AmplitudeRuns(FactorRuns[AmplitudeFactor], AmplitudeFactor):
    """∏ of the values of `factor` over consecutive samples, from each of `starts` to the next; no run is empty."""

    may_be_empty: ClassVar[bool] = False

    @property
    def is_complex(self) -> bool:
        return self.factor.is_complex

    def validate(self) -> None:
        super().validate()
        if not isinstance(self.factor, AmplitudeFactor):
            raise ValueError("the factor of runs of amplitudes must have amplitudes")

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        return np.asarray(np.multiply.reduceat(self.factor.values(rows, side), self.starts[:-1], axis=1))

    def runs(self, starts: NDArray[np.intp]) -> AmplitudeRuns:
        return AmplitudeRuns(self.factor, self.starts[starts])


def multiply_amplitudes(
    left: Sequence[AmplitudeFactor], right: Sequence[AmplitudeFactor]
) -> tuple[AmplitudeFactor, ...]:
    """The factors of both, sample by sample, fused if possible."""
    product = list(left)
    for factor in right:
        for i, own in enumerate(product):
            fused = own.times(factor)
            if fused is not None:
                product[i] = fused
                break
        else:
            product.append(factor)
    return tuple(product)


def factor_values(batch: Samples, rows: Rows, side: Side) -> NDArray[Any]:
    """The product of the real exponentials and further factors of z_L or z_R, without phasors: (rows, samples)."""
    found: NDArray[Any] = np.ones((len(rows), len(batch)))
    for factor in batch.amplitudes:
        found = found * factor.values(rows, side)
    if batch.growth is not None:
        factors, which = batch.growth.factors(rows, side, np.dtype(np.float64))
        found = found * factors[:, which]
    return found


def amplitude_values(
    batch: Samples, rows: Rows, side: Side, turn: Callable[[NDArray[np.float64]], NDArray[np.complex128]] = phasors
) -> NDArray[Any]:
    """√weight times z_L or z_R of every row and sample, (rows, samples): complex if the samples are.

    A sample is p(x, y) = sign · left(x) · conj right(y). `turn` computes e^{iθ}; pilots use the compiled loop. Raises
    ValueError for samples with keys, which are not products of a function of x and one of y.
    """
    if batch.keys:
        raise ValueError("samples with keys are not products of amplitudes")
    sizes = np.sqrt(batch.weight)
    if batch.phasors is None:
        return factor_values(batch, rows, side) * sizes
    numbers = numbers_on(rows, batch.phasors.columns)
    offsets = batch.phasors.left if side == "left" else batch.phasors.right
    turned = turn(np.asarray(products(numbers, batch.phasors.frequencies) + offsets, dtype=float))
    is_plain = not batch.amplitudes and batch.growth is None
    turned *= sizes if is_plain else factor_values(batch, rows, side) * sizes
    return turned


def has_sides(batch: Samples) -> bool:
    """Whether some sample has different values for a row as x and as y in k(x, y)."""
    turned = batch.phasors is not None and bool((batch.phasors.left != batch.phasors.right).any())
    grown = batch.growth is not None and bool((batch.growth.rates != 0).any())
    return turned or grown or any(key.has_sides for key in batch.keys) or any(own.has_sides for own in batch.amplitudes)
