"""The sine of a multiple."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, tanh
from typing import Any, ClassVar

import numpy as np

from kernelspec.activations.poisson_series import PoissonSeries
from kernelspec.notation.arguments import Scalar, real
from kernelspec.special.floats import floats

__all__ = ["Sin"]


@dataclass(frozen=True, kw_only=True)
class Sin(PoissonSeries):
    """σ(x) = sin ax, σ̂(ρ) = sinh(a²ρ)/sinh(a²): degrees are odd Poisson numbers of rate a², σ̂′(1) = a² coth a².

    Reference: Louart, Liao and Couillet 2018, table 1.
    """

    name: ClassVar[str] = "sin"
    formula: ClassVar[str] = "sin(a x)"
    reference: ClassVar[str] = "Louart, Liao and Couillet 2018, table 1"
    first: ClassVar[int] = 1
    step: ClassVar[int] = 2

    a: Scalar = real(1, at_least=1e-70, at_most=1e4)

    def rate(self) -> Scalar:
        return self.a**2

    def share(self, weight: float = 1.0) -> float:
        return -expm1(-2 * float(self.rate()) * weight) / 2

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return floats(np.sin(float(self.a) * floats(x)) / np.sqrt(self.share()))

    def series(self, x: np.ndarray) -> np.ndarray:
        c, size = float(self.rate()), np.abs(x)
        grown = np.exp(c * (size - 1)) * -np.expm1(-2 * c * size)
        return floats(np.copysign(grown / (2 * self.share()), x))

    def dual_expression(self, rho: Any) -> Any:
        import sympy

        return sympy.sinh(self.a**2 * rho) / sympy.sinh(self.a**2)

    def derivative_at_one(self) -> Scalar:
        c = self.rate()
        if isinstance(c, int | float):
            return c / tanh(c)
        import sympy

        return c * sympy.coth(c)

    def mean_degree(self, weight: float = 1.0) -> float:
        rate = float(self.rate()) * weight
        return rate / tanh(rate)
