"""Measures times a wave, and their analytic continuation, for shifts and tilts; the lags where a transform changes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from kernelspec.errors import NotStationaryError, PlanError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import holds, inner_product, known_number, root, undefined
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.leaves.gaussian_directions import GaussianDirection
from kernelspec.kernels.nodes.columns_and_lags import Shift, Tilt
from kernelspec.kernels.stationary import Coordinatewise, Radial
from kernelspec.loading import load_from, sympy
from kernelspec.measures.convolution import Composed, Convolution, convolve
from kernelspec.measures.measure import DENSITIES, Measure, Spectral, measure_of, measure_rule
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Band
from kernelspec.special.elementary import Scaled

__all__ = [
    "Box",
    "ComplexFrequency",
    "Continued",
    "Directional",
    "Shifted",
    "Tilted",
    "box_of",
    "landmarks",
    "tilted",
    "waves_of",
]


@dataclass(frozen=True)
class ComplexFrequency(Measure):
    """p(ω + iβ) dω, β = `by`, p the density of k, whose transform is k(Δ) e^{β·Δ}: complex.

    Finite if that is integrable, so that p extends to the strip [Paley and Wiener 1934]. Subclasses define p there.
    """

    kernel: Stationary
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

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """Not defined: the uniform bound uses the second moments of the parts instead."""
        return undefined(*self.by)

    def describe(self) -> str:
        return f"{self.kernel}: the density of its frequencies, continued to ω + iβ"


@dataclass(frozen=True)
class Continued(ComplexFrequency):
    """∏ p(ω_i + iβ_i) dω, β = `by`, p the density of f for k = ∏ f(Δ_i): (1/2π) ∫ f(t) e^{βt − iωt} dt."""

    kernel: Coordinatewise

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found: tuple[np.ndarray, np.ndarray] = load_from(f"{DENSITIES}:density_of_continued")(self, frequencies)
        return found

    def of_column(self, i: int) -> Continued:
        """The measure on one column."""
        return Continued(self.on_line(), (self.by[i],))

    def expression(self, frequency: SymbolicPairs) -> Any:
        return load_from(f"{DENSITIES}:expression_of_continued")(self, frequency)

    def on_line(self) -> Coordinatewise:
        """The kernel on one column."""
        line = self.kernel.on_line()
        assert isinstance(line, Coordinatewise)
        return line


@dataclass(frozen=True)
class Shifted(Measure):
    """e^{ir·ω} μ(dω), r = `by`: complex, of the same modulus. `mass` is k(r), k the transform of μ."""

    part: Measure
    by: tuple[Scalar, ...]
    mass: Scalar

    @property
    def dim(self) -> Scalar:
        return self.part.dim

    @property
    def is_complex(self) -> bool:
        return True

    def total_mass(self) -> Scalar:
        return self.mass

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        raise PlanError("a complex measure has no sampler of its own: its modulus is drawn, with a phase")

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        return self.part.characteristic_function(lags + np.asarray(self.by, dtype=float))

    def without_density(self) -> str | None:
        return self.part.without_density()

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, errors = self.part.density_and_error(frequencies)
        return np.asarray(values * self.phases(frequencies)), errors

    def phases(self, frequencies: np.ndarray) -> np.ndarray:
        """e^{ir·ω}, (m,)."""
        return np.asarray(np.exp(1j * (frequencies @ np.asarray(self.by, dtype=float))))

    def expression(self, frequency: SymbolicPairs) -> Any:
        return self.part.expression(frequency) * sympy.exp(sympy.I * frequency.inner(self.by))

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """Not defined: the uniform bound uses the second moments of the parts instead."""
        return undefined(*self.by)

    def describe(self) -> str:
        return f"a phase times {self.part.describe()}"

    def atoms(self) -> Atoms | None:
        found = self.part.atoms()
        if found is None:
            return None
        return Atoms(found.points, found.weights * self.phases(found.points), found.omitted)


measure_rule.register(Shift, lambda kernel: Shifted(measure_of(kernel.base), kernel.by, kernel.diagonal()))


def tilted(measure: Measure, by: tuple[Scalar, ...]) -> Measure:
    """The measure of k(Δ) e^{β·Δ}, β = `by`, which is that of k at ω + iβ.

    Finite for a Gaussian, for laplace(scale=σ) with ‖β‖_∞ < 1/σ, for matern(ν, ℓ) with ‖β‖ < √(2ν)/ℓ (exponential(ℓ): ν
    = ½), and for a product over columns with ‖β‖_∞ below the decay rate of its factor; sums follow term by term, and in
    a product the first factor for which it is finite takes the exponential. Raises NotStationaryError for all others,
    and beyond the limits.
    """
    if isinstance(measure, Convolution):
        return _of_one_factor(measure, by)
    if isinstance(measure, Mixture):
        return Mixture(tuple(tilted(part, by) for part in measure.parts), measure.weights, measure.space)
    kernel = measure.kernel if isinstance(measure, Spectral) else None
    named = None if kernel is None else kernel.tilted(by)
    if named is not None:
        return measure_of(named)
    limit = 0 if kernel is None else kernel.decay_rate()
    if kernel is None or limit == 0 or not (kernel.has_continued_density or isinstance(kernel, Coordinatewise)):
        raise NotStationaryError(
            "tilt() of this kernel has no known spectral measure: k(Δ) e^(β·Δ) is bounded for gaussian(), and, "
            "within limits, for laplace(), matern(), exponential(), triangle() and polya() with a light tail; features "
            "exist, with scaled rows"
        )
    independent = kernel.has_independent_coordinates
    size = _largest(by) if independent else root(inner_product(by, by, kernel.dim))
    if holds(size >= limit):
        words = f"{'‖β‖_∞' if independent else '‖β‖'} < {kernel.decay_limit}"
        raise NotStationaryError(
            f"tilt() of {kernel} has no spectral measure: k(Δ) e^(β·Δ) is integrable only for "
            f"{words} = {float(limit):.6g}, not for {float(size):.6g}; features exist, with scaled rows"
        )
    if kernel.has_continued_density:
        assert isinstance(kernel, Coordinatewise | Radial)
        return Tilted(kernel, by)
    assert isinstance(kernel, Coordinatewise)
    return Continued(kernel, by)


def _of_one_factor(measure: Convolution, by: tuple[Scalar, ...]) -> Measure:
    failures = []
    for i, part in enumerate(measure.parts):
        try:
            moved = tilted(part, by)
        except NotStationaryError as error:
            failures.append(error)
            continue
        return convolve((*measure.parts[:i], moved, *measure.parts[i + 1 :]))
    raise failures[0]


@dataclass(frozen=True)
class Tilted(ComplexFrequency):
    """p(ω + iβ) dω, with p a density whose formula holds there: complex."""

    kernel: Coordinatewise | Radial

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        moved = frequencies + 1j * np.asarray(self.by, dtype=float)
        if isinstance(self.kernel, Coordinatewise):
            return np.asarray(np.prod(self.kernel.factor_density(moved), axis=1))
        return self.kernel.radial_density(np.sqrt((moved**2).sum(axis=1)), int(self.dim))

    def expression(self, frequency: SymbolicPairs) -> Any:
        moved = frequency.shift(tuple(-sympy.I * entry for entry in self.by))
        return self.kernel.density_expression(moved)


def _largest(by: tuple[Scalar, ...]) -> Scalar:
    numbers = [known_number(entry) for entry in by]
    known = [abs(number) for number in numbers if number is not None]
    return max(known) if len(known) == len(by) else abs(by[0])


measure_rule.register(Tilt, lambda kernel: tilted(measure_of(kernel.base), kernel.by))


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


measure_rule.register(GaussianDirection, Directional)


def landmarks(measure: Measure) -> frozenset[float]:
    """The lags at which k on the line has its peaks and kinks, as far as they follow from translations.

    0 and narrow bumps for a kernel of the catalogue, −r for one translated by r, and those of each part.
    """
    match measure:
        case Spectral():
            return frozenset({0.0, *(sign * lag for lag in measure.kernel.narrow_lags() for sign in (1, -1))})
        case Tilted() | Continued():
            return frozenset({0.0})
        case Directional():
            step = float(measure.kernel.step[0])
            return frozenset({0.0, step, -step})
        case Shifted():
            by = float(measure.by[0])
            return frozenset(lag - by for lag in landmarks(measure.part))
        case PushForward():
            scale = float(np.ravel(measure.matrix)[0])
            return frozenset(lag / scale for lag in landmarks(measure.part)) if scale else frozenset({0.0})
        case Embedding() | Composed():
            return landmarks(measure.part)
        case Convolution() | Mixture():
            return frozenset({0.0}).union(*(landmarks(part) for part in measure.parts))
    raise TypeError(f"no rule says where the transform of {type(measure).__name__} changes")


@dataclass(frozen=True)
class Box:
    """U(−b, b) times the phase e^{irω}, b = `half_width` and r = `shift`: of transform sin(b(t + r)) / (b(t + r))."""

    half_width: float
    shift: float = 0.0


def box_of(measure: Measure) -> Box | None:
    """The box that a measure on the line is; None for other measures."""
    match measure:
        case Spectral():
            density = measure.kernel.comparable_density(1)
            return Box(float(density.width)) if isinstance(density, Band) else None
        case Shifted():
            inner = box_of(measure.part)
            return inner and Box(inner.half_width, inner.shift + float(measure.by[0]))
        case PushForward() if not isinstance(measure.matrix, tuple) and float(measure.matrix) != 0:
            inner, scale = box_of(measure.part), float(measure.matrix)
            return inner and Box(inner.half_width * abs(scale), inner.shift / scale)
    return None


def waves_of(boxes: tuple[Box, ...]) -> list[tuple[complex, float]]:
    """(c, β) with ∏ sin(b(t + r)) = Σ c e^{iβt} over the boxes."""
    waves = []
    for signs in product((1, -1), repeat=len(boxes)):
        turned = [sign * box.half_width for sign, box in zip(signs, boxes, strict=True)]
        phase = sum(b * box.shift for b, box in zip(turned, boxes, strict=True))
        waves.append((complex(prod(signs) * np.exp(1j * phase) / (2j) ** len(boxes)), float(sum(turned))))
    return waves
