"""The spectral measure of a catalogue kernel, of a dual activation, and of Gaussians along one direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import undefined
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.leaves.gaussian_directions import GaussianDirection
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.limits import spend
from kernelspec.loading import sympy
from kernelspec.measures.measure import Measure, computed_density, measure_of, measure_rule, product_and_error

if TYPE_CHECKING:
    from kernelspec.expressions.symbolic_pairs import SymbolicPairs
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.random.streams import Stream

__all__ = ["Composed", "Directional", "Spectral"]

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


@dataclass(frozen=True)
class Composed(Measure):
    """Σ a_l μ^{*l}, the measure of σ̂(k) = Σ a_l k^l, μ that of k: with the mass a_0 at ω = 0.

    Reference: Daniely, Frostig, Gupta and Singer 2017, section 3.
    """

    kernel: Dual
    part: Measure

    @property
    def dim(self) -> Scalar:
        return self.part.dim

    @property
    def is_complex(self) -> bool:
        return self.part.is_complex

    @property
    def at_zero(self) -> float:
        """a_0, the mass of the atom at ω = 0. Raises TypeError or RangeError where the activation has symbols."""
        return float(self.kernel.activation.coefficient(np.zeros(1))[0])

    def total_mass(self) -> Scalar:
        return self.kernel.diagonal()

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        degrees = self.kernel.activation.draw_degrees(stream.child(0), n, self.kernel.mass)
        ends = np.concatenate([[0], np.cumsum(degrees)])
        drawn = self.part.sample(stream.child(1), int(ends[-1]))
        sums = np.concatenate([np.zeros((1, drawn.shape[1])), np.cumsum(drawn, axis=0)])
        return np.asarray(sums[ends[1:]] - sums[ends[:-1]])

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        return np.asarray(self.kernel.of_values(self.part.characteristic_function(lags)))

    def without_density(self) -> str | None:
        reason = self.part.without_density()
        if reason is not None or self._starts_at_degree_one():
            return reason
        return (
            f"the dual of {self.kernel.activation} has a constant term, so that a share of the frequencies is exactly "
            "zero: the rest has a density, the whole has none"
        )

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.require_density()
        return computed_density(self, frequencies)

    def expression(self, frequency: SymbolicPairs) -> Any:
        degree = sympy.Symbol("l", integer=True, positive=True)
        share = sympy.Function(f"coefficient_of_{self.kernel.activation}")(degree)
        power = sympy.Function("convolution_power")(self.part.expression(frequency), degree)
        rest = sympy.Sum(share * power, (degree, 1, sympy.oo))
        return self.kernel.of_values(sympy.S.Zero) * frequency.product(sympy.DiracDelta) + rest

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """E l · E‖Aω‖²: the summands are independent, and centred wherever the moment is finite."""
        below = self.part.second_moment(matrix)
        try:
            return self.kernel.mean_degree() * below
        except TypeError:  # there are symbols in the activation
            return undefined(below)

    def describe(self) -> str:
        return f"sums of l frequencies of ({self.part.describe()}), l of the law of {self.kernel.activation}"

    def _starts_at_degree_one(self) -> bool:
        try:
            return self.at_zero == 0
        except TypeError:
            return False


@measure_rule.register
def _(kernel: Dual) -> Composed:
    return Composed(kernel, measure_of(kernel.base))


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
