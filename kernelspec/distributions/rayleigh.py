"""The Rayleigh law: lengths of normal vectors in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.distributions.square_root import square_root
from kernelspec.notation.arguments import Scalar, real

__all__ = ["Rayleigh"]


@dataclass(frozen=True, kw_only=True)
class Rayleigh(GeneralizedGamma):
    """The length of N(0, σ²I₂), σ = `scale` > 0, nakagami(1, 2σ²): mean σ√(π/2), E[1/R] = √(π/2)/σ.

    φ(t) = exp(−t²/2σ²) − √(π/2) (t/σ) erfc(t/σ√2).
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 18.
    """

    name: ClassVar[str] = "rayleigh"
    formula: ClassVar[str] = "x exp(−x²/2σ²) / σ²"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 18"

    scale: Scalar = real(1, above=0)

    def order(self) -> Scalar:
        return 1

    def power(self) -> Scalar:
        return 2

    def unit(self) -> Scalar:
        return self.scale * square_root(2, self.scale)
