"""A Gaussian kernel times one plus a hyperbolic sine, with the hyperbolic factor on the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.pair_function import ExponentialOf

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import Pairs

__all__ = ["SinhRows"]


@dataclass(frozen=True, kw_only=True)
class SinhRows(Kernel):
    """G(Δ)(1 + sinh β·Δ), G = `base`: each sample of G, times 1 + ½e^{β·x}e^{−β·y} − ½e^{−β·x}e^{β·y}.

    The three terms share the frequency: a sample is three column groups, with signs (+, +, −). A = B's factor is
    (1 + sinh β·Δ)².
    """

    base: Gaussian
    by: tuple[Scalar, ...]

    def _factor(self, pairs: Pairs) -> Value:
        rise = pairs.of(ExponentialOf(self.by))
        fall = pairs.of(ExponentialOf(tuple(-entry for entry in self.by)))
        return 1 + (rise - fall) / 2

    def validate(self) -> None:
        super().validate()
        if len(self.by) != self.dim:
            raise ValueError(f"a vector of {len(self.by)} entries stands on {self.dim} columns")

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs) * self._factor(pairs)

    def diagonal(self) -> Scalar:
        return 1

    def magnitude(self) -> Scalar:
        """The size at x = y: far away |p| has no bound."""
        return 1

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs).scaled(self._factor(pairs) ** 2)

    def transposed(self) -> Kernel:
        return replace(self, by=tuple(-entry for entry in self.by))

    def verdict(self) -> Verdict:
        return Verdict("disproved", ("one plus an odd function: k(x, y) ≠ k(y, x)",), symmetric=False)

    @property
    def is_stationary(self) -> bool:
        return True

    def measure(self) -> Measure:
        from kernelspec.kernels.leaves.sinh_gaussian import SinhGaussian

        return SinhGaussian(scale=self.base.scale, by=self.by, dim=self.dim, span=self.span).measure()

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.laws.tilt import SinhSampler

        return SinhSampler(self.base.sampler(positions), tuple(float(entry) for entry in self.by), positions)
