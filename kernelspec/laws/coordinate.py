"""Features of inner products: one column at random, or two neighbours as a complex number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.laws.sampler import Sampler, reads_shown
from kernelspec.samples.amplitudes.linear_forms import LinearForms
from kernelspec.samples.columns_read import UnitColumn
from kernelspec.samples.samples import Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.random.streams import Stream
    from kernelspec.samples.columns_read import ColumnRead

__all__ = ["CoordinateSampler"]


@dataclass(frozen=True)
class CoordinateSampler(Sampler):
    """z = √d x_j, or √(d/2)(x_j ± i x_{j+1}) `in_pairs`, with a column j at random: E z(x) conj z(y) = x·y.

    After the last column comes the first. `reads` is what is read at `positions` of the table: those columns, or the
    columns of unit rows. A single column `of_signs` holds −1 and 1 alone.
    Reference: Daniely, Frostig, Gupta and Singer 2017, section 4.
    """

    has_key: ClassVar[bool] = False
    has_amplitude: ClassVar[bool] = True

    positions: tuple[int, ...]
    reads: tuple[ColumnRead, ...]
    in_pairs: bool = False
    of_signs: bool = False

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        d = len(self.reads)
        first = stream.generator("column").integers(0, d, n)
        turn = np.where(stream.generator("turn").random(n) < 0.5, -1.0, 1.0)
        second = (first + 1) % d if self.in_pairs else np.full(n, -1)
        scale = np.full(n, np.sqrt(d / 2 if self.in_pairs else d))
        forms = LinearForms(self.reads, np.arange(n + 1), first.astype(np.intp), second.astype(np.intp), turn, scale)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), amplitudes=(forms,))]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64]) -> Samples | None:
        """x or 1, as the number of factors is odd or even, for a column of signs."""
        del stream
        if len(self.reads) > 1 or not (self.of_signs or isinstance(self.reads[0], UnitColumn)):
            return None
        n, odd = len(counts), counts % 2
        starts, one = np.concatenate([[0], np.cumsum(odd)]).astype(np.intp), np.ones(int(odd.sum()))
        places = np.zeros(len(one), dtype=np.intp)
        forms = LinearForms(self.reads, starts, places, places - 1, one, one)
        return Samples(np.arange(n), np.ones(n), np.ones(n), amplitudes=(forms,))

    @property
    def has_phasor(self) -> bool:
        return self.in_pairs

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        what = "two neighbouring columns as a complex number" if self.in_pairs else "one column"
        one = "the column" if len(self.reads) == 1 else f"{what} at random of the columns"
        return [f"{one} {reads_shown(self.reads, self.positions, names)}"]
