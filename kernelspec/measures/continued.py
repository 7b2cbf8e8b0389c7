"""The measure of a product over columns times an exponential of the lag, where it is had by inversion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.kernels.families.coordinatewise import Coordinatewise
from kernelspec.measures.measure import Measure
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.infinity import undefined
from kernelspec.notation.pairs import NumericPairs
from kernelspec.special.scaled import Scaled

if TYPE_CHECKING:
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["Continued"]


@dataclass(frozen=True)
class Continued(Measure):
    """∏ p(ω_i + iβ_i) dω, β = `by`, p the density of f for k = ∏ f(Δ_i): (1/2π) ∫ f(t) e^{βt − iωt} dt, complex.

    Finite where f(t) e^{|β t|} is integrable, so that p continues into the strip [Paley and Wiener 1934].
    """

    kernel: Coordinatewise
    by: tuple[Scalar, ...]

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    @property
    def is_complex(self) -> bool:
        return True

    def total_mass(self) -> Scalar:
        return 1

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        raise PlanError("a complex measure has no sampler of its own")

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        rise = Scaled(np.ones(()), lags @ np.asarray(self.by, dtype=float))
        return self.kernel.scaled_value(NumericPairs.of_vectors(lags)).times(rise).value()

    def without_density(self) -> str | None:
        return None

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from kernelspec.measures.block_density import trusted
        from kernelspec.measures.convolution import product_and_error
        from kernelspec.measures.inversion import invert_line

        found = []
        for rate, column in zip(self.by, frequencies.T, strict=True):
            one = Continued(self._on_line(), (rate,))
            found.append(trusted(*invert_line(one, column)))
        values, errors = product_and_error(found)
        return values.astype(complex), errors

    def expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        if not isinstance(self.dim, int) or len(set(self.by)) == 1:
            return frequency.product(lambda omega: self._integral(omega, self.by[0]))
        rates = enumerate(self.by, 1)
        return sympy.Mul(*[self._integral(frequency.component(i), rate) for i, rate in rates])

    def _integral(self, omega: Any, rate: Scalar) -> Any:
        import sympy

        t = sympy.Symbol("t", real=True)
        wave = sympy.exp(rate * t - sympy.I * omega * t)
        whole = sympy.Integral(self._on_line().factor_expression(t) * wave, (t, -sympy.oo, sympy.oo))
        return whole / (2 * sympy.pi)

    def _on_line(self) -> Coordinatewise:
        line = self.kernel.on_line()
        assert isinstance(line, Coordinatewise)
        return line

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """Not defined: see the second moments of the parts, which the uniform bound takes."""
        del matrix
        return undefined(*self.by)

    def describe(self) -> str:
        return f"{self.kernel}: the density of its frequencies, continued to ω + iβ"
