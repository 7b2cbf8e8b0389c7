"""Amplitudes that are no phasors: functions of a row that multiply what a sample says."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.factor import Factor
from kernelspec.samples.factor_runs import FactorRuns

if TYPE_CHECKING:
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["AmplitudeFactor", "AmplitudeRuns", "multiply_amplitudes"]


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
