"""Kernels from formulas that the user wrote: of the distance, or a product over the columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from kernelspec.errors import NoDensityError, NotAvailableYet, RangeError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.criteria.families import wave_of
from kernelspec.expressions.criteria.necessary import Statement, statements
from kernelspec.expressions.elementary import root
from kernelspec.expressions.evaluation import scaled_values, values
from kernelspec.expressions.formula import Formula
from kernelspec.expressions.jets import breakpoints
from kernelspec.expressions.limits import limit
from kernelspec.expressions.polya_criterion import Criterion, curvature_at_zero, polya_criterion
from kernelspec.expressions.symbolic import formula_expression
from kernelspec.kernels.kernel import Verdict
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.special.elementary import Scaled, floats, product_and_error
from kernelspec.special.exact_draws import draw_fejer
from kernelspec.special.radial_spectrum import NumericalSpectrum, RadialSpectrum, WaveSpectrum

if TYPE_CHECKING:
    from kernelspec.distributions.converse import PolyaConverse
    from kernelspec.expressions.pairs import NumericPairs, Pairs
    from kernelspec.expressions.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["FormulaProduct", "FormulaRadial"]

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

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: NumericPairs) -> tuple[np.ndarray, np.ndarray]:
        density, errors = self.factor_density_and_error(frequencies.x.dense() - frequencies.y.dense())
        return product_and_error(list(zip(density.T, errors.T, strict=True)))

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


_LARGEST_ERROR = 1e-3
"""Of the density and its size near zero: what is known less well is refused, not reported."""


@dataclass(frozen=True, kw_only=True)
class FormulaRadial(Stationary):
    """k(Δ) = f(‖Δ‖₂), f a formula with f(0) = 1.

    Whether it is positive definite on R^d is said by the criteria of kernelspec.formulas.criteria. The density and the
    law of ‖ω‖ are numerical Hankel transforms of f; for waves they are in closed form. Reference: Schoenberg 1938.
    """

    name: ClassVar[str] = "radial"
    formula: ClassVar[str] = "f(‖Δ‖₂)"
    frequencies: ClassVar[str] = (
        "ρu, u uniform on the sphere, ρ by inversion of its numerical distribution function, to 1e-6, at worst 1e-3"
    )
    reference: ClassVar[str] = "Schoenberg 1938"

    shape: Formula

    def __str__(self) -> str:
        return f"{self.name}({self.shape})"

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What the criteria say."""
        return statements(self.shape)

    def verdict(self) -> Verdict:
        for found in self.statements:
            most, least = found.holds, found.fails
            if most is None:
                return Verdict("proved", (f"{self}: positive definite for every d: {found.reason} [{self.reference}]",))
            if isinstance(self.dim, int) and self.dim <= most:
                beyond = ", and no more" if least == most + 1 else ""
                return Verdict("proved", (f"{self}: positive definite for d ≤ {most}{beyond}: {found.reason}",))
            if least == 1 or (least is not None and isinstance(self.dim, int) and self.dim >= least):
                where = "for no d" if least == 1 else f"not for d ≥ {least}"
                return Verdict("disproved", (f"{self}: positive definite {where}: {found.reason}",))
        return Verdict("unknown", (f"{self}: {self._known()}no rule decides it",))

    def _known(self) -> str:
        if self.shape.unknowns():
            return f"depends on {', '.join(sorted(map(str, self.shape.unknowns())))}: "
        holds = max((found.holds or 0 for found in self.statements), default=0)
        return f"positive definite for d ≤ {holds}; beyond, " if holds else ""

    @property
    def is_radial(self) -> bool:
        return True

    def profile(self, distance: np.ndarray) -> np.ndarray:
        """f(r) as floats, 1 at r = 0."""
        return _profile(self.shape, distance)

    def profile_expression(self, distance: Any) -> Any:
        """f(r) in SymPy."""
        return formula_expression(self.shape, distance)

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return self.profile(np.sqrt(pairs.squared_norm()))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        distance = np.sqrt(pairs.squared_norm())
        found = Scaled(*scaled_values(self.shape, distance))
        start = distance == 0
        return Scaled(np.where(start, 1.0, found.mantissa), np.where(start, 0.0, found.exponent))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        return self.profile_expression(root(sympy.S(pairs.squared_norm())))

    def frequency_variance(self) -> Scalar:
        """−f″(0) of the even function: infinite where f′(0+) is not 0."""
        return curvature_at_zero(self.shape)

    @property
    def spectrum(self) -> RadialSpectrum:
        """The law of ‖ω‖ in numbers. Raises NotAvailableYet where a parameter has no value."""
        if self.shape.unknowns():
            raise NotAvailableYet(f"{self} {self._known()}it has no features before these have values", self.span)
        return _spectrum(self.shape, self.dim)

    def _columns(self) -> str:
        return f"{self.dim} column{'s' * (self.dim != 1)}"

    def tolerance(self) -> float:
        return self.spectrum.tolerance

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        """ρu: ρ by inversion of its numerical distribution function, u uniform on the sphere."""
        self.spectrum.check(str(self), self.span)
        normal = stream.normal("normal", (n, self.dim))
        radius = self.spectrum.quantile(stream.uniforms("radius", (n,)))
        return np.asarray(normal * (radius / np.sqrt(np.square(normal).sum(axis=1)))[:, None])

    @property
    def length(self) -> float:
        """A distance on which f changes, for the choice of frequencies."""
        return self.spectrum.length

    def without_density(self) -> str | None:
        if self.shape.unknowns():
            return f"the spectral measure of {self} is not known: {self._known().rstrip(': ')}"
        rest = limit(self.shape, math.inf)
        if isinstance(rest, Fraction | float) and math.isfinite(rest) and rest != 0:
            return f"the spectral measure of {self} has an atom at ω = 0, of the mass {float(rest):.6g}, and no density"
        wave = wave_of(self.shape)
        if wave is not None and self.dim == wave.order:
            return f"the spectral measure of {self} on {self._columns()} is uniform on a sphere and has no density"
        return None

    def radial_density(self, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The density at ‖ω‖ = radius, (n,), and bounds on the errors of the numerical transform."""
        reason = self.without_density()
        if reason is not None:
            raise NoDensityError(reason)
        density, errors = self.spectrum.density(np.asarray(radius, dtype=float))
        if not (errors <= _LARGEST_ERROR * (np.abs(density) + self.length**self.dim)).all():
            raise NoDensityError(f"the spectral density of {self} is not known: the transform is not resolved")
        return density, errors

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        return self.radial_density(np.sqrt(frequencies.squared_norm()))[0]

    def density_and_error(self, frequencies: NumericPairs) -> tuple[np.ndarray, np.ndarray]:
        return self.radial_density(np.sqrt(frequencies.squared_norm()))

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        radius, dim = root(sympy.S(frequency.squared_norm())), frequency.dim
        r, half = sympy.Symbol("r", positive=True), sympy.S(dim) / 2
        wave = sympy.besselj(half - 1, radius * r) * r**half
        integral = sympy.Integral(self.profile_expression(r) * wave, (r, 0, sympy.oo))
        return (2 * sympy.pi) ** -half * radius ** (1 - half) * integral


def _profile(shape: Formula, distance: np.ndarray) -> np.ndarray:
    return np.where(floats(distance) == 0, 1.0, values(shape, distance))


@lru_cache(maxsize=32)
def _spectrum(shape: Formula, dim: int) -> RadialSpectrum:
    wave = wave_of(shape)
    if wave is not None and dim <= float(wave.order):
        return WaveSpectrum(float(wave.order), float(wave.rate), dim)
    return NumericalSpectrum.of(partial(_profile, shape), (0.0, *breakpoints(shape)), dim)
