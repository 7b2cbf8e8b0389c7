"""Factors of products of several draws of one kind: the draws of one factor, in runs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.factor import Factor, inner_arrays
from kernelspec.samples.run_starts import joined_starts, taken_runs

__all__ = ["FactorRuns"]

FactorT = TypeVar("FactorT", bound=Factor)


@dataclass(frozen=True)
class FactorRuns(Factor, Generic[FactorT]):
    """Sample j stands for those of `factor` from starts_j up to starts_{j+1}; subclasses say what becomes of them.

    `starts` (n + 1,) ends with the number of samples of the factor.
    """

    factor: FactorT
    starts: NDArray[np.intp]

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

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        header, arrays = inner_arrays(self.factor)
        return {"kind": "runs"} | header, {"starts": self.starts} | arrays
