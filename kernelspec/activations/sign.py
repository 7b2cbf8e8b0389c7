"""The sign, −1 or 1."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.activations.arcsine import Arcsine
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar

__all__ = ["Sign"]


@dataclass(frozen=True, kw_only=True)
class Sign(Arcsine):
    """σ(x) = sign x, σ̂(ρ) = (2/π) arcsin ρ; σ̂′(1) = ∞; P(l > n) ≈ 0.508/√n. Reference: Sheppard 1899."""

    name: ClassVar[str] = "sign"
    formula: ClassVar[str] = "sign(x)"
    reference: ClassVar[str] = "Sheppard 1899"

    def argument(self) -> Scalar:
        return 1

    def odds(self) -> float:
        return inf

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return floats(np.sign(floats(x)))
