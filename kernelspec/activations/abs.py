"""The absolute value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kernelspec.activations.two_slopes import TwoSlopes

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar

__all__ = ["Abs"]


@dataclass(frozen=True, kw_only=True)
class Abs(TwoSlopes):
    """σ(x) = |x|, σ̂(ρ) = (2/π)(√(1 − ρ²) + ρ arcsin ρ).

    Coefficients (2/π) c_k/(2k − 1)² at degree 2k; σ̂′(1) = 1. Reference: Louart, Liao and Couillet 2018, table 1.
    """

    name: ClassVar[str] = "abs"
    formula: ClassVar[str] = "|x|"
    reference: ClassVar[str] = "Louart, Liao and Couillet 2018, table 1"

    def left_slope(self) -> Scalar:
        return -1
