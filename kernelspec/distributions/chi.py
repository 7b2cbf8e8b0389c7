"""The chi law: lengths of normal vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.distributions.square_root import square_root
from kernelspec.limits import MAX_SHAPE
from kernelspec.notation.arguments import Scalar, real

__all__ = ["Chi"]


@dataclass(frozen=True, kw_only=True)
class Chi(GeneralizedGamma):
    """The root of the sum of n = `dof` > 0 squares of standard normals, nakagami(n/2, n): mean √2 Γ((n+1)/2)/Γ(n/2).

    φ(t) = Q(n/2, t²/2) − (t/√2) Γ((n−1)/2, t²/2)/Γ(n/2). Reference: Johnson, Kotz and Balakrishnan 1994, chapter 18.
    """

    name: ClassVar[str] = "chi"
    formula: ClassVar[str] = "2^{1−n/2} x^{n−1} exp(−x²/2) / Γ(n/2)"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 18"

    dof: Scalar = real(above=0, at_most=MAX_SHAPE)

    def order(self) -> Scalar:
        return self.dof / 2

    def power(self) -> Scalar:
        return 2

    def unit(self) -> Scalar:
        return square_root(2, self.dof)
