"""The measure of a product over columns times an exponential of the lag, in closed form or by inversion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelspec.kernels.families.coordinatewise import Coordinatewise
from kernelspec.measures.complex_frequency import ComplexFrequency
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["Continued"]


@dataclass(frozen=True)
class Continued(ComplexFrequency):
    """∏ p(ω_i + iβ_i) dω, β = `by`, p the density of f for k = ∏ f(Δ_i): (1/2π) ∫ f(t) e^{βt − iωt} dt."""

    kernel: Coordinatewise

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from kernelspec.measures.algebra.closed_density import closed_numbers
        from kernelspec.measures.block_density import trusted
        from kernelspec.measures.convolution import product_and_error
        from kernelspec.measures.inversion import invert_line

        found = []
        for i, column in enumerate(frequencies.T):
            one = self.of_column(i)
            closed = closed_numbers(one, column[:, None])
            known = trusted(*invert_line(one, column)) if closed is None else (closed, np.zeros(len(column)))
            found.append(known)
        values, errors = product_and_error(found)
        return values.astype(complex), errors

    def of_column(self, i: int) -> Continued:
        """The measure on one column."""
        return Continued(self._on_line(), (self.by[i],))

    def expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        if not isinstance(self.dim, int) or len(set(self.by)) == 1:
            return frequency.product(lambda omega: self._on_column(omega, self.by[0]))
        rates = enumerate(self.by, 1)
        return sympy.Mul(*[self._on_column(frequency.component(i), rate) for i, rate in rates])

    def _on_column(self, omega: Any, rate: Scalar) -> Any:
        """The density on one column, a closed form or an integral."""
        import sympy

        from kernelspec.measures.algebra.closed_density import closed_expression

        closed = closed_expression(Continued(self._on_line(), (rate,)), SymbolicPairs(1, lambda i: omega))
        if closed is not None:
            return closed
        t = sympy.Symbol("t", real=True)
        wave = sympy.exp(rate * t - sympy.I * omega * t)
        whole = sympy.Integral(self._on_line().factor_expression(t) * wave, (t, -sympy.oo, sympy.oo))
        return whole / (2 * sympy.pi)

    def _on_line(self) -> Coordinatewise:
        line = self.kernel.on_line()
        assert isinstance(line, Coordinatewise)
        return line
