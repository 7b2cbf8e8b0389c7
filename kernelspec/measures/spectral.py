"""The spectral measure of a catalogue kernel, as the kernel states it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.kernels.families.formula_product import FormulaProduct
from kernelspec.kernels.families.formula_radial import FormulaRadial
from kernelspec.kernels.leaf import Stationary
from kernelspec.measures.measure import Measure, product_and_error
from kernelspec.measures.measure_of import measure_rule
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.pairs import NumericPairs
from kernelspec.special.counted_work import spend

if TYPE_CHECKING:
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["Spectral"]

_OPERATIONS, _OPERATIONS_OF_A_DRAW = 100, 200
"""For a value of the density and for a draw, in every column."""


@dataclass(frozen=True)
class Spectral(Measure):
    """The probability μ of a stationary kernel of the catalogue."""

    kernel: Stationary

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    def total_mass(self) -> Scalar:
        return 1

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        spend(_OPERATIONS_OF_A_DRAW * float(n) * int(self.dim))
        return self.kernel.draw(stream, n)

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # of lags whose squares are beyond all floats k is 0
            return self.kernel.numbers(NumericPairs.of_vectors(lags))

    def without_density(self) -> str | None:
        return self.kernel.without_density()

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        self.require_density()
        if isinstance(self.kernel, FormulaProduct):
            return self.density_and_error(frequencies)[0]
        with np.errstate(over="ignore"):  # of frequencies whose squares are beyond all floats
            return self.kernel.density(NumericPairs.of_vectors(frequencies))

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.require_density()
        spend(_OPERATIONS * float(frequencies.size))
        match self.kernel:
            case FormulaRadial() as kernel:
                return kernel.radial_density(np.sqrt(NumericPairs.of_vectors(frequencies).squared_norm()))
            case FormulaProduct() as kernel:
                density, errors = kernel.factor_density_and_error(np.asarray(frequencies, dtype=float))
                return product_and_error(list(zip(density.T, errors.T, strict=True)))
        return super().density_and_error(frequencies)

    def expression(self, frequency: SymbolicPairs) -> Any:
        return self.kernel.density_expression(frequency)

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        return self.kernel.second_moment(matrix)

    def describe(self) -> str:
        return f"{self.kernel}: {self.kernel.frequencies}"

    def atoms(self) -> Atoms | None:
        return self.kernel.atoms()

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        return self.kernel.finite_atoms()


@measure_rule.register
def _(kernel: Stationary) -> Spectral:
    return Spectral(kernel)
