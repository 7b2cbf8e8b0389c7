"""Sums below a product: every sample is one of the terms, at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.laws.sampler import Sampler, indented
from kernelspec.samples.samples import gather

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["MixtureSampler"]


@dataclass(frozen=True)
class MixtureSampler(Sampler):
    """p = (w_i / q_i) p_i with probability q_i, for the kernel Σ w_i k_i."""

    parts: tuple[Sampler, ...]
    weights: tuple[float, ...]
    probabilities: tuple[float, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        drawn = []
        for i, (part, chosen) in enumerate(zip(self.parts, stream.choose(self.probabilities, n), strict=True)):
            factor = abs(self.weights[i]) / self.probabilities[i]
            drawn += [
                batch.relabelled(chosen[batch.index], factor, np.sign(self.weights[i]))
                for batch in part.draw(stream.child(i), len(chosen))
            ]
        return gather(drawn)

    def draw_products(self, stream: Stream, counts: NDArray[np.int64]) -> Samples | None:
        """How often each part is drawn is multinomial; the draws of one part are multiplied in one draw."""
        times = stream.generator("times").multinomial(counts, self.probabilities)
        product = None
        for i, part in enumerate(self.parts):
            drawn = part.draw_products(stream.child(i), times[:, i])
            if drawn is None:
                return None
            factor = abs(self.weights[i]) / self.probabilities[i]
            turned = np.sign(self.weights[i]) ** (times[:, i] % 2)
            own = replace(drawn, weight=drawn.weight * factor ** times[:, i], sign=drawn.sign * turned)
            product = own if product is None else product * own
        return product

    @property
    def has_phasor(self) -> bool:
        return any(part.has_phasor for part in self.parts)

    @property
    def has_key(self) -> bool:
        return any(part.has_key for part in self.parts)

    @property
    def has_amplitude(self) -> bool:
        return any(part.has_amplitude for part in self.parts)

    @property
    def n_terms(self) -> int:
        return max((part.n_terms for part in self.parts), default=1)

    def work(self, n: int, nonzeros: float) -> float:
        shares = (max(1, round(q * n)) for q in self.probabilities)
        return sum(part.work(share, nonzeros) for part, share in zip(self.parts, shares, strict=True))

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        shown = []
        for part, q in zip(self.parts, self.probabilities, strict=True):
            first, *rest = part.lines(names)
            shown += indented([f"{q:.3g}: {first}", *rest])
        return ["one of, with probability", *shown]
