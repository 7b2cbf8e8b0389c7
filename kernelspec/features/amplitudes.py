"""Amplitudes that are no phasors: functions of a row that multiply what a sample says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.run_starts import joined_starts, taken_runs

if TYPE_CHECKING:
    from kernelspec.features.samples import Side
    from kernelspec.rows import Rows

__all__ = ["AmplitudeFactor", "AmplitudeRuns", "multiply_amplitudes"]


class AmplitudeFactor(ABC):
    """One factor of the amplitude of each sample in a batch: z_L(x) on the left, conj z_R(y) on the right."""

    @property
    @abstractmethod
    def structure(self) -> Hashable:
        """Factors of equal structure can be joined into one batch."""

    @property
    @abstractmethod
    def columns(self) -> tuple[int, ...]:
        """The columns of the table that are read."""

    @property
    @abstractmethod
    def is_complex(self) -> bool:
        """Whether the values are complex."""

    @abstractmethod
    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        """z_L or z_R of few rows, (rows, samples), float64 or complex128: a new array, the caller's own."""

    @abstractmethod
    def take(self, index: NDArray[np.intp]) -> AmplitudeFactor:
        """Some of the samples."""

    @abstractmethod
    def join(self, others: Sequence[AmplitudeFactor]) -> AmplitudeFactor:
        """This batch and the others, one after the other; all of equal structure."""

    def times(self, other: AmplitudeFactor) -> AmplitudeFactor | None:
        """Both, sample by sample, as one factor, where they are of a kind that fuses."""
        del other
        return None

    def runs(self, starts: NDArray[np.intp]) -> AmplitudeFactor:
        """Products of samples from starts_j up to starts_{j+1}; `starts` (n + 1,) ends with the number of samples."""
        return AmplitudeRuns(self, starts)

    @abstractmethod
    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a saved map keeps: a JSON header (with the `kind`) and arrays."""


@dataclass(frozen=True)
class AmplitudeRuns(AmplitudeFactor):
    """∏ of the values of `factor` over consecutive samples, from each of `starts` to the next."""

    factor: AmplitudeFactor
    starts: NDArray[np.intp]
    """(n + 1,): the last one is the number of samples of `factor`."""

    @property
    def structure(self) -> Hashable:
        return ("runs", self.factor.structure)

    @property
    def columns(self) -> tuple[int, ...]:
        return self.factor.columns

    @property
    def is_complex(self) -> bool:
        return self.factor.is_complex

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        return np.asarray(np.multiply.reduceat(self.factor.values(rows, side), self.starts[:-1], axis=1))

    def take(self, index: NDArray[np.intp]) -> AmplitudeRuns:
        flat, starts = taken_runs(self.starts, index)
        return AmplitudeRuns(self.factor.take(flat), starts)

    def join(self, others: Sequence[AmplitudeFactor]) -> AmplitudeRuns:
        parts = [self, *(other for other in others if isinstance(other, AmplitudeRuns))]
        starts = joined_starts([part.starts for part in parts])
        return AmplitudeRuns(self.factor.join([part.factor for part in parts[1:]]), starts)

    def runs(self, starts: NDArray[np.intp]) -> AmplitudeRuns:
        return AmplitudeRuns(self.factor, self.starts[starts])

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        header, arrays = self.factor.to_arrays()
        own = {"kind": "runs", "factor": header}
        return own, {"starts": self.starts} | {f"factor_{name}": array for name, array in arrays.items()}


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
