"""Exponential activations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelspec.activations.poisson_series import PoissonSeries
from kernelspec.notation.arguments import Scalar, real
from kernelspec.special.floats import floats

__all__ = ["Exp"]


@dataclass(frozen=True, kw_only=True)
class Exp(PoissonSeries):
    """σ(x) = e^{√c x}, σ̂(ρ) = e^{c(ρ − 1)}: degrees are Poisson numbers of mean c, and σ̂′(1) = c.

    Over a circle or a sphere the dual is a Gaussian kernel. Reference: Daniely, Frostig and Singer 2016.
    """

    name: ClassVar[str] = "exp"
    formula: ClassVar[str] = "exp(√c x)"
    reference: ClassVar[str] = "Daniely, Frostig and Singer 2016"

    c: Scalar = real(1, above=0, at_most=1e8)

    def rate(self) -> Scalar:
        return self.c

    def share(self, weight: float = 1.0) -> float:
        return 1.0

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        c = float(self.c)
        return floats(np.exp(np.sqrt(c) * floats(x) - c))

    def series(self, x: np.ndarray) -> np.ndarray:
        return floats(np.exp(float(self.c) * (x - 1)))

    def dual_expression(self, rho: Any) -> Any:
        import sympy

        return sympy.exp(self.c * (rho - 1))

    def derivative_at_one(self) -> Scalar:
        return self.c

    def mean_degree(self, weight: float = 1.0) -> float:
        return float(self.c) * weight
