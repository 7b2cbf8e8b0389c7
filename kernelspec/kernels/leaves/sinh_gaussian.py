"""The Gaussian kernel times one plus a hyperbolic sine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.elementary import inner_product
from kernelspec.special.floats import floats
from kernelspec.special.scaled import Scaled

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["SinhGaussian"]


@dataclass(frozen=True, kw_only=True)
class SinhGaussian(GaussianDirection):
    """k(Δ) = exp(−‖Δ‖² / 2σ²)(1 + sinh β·Δ) on R^d, σ = `scale` > 0, β = `by`; μ = N(ω)(1 − ig sin σ²β·ω).

    N is the N(0, σ⁻² I) density and g = e^{σ²‖β‖²/2}. Total variation E √(1 + g² sin² aZ), a = σ‖β‖, Z ~ N(0, 1);
    k(0) = 1. Symmetric for β = 0 only. Reference: He, He, Liu and Huang 2022.
    """

    name: ClassVar[str] = "sinh_gaussian"
    formula: ClassVar[str] = "exp(−‖Δ‖² / 2σ²)(1 + sinh β·Δ)"
    frequencies: ClassVar[str] = "N(0, σ⁻² I) times |1 − ig sin σ²β·ω|, g = e^(σ²‖β‖²/2), with its phase on the left"
    reference: ClassVar[str] = "He, He, Liu and Huang 2022"
    has_constant_real_part: ClassVar[bool] = True

    @property
    def step(self) -> tuple[Scalar, ...]:
        return tuple(-(self.scale**2) * entry for entry in self.by)

    @property
    def gain_exponent(self) -> Scalar:
        return self.scale**2 * inner_product(self.by, self.by, self.dim) / 2

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        half, tilt = pairs.squared_norm() / (2 * self.scale**2), pairs.inner(self.by)
        small = np.abs(tilt) < 1
        # near zero the difference of the exponentials would cancel, far away sinh would overflow
        near = np.exp(-half) * np.sinh(np.where(small, tilt, 0.0))
        far = (np.exp(tilt - half) - np.exp(-tilt - half)) / 2
        return floats(np.exp(-half) + np.where(small, near, far))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        # e^{−h}(1 + sinh t) = e^{|t| − h}(e^{−|t|} + sinh(t) e^{−|t|})
        tilt = pairs.inner(self.by)
        size = np.abs(tilt)
        mantissa = np.exp(-size) - np.sign(tilt) * np.expm1(-2 * size) / 2
        return Scaled(mantissa, size - pairs.squared_norm() / (2 * self.scale**2))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        gaussian = sympy.exp(-pairs.squared_norm() / (2 * self.scale**2))
        return gaussian * (1 + sympy.sinh(pairs.inner(self.by)))
