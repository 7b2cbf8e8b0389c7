"""Random neurons: an activation of a random linear form of the row."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.projection import Projection
from kernelspec.samples.amplitudes.amplitude_factor import AmplitudeFactor
from kernelspec.samples.columns_read import ColumnRead, numbers_on, positions_read
from kernelspec.samples.declared_arrays import array, places
from kernelspec.samples.kept_fields import KeptFields

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["Neurons"]


@dataclass(frozen=True)
class Neurons(KeptFields, AmplitudeFactor):
    """σ(w_j·x)/√E σ² − `constant` − `slope` w_j·x with the weights w_j (n, p) on what is read of a row."""

    activation: Activation
    reads: tuple[ColumnRead, ...] = places("reads")
    weights: NDArray[np.float64] = array("float64", "samples", "reads", at_least=-64, at_most=64)
    constant: float = 0.0
    slope: float = 0.0

    @property
    def structure(self) -> Hashable:
        return ("neurons", self.activation, self.reads, self.constant, self.slope)

    @property
    def columns(self) -> tuple[int, ...]:
        return positions_read(self.reads)

    @property
    def is_complex(self) -> bool:
        return False

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        del side
        data = numbers_on(rows, self.reads).astype(np.float64, copy=False)
        inputs = np.ascontiguousarray(self._projection(data))
        found = np.asarray(self.activation.evaluate(inputs), dtype=np.float64)
        if self.constant or self.slope:
            found -= self.constant + self.slope * inputs
        return found

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, weights=self.weights[index])

    def join(self, others: Sequence[Self]) -> Self:
        return replace(self, weights=np.concatenate([part.weights for part in (self, *others)]))

    @property
    def n_samples(self) -> int:
        return len(self.weights)

    @cached_property
    def _projection(self) -> Projection:
        return Projection(self.weights.T)
