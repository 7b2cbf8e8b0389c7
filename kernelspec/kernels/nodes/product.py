"""Products and whole powers of kernels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import mul
from typing import ClassVar

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import whole_power
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.structured_pairs import ATOM, PRODUCT, bracketed
from kernelspec.kernels.kernel import Kernel, Verdict, joint_stationarity, joint_symmetry
from kernelspec.kernels.leaf import load_kernel
from kernelspec.loading import Span
from kernelspec.special.elementary import Scaled

__all__ = ["Power", "Product", "one"]


def one(dim: Scalar, span: Span | None) -> Kernel:
    """The kernel 1, the empty product."""
    return load_kernel("constant")(dim=dim, span=span)


@dataclass(frozen=True, kw_only=True)
class Product(Kernel):
    """∏ k_i. Measures convolve; of independent draws, frequencies add and keys are mixed."""

    factors: tuple[Kernel, ...]

    def validate(self) -> None:
        super().validate()
        if not self.factors:
            raise ValueError("a product has no factors")

    def value(self, pairs: Pairs) -> Value:
        if isinstance(pairs, NumericPairs) and self._may_overflow:
            return self.scaled_value(pairs).value()
        return reduce(mul, (factor.value(pairs) for factor in self.factors))

    @cached_property
    def _may_overflow(self) -> bool:
        """Cached `grows_exponentially`, which inspects all factors."""
        return self.grows_exponentially

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return reduce(Scaled.times, (factor.scaled_value(pairs) for factor in self.factors))

    def diagonal(self) -> Scalar:
        return reduce(mul, (factor.diagonal() for factor in self.factors))

    def magnitude(self) -> Scalar:
        return reduce(mul, (factor.magnitude() for factor in self.factors))

    def verdict(self) -> Verdict:
        parts = [factor.verdict() for factor in self.factors]
        reasons = tuple(reason for part in parts for reason in part.reasons)
        proved = all(part.positive_definite == "proved" for part in parts)
        rule = "product: positive definite when every factor is [Schur 1911]"
        symmetric = self._is_its_own_transpose() or joint_symmetry(parts, linear=False)
        return Verdict("proved" if proved else "unknown", (*reasons, rule), symmetric, *joint_stationarity(parts))

    def _is_its_own_transpose(self) -> bool:
        """Whether the factors of k(y, x) are those of k(x, y), in some order."""
        return Counter(self.factors) == Counter(factor.transposed() for factor in self.factors)

    def __str__(self) -> str:
        return "*".join(bracketed(factor, PRODUCT) for factor in self.factors)


@dataclass(frozen=True, kw_only=True)
class Power(Kernel):
    """k ** n, n = 1, 2, … up to `largest`: the product of n independent samples of k."""

    largest: ClassVar[int] = 100

    base: Kernel
    exponent: int

    def validate(self) -> None:
        super().validate()
        if not 1 <= self.exponent <= self.largest:
            raise ValueError(f"the exponent is {self.exponent}")

    def value(self, pairs: Pairs) -> Value:
        return whole_power(self.base.value(pairs), self.exponent)

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs).to_the(self.exponent)

    def diagonal(self) -> Scalar:
        return whole_power(self.base.diagonal(), self.exponent)

    def magnitude(self) -> Scalar:
        return whole_power(self.base.magnitude(), self.exponent)

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        rule = f"power {self.exponent}: positive definite when the base is [Schur 1911]"
        proved = part.positive_definite == "proved"
        # odd powers of different numbers differ; even powers of a and −a are equal
        odd = self.exponent % 2 == 1
        return Verdict(
            "proved" if proved else "disproved" if odd and part.symmetric is False else "unknown",
            (*part.reasons, rule),
            part.symmetric if odd else part.symmetric or None,
            part.stationary if odd or not self.has_constant_diagonal else part.stationary or None,
            part.stationary_in_numbers,
        )

    def __str__(self) -> str:
        return f"{bracketed(self.base, ATOM)}**{self.exponent}"
