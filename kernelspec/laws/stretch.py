"""Linear changes of the lag for kernels that are no single positive measure: differences, and products of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.laws.columns_shown import indented
from kernelspec.laws.derived import Derived
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law
from kernelspec.laws.rules import Below, closed_to, own_law
from kernelspec.samples.frequencies import mapped
from kernelspec.samples.keys.mapped_key import MappedKey
from kernelspec.samples.samples import Phasors, gather

if TYPE_CHECKING:
    from kernelspec.laws.moments import Moments
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["StretchLaw", "stretched"]


@dataclass(frozen=True)
class StretchLaw(Derived):
    """p of k(AΔ): samples of `base`, drawn on columns 0, 1, … of its own, at the rows Ax: ω becomes A'ω.

    `matrix` is A: a number, one number per column, or rows; `base_dim` is the number of columns that A makes, `width`
    that of those it takes.
    """

    matrix: Any
    base_dim: Scalar
    width: Scalar

    @property
    def dim(self) -> Scalar:
        return self.width

    def validate(self) -> None:
        super().validate()
        if type(self.base_dim) is not int or self.base.dim not in (None, self.base_dim):
            raise ValueError(f"a law on {self.base.dim} columns stands on {self.base_dim}")
        rows = self.matrix if isinstance(self.matrix, tuple) else ()
        if rows and isinstance(rows[0], tuple):
            fits = len(rows) == self.base_dim and all(isinstance(row, tuple) and len(row) == self.width for row in rows)
        else:
            fits = self.base_dim == self.width and (not isinstance(self.matrix, tuple) or len(rows) == self.width)
        if not fits:
            raise ValueError(f"the matrix does not take {self.width} columns to {self.base_dim}")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        drawn = self.base.draw(stream, n, self._own())
        a = np.asarray(self.matrix, dtype=float)
        return gather(
            [
                replace(
                    batch,
                    phasors=_image(batch.phasors, a, columns),
                    growth=None if batch.growth is None else batch.growth.mapped(a, columns),
                    keys=tuple(MappedKey(key, a, columns) for key in batch.keys),
                )
                for batch in drawn
            ]
        )

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.map(self.matrix))

    def mean(self, pairs: Pairs) -> Value:
        return self.base.mean(pairs.map(self.matrix))

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs.map(self.matrix))

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        del columns, names
        return ["linear image of", *indented(self.base.lines(self._own()))]

    def _own(self) -> tuple[int, ...]:
        return tuple(range(self.base_dim))


def stretched(base: Law, matrix: Any, base_dim: Scalar, dim: Scalar) -> Law:
    """The law of k(AΔ) from that of k: frequencies of the measure pushed forward where there is one."""
    kernel = base.fourier_kernel()
    if kernel is None:
        return StretchLaw(base, matrix, base_dim, dim)
    return FourierLaw(Stretch(base=kernel, matrix=matrix, dim=dim, span=kernel.span))


@own_law.register
def _(kernel: Stretch, below: Below) -> Law:
    return stretched(below(kernel.base), kernel.matrix, kernel.base.dim, kernel.dim)


@closed_to.register
def _(kernel: Stretch) -> frozenset[str]:
    del kernel
    return frozenset()


def _image(phasors: Phasors | None, a: NDArray[np.float64], columns: tuple[int, ...]) -> Phasors | None:
    if phasors is None:
        return None
    spread = phasors.on(tuple(range(a.shape[0] if a.ndim else len(columns))))
    return Phasors(columns, mapped(spread, a), phasors.left, phasors.right)
