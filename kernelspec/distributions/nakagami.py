"""The Nakagami law: roots of gamma variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.distributions.square_root import square_root
from kernelspec.limits import MAX_SHAPE
from kernelspec.notation.arguments import Scalar, real

__all__ = ["Nakagami"]


@dataclass(frozen=True, kw_only=True)
class Nakagami(GeneralizedGamma):
    """The root of a gamma variable of shape m > 0 and mean Ω = `spread` > 0; with c = √(Ω/m): mean c Γ(m + ½)/Γ(m).

    φ(t) = Q(m, u²) − u Γ(m − ½, u²)/Γ(m), u = t/c; E[1/R] = Γ(m − ½)/cΓ(m) for m > ½.
    Reference: Nakagami 1960.
    """

    name: ClassVar[str] = "nakagami"
    formula: ClassVar[str] = "2 (m/Ω)^m x^{2m−1} exp(−mx²/Ω) / Γ(m)"
    reference: ClassVar[str] = "Nakagami 1960"

    shape: Scalar = real(above=0, at_most=MAX_SHAPE)
    spread: Scalar = real(1, above=0)

    def order(self) -> Scalar:
        return self.shape

    def power(self) -> Scalar:
        return 2

    def unit(self) -> Scalar:
        return square_root(self.spread / self.shape)
