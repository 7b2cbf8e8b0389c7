"""Frequencies that act on rows divided by their norm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kernelspec.laws.derived import Derived
from kernelspec.laws.sampler import columns_shown, indented
from kernelspec.samples.columns_read import UnitColumn

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Phasors, Samples

__all__ = ["UnitRowsSampler"]


@dataclass(frozen=True)
class UnitRowsSampler(Derived):
    """p of k(x/‖x‖, y/‖y‖): the frequencies of `base`, drawn on columns 0, 1, …, act on unit vectors."""

    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        return [replace(batch, phasors=self._moved(batch.phasors)) for batch in self.base.draw(stream, n)]

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        shown = columns_shown(self.positions, names)
        return [f"on columns {shown}, divided by the norm of the row:", *indented(self.base.lines())]

    def _moved(self, phasors: Phasors | None) -> Phasors | None:
        if phasors is None:
            return None
        columns = tuple(UnitColumn(self.positions[i], self.positions) for i in phasors.columns if isinstance(i, int))
        return replace(phasors, columns=columns)
