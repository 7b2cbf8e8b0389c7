"""Equality of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["Match"]


@dataclass(frozen=True, kw_only=True)
class Match(Leaf):
    """k(x, y) = 1 where x and y agree in every column, else 0; columns of text or of numbers.

    One key with amplitude 1: the sample is the kernel itself, with variance zero. Or random phases, which are dense.
    """

    name: ClassVar[str] = "match"
    formula: ClassVar[str] = "1[x = y]"
    frequencies: ClassVar[str] = "none: a key, with no variance"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017, base spaces"
    compares_categories: ClassVar[bool] = True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return pairs.equal()

    def expression(self, pairs: Pairs) -> Any:
        return pairs.equal()

    def moments(self, pairs: Pairs) -> Moments:
        equal = pairs.key_agreement(pairs.of(self))
        return Moments(equal, equal, equal)

    def verdict(self) -> Verdict:
        reason = "match(): positive definite, an inner product of indicators of the categories"
        return Verdict("proved", (reason,), stationary=None, stationary_in_numbers=True)

    def alternatives(self) -> Mapping[str, Kernel]:
        from kernelspec.laws.category_phases import CategoryPhases

        return {"category_phases": CategoryPhases(base=self, dim=self.dim, span=self.span)}

    @property
    def is_stationary(self) -> bool:
        return False

    def measure(self) -> Measure:
        raise NotStationaryError(
            "match() compares categories, which have no difference x − y: there is no spectral measure on the columns"
        )

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.samples.keys.match import MatchSampler

        return MatchSampler(positions)
