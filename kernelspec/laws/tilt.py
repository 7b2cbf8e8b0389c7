"""Rows scaled by real exponentials on each side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.laws.derived import Derived
from kernelspec.laws.sampler import indented
from kernelspec.samples.growth import Growth
from kernelspec.samples.samples import gather

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["SinhSampler", "TiltSampler"]


@dataclass(frozen=True)
class TiltSampler(Derived):
    """p of k(Δ) e^{β·Δ}: the samples of `base` times e^{β·x} and e^{−β·y}, β being `by` on the columns `positions`."""

    by: tuple[float, ...]
    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        return gather([_grown(batch, self.by, self.positions) for batch in self.base.draw(stream, n)])

    @property
    def has_amplitude(self) -> bool:
        return True

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        return [f"rows scaled by e^(β·x) and e^(−β·y), β = ({_shown(self.by)}):", *indented(self.base.lines(names))]


@dataclass(frozen=True)
class SinhSampler(Derived):
    """p of k(Δ)(1 + sinh β·Δ): three terms of each sample, times 1, ½e^{β·(x − y)} and −½e^{−β·(x − y)}."""

    by: tuple[float, ...]
    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        still = tuple(0.0 for _ in self.by)
        fall = tuple(-entry for entry in self.by)
        terms = []
        for batch in self.base.draw(stream, n):
            terms += [
                _grown(batch, still, self.positions),
                _grown(batch.relabelled(batch.index, 0.5), self.by, self.positions),
                _grown(batch.relabelled(batch.index, 0.5, -1.0), fall, self.positions),
            ]
        return gather(terms)

    @property
    def has_amplitude(self) -> bool:
        return True

    @property
    def n_terms(self) -> int:
        return 3 * self.base.n_terms

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        what = f"as they are, and as ±½ of rows scaled by e^(±β·x) and e^(∓β·y), β = ({_shown(self.by)}):"
        return [f"three times, {what}", *indented(self.base.lines(names))]


def _grown(batch: Samples, by: tuple[float, ...], positions: tuple[int, ...]) -> Samples:
    own = Growth(positions, np.tile(np.asarray(by, dtype=float), (len(batch), 1)))
    return replace(batch, growth=own if batch.growth is None else batch.growth * own)


def _shown(by: tuple[float, ...]) -> str:
    return ", ".join(f"{entry:g}" for entry in by)
