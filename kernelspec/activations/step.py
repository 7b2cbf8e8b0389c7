"""The unit step."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.activations.arcsine import Arcsine
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar

__all__ = ["Step"]


@dataclass(frozen=True, kw_only=True)
class Step(Arcsine):
    """σ(x) = 1 for x > 0, 0 otherwise; σ̂(ρ) = ½ + arcsin(ρ)/π, the arc-cosine kernel of order 0.

    σ̂′(1) = ∞; P(l > n) ≈ 0.254/√n. Reference: Cho and Saul 2009.
    """

    name: ClassVar[str] = "step"
    formula: ClassVar[str] = "1 for x > 0, 0 otherwise"
    reference: ClassVar[str] = "Cho and Saul 2009"

    def constant(self) -> Scalar:
        return Fraction(1, 2)

    def argument(self) -> Scalar:
        return 1

    def odds(self) -> float:
        return inf

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return floats(np.where(floats(x) > 0, np.sqrt(2), 0.0))
