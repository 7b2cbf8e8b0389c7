"""Equality of categories, sampled by random phases instead of a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.kernels.leaves.match import Match
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments
from kernelspec.samples.amplitudes.category_phases import CategoryPhases
from kernelspec.samples.keys.match import MatchKey
from kernelspec.samples.samples import Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream

__all__ = ["CategoryPhasesLaw", "category_phases"]


@dataclass(frozen=True)
class CategoryPhasesLaw(Law):
    """p = e^{2πi (u(x) − u(y))} with independent uniform u for all categories: dense features.

    A = 1 and B = 1[x = y], a variance of ½ in pairs where x ≠ y, and none where x = y. A product of such samples is
    one. Reference: Daniely, Frostig, Gupta and Singer 2017, base spaces.
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    kernel: Match

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        phases = CategoryPhases(stream.words("category", (n,)), MatchKey(columns))
        return [Samples(np.arange(n), np.ones(n), np.ones(n), amplitudes=(phases,))]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        if (counts < 1).any():
            return None
        (samples,) = self.draw(stream, len(counts), columns)
        return samples

    def value(self, pairs: Pairs) -> Value:
        return self.kernel.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, self.kernel.value(pairs), 0)

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude()

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [f"a random phase for the categories of columns {columns_shown(columns, names)}"]


def category_phases(kernel: Kernel) -> CategoryPhasesLaw | None:
    """The scheme "category_phases", for match()."""
    return CategoryPhasesLaw(kernel) if isinstance(kernel, Match) else None
