"""An inner product by its own columns: a sample that is the kernel, with as many terms as there are columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.families.inner_product import InnerProduct
from kernelspec.laws.moments import Moments
from kernelspec.laws.resampled import Resampled

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.notation.pairs import Pairs

__all__ = ["ExactColumns"]


@dataclass(frozen=True, kw_only=True)
class ExactColumns(Resampled):
    """x·y = Σ x_j y_j, term by term: no variance, and d entries instead of one."""

    base: InnerProduct

    def moments(self, pairs: Pairs) -> Moments:
        square = self.base.value(pairs) ** 2
        return Moments(square, square, square)

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.laws.exact_coordinates import ExactCoordinatesSampler

        return ExactCoordinatesSampler(positions, self.base.reads(positions))
