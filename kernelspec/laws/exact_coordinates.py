"""Features of an inner product that are the columns themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.laws.sampler import Sampler, reads_shown
from kernelspec.samples.amplitudes.linear_forms import LinearForms
from kernelspec.samples.samples import Samples

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream
    from kernelspec.samples.columns_read import ColumnRead

__all__ = ["ExactCoordinatesSampler"]


@dataclass(frozen=True)
class ExactCoordinatesSampler(Sampler):
    """p = Σ_j x_j y_j = x·y: a term for every column, and nothing at random.

    `reads` is what is read at `positions` of the table: those columns, or the columns of unit rows.
    """

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = False
    has_amplitude: ClassVar[bool] = True

    positions: tuple[int, ...]
    reads: tuple[ColumnRead, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        del stream
        d = len(self.reads)
        total = n * d
        column, none = np.tile(np.arange(d), n), np.full(total, -1)
        forms = LinearForms(self.reads, np.arange(total + 1), column, none, np.ones(total), np.ones(total))
        return [Samples(np.repeat(np.arange(n), d), np.ones(total), np.ones(total), amplitudes=(forms,))]

    @property
    def n_terms(self) -> int:
        return len(self.reads)

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        return [f"all of the columns {reads_shown(self.reads, self.positions, names)}, exactly"]
