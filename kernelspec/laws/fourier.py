"""Random Fourier features: one frequency from the spectral measure per sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.laws.sampler import Sampler, columns_shown
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.spectral import Spectral
from kernelspec.samples.samples import Phasors, Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.measures.measure import Measure
    from kernelspec.random.streams import Stream

__all__ = ["FourierSampler"]


@dataclass(frozen=True)
class FourierSampler(Sampler):
    """p = k(0) exp(i ω·(x − y)), ω ~ μ / k(0) [Rahimi and Recht 2007]."""

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    measure: Measure
    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        frequencies = self.measure.sample(stream, n)
        used = _used(self.measure)
        phasors = Phasors.symmetric(tuple(self.positions[i] for i in used), frequencies[:, used])
        mass = float(self.measure.total_mass())
        return [Samples(np.arange(n), np.full(n, mass), np.ones(n), phasors.merged())]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64]) -> Samples | None:
        if not isinstance(self.measure, Spectral):
            return None
        frequencies = self.measure.kernel.draw_sums(stream, counts)
        if frequencies is None:
            return None
        phasors = Phasors.symmetric(self.positions, frequencies)
        n = len(counts)
        return Samples(np.arange(n), np.ones(n), np.ones(n), phasors.merged())

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        read = [self.positions[i] for i in _used(self.measure)]
        return [f"frequencies of {self.measure.describe()} on columns {columns_shown(read, names)}"]


def _used(measure: Measure) -> list[int]:
    """The coordinates that are not zero in every frequency: the others' columns are not read, whatever they hold."""
    match measure:
        case Embedding():
            return sorted({measure.positions[i] for i in _used(measure.part)})
        case Convolution() | Mixture():
            return sorted({i for part in measure.parts for i in _used(part)})
        case PushForward() if not measure.is_matrix:
            return _used(measure.part)
    return list(range(measure.dim))
