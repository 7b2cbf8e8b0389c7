"""A kernel that is sampled in another way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.notation.arguments import Scalar, Value

if TYPE_CHECKING:
    from kernelspec.kernels.verdict import Verdict
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import Pairs

__all__ = ["Resampled"]


@dataclass(frozen=True, kw_only=True)
class Resampled(Kernel):
    """The kernel `base`, unless a subclass says otherwise; subclasses say what its samples are, and their moments."""

    base: Kernel

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs)

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def verdict(self) -> Verdict:
        return self.base.verdict()

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    @property
    def is_fourier(self) -> bool:
        return False

    def measure(self) -> Measure:
        return self.base.measure()

    def __str__(self) -> str:
        return str(self.base)
