"""The chi-square law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.limits import MAX_SHAPE
from kernelspec.notation.arguments import Scalar, real

__all__ = ["ChiSquare"]


@dataclass(frozen=True, kw_only=True)
class ChiSquare(GeneralizedGamma):
    """The sum of n = `dof` > 0 squares of standard normals, gamma(n/2, 2): mean n, E[1/R] = 1/(n − 2) for n > 2.

    φ(t) = Q(n/2, t/2) − (t/2) Γ(n/2 − 1, t/2)/Γ(n/2); exp(−t/2) for n = 4.
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 18.
    """

    name: ClassVar[str] = "chi_square"
    formula: ClassVar[str] = "x^{n/2−1} exp(−x/2) / 2^{n/2} Γ(n/2)"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 18"

    dof: Scalar = real(above=0, at_most=MAX_SHAPE)

    def order(self) -> Scalar:
        return self.dof / 2

    def power(self) -> Scalar:
        return 1

    def unit(self) -> Scalar:
        return 2

    def mean(self) -> Scalar:
        return self.dof
