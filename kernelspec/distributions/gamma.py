"""The gamma law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.limits import MAX_SHAPE
from kernelspec.notation.arguments import Scalar, real

__all__ = ["Gamma"]


@dataclass(frozen=True, kw_only=True)
class Gamma(GeneralizedGamma):
    """Gamma of shape s > 0 and scale θ > 0: mean sθ, E[1/R] = 1/(s − 1)θ for s > 1.

    φ(t) = Q(s, u) − u Γ(s − 1, u)/Γ(s), u = t/θ; exp(−u) for s = 2, the Laplace kernel.
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 17.
    """

    name: ClassVar[str] = "gamma"
    formula: ClassVar[str] = "x^{s−1} exp(−x/θ) / Γ(s) θ^s"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 17"

    shape: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = real(1, above=0)

    def order(self) -> Scalar:
        return self.shape

    def power(self) -> Scalar:
        return 1

    def unit(self) -> Scalar:
        return self.scale

    def mean(self) -> Scalar:
        return self.shape * self.scale
