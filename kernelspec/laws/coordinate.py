"""Features of inner products: one column at random, or two as a complex number; waves on unit rows; shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.columns import MODULI, REAL_SQUARES, SQUARES, Inner
from kernelspec.expressions.pairs import Pairs
from kernelspec.kernels.leaves.of_rows import InnerProduct, RbfCosine, Shaped
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import KernelLaw, Moments, PhasorLaw, columns_shown, indented, reads_shown
from kernelspec.laws.rules import own_law
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import ColumnShapes, LinearForms
from kernelspec.samples.frequencies import ColumnRead, UnitColumn
from kernelspec.samples.samples import Phasors, Samples

__all__ = ["CoordinateLaw", "ShapesLaw", "UnitRowsLaw", "columns_read_by"]


@dataclass(frozen=True)
class CoordinateLaw(KernelLaw):
    """z = √d x_j, or √(d/2)(x_j ± i x_{j+1}) in pairs, with a random column j: E z(x) conj z(y) = x·y.

    The first column follows the last. Pairs have the smallest norm that features of rows of norm 1 can have, √(d/2).
    Columns of binary() are single, since they only hold −1 and 1. Reference: Daniely, Frostig, Gupta and Singer 2017,
    section 4.
    """

    has_key: ClassVar[bool] = False
    has_amplitude: ClassVar[bool] = True

    kernel: InnerProduct

    @property
    def draws_pairs(self) -> bool:
        """Whether samples are pairs of neighbouring columns: for rows of norm 1 with several columns."""
        return self.kernel.has_unit_rows and self.kernel.dim != 1

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        reads, in_pairs = columns_read_by(self.kernel, columns), self.draws_pairs
        d = len(reads)
        first = stream.generator("column").integers(0, d, n)
        turn = np.where(stream.generator("turn").random(n) < 0.5, -1.0, 1.0)
        second = (first + 1) % d if in_pairs else np.full(n, -1)
        scale = np.full(n, np.sqrt(d / 2 if in_pairs else d))
        forms = LinearForms(reads, np.arange(n + 1), first.astype(np.intp), second.astype(np.intp), turn, scale)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), amplitudes=(forms,))]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        """x or 1 for a column of signs, if the number of factors is odd or even."""
        reads = columns_read_by(self.kernel, columns)
        if len(reads) > 1 or not (self.kernel.of_signs or isinstance(reads[0], UnitColumn)):
            return None
        n, odd = len(counts), counts % 2
        starts, one = np.concatenate([[0], np.cumsum(odd)]).astype(np.intp), np.ones(int(odd.sum()))
        places = np.zeros(len(one), dtype=np.intp)
        forms = LinearForms(reads, starts, places, places - 1, one, one)
        return Samples(np.arange(n), np.ones(n), np.ones(n), amplitudes=(forms,))

    def moments(self, pairs: Pairs) -> Moments:
        """A = B = d Σ x_j² y_j² for single columns.

        For pairs A = (d/4) Σ |z_j|² |w_j|² and B = (d/4) Σ Re z_j² conj w_j², z_j = x_j + i x_{j+1} and
        w_j = y_j + i y_{j+1}.
        """
        d, directions = self.kernel.dim, self.kernel.of_directions
        if not self.draws_pairs:
            second = d * pairs.of(Inner(SQUARES, directions))
            return Moments(second, second, second)
        modulus, square = pairs.of(Inner(MODULI, directions)), pairs.of(Inner(REAL_SQUARES, directions))
        return Moments(modulus * d / 4, square * d / 4, 0)

    @property
    def has_phasor(self) -> bool:
        return self.draws_pairs

    @property
    def exactness(self) -> str:
        return "one column is its own feature" if self.kernel.dim == 1 else ""

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        reads = columns_read_by(self.kernel, columns)
        what = "two neighbouring columns as a complex number" if self.draws_pairs else "one column"
        one = "the column" if len(reads) == 1 else f"{what} at random of the columns"
        return [f"{one} {reads_shown(reads, columns, names)}"]


own_law.register(InnerProduct, lambda kernel, below: CoordinateLaw(kernel))


def columns_read_by(kernel: InnerProduct, columns: tuple[int, ...]) -> tuple[ColumnRead, ...]:
    """What samples of the kernel read: the columns themselves, or those of rows divided by their norms."""
    return tuple(UnitColumn(column, columns) for column in columns) if kernel.of_directions else columns


@dataclass(frozen=True)
class UnitRowsLaw(PhasorLaw):
    """p = exp(i ω·(x/‖x‖ − y/‖y‖)), ω ~ N(0, γ I), for e^{−γ(1−ρ)}: A = 1, B = k⁴ [Li 2017, section 2]."""

    kernel: RbfCosine

    @property
    def base(self) -> FourierLaw:
        """The law of the Gaussian kernel on unit vectors, with its own columns 0, 1, …"""
        return FourierLaw(self.kernel.on_unit_rows())

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        drawn = self.base.draw(stream, n, tuple(range(len(columns))))
        return [replace(batch, phasors=_moved(batch.phasors, columns)) for batch in drawn]

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, self.kernel.value(pairs) ** 4, 0)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        own = self.base.lines(tuple(range(len(columns))))
        return [f"on columns {columns_shown(columns, names)}, divided by the norm of the row:", *indented(own)]


own_law.register(RbfCosine, lambda kernel, below: UnitRowsLaw(kernel))


def _moved(phasors: Phasors | None, columns: tuple[int, ...]) -> Phasors | None:
    if phasors is None:
        return None
    read = tuple(UnitColumn(columns[i], columns) for i in phasors.columns if isinstance(i, int))
    return replace(phasors, columns=read)


@dataclass(frozen=True)
class ShapesLaw(KernelLaw):
    """p = w f_a(x) f_a(y) e^{iω(x_0 − y_0)} with a random function f_a of one column, and perhaps a frequency ω."""

    has_key: ClassVar[bool] = False
    has_amplitude: ClassVar[bool] = True

    kernel: Shaped

    @property
    def has_phasor(self) -> bool:
        return self.kernel.has_waves

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        weights, numbers, frequencies = self.kernel.draw_shapes(stream, n)
        phasors = None if frequencies is None else Phasors.symmetric(columns[:1], frequencies[:, None])
        read = (columns[self.kernel.shape_column],)
        shapes = ColumnShapes(self.kernel.shape, self.kernel.power, read, np.zeros(n, dtype=np.intp), numbers)
        return [Samples(np.arange(n), weights, np.ones(n), phasors, amplitudes=(shapes,))]

    def moments(self, pairs: Pairs) -> Moments:
        a, b = self.kernel.second_moments(pairs)
        return Moments(a, b, 0 if self.has_phasor else a)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [f"functions of {self.kernel}: {self.kernel.frequencies} on columns {columns_shown(columns, names)}"]


own_law.register(Shaped, lambda kernel, below: ShapesLaw(kernel))
