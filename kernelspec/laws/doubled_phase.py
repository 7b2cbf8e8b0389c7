"""The second moment of the phases of a sinh kernel, as a function of the lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kernelspec.kernels.families.gaussian_direction import GaussianDirection
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["DoubledPhase"]


@dataclass(frozen=True)
class DoubledPhase:
    """∫ cos 2(ω·Δ + arg h) |μ|(dω), μ = N h the measure of `kernel`, h = 1 + ig sin θ."""

    kernel: GaussianDirection

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        from kernelspec.special.wave_phase import doubled_phase

        kernel, sigma = self.kernel, float(self.kernel.scale)
        along = pairs.inner(kernel.unit().tolist()) / sigma
        across = np.maximum(pairs.squared_norm() / sigma**2 - along**2, 0.0)
        wave = doubled_phase(float(kernel.frequency), float(kernel.gain), 2 * along)
        return np.asarray(np.exp(-2 * across) * wave)

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        kernel = self.kernel
        z = sympy.Symbol("z", real=True)
        along = pairs.inner(kernel.step) / (kernel.scale**2 * kernel.frequency)
        across = pairs.squared_norm() / kernel.scale**2 - along**2
        h = kernel.gain * sympy.sin(kernel.frequency * z)
        turned = (1 - h**2) * sympy.cos(2 * along * z) - 2 * h * sympy.sin(2 * along * z)
        normal = sympy.exp(-(z**2) / 2) / sympy.sqrt(2 * sympy.pi)
        integral = sympy.Integral(turned / sympy.sqrt(1 + h**2) * normal, (z, -sympy.oo, sympy.oo))
        return sympy.exp(-2 * across) * integral
