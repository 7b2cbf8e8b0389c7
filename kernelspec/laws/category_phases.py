"""Equality of categories, sampled by random phases instead of a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.leaves.match import Match
from kernelspec.laws.moments import Moments
from kernelspec.laws.resampled import Resampled

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.notation.pairs import Pairs

__all__ = ["CategoryPhases"]


@dataclass(frozen=True, kw_only=True)
class CategoryPhases(Resampled):
    """1[x = y] = E e^{i(φ(x) − φ(y))} with independent uniform phases φ for all categories: dense features.

    One phasor: A = 1 and B = 1[x = y], a variance of ½ in pairs where x ≠ y, and none where x = y.
    Reference: Daniely, Frostig, Gupta and Singer 2017, base spaces.
    """

    base: Match

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, self.base.value(pairs), 0)

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.samples.amplitudes.category_phases import CategoryPhaseSampler

        return CategoryPhaseSampler(positions)
