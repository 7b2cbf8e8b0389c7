"""Products over the columns of one function that the user wrote, k = ∏ f(|Δ_i|)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from kernelspec.errors import NoDensityError, NotAvailableYet, RangeError
from kernelspec.formulas.criteria.catalogue import statements
from kernelspec.formulas.criterion import Criterion, polya_criterion
from kernelspec.formulas.curvature import curvature_at_zero
from kernelspec.formulas.floats import values
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.scaled_floats import scaled_values
from kernelspec.formulas.symbolic_formula import formula_expression
from kernelspec.kernels.families.coordinatewise import Coordinatewise
from kernelspec.kernels.families.formula_radial import FormulaRadial
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
    of the law with survival function f(r) − r f′(r). It is positive definite where f is on one column, so that the
    criteria for functions of the distance decide other formulas, and the density and the law of ω_i are numerical
    transforms of f. Reference: Polya 1949.
    """

    name: ClassVar[str] = "product"
    formula: ClassVar[str] = "∏ f(|Δ_i|)"
    frequencies: ClassVar[str] = (
        "X / R in every coordinate, X of Fejér's law, P(R > r) = f(r) − r f'(r), for Polya kernels; for others by "
        "inversion of a numerical distribution function"
    )
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
        for found in statements(self.shape):
            if found.holds is None or found.holds >= 1:
                return Verdict("proved", (f"{self}: f is positive definite on one column: {found.reason}",))
            if found.fails == 1:
                return Verdict("disproved", (f"{self}: f is not positive definite on one column: {found.reason}",))
        return Verdict("unknown", (f"{self}: {self.criterion.reason}",))

    def line(self) -> FormulaRadial | None:
        """f(|t|) on one column as a function of the distance; None for a Polya kernel, and where f has unknowns."""
        if self.criterion.is_proved or self.shape.unknowns():
            return None
        return FormulaRadial(shape=self.shape, dim=1, span=self.span)

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

    def tolerance(self) -> float:
        line = self.line()
        return 0.0 if line is None else line.tolerance()

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        line = self.line()
        if line is not None:
            line.spectrum.check(str(self), self.span)
            radius = line.spectrum.quantile(stream.uniforms("radius", shape).ravel()).reshape(shape)
            return np.where(stream.generator("sign").random(shape) < 0.5, -radius, radius)
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
        line = self.line()
        if line is None:
            return f"the spectral measure of {self} is not known: it {self.criterion.reason}"
        return line.without_density()

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        return self.factor_density_and_error(frequency)[0]

    def factor_density_and_error(self, frequency: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The density of one coordinate of ω, and bounds on the errors of its values. Raises NoDensityError."""
        law, reason, line = self.pitch_law(), self.without_density(), self.line()
        if reason is not None:
            raise NoDensityError(reason)
        if law is not None:
            density = law.polya_transform(frequency) / (2 * np.pi)
            return density, np.zeros(np.shape(density))
        assert line is not None
        density, errors = line.radial_density(np.abs(frequency).ravel())
        return density.reshape(np.shape(frequency)), errors.reshape(np.shape(frequency))

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
        raise NotAvailableYet(f"{self} {self.criterion.reason}: it has no features before these have values", self.span)
