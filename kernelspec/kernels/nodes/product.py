"""Products of kernels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, ClassVar

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments
from kernelspec.laws.rewriting import OF_SHARES
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.written import PRODUCT, bracketed

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import Pairs

__all__ = ["Product"]


@dataclass(frozen=True, kw_only=True)
class Product(Kernel):
    """∏ k_i. Measures convolve; of independent draws, frequencies add and keys are mixed."""

    excluded: ClassVar[frozenset[str]] = OF_SHARES

    factors: tuple[Kernel, ...]

    def validate(self) -> None:
        super().validate()
        if not self.factors:
            raise ValueError("a product has no factors")

    def value(self, pairs: Pairs) -> Value:
        return reduce(mul, (factor.value(pairs) for factor in self.factors))

    def diagonal(self) -> Scalar:
        return reduce(mul, (factor.diagonal() for factor in self.factors))

    def magnitude(self) -> Scalar:
        return reduce(mul, (factor.magnitude() for factor in self.factors))

    def moments(self, pairs: Pairs) -> Moments:
        return reduce(mul, (factor.moments(pairs) for factor in self.factors))

    def verdict(self) -> Verdict:
        parts = [factor.verdict() for factor in self.factors]
        reasons = tuple(reason for part in parts for reason in part.reasons)
        proved = all(part.positive_definite == "proved" for part in parts)
        stationary = None if any(part.stationary is None for part in parts) else all(p.stationary for p in parts)
        rule = "product: positive definite when every factor is [Schur 1911]"
        symmetric = all(part.symmetric for part in parts) or self._is_its_own_transpose()
        return Verdict("proved" if proved else "unknown", (*reasons, rule), symmetric, stationary)

    def _is_its_own_transpose(self) -> bool:
        """Whether the factors of k(y, x) are those of k(x, y), in some order."""
        return Counter(self.factors) == Counter(factor.transposed() for factor in self.factors)

    @property
    def is_stationary(self) -> bool:
        return all(factor.is_stationary for factor in self.factors)

    def measure(self) -> Measure:
        from kernelspec.measures.convolution import convolve

        return convolve(tuple(factor.measure() for factor in self.factors))

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.laws.fourier import FourierSampler
        from kernelspec.laws.product import ProductSampler
        from kernelspec.measures.convolution import convolve

        smooth = [factor for factor in self.factors if factor.is_fourier]
        samplers = [factor.sampler(positions) for factor in self.factors if not factor.is_fourier]
        if len(smooth) == 1:
            samplers.insert(0, smooth[0].sampler(positions))
        elif smooth:
            samplers.insert(0, FourierSampler(convolve(tuple(factor.measure() for factor in smooth)), positions))
        return samplers[0] if len(samplers) == 1 else ProductSampler(tuple(samplers))

    def __str__(self) -> str:
        return "*".join(bracketed(factor, PRODUCT) for factor in self.factors)
