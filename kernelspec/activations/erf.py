"""The error function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelspec.activations.arcsine import Arcsine
from kernelspec.notation.arguments import Scalar, real

__all__ = ["Erf"]


@dataclass(frozen=True, kw_only=True)
class Erf(Arcsine):
    """σ(x) = erf(s x), s = `scale`; σ̂(ρ) = arcsin(qρ)/arcsin(q), q = 2s²/(1 + 2s²), the kernel of Williams.

    The radius of convergence is 1/q, 3/2 for s = 1. Reference: Williams 1998.
    """

    name: ClassVar[str] = "erf"
    formula: ClassVar[str] = "erf(s x)"
    reference: ClassVar[str] = "Williams 1998"

    scale: Scalar = real(1, at_least=1e-70, at_most=1e70)

    def argument(self) -> Scalar:
        return 2 * self.scale**2 / (1 + 2 * self.scale**2)

    def odds(self) -> float:
        double = 2 * float(self.scale) ** 2
        return double**2 / (1 + 2 * double)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        from scipy.special import erf

        mean_square = 2 / np.pi * self._angle(np.array(1.0))
        return np.asarray(erf(float(self.scale) * np.asarray(x, dtype=float)) / np.sqrt(mean_square))
