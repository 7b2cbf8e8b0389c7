"""The rectifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kernelspec.activations.two_slopes import TwoSlopes

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar

__all__ = ["Relu"]


@dataclass(frozen=True, kw_only=True)
class Relu(TwoSlopes):
    """σ(x) = max(0, x), σ̂(ρ) = (√(1 − ρ²) + ρ (π − arccos ρ))/π, the arc-cosine kernel of order 1.

    Coefficients 1/π, ½, and c_k/π(2k − 1)² at degree 2k; σ̂′(1) = 1. Reference: Cho and Saul 2009.
    """

    name: ClassVar[str] = "relu"
    formula: ClassVar[str] = "max(0, x)"
    reference: ClassVar[str] = "Cho and Saul 2009"

    def left_slope(self) -> Scalar:
        return 0
