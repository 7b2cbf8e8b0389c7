"""Whole powers of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments
from kernelspec.laws.rewriting import OF_SHARES
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.written import ATOM, bracketed

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import Pairs

__all__ = ["Power"]


@dataclass(frozen=True, kw_only=True)
class Power(Kernel):
    """k ** n, n = 1, 2, … up to `largest`: the product of n independent samples of k."""

    largest: ClassVar[int] = 100

    excluded: ClassVar[frozenset[str]] = OF_SHARES

    base: Kernel
    exponent: int

    def validate(self) -> None:
        super().validate()
        if not 1 <= self.exponent <= self.largest:
            raise ValueError(f"the exponent is {self.exponent}")

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs) ** self.exponent

    def diagonal(self) -> Scalar:
        return self.base.diagonal() ** self.exponent

    def magnitude(self) -> Scalar:
        return self.base.magnitude() ** self.exponent

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs) ** self.exponent

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        rule = f"power {self.exponent}: positive definite when the base is [Schur 1911]"
        proved = part.positive_definite == "proved"
        return Verdict("proved" if proved else "unknown", (*part.reasons, rule), part.symmetric, part.stationary)

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    def measure(self) -> Measure:
        from kernelspec.measures.convolution import convolve

        return convolve((self.base.measure(),) * self.exponent)

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.laws.fourier import FourierSampler
        from kernelspec.laws.product import ProductSampler

        if self.is_fourier:
            return FourierSampler(self.measure(), positions)
        return ProductSampler((self.base.sampler(positions),) * self.exponent)

    def __str__(self) -> str:
        return f"{bracketed(self.base, ATOM)}**{self.exponent}"
