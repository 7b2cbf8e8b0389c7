"""A kernel on some of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.arguments import Scalar, Value
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.moments import Moments
from kernelspec.kernels.verdict import Verdict

if TYPE_CHECKING:
    from kernelspec.features.sampler import Sampler
    from kernelspec.kernels.pairs import Pairs
    from kernelspec.measures.measure import Measure

__all__ = ["Select"]


@dataclass(frozen=True, kw_only=True)
class Select(Kernel):
    """k on the columns at `positions` of the enclosing selection; the measure is δ₀ on the others."""

    base: Kernel
    positions: tuple[int, ...]

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.select(self.positions))

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs.select(self.positions))

    def verdict(self) -> Verdict:
        return self.base.verdict()

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    def measure(self) -> Measure:
        from kernelspec.measures.embedding import Embedding

        return Embedding(self.base.measure(), self.positions, self.dim)

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        return self.base.sampler(tuple(positions[i] for i in self.positions))
