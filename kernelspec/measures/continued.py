"""The measure of a product over columns times an exponential of the lag, in closed form or by inversion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelspec.kernels.families.coordinatewise import Coordinatewise
from kernelspec.measures.complex_frequency import ComplexFrequency
from kernelspec.measures.measure import computed_density, computed_expression
from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["Continued"]


@dataclass(frozen=True)
class Continued(ComplexFrequency):
    """∏ p(ω_i + iβ_i) dω, β = `by`, p the density of f for k = ∏ f(Δ_i): (1/2π) ∫ f(t) e^{βt − iωt} dt."""

    kernel: Coordinatewise

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return computed_density(self, frequencies)

    def of_column(self, i: int) -> Continued:
        """The measure on one column."""
        return Continued(self.on_line(), (self.by[i],))

    def expression(self, frequency: SymbolicPairs) -> Any:
        return computed_expression(self, frequency)

    def on_line(self) -> Coordinatewise:
        """The kernel on one column."""
        line = self.kernel.on_line()
        assert isinstance(line, Coordinatewise)
        return line
