"""The Weibull law: powers of exponential variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.limits import MAX_SHAPE
from kernelspec.notation.arguments import Scalar, real

__all__ = ["Weibull"]


@dataclass(frozen=True, kw_only=True)
class Weibull(GeneralizedGamma):
    """λ E^{1/k}, E ~ Exp(1), k = `shape` > 0, λ = `scale` > 0: mean λΓ(1 + 1/k), E[1/R] = Γ(1 − 1/k)/λ for k > 1.

    φ(t) = exp(−u^k) − u Γ(1 − 1/k, u^k), u = t/λ. Reference: Johnson, Kotz and Balakrishnan 1994, chapter 21.
    """

    name: ClassVar[str] = "weibull"
    formula: ClassVar[str] = "(k/λ) (x/λ)^{k−1} exp(−(x/λ)^k)"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 21"

    shape: Scalar = real(at_least=1 / MAX_SHAPE, at_most=MAX_SHAPE)
    scale: Scalar = real(1, above=0)

    def order(self) -> Scalar:
        return 1

    def power(self) -> Scalar:
        return self.shape

    def unit(self) -> Scalar:
        return self.scale
