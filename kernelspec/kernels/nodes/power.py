"""Whole powers of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.elementary import whole_power
from kernelspec.notation.written import ATOM, bracketed

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs
    from kernelspec.special.scaled import Scaled

__all__ = ["Power"]


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
        # the odd powers of two numbers differ where the numbers do; the even ones of a and −a are the same
        odd = self.exponent % 2 == 1
        return Verdict(
            "proved" if proved else "disproved" if odd and part.symmetric is False else "unknown",
            (*part.reasons, rule),
            part.symmetric if odd else part.symmetric or None,
            part.stationary if odd or not self.has_constant_diagonal else part.stationary or None,
            part.stationary_in_numbers,
        )

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    def __str__(self) -> str:
        return f"{bracketed(self.base, ATOM)}**{self.exponent}"
