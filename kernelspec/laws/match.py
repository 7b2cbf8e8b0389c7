"""Equality of categories by the categories themselves as the key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.kernels.leaves.match import Match
from kernelspec.laws.agreement import Agreement
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.laws.rules import Below, own_law
from kernelspec.samples.keys.match import MatchKey
from kernelspec.samples.keys.run_key import RunKey
from kernelspec.samples.samples import Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.random.streams import Stream

__all__ = ["MatchLaw"]


@dataclass(frozen=True)
class MatchLaw(Agreement):
    """p = 1[x = y]: every sample is the kernel itself, without variance."""

    kernel: Match

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        del stream
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (MatchKey(columns),))]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples:
        """1[x = y], too, or 1 where there is no factor."""
        del stream
        n = len(counts)
        starts = np.concatenate([[0], np.cumsum(counts > 0)]).astype(np.intp)
        return Samples(np.arange(n), np.ones(n), np.ones(n), None, (RunKey(MatchKey(columns), starts),))

    @property
    def exactness(self) -> str:
        return "every category has a column"

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]]:
        return frozenset({tuple(sorted(set(columns)))})

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [f"key: the categories of columns {columns_shown(columns, names)}"]


@own_law.register
def _(kernel: Match, below: Below) -> MatchLaw:
    del below
    return MatchLaw(kernel)
