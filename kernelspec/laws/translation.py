"""Translated lags: phases on the left, and keys of translated rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.laws.derived import Derived
from kernelspec.laws.sampler import indented
from kernelspec.samples.keys.translated_key import TranslatedKey
from kernelspec.samples.samples import Phasors, gather

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream
    from kernelspec.samples.columns_read import ColumnRead
    from kernelspec.samples.samples import Samples

__all__ = ["TranslationSampler"]


@dataclass(frozen=True)
class TranslationSampler(Derived):
    """p of k(Δ + r): the samples of `base` at x + r and y, r being `by` on the columns `positions` of the table."""

    by: tuple[float, ...]
    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        return gather([self._moved(batch) for batch in self.base.draw(stream, n)])

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        shown = ", ".join(f"{entry:g}" for entry in self.by)
        return [f"at x + ({shown}) and y:", *indented(self.base.lines(names))]

    def _moved(self, batch: Samples) -> Samples:
        growth = batch.growth
        weight = batch.weight if growth is None else batch.weight * growth.at(self.positions, self.by)
        keys = tuple(TranslatedKey(key, self.by, self.positions) for key in batch.keys)
        return replace(batch, phasors=self._turned(batch.phasors), keys=keys, weight=weight)

    def _turned(self, phasors: Phasors | None) -> Phasors | None:
        if phasors is None:
            return None
        place: dict[ColumnRead, float] = dict(zip(self.positions, self.by, strict=True))
        by = np.array([place.get(column, 0.0) for column in phasors.columns])
        return replace(phasors, left=phasors.left + phasors.frequencies @ by)
