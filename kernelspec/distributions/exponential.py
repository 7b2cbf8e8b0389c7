"""The exponential law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.notation.arguments import Scalar, real

__all__ = ["Exponential"]


@dataclass(frozen=True, kw_only=True)
class Exponential(GeneralizedGamma):
    """Exponential of scale θ > 0, the mean; E[1/R] = ∞.

    φ(t) = exp(−u) − u E₁(u), u = t/θ, with a slope of −∞ at zero; φ̂(ω) = ln(1 + θ²ω²)/θω².
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 19.
    """

    name: ClassVar[str] = "exponential"
    formula: ClassVar[str] = "exp(−x/θ) / θ"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 19"

    scale: Scalar = real(1, above=0)

    def order(self) -> Scalar:
        return 1

    def power(self) -> Scalar:
        return 1

    def unit(self) -> Scalar:
        return self.scale

    def mean(self) -> Scalar:
        return self.scale
