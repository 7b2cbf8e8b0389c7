"""Factors of samples: batches of keys or amplitudes, their runs and values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.declared_arrays import array, check_starts
from kernelspec.samples.frequencies import numbers_on, products
from kernelspec.samples.growth import phasors

if TYPE_CHECKING:
    from kernelspec.samples.samples import Samples, Side
    from kernelspec.tables.rows import Rows

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
    """Some of the runs, in the order of `index`: the samples they consist of, and their own starts (m + 1,).

    `starts` (n + 1,) ends with the number of samples.
    """
    lengths = np.diff(starts)[index]
    own = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    flat = np.arange(own[-1]) + np.repeat(starts[:-1][index] - own[:-1], lengths)
    return flat.astype(np.intp), own


def joined_starts(parts: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """The starts of runs one part after the other."""
    lengths = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)


class Factor(ABC):
    """One factor of what each sample in a batch says of a row, with whatever random numbers it was drawn with."""

    @property
    @abstractmethod
    def structure(self) -> Hashable:
        """Factors of equal structure can be joined into one batch."""

    @property
    @abstractmethod
    def columns(self) -> tuple[int, ...]:
        """The columns of the table that are read."""

    @abstractmethod
    def take(self, index: NDArray[np.intp]) -> Self:
        """Some of the samples."""

    @abstractmethod
    def join(self, others: Sequence[Self]) -> Self:
        """This batch and the others, one after the other; all of equal structure."""

    @property
    @abstractmethod
    def n_samples(self) -> int | None:
        """The samples of the batch; None where it stands for any number of them."""

    @property
    def least_width(self) -> int:
        """The columns that a table must have at least."""
        return max(self.columns, default=-1) + 1

    def validate(self) -> None:  # noqa: B027 -- nothing to say where the arrays are all as declared
        """Raise ValueError unless arrays that are each as declared fit together: a saved map may hold any."""


def check_inner(factor: Factor, n_samples: int, width: int | None = None) -> None:
    """Raise ValueError unless a factor that another one is made from has so many samples, and reads so many columns."""
    if factor.n_samples not in (None, n_samples):
        raise ValueError(f"the factor has {factor.n_samples} samples instead of {n_samples}")
    if width is not None and factor.least_width > width:
        raise ValueError(f"the factor reads {factor.least_width} columns of rows that have {width}")


_MOST_EQUAL = 2**24

FactorT = TypeVar("FactorT", bound=Factor)


@dataclass(frozen=True)
class FactorRuns(Factor, Generic[FactorT]):
    """Sample j stands for those of `factor` from starts_j up to starts_{j+1}; subclasses say what becomes of them.

    `starts` (n + 1,) ends with the number of samples of the factor.
    """

    factor: FactorT
    starts: NDArray[np.intp] = array("int64", "samples + 1", at_least=0)

    may_be_empty: ClassVar[bool] = True
    """Whether a run of no samples means anything."""

    @property
    def structure(self) -> Hashable:
        return ("runs", self.factor.structure)

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
        if end is None:  # any number of equal samples, which are read one by one
            end = min(int(self.starts.max(initial=0)), _MOST_EQUAL)
        check_starts(self.starts, end, empty_runs=self.may_be_empty)


class AmplitudeFactor(Factor):
    """One factor of the amplitude of each sample in a batch: z_L(x) on the left, conj z_R(y) on the right."""

    @property
    @abstractmethod
    def is_complex(self) -> bool:
        """Whether the values are complex."""

    @property
    def has_sides(self) -> bool:
        """Whether a row may have another amplitude as y in k(x, y) than it has as x."""
        return False

    @abstractmethod
    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        """z_L or z_R of few rows, (rows, samples), float64 or complex128: a new array, the caller's own."""

    def times(self, other: AmplitudeFactor) -> AmplitudeFactor | None:
        """Both, sample by sample, as one factor, where they are of a kind that fuses."""
        del other
        return None

    def runs(self, starts: NDArray[np.intp]) -> AmplitudeFactor:
        """Products of samples from starts_j up to starts_{j+1}; `starts` (n + 1,) ends with the number of samples."""
        return AmplitudeRuns(self, starts)


@dataclass(frozen=True)
class AmplitudeRuns(FactorRuns[AmplitudeFactor], AmplitudeFactor):
    """∏ of the values of `factor` over consecutive samples, from each of `starts` to the next: one or more."""

    may_be_empty: ClassVar[bool] = False

    @property
    def is_complex(self) -> bool:
        return self.factor.is_complex

    def validate(self) -> None:
        super().validate()
        if not isinstance(self.factor, AmplitudeFactor):
            raise ValueError("the factor of runs of amplitudes must be one of amplitudes")

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        return np.asarray(np.multiply.reduceat(self.factor.values(rows, side), self.starts[:-1], axis=1))

    def runs(self, starts: NDArray[np.intp]) -> AmplitudeRuns:
        return AmplitudeRuns(self.factor, self.starts[starts])


def multiply_amplitudes(
    left: Sequence[AmplitudeFactor], right: Sequence[AmplitudeFactor]
) -> tuple[AmplitudeFactor, ...]:
    """The factors of both, sample by sample; those of a kind that fuses are one."""
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
    """The product of the real exponentials and further factors of z_L or z_R, phasors left out: (rows, samples)."""
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
    """√weight times z_L or z_R of every row and sample, (rows, samples): complex where the samples are.

    A sample is p(x, y) = sign · left(x) · conj right(y). `turn` computes e^{iθ}; pilots use the compiled loop.
    Raises ValueError for samples with keys, which cannot be written as a function of x times one of y.
    """
    if batch.keys:
        raise ValueError("samples with keys are no products of amplitudes")
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
    """Whether some sample says another thing of a row as x than as y in k(x, y)."""
    turned = batch.phasors is not None and bool((batch.phasors.left != batch.phasors.right).any())
    grown = batch.growth is not None and bool((batch.growth.rates != 0).any())
    return turned or grown or any(key.has_sides for key in batch.keys) or any(own.has_sides for own in batch.amplitudes)
