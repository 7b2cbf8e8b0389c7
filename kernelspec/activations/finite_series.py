"""Activations with finitely many Hermite coefficients: polynomials, and what is cut to one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.notation.infinity import infinity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernelspec.notation.arguments import Scalar
    from kernelspec.random.streams import Stream

__all__ = ["FiniteSeries"]


@dataclass(frozen=True, kw_only=True)
class FiniteSeries(Activation):
    """σ̂(ρ) = Σ a_l ρ^l over finitely many degrees; the radius of convergence is ∞."""

    @abstractmethod
    def terms(self) -> Sequence[tuple[int, Scalar]]:
        """The pairs (l, a_l) with a_l not known to be zero, in order of l."""

    def series(self, x: np.ndarray) -> np.ndarray:
        """By Horner's rule, over the gaps between the degrees."""
        degrees, masses = self._numbers()
        total = np.full(np.shape(x), masses[-1])
        gaps = np.diff(degrees, prepend=0)
        for i in range(len(degrees) - 1, -1, -1):
            total = total * (x if gaps[i] == 1 else x ** float(gaps[i])) + (masses[i - 1] if i else 0.0)
        return total

    def dual_expression(self, rho: Any) -> Any:
        import sympy

        return sympy.Add(*(sympy.S(mass) * rho**degree for degree, mass in self.terms()))

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        degrees, masses = self._numbers()
        degree = np.asarray(degree, dtype=float)
        place = np.minimum(np.searchsorted(degrees, degree), len(degrees) - 1)
        return np.where(degrees[place] == degree, masses[place], 0.0)

    def derivative_at_one(self) -> Scalar:
        return sum(degree * mass for degree, mass in self.terms())

    def mean_degree(self, weight: float = 1.0) -> float:
        degrees, shares = self._shares(weight)
        return float(degrees @ shares)

    def radius(self) -> Scalar:
        return infinity()

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        """By inversion of the table."""
        degrees, shares = self._shares(weight)
        return degrees[np.searchsorted(np.cumsum(shares)[:-1], stream.uniforms("degrees", (n,)))]

    def _shares(self, weight: float) -> tuple[np.ndarray, np.ndarray]:
        """The degrees with a_l > 0, and their probabilities at a weight; powers of it may overflow."""
        degrees, masses = self._numbers()
        possible = masses > 0
        logarithms = np.log(masses[possible]) + degrees[possible] * np.log(weight)
        relative = np.exp(logarithms - logarithms.max())
        return degrees[possible], relative / relative.sum()

    def _numbers(self) -> tuple[np.ndarray, np.ndarray]:
        degrees, masses = zip(*self.terms(), strict=True)
        return np.array(degrees, dtype=np.int64), np.array(masses, dtype=float)
