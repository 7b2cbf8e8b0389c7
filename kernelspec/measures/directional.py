"""The complex measure of a Gaussian density times a wave along one direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.measures.measure import Measure
from kernelspec.measures.measure_of import measure_rule
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.pairs import NumericPairs

if TYPE_CHECKING:
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["Directional"]


@dataclass(frozen=True)
class Directional(Measure):
    """μ(dω) = N(ω) h(s·ω) dω: complex, with μ(−ω) = conj μ(ω)."""

    kernel: GaussianDirection

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    @property
    def is_complex(self) -> bool:
        return not self.kernel.is_symmetric

    def total_mass(self) -> Scalar:
        return self.kernel.diagonal()

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        raise PlanError("a complex measure has no sampler of its own: its modulus is drawn, with a phase")

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        return self.kernel.numbers(NumericPairs.of_vectors(lags))

    def without_density(self) -> str | None:
        return None

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        normal = self.kernel.gaussian.density(NumericPairs.of_vectors(frequencies))
        return np.asarray(normal * self.kernel.wave(frequencies @ np.asarray(self.kernel.step, dtype=float)))

    def expression(self, frequency: SymbolicPairs) -> Any:
        normal = self.kernel.gaussian.density_expression(frequency)
        return normal * self.kernel.wave_expression(frequency.inner(self.kernel.step))

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """−∇'A'A∇k(0)/k(0), which is ∫ ‖Aω‖² μ(dω)/k(0)."""
        kernel = self.kernel
        spread = kernel.gaussian.second_moment(matrix)
        if kernel.has_constant_real_part:
            return spread  # the imaginary part is odd
        entries, step = np.asarray(1 if matrix is None else matrix), np.asarray(kernel.step)
        image = entries @ step if entries.ndim == 2 else entries * step
        size = sum(entry**2 for entry in image.tolist())
        return spread - (size if isinstance(self.dim, int) else self.dim * size) / kernel.scale**4

    def describe(self) -> str:
        return f"{self.kernel}: {self.kernel.frequencies}"


@measure_rule.register
def _(kernel: GaussianDirection) -> Directional:
    return Directional(kernel)
