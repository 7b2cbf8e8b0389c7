"""Products: independent samples of the factors, multiplied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import mul
from typing import TYPE_CHECKING

from kernelspec.laws.sampler import Sampler, indented
from kernelspec.samples.samples import multiply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["ProductSampler"]


@dataclass(frozen=True)
class ProductSampler(Sampler):
    """p = ∏ p_i with independent draws: phasors fuse into one frequency, keys are mixed in order.

    A power is the product of that many draws of one sampler.
    """

    factors: tuple[Sampler, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        draws = (factor.draw(stream.child(i), n) for i, factor in enumerate(self.factors))
        return reduce(multiply, draws)

    def draw_products(self, stream: Stream, counts: NDArray[np.int64]) -> Samples | None:
        """The products of the factors' draws, where all of them have a law."""
        drawn = [factor.draw_products(stream.child(i), counts) for i, factor in enumerate(self.factors)]
        known = [samples for samples in drawn if samples is not None]
        return reduce(mul, known) if len(known) == len(drawn) else None

    @property
    def has_phasor(self) -> bool:
        return any(factor.has_phasor for factor in self.factors)

    @property
    def has_key(self) -> bool:
        return any(factor.has_key for factor in self.factors)

    @property
    def has_amplitude(self) -> bool:
        return any(factor.has_amplitude for factor in self.factors)

    @property
    def n_terms(self) -> int:
        return prod(factor.n_terms for factor in self.factors)

    def work(self, n: int, nonzeros: float) -> float:
        return sum(factor.work(n, nonzeros) for factor in self.factors)

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        if len(set(map(id, self.factors))) == 1:
            return [f"product of {len(self.factors)} independent draws of", *indented(self.factors[0].lines(names))]
        return ["product of", *(line for factor in self.factors for line in indented(factor.lines(names)))]
