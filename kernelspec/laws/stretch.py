"""Linear changes of the lag for kernels that are no single positive measure: differences, and products of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.laws.derived import Derived
from kernelspec.laws.sampler import indented
from kernelspec.samples.frequencies import mapped
from kernelspec.samples.keys.mapped_key import MappedKey
from kernelspec.samples.samples import Phasors, gather

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["StretchSampler"]


@dataclass(frozen=True)
class StretchSampler(Derived):
    """p of k(AΔ): samples of `base`, drawn on columns 0, 1, … of its own, at the rows Ax: ω becomes A'ω.

    `matrix` is A: a number, one number per column, or rows; `positions` are the columns of the table.
    """

    matrix: Any
    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        drawn = self.base.draw(stream, n)
        a = np.asarray(self.matrix, dtype=float)
        return gather(
            [
                replace(
                    batch,
                    phasors=self._image(batch.phasors, a),
                    growth=None if batch.growth is None else batch.growth.mapped(a, self.positions),
                    keys=tuple(MappedKey(key, a, self.positions) for key in batch.keys),
                )
                for batch in drawn
            ]
        )

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        return ["linear image of", *indented(self.base.lines())]

    def _image(self, phasors: Phasors | None, a: NDArray[np.float64]) -> Phasors | None:
        if phasors is None:
            return None
        spread = phasors.on(tuple(range(a.shape[0] if a.ndim else len(self.positions))))
        return Phasors(self.positions, mapped(spread, a), phasors.left, phasors.right)
