"""Products over the columns of one function that the user wrote, k = ∏ f(|Δ_i|)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from kernelspec.errors import NoDensityError, NotAvailableYet, RangeError
from kernelspec.formulas.criterion import Criterion, polya_criterion
from kernelspec.formulas.curvature import curvature_at_zero
from kernelspec.formulas.floats import values
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.scaled_floats import scaled_values
from kernelspec.formulas.symbolic_formula import formula_expression
from kernelspec.kernels.families.coordinatewise import Coordinatewise
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar
from kernelspec.special.fejer import draw_fejer
from kernelspec.special.scaled import Scaled

if TYPE_CHECKING:
    from kernelspec.distributions.converse import PolyaConverse
    from kernelspec.random.streams import Stream

__all__ = ["FormulaProduct"]

_LARGEST_FREQUENCY = 1e150
"""Its product with a column of the data is still a float, and the sum of such products."""


@dataclass(frozen=True, kw_only=True)
class FormulaProduct(Coordinatewise):
    """k(Δ) = ∏ f(|Δ_i|), f a formula with f(0) = 1.

    Where f is proved convex on t ≥ 0 and to tend to 0, k is a Polya kernel: ω_i = X/R with X of Fejér's law and R
    of the law with survival function f(r) − r f′(r). For other formulas k has its values, and neither features nor a
    density. Reference: Polya 1949.
    """

    name: ClassVar[str] = "product"
    formula: ClassVar[str] = "∏ f(|Δ_i|)"
    frequencies: ClassVar[str] = "X / R in every coordinate, X of Fejér's law, P(R > r) = f(r) − r f'(r)"
    reference: ClassVar[str] = "Polya 1949"

    shape: Formula

    def __str__(self) -> str:
        return f"{self.name}({self.shape})"

    @cached_property
    def criterion(self) -> Criterion:
        """Whether f is of Polya type, and why."""
        return polya_criterion(self.shape)

    def pitch_law(self) -> PolyaConverse | None:
        if not self.criterion.is_proved:
            return None
        from kernelspec.distributions.converse import PolyaConverse

        return PolyaConverse(shape=self.shape, span=self.span)

    def verdict(self) -> Verdict:
        if self.criterion.is_proved:
            return Verdict("proved", (f"{self}: a Polya kernel, since {self.criterion.reason} [{self.reference}]",))
        return Verdict("unknown", (f"{self}: {self.criterion.reason}",))

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return values(self.shape, np.abs(lag))

    def scaled_factor(self, lag: np.ndarray) -> Scaled:
        return Scaled(*scaled_values(self.shape, np.abs(lag)))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return formula_expression(self.shape, sympy.Abs(lag))

    def decay_rate(self) -> Scalar:
        law = self.pitch_law()
        return 0 if law is None else law.decay_rate()

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        law = self._law()
        with np.errstate(over="ignore", divide="ignore"):
            frequencies = np.asarray(draw_fejer(stream, shape) / law.draw(stream, shape))
        if not (np.abs(frequencies) < _LARGEST_FREQUENCY).all():
            raise RangeError(
                f"{self} has frequencies beyond {_LARGEST_FREQUENCY:g}: a kernel so steep at 0 has no features",
                self.span,
            )
        return frequencies

    def without_density(self) -> str | None:
        if self.criterion.is_proved:
            return None
        return f"the spectral measure of {self} is not available in this version: {self.criterion.reason}"

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        law, reason = self.pitch_law(), self.without_density()
        if law is None:
            raise NoDensityError(str(reason))
        return law.polya_transform(frequency) / (2 * np.pi)

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        t = sympy.Symbol("t", positive=True)
        wave = sympy.cos(frequency * t) * formula_expression(self.shape, t)
        return sympy.Integral(wave, (t, 0, sympy.oo)) / sympy.pi

    def frequency_variance(self) -> Scalar:
        """−f″(0) of the even function: infinite where f′(0+) is not 0, as for every Polya kernel."""
        return curvature_at_zero(self.shape)

    def _law(self) -> PolyaConverse:
        return self.pitch_law() or self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotAvailableYet(
            "only formulas of Polya type (f(0) = 1, convex, tending to 0) have features in this version; "
            f"{self.shape}: {self.criterion.reason}",
            self.span,
        )
