"""Kernels from user formulas: of the distance, or a product over the columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from kernelspec.distributions.converse import PolyaConverse
from kernelspec.errors import NoDensityError, NotAvailableYet, RangeError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.criteria.families import hat_of, truncated_power_of, wave_of
from kernelspec.expressions.criteria.necessary import Statement, statements
from kernelspec.expressions.elementary import root
from kernelspec.expressions.evaluation import scaled_values, values
from kernelspec.expressions.formula import Formula, Operation, Term, Variable, depends_on_variable
from kernelspec.expressions.interval import Interval
from kernelspec.expressions.jets import breakpoints, turning_points
from kernelspec.expressions.limits import limit
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.polya_criterion import Criterion, curvature_at_zero, polya_criterion
from kernelspec.expressions.symbolic import formula_expression, limit_of_formula
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Verdict
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Line
from kernelspec.special.elementary import Scaled, floats, hypergeometric, product_and_error
from kernelspec.special.exact_draws import draw_fejer
from kernelspec.special.legendre import overlooked
from kernelspec.special.radial_spectrum import NumericalSpectrum, RadialSpectrum, WaveSpectrum

__all__ = ["FormulaProduct", "FormulaRadial"]

_LARGEST_FREQUENCY = 1e150
"""Largest frequency: its product with a data column is still a float, and so are sums of such products."""


@dataclass(frozen=True, kw_only=True)
class FormulaProduct(Coordinatewise):
    """k(Δ) = ∏ f(|Δ_i|), f a formula with f(0) = 1.

    If f is proved convex on t ≥ 0 and to tend to 0, k is a Polya kernel: ω_i = X/R with X from Fejér's distribution and
    R with survival function f(r) − r f′(r). In general it is positive definite if and only if f is on one column, so
    the criteria for functions of the distance decide other formulas; density and distribution of ω_i are then numerical
    transforms of f. Reference: Polya 1949.
    """

    name: ClassVar[str] = "product"
    formula: ClassVar[str] = "∏ f(|Δ_i|)"
    frequencies: ClassVar[str] = (
        "X / R in every coordinate, X of Fejér's law, P(R > r) = f(r) − r f'(r), for Polya kernels; for others by "
        "inversion of a numerical distribution function"
    )
    reference: ClassVar[str] = "Polya 1949"
    is_written: ClassVar[bool] = True

    shape: Formula

    def __str__(self) -> str:
        return f"{self.name}({self.shape})"

    @cached_property
    def criterion(self) -> Criterion:
        """Whether f is of Polya type, with the argument."""
        return polya_criterion(self.shape)

    def pitch_law(self) -> PolyaConverse | None:
        if not self.criterion.is_proved:
            return None
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
        """f(|t|) on one column as a function of the distance; None for a Polya kernel, or if f has unknowns."""
        if self.criterion.is_proved or self.shape.unknowns():
            return None
        return FormulaRadial(shape=self.shape, dim=1, span=self.span)

    def pieces(self, line: Line) -> Any | None:
        return None if self.shape.unknowns() else line.formula(self.shape)

    def narrow_lags(self) -> tuple[float, ...]:
        return _narrow_lags(self.shape)

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return _profile(self.shape, np.abs(lag))

    def scaled_factor(self, lag: np.ndarray) -> Scaled:
        return _scaled_profile(self.shape, np.abs(lag))

    def factor_expression(self, lag: Any) -> Any:
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
            line.spectrum.check(str(self), self.span, is_positive=_is_proved(line))
            radius = line.spectrum.quantile(stream.uniforms("radius", shape).ravel()).reshape(shape)
            return np.where(stream.generator("sign").random(shape) < 0.5, -radius, radius)
        law = self.pitch_law()
        if law is None:
            reason = f"{self} {self.criterion.reason}: it has no features until these have values"
            raise NotAvailableYet(reason, self.span)
        with np.errstate(over="ignore", divide="ignore"):
            frequencies = np.asarray(draw_fejer(stream, shape) / law.draw(stream, shape))
        if not (np.abs(frequencies) < _LARGEST_FREQUENCY).all():
            raise RangeError(
                f"{self} has frequencies beyond {_LARGEST_FREQUENCY:g}, too steep at 0 for features", self.span
            )
        return frequencies

    def without_density(self) -> str | None:
        if self.criterion.is_proved:
            return None
        line = self.line()
        if line is None:
            return f"the spectral measure of {self} is not known: it {self.criterion.reason}"
        return line.without_density()

    def has_no_atoms(self) -> bool:
        return self.criterion.is_proved or (super().has_no_atoms() and _far_out(self.shape) == 0)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        return self.factor_density_and_error(frequency)[0]

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: NumericPairs) -> tuple[np.ndarray, np.ndarray]:
        density, errors = self.factor_density_and_error(frequencies.x.dense() - frequencies.y.dense())
        return product_and_error(list(zip(density.T, errors.T, strict=True)))

    def factor_density_and_error(self, frequency: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The density of one coordinate of ω, and bounds on its errors. Raises NoDensityError."""
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
        t, closed = sympy.Symbol("t", positive=True), _known_density(self.shape, frequency, 1)
        if closed is not None:
            return closed
        return sympy.Integral(sympy.cos(frequency * t) * formula_expression(self.shape, t), (t, 0, sympy.oo)) / sympy.pi

    def frequency_variance(self) -> Scalar:
        """−f″(0) of the even extension; ±∞ if f′(0+) is not 0, ∞ for every Polya kernel."""
        return curvature_at_zero(self.shape)


_LARGEST_ERROR = 1e-3  # relative to the density near zero: values with larger errors are rejected, not reported


@dataclass(frozen=True, kw_only=True)
class FormulaRadial(Stationary):
    """k(Δ) = f(‖Δ‖₂), f a formula with f(0) = 1.

    `expressions.criteria` decides whether it is positive definite on R^d. The density and the distribution of ‖ω‖ are
    numerical Hankel transforms of f; for waves they have closed forms. Reference: Schoenberg 1938.
    """

    name: ClassVar[str] = "radial"
    formula: ClassVar[str] = "f(‖Δ‖₂)"
    frequencies: ClassVar[str] = (
        "ρu, u uniform on the sphere, ρ by inversion of its numerical distribution function, to 1e-6, at worst 1e-3"
    )
    reference: ClassVar[str] = "Schoenberg 1938"
    is_written: ClassVar[bool] = True
    is_round_at_zero: ClassVar[bool] = True

    shape: Formula

    def __str__(self) -> str:
        return f"{self.name}({self.shape})"

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of the criteria."""
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
        most, least = self._most_columns(), min((own.fails for own in self.statements if own.fails), default=None)
        if not isinstance(self.dim, int) and least == most + 1:
            reason = f"positive definite for d ≤ {most}, and no more: without their number, no rule decides it"
            return Verdict("unknown", (f"{self}: {reason}",))
        return Verdict("unknown", (f"{self}: {self._known()}no rule decides it",))

    def _most_columns(self) -> int:
        return max((found.holds or 0 for found in self.statements), default=0)

    def _known(self) -> str:
        if self.shape.unknowns():
            return f"depends on {', '.join(sorted(map(str, self.shape.unknowns())))}: "
        holds = self._most_columns()
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
        return _scaled_profile(self.shape, np.sqrt(pairs.squared_norm()))

    def expression(self, pairs: Pairs) -> Any:
        return self.profile_expression(root(sympy.S(pairs.squared_norm())))

    def pieces(self, line: Line) -> Any | None:
        return None if self.shape.unknowns() else line.formula(self.shape)

    def frequency_variance(self) -> Scalar:
        """−f″(0) of the even extension; ±∞ if f′(0+) is not 0."""
        return curvature_at_zero(self.shape)

    @property
    def spectrum(self) -> RadialSpectrum:
        """The numerical distribution of ‖ω‖. Raises NotAvailableYet if a parameter has no value."""
        if self.shape.unknowns():
            raise NotAvailableYet(f"{self} {self._known()}it has no features until these have values", self.span)
        return _spectrum(self.shape, self.dim)

    def tolerance(self) -> float:
        return self.spectrum.tolerance

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        """ρu: ρ by inversion of its numerical distribution function, u uniform on the sphere."""
        self.spectrum.check(str(self), self.span, is_positive=_is_proved(self))
        normal = stream.normal("normal", (n, self.dim))
        radius = self.spectrum.quantile(stream.uniforms("radius", (n,)))
        return np.asarray(normal * (radius / np.sqrt(np.square(normal).sum(axis=1)))[:, None])

    def narrow_lags(self) -> tuple[float, ...]:
        return _narrow_lags(self.shape)

    @property
    def length(self) -> float:
        """A distance on which f changes, for choosing frequencies."""
        return self.spectrum.length

    def without_density(self) -> str | None:
        if self.shape.unknowns():
            return f"the spectral measure of {self} is not known: {self._known().rstrip(': ')}"
        rest = _far_out(self.shape)
        if rest:
            return f"the spectral measure of {self} has an atom at ω = 0, of the mass {rest:.6g}, and no density"
        wave = wave_of(self.shape)
        if wave is not None and self.dim == wave.order:
            columns = "1 column" if self.dim == 1 else f"{self.dim} columns"
            return f"the spectral measure of {self} on {columns} is uniform on a sphere and has no density"
        if wave is None and _is_almost_periodic(self.shape.body):
            return f"{self} does not fall with the distance, so its spectral measure has no density"
        if rest is None and wave is None and _seems_constant(self.shape):
            return f"the limit of {self} far out is not known, so its spectral measure may have an atom at ω = 0"
        return None

    def has_no_atoms(self) -> bool:
        return super().has_no_atoms() and _far_out(self.shape) == 0

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
        radius, dim = root(sympy.S(frequency.squared_norm())), frequency.dim
        r, half = sympy.Symbol("r", positive=True), sympy.S(dim) / 2
        closed = _known_density(self.shape, radius, dim)
        if closed is not None:
            return closed
        wave = sympy.besselj(half - 1, radius * r) * r**half
        integral = sympy.Integral(self.profile_expression(r) * wave, (r, 0, sympy.oo))
        return (2 * sympy.pi) ** -half * radius ** (1 - half) * integral


def _known_density(shape: Formula, radius: Any, dim: Any) -> Any | None:
    """The density in d columns at ‖ω‖ = `radius` for functions beside the algebra; None for another function."""
    t, rho = sympy.Symbol("t", positive=True), sympy.Symbol("rho", real=True)
    line = _hyperbolic_density(formula_expression(shape, t), t, rho) if isinstance(dim, int) and dim % 2 else None
    if line is None:
        forms = (_wave_density, _hat_density, _truncated_density)
        return next((found for form in forms if (found := form(shape, radius, dim)) is not None), None)
    if dim == 1:
        return line.subs(rho, radius)
    m, beside = (dim - 1) // 2, line
    for _ in range(m):  # S_{d+2}(ρ) = −S_d′(ρ)/(2πρ)
        beside = -beside.diff(rho) / (2 * sympy.pi * rho)
    peak = line.diff(rho, 2 * m).subs(rho, 0) * 2**m * sympy.factorial(m) / sympy.factorial(2 * m)
    return sympy.Piecewise((peak / (-2 * sympy.pi) ** m, sympy.Eq(radius, 0)), (beside.subs(rho, radius), True))


def _hyperbolic_density(f: Any, t: Any, omega: Any) -> Any | None:
    """The density of 1/cosh(at) and at/sinh(at) on one column; None for another function."""
    a = sympy.Wild("a", exclude=[t])
    for form, power in ((1 / sympy.cosh(a * t), 1), (a * t / sympy.sinh(a * t), 2)):
        rate = (f.match(form) or {}).get(a)
        if rate is not None and rate.is_positive:
            return (sympy.pi / 2) ** (power - 1) * sympy.sech(sympy.pi * omega / (2 * rate)) ** power / (2 * rate)
    return None


def _wave_density(shape: Formula, radius: Any, dim: Any) -> Any | None:
    """The law of d coordinates of a uniform point on a sphere of R^m, m > d; None for other functions."""
    wave = wave_of(shape)
    if wave is None or not (wave.order - dim).is_positive:
        return None
    half, rest = sympy.S(dim) / 2, (wave.order - dim) / 2
    size = sympy.gamma(wave.order / 2) / (sympy.pi**half * sympy.gamma(rest) * wave.rate**dim)
    return sympy.Piecewise(
        (size * (1 - (radius / wave.rate) ** 2) ** (rest - 1), sympy.Abs(radius) < wave.rate), (0, True)
    )


def _hat_density(shape: Formula, radius: Any, dim: Any) -> Any | None:
    """For the overlap of balls of R^m: f′ is −K(1 − r²/c²)^{(m−1)/2} up to c, whose Hankel transform is a ₁F₂.

    In m columns it is the square of the transform of a ball, J_{m/2}(cρ/2)² but for powers. None for others, and for
    polynomials.
    """
    hat = hat_of(shape)
    if hat is None or hat.order % 2:
        return None
    m, c, half, d = sympy.Integer(hat.order), hat.end, sympy.Integer(hat.order) / 2, sympy.S(dim)
    if d == m:
        peak = (c / 2) ** m / ((4 * sympy.pi) ** half * sympy.gamma(half + 1))
        square = sympy.gamma(half + 1) * sympy.besselj(half, c * radius / 2) ** 2 / (sympy.pi**half * radius**m)
        return sympy.Piecewise((peak, sympy.Eq(radius, 0)), (square, True))
    slope = 2 * sympy.gamma(half + 1) / (sympy.sqrt(sympy.pi) * sympy.gamma((m + 1) / 2))
    size = slope * c**d * sympy.gamma((d + 1) / 2) * sympy.gamma((m + 1) / 2) / sympy.gamma((d + m) / 2 + 1)
    wave = sympy.hyper([(d + 1) / 2], [d / 2 + 1, (d + m) / 2 + 1], -((c * radius) ** 2) / 4)
    return size / (2 * (4 * sympy.pi) ** (d / 2) * sympy.gamma(d / 2 + 1)) * wave


def _truncated_density(shape: Formula, radius: Any, dim: Any) -> Any | None:
    """For (1 − cr)₊^ℓ times a polynomial and ℓ not whole, by ∫_0^1 r^{s−1} (1 − r)^ℓ ₀F₁(; d/2; −ρ²r²/4) dr, a ₂F₃."""
    found = truncated_power_of(shape)
    if found is None or found.order.is_integer is not False:
        return None
    power, rate, half, terms = found.order, found.rate, sympy.S(dim) / 2, []
    for n, weight in enumerate(found.weights):
        s = n + sympy.S(dim)
        above, below = [s / 2, (s + 1) / 2], [half, (s + power + 1) / 2, (s + power + 2) / 2]
        size = weight * rate**-s * sympy.gamma(s) * sympy.gamma(power + 1) / sympy.gamma(s + power + 1)
        terms.append(size * hypergeometric(above, below, -((radius / rate) ** 2) / 4))
    return 2 / ((4 * sympy.pi) ** half * sympy.gamma(half)) * sympy.Add(*terms)


@lru_cache(maxsize=64)
def _far_out(shape: Formula) -> float | None:
    """The limit of f as t tends to ∞, 0 only if that is certain; None if it is not known."""
    found = limit(shape, math.inf)
    if isinstance(found, Interval):
        return (found.low + found.high) / 2 if found.low > 0 or found.high < 0 else None
    if found is not None:
        return float(found) if math.isfinite(found) else None
    exact = limit_of_formula(shape, sympy.oo)
    return float(exact) if exact is not None and exact.is_number and exact.is_finite and exact.is_real else None


def _seems_constant(shape: Formula) -> bool:
    """Whether f at 10¹² is about what it is at 10⁶, and not 0."""
    near, far = np.abs(values(shape, np.array([1e6, 1e12])))
    return bool(far > 1e-6 and 0.99 * near < far < 1.01 * near)


def _is_almost_periodic(term: Term) -> bool:
    """Whether the variable occurs only in sines and cosines, of its multiples."""
    if not depends_on_variable(term):
        return True
    if not isinstance(term, Operation):
        return False
    if term.name in ("sin", "cos"):
        return _is_multiple(term.operands[0])
    return all(map(_is_almost_periodic, term.operands))


def _is_multiple(term: Term) -> bool:
    if isinstance(term, Operation) and term.name in ("product", "quotient", "negation"):
        first, *rest = sorted(term.operands, key=depends_on_variable, reverse=True)
        divides = term.name == "quotient" and first is term.operands[-1]
        return not divides and not any(map(depends_on_variable, rest)) and _is_multiple(first)
    return isinstance(term, Variable)


def _is_proved(kernel: FormulaRadial) -> bool:
    return kernel.verdict().positive_definite == "proved"


def _profile(shape: Formula, distance: np.ndarray) -> np.ndarray:
    return np.where(floats(distance) == 0, 1.0, values(shape, distance))


def _scaled_profile(shape: Formula, distance: np.ndarray) -> Scaled:
    """The same as mantissa and exponent."""
    found, start = Scaled(*scaled_values(shape, distance)), distance == 0
    return Scaled(np.where(start, 1.0, found.mantissa), np.where(start, 0.0, found.exponent))


@lru_cache(maxsize=32)
def _spectrum(shape: Formula, dim: int) -> RadialSpectrum:
    wave = wave_of(shape)
    if wave is not None and dim <= float(wave.order):
        return WaveSpectrum(float(wave.order), float(wave.rate), dim)
    return NumericalSpectrum.of(partial(_profile, shape), (0.0, *breakpoints(shape)), dim, _narrow_lags(shape))


@lru_cache(maxsize=256)
def _narrow_lags(shape: Formula) -> tuple[float, ...]:
    """The distances near which f changes within far less than the distance, so that few samples overlook it."""
    if shape.unknowns():
        return ()
    return tuple(overlooked(partial(_profile, shape), np.array(turning_points(shape))).tolist())
