"""The mixture of all convolution powers of a measure: the spectral side of a dual activation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.kernels.nodes.dual import Dual
from kernelspec.measures.measure import Measure, computed_density
from kernelspec.measures.measure_of import measure_of, measure_rule
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.infinity import undefined

if TYPE_CHECKING:
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["Composed"]


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
        import sympy

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
