"""The leaky rectifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.activations.two_slopes import TwoSlopes
from kernelspec.notation.arguments import Scalar, real

__all__ = ["LeakyRelu"]


@dataclass(frozen=True, kw_only=True)
class LeakyRelu(TwoSlopes):
    """σ(x) = x for x > 0, s x for x < 0, s = `slope`: relu for s = 0, the identity for s = 1, |x| for s = −1.

    Reference: Tsuchida, Roosta and Gallagher 2018.
    """

    name: ClassVar[str] = "leaky_relu"
    formula: ClassVar[str] = "max(0, x) + s min(0, x)"
    reference: ClassVar[str] = "Tsuchida, Roosta and Gallagher 2018"

    slope: Scalar = real(0.01, at_least=-1e100, at_most=1e100)

    def left_slope(self) -> Scalar:
        return self.slope
