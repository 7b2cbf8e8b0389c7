"""Activations written as a formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.activations.finite_series import FiniteSeries
from kernelspec.activations.hermite_expansion import expand, mean_square_slope
from kernelspec.formulas.floats import values
from kernelspec.formulas.symbolic_formula import formula_expression

if TYPE_CHECKING:
    from kernelspec.formulas.formula import Formula
    from kernelspec.notation.arguments import Scalar

__all__ = ["FormulaActivation"]

_COMPLETE = 1e-9


@dataclass(frozen=True, kw_only=True)
class FormulaActivation(FiniteSeries):
    """σ = f, any formula of one variable with 0 < E f(X)² < ∞, cut to its Hermite polynomials below degree 4096.

    σ̂ is the dual of what is kept, which has mean square one. `omitted` is the share of E f² that is not: σ̂ differs
    from the dual of f by at most twice as much, anywhere on [−1, 1]. It is below 1e-12 for smooth formulas; kinks and
    jumps leave more (`is_complete`). No convergence beyond ±1 is claimed: the radius is 1.
    Reference: Daniely, Frostig and Singer 2016; O'Donnell 2014, section 11.2.
    """

    name: ClassVar[str] = "activation"
    formula: ClassVar[str] = "f(x)"
    reference: ClassVar[str] = "Daniely, Frostig and Singer 2016"

    function: Formula

    def validate(self) -> None:
        """Raise RangeError unless 0 < E f(X)² < ∞: a formula from a file may be any."""
        expand(self.function)

    @property
    def omitted(self) -> float:
        """The share of E f² outside the kept Hermite polynomials, and the error of the integration."""
        return expand(self.function).omitted

    @property
    def is_complete(self) -> bool:
        """Whether less than 1e-9 of E f² is left out; E f² is found to no more."""
        return self.omitted < _COMPLETE

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        shares = expand(self.function).shares
        kept = shares / shares.sum()
        return [(int(degree), float(kept[degree])) for degree in np.flatnonzero(kept)]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(values(self.function, x) / expand(self.function).norm)

    def dual_expression(self, rho: Any) -> Any:
        """E f(X)f(ρX + √(1 − ρ²)Z)/E f(X)² as integrals over the plane, of f itself: nothing is left out.

        At a number a function by its name: of an integral SymPy would compute digits without end wherever it is asked
        for the sign of an expression that has it.
        """
        import sympy

        if rho.is_number:
            return sympy.Function(f"dual_of_{self}", real=True, positive=rho.is_positive or None)(rho)
        # bound variables of their own: ρ is made of names too, and may have integrals inside
        x, z = (sympy.Dummy(name, real=True) for name in "uz")
        f = formula_expression(self.function, x)
        other = formula_expression(self.function, rho * x + sympy.sqrt(1 - rho**2) * z)
        weight = sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi)
        plane = ((x, -sympy.oo, sympy.oo), (z, -sympy.oo, sympy.oo))
        joint = sympy.Integral(f * other * weight * weight.subs(x, z), *plane)
        return joint / sympy.Integral(f**2 * weight, plane[0])

    def derivative_at_one(self) -> Scalar:
        """E f′²/E f², of f itself; `mean_degree`, of what is kept, is finite even where f jumps."""
        return mean_square_slope(self.function)

    def radius(self) -> Scalar:
        return 1.0

    def __str__(self) -> str:
        return f"activation({self.function})"
