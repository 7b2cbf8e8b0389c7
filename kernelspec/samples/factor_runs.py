"""Factors of products of several draws of one kind: the draws of one factor, in runs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.declared_arrays import array, check_starts
from kernelspec.samples.factor import Factor
from kernelspec.samples.run_starts import joined_starts, taken_runs

__all__ = ["FactorRuns"]

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
