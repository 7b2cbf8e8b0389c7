"""An inner product by its own columns: a sample that is the kernel, with as many terms as there are columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.arguments import Scalar, Value
from kernelspec.kernels.inner_product import InnerProduct
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.moments import Moments

if TYPE_CHECKING:
    from kernelspec.features.sampler import Sampler
    from kernelspec.kernels.pairs import Pairs
    from kernelspec.kernels.verdict import Verdict
    from kernelspec.measures.measure import Measure

__all__ = ["ExactColumns"]


@dataclass(frozen=True, kw_only=True)
class ExactColumns(Kernel):
    """x·y = Σ x_j y_j, term by term: no variance, and d entries instead of one."""

    base: InnerProduct

    @property
    def has_constant_diagonal(self) -> bool:
        return self.base.has_constant_diagonal

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs)

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def moments(self, pairs: Pairs) -> Moments:
        square = self.base.value(pairs) ** 2
        return Moments(square, square, square)

    def verdict(self) -> Verdict:
        return self.base.verdict()

    @property
    def is_stationary(self) -> bool:
        return False

    def measure(self) -> Measure:
        return self.base.measure()

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.features.exact_coordinates import ExactCoordinatesSampler

        return ExactCoordinatesSampler(positions, self.base.reads(positions))

    def __str__(self) -> str:
        return str(self.base)
