"""The half-normal law: sizes of normal variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.distributions.square_root import square_root
from kernelspec.notation.arguments import Scalar, real

__all__ = ["HalfNormal"]


@dataclass(frozen=True, kw_only=True)
class HalfNormal(GeneralizedGamma):
    """|X|, X ~ N(0, σ²), σ = `scale` > 0, nakagami(½, σ²): mean σ√(2/π), E[1/R] = ∞.

    φ(t) = erfc(t/σ√2) − t E₁(t²/2σ²)/σ√2π, with a slope of −∞ at zero.
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 13.
    """

    name: ClassVar[str] = "half_normal"
    formula: ClassVar[str] = "√(2/π) exp(−x²/2σ²) / σ"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 13"

    scale: Scalar = real(1, above=0)

    def order(self) -> Scalar:
        return 0.5

    def power(self) -> Scalar:
        return 2

    def unit(self) -> Scalar:
        return self.scale * square_root(2, self.scale)
