"""The shifted Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.elementary import vector_sum

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["ShiftGaussian"]


@dataclass(frozen=True, kw_only=True)
class ShiftGaussian(GaussianDirection):
    """k(Δ) = exp(−‖Δ + r‖² / 2σ²) on R^d, σ = `scale` > 0, r = `by`; μ = N(ω) e^{ir·ω}, N the N(0, σ⁻² I) density.

    Total variation 1, k(0) = exp(−‖r‖²/2σ²). Symmetric for r = 0 only. Reference: He, He, Liu and Huang 2022.
    """

    name: ClassVar[str] = "shift_gaussian"
    formula: ClassVar[str] = "exp(−‖Δ + r‖² / 2σ²)"
    frequencies: ClassVar[str] = "N(0, σ⁻² I) with the phase r·ω on the left"
    reference: ClassVar[str] = "He, He, Liu and Huang 2022"

    @property
    def step(self) -> tuple[Scalar, ...]:
        return self.by

    @property
    def gain_exponent(self) -> Scalar:
        return 0

    @property
    def gain(self) -> Scalar:
        return 1

    def shifted(self, by: tuple[Scalar, ...]) -> ShiftGaussian:
        """k(Δ + by)."""
        return ShiftGaussian(scale=self.scale, by=vector_sum(self.by, by), dim=self.dim, span=self.span)

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return self.gaussian.exponent(pairs.translated(self.by))

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return self.gaussian.numbers(pairs.translated(self.by))

    def expression(self, pairs: Pairs) -> Any:
        return self.gaussian.expression(pairs.translated(self.by))
