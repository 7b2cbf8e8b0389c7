"""Samples on some of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.nodes.select import Select
from kernelspec.laws.derived import Derived
from kernelspec.laws.rules import Below, closed_to, own_law

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.moments import Moments
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["SelectedLaw"]


@dataclass(frozen=True)
class SelectedLaw(Derived):
    """The samples of `base` on the columns at `positions`, out of `width`."""

    positions: tuple[int, ...]
    width: Scalar

    @property
    def dim(self) -> Scalar:
        return self.width

    def validate(self) -> None:
        super().validate()
        inside = all(0 <= position < self.width for position in self.positions)
        if not inside or self.base.dim not in (None, len(self.positions)):
            raise ValueError(f"a law on {self.base.dim} columns stands on {self.positions} of {self.width}")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        return self.base.draw(stream, n, self.chosen(columns))

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        return self.base.draw_products(stream, counts, self.chosen(columns))

    def chosen(self, columns: tuple[int, ...]) -> tuple[int, ...]:
        """The columns that the base reads, of those given."""
        return tuple(columns[i] for i in self.positions)

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.select(self.positions))

    def mean(self, pairs: Pairs) -> Value:
        return self.base.mean(pairs.select(self.positions))

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs.select(self.positions))

    def fourier_kernel(self) -> Kernel | None:
        kernel = self.base.fourier_kernel()
        return (
            None if kernel is None else Select(base=kernel, positions=self.positions, dim=self.width, span=kernel.span)
        )

    @property
    def exactness(self) -> str:
        return self.base.exactness

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        return self.base.compared(self.chosen(columns))

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return self.base.lines(self.chosen(columns), names)


@own_law.register
def _(kernel: Select, below: Below) -> SelectedLaw:
    return SelectedLaw(below(kernel.base), kernel.positions, kernel.dim)


@closed_to.register
def _(kernel: Select) -> frozenset[str]:
    del kernel
    return frozenset()
