"""Frequencies that act on rows divided by their norm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.rbf_cosine import RbfCosine
from kernelspec.laws.columns_shown import columns_shown, indented
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments
from kernelspec.laws.rules import Below, own_law
from kernelspec.samples.columns_read import UnitColumn

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Phasors, Samples

__all__ = ["UnitRowsLaw"]


@dataclass(frozen=True)
class UnitRowsLaw(Law):
    """p = exp(i ω·(x/‖x‖ − y/‖y‖)), ω ~ N(0, γ I), for e^{−γ(1−ρ)}: A = 1, B = k⁴ [Li 2017, section 2]."""

    has_phasor = True
    has_key = False

    kernel: RbfCosine

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    @property
    def base(self) -> FourierLaw:
        """The law of the Gaussian kernel on unit vectors, with columns 0, 1, … of its own."""
        return FourierLaw(Gaussian(scale=float(self.kernel.gamma) ** -0.5, dim=self.kernel.dim))

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        drawn = self.base.draw(stream, n, tuple(range(len(columns))))
        return [replace(batch, phasors=_moved(batch.phasors, columns)) for batch in drawn]

    def value(self, pairs: Pairs) -> Value:
        return self.kernel.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, self.kernel.value(pairs) ** 4, 0)

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude()

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        own = self.base.lines(tuple(range(len(columns))))
        return [f"on columns {columns_shown(columns, names)}, divided by the norm of the row:", *indented(own)]


@own_law.register
def _(kernel: RbfCosine, below: Below) -> Law:
    del below
    return UnitRowsLaw(kernel)


def _moved(phasors: Phasors | None, columns: tuple[int, ...]) -> Phasors | None:
    if phasors is None:
        return None
    read = tuple(UnitColumn(columns[i], columns) for i in phasors.columns if isinstance(i, int))
    return replace(phasors, columns=read)
