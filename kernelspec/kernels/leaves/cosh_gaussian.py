"""The tilted Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.elementary import inner_product
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["CoshGaussian"]


@dataclass(frozen=True, kw_only=True)
class CoshGaussian(GaussianDirection):
    """k(Δ) = exp(−‖Δ‖² / 2σ²) e^{β·Δ} on R^d, σ = `scale` > 0, β = `by`; μ = g N(ω) e^{−iσ²β·ω}, g = e^{σ²‖β‖²/2}.

    N is the N(0, σ⁻² I) density. Total variation g, k(0) = 1: a Gaussian kernel shifted by −σ²β, times g. Symmetric for
    β = 0 only. Reference: He, He, Liu and Huang 2022.
    """

    name: ClassVar[str] = "cosh_gaussian"
    formula: ClassVar[str] = "exp(−‖Δ‖² / 2σ²) e^(β·Δ)"
    frequencies: ClassVar[str] = "N(0, σ⁻² I) with the phase −σ²β·ω on the left and the weight e^(σ²‖β‖²/2)"
    reference: ClassVar[str] = "He, He, Liu and Huang 2022"

    @property
    def step(self) -> tuple[Scalar, ...]:
        return tuple(-(self.scale**2) * entry for entry in self.by)

    @property
    def gain_exponent(self) -> Scalar:
        return self.scale**2 * inner_product(self.by, self.by, self.dim) / 2

    def diagonal(self) -> Scalar:
        return 1

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        # one exponential: neither factor overflows where their product does not
        return floats(np.exp(self.exponent(pairs)))

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(pairs.inner(self.by) - pairs.squared_norm() / (2 * self.scale**2))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        return sympy.exp(pairs.inner(self.by) - pairs.squared_norm() / (2 * self.scale**2))
