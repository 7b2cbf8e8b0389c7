"""Consistent weighted samples from a Poisson process: its points are visited, not every nonzero for every sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.kernels.leaves.minmax import MinMax
from kernelspec.laws.agreement import Agreement
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.samples.keys.poisson import PoissonKey
from kernelspec.samples.samples import Samples

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.random.streams import Stream

__all__ = ["PoissonLaw", "poisson"]

_FIRST_BLOCK = 1024
"""Samples that share a process: 0, …, 1023, then blocks that double, so that no sample depends on how many follow."""


@dataclass(frozen=True)
class PoissonLaw(Agreement):
    """p = 1[the least points of x and y agree], E p = Σ min/Σ max [Ertl 2018; Christiani 2020].

    O(nonzeros + n ln n) a row; variance k(1 − k). With `zero_bit` the key is the coordinate of the point
    alone: it agrees more often, biased upwards.
    """

    kernel: MinMax
    zero_bit: bool = False

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        sizes, starts = _blocks(n)
        words = stream.words("blocks", (len(sizes),))
        block = np.searchsorted(starts, np.arange(n), side="right") - 1
        key = PoissonKey(words[block], np.arange(n) - starts[block], sizes[block], columns, self.zero_bit)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (key,))]

    def work(self, n: int, nonzeros: float) -> float:
        sizes, starts = _blocks(n)
        points = 1.45 * sizes * (np.log(np.minimum(sizes, n - starts)) + 3.2)
        many = max(1.0, nonzeros)
        occupied = many * np.log2(1 + points / many)
        return float(12 * many + (25 * many + 20 * points + 45 * occupied).sum())

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        what = "coordinate" if self.zero_bit else "point"
        return [f"key: the least {what} of a Poisson process on columns {columns_shown(columns, names)}"]


def poisson(kernel: Kernel) -> PoissonLaw | None:
    """The scheme "poisson", for minmax()."""
    return PoissonLaw(kernel) if isinstance(kernel, MinMax) else None


def _blocks(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sizes and first samples of the blocks that samples 0, …, n − 1 lie in."""
    sizes, starts = [_FIRST_BLOCK], [0]
    while starts[-1] + sizes[-1] < n:
        starts.append(starts[-1] + sizes[-1])
        sizes.append(starts[-1])
    return np.array(sizes), np.array(starts)
