"""Consistent weighted samples, one by one: every nonzero is evaluated for every sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.kernels.leaves.minmax import MinMax
from kernelspec.laws.agreement import Agreement
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.laws.rules import Below, own_law
from kernelspec.samples.keys.gcws import LARGEST_TABLE, ROWS_AT_ONCE, TILE, GcwsKey
from kernelspec.samples.samples import Samples

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.random.streams import Stream

__all__ = ["GcwsLaw", "gcws"]

_CACHED = 2**20
"""What the time of a pair depends on: whether a tile of the tables stays in the cache."""


@dataclass(frozen=True)
class GcwsLaw(Agreement):
    """p = 1[(i*, t*) of x and y agree], E p = Σ min/Σ max [Li 2017, theorem 1.1]; O(nonzeros · n) a row.

    Variance k(1 − k). With `zero_bit` the key is i* alone: it agrees more often, biased upwards.
    """

    kernel: MinMax
    zero_bit: bool = False

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        key = GcwsKey(stream.words("samples", (n,)), columns, self.zero_bit)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (key,))]

    def work(self, n: int, nonzeros: float) -> float:
        coordinates = 2 * self.kernel.dim
        a_pair = 0.25 if coordinates * min(n, TILE) <= _CACHED else 1.2
        if coordinates * n > LARGEST_TABLE:
            a_pair += 30.0 * min(1.0, coordinates / (ROWS_AT_ONCE * max(1.0, nonzeros)))
        return float(nonzeros * (12.0 + a_pair * n))

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        what = "i*" if self.zero_bit else "(i*, t*)"
        return [f"key: the consistent weighted sample {what} of columns {columns_shown(columns, names)}"]


@own_law.register
def _(kernel: MinMax, below: Below) -> GcwsLaw:
    del below
    return GcwsLaw(kernel)


def gcws(kernel: Kernel) -> GcwsLaw | None:
    """The scheme "gcws", which minmax() has by itself."""
    return GcwsLaw(kernel) if isinstance(kernel, MinMax) else None
