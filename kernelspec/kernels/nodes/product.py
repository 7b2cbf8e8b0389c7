"""Products of kernels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict, joint_stationarity, joint_symmetry
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.pairs import NumericPairs
from kernelspec.notation.written import PRODUCT, bracketed
from kernelspec.special.scaled import Scaled

if TYPE_CHECKING:
    from kernelspec.notation.pairs import Pairs

__all__ = ["Product"]


@dataclass(frozen=True, kw_only=True)
class Product(Kernel):
    """∏ k_i. Measures convolve; of independent draws, frequencies add and keys are mixed."""

    factors: tuple[Kernel, ...]

    def validate(self) -> None:
        super().validate()
        if not self.factors:
            raise ValueError("a product has no factors")

    def value(self, pairs: Pairs) -> Value:
        if isinstance(pairs, NumericPairs) and self.grows_exponentially:
            return self.scaled_value(pairs).value()
        return reduce(mul, (factor.value(pairs) for factor in self.factors))

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

    @property
    def is_stationary(self) -> bool:
        return all(factor.is_stationary for factor in self.factors)

    def __str__(self) -> str:
        return "*".join(bracketed(factor, PRODUCT) for factor in self.factors)
