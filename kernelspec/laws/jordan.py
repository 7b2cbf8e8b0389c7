"""The Jordan parts of a measure: along one Gaussian direction, and of a radial formula."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import known_number, root
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian_directions import GaussianDirection
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law, Moments, PhasorLaw, columns_shown
from kernelspec.laws.rules import Below, law_of, own_law
from kernelspec.laws.sums_and_products import MixtureLaw, ProductLaw
from kernelspec.laws.translation import PolarLaw, along_and_across, moved_along
from kernelspec.loading import sympy
from kernelspec.measures.jordan import transform_expression
from kernelspec.measures.masses import NEGLIGIBLE, part_mass
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Phasors, Samples
from kernelspec.special.radial_spectrum import NumericalSpectrum
from kernelspec.special.wave_integrals import wave_cosine, wave_sine
from kernelspec.special.wave_parts import WavePart, draw_wave, draw_wave_by_rejection

__all__ = ["PART_NAMES", "JordanPart", "SignedRadialLaw", "jordan", "rejection", "shifts", "signed_parts"]


def shifts(kernel: GaussianDirection) -> MixtureLaw | None:
    """The scheme "shifts": G(Δ)(1 + sinh β·Δ) = G(Δ) + (g/2) G(Δ + s) − (g/2) G(Δ − s), s = −σ²β, g = e^{σ²‖β‖²/2}."""
    if kernel.is_symmetric:
        return None
    moved = (kernel.gaussian.shifted(tuple(sign * entry for entry in kernel.step)) for sign in (1, -1))
    half = kernel.gain / 2
    return MixtureLaw((FourierLaw(kernel.gaussian), *map(PolarLaw, moved)), (1, half, -half))


_MOST_PROPOSALS = 1000  # mean number of proposals per sample beyond which rejection from the Gaussian is refused

PART_NAMES: Mapping[WavePart, str] = MappingProxyType(
    {
        WavePart.POSITIVE_COSINE: "the positive real part",
        WavePart.NEGATIVE_COSINE: "the negative real part",
        WavePart.POSITIVE_SINE: "the imaginary part",
    }
)


@dataclass(frozen=True)
class JordanPart(Law):
    """p = exp(i ω·(x − y)), ω ~ N(ω) w⁺(s·ω)/m; for the sine ±i exp(±i ω·(x − y)), either sign with probability ½.

    N is the Gaussian density of the `direction`, w its wave, m = `mass`. The mean is the transform of N w⁺/m, a
    probability; for the sine it is −E sin ν·Δ, ν ~ N max(sin s·ν, 0)/m, since the positive and the negative imaginary
    part mirror each other. The arc and the position in it are drawn along the direction of s by inversion, at a cost
    independent of the mass m, with a Gaussian in the orthogonal complement. By rejection [He et al. 2022, algorithm 1],
    Gaussian proposals are accepted with probability w⁺, 1/m of them per sample. `remark` names omitted parts.
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    direction: GaussianDirection
    wave: WavePart
    mass: Scalar
    by_rejection: bool = False
    remark: str = ""

    @property
    def dim(self) -> Scalar:
        return self.direction.dim

    def validate(self) -> None:
        super().validate()
        if not 0 < self.mass < math.inf:
            raise ValueError(f"the mass of a part is {self.mass}")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        normal = stream.normal("normal", (n, len(columns)))
        frequencies = moved_along(self.direction, normal, self._along(stream, n))
        left = np.zeros(n)
        if self.wave.odd:
            flip = np.where(stream.generator("sign").random(n) < 0.5, -1.0, 1.0)
            frequencies *= flip[:, None]
            left = flip * np.pi / 2
        phasors = Phasors(columns, frequencies, left, np.zeros(n)).merged()
        return [Samples(np.arange(n), np.ones(n), np.ones(n), phasors)]

    def _along(self, stream: Stream, n: int) -> NDArray[np.float64]:
        wave, a = self.wave, float(self.direction.frequency)
        if not self.by_rejection:
            return draw_wave(stream, wave, a, n)
        mass = float(self.mass)
        if mass * _MOST_PROPOSALS < 1:
            raise PlanError(
                f"{self} has the mass {mass:.3g}: rejection would need {1 / mass:.3g} proposals per sample, "
                f"but at most {_MOST_PROPOSALS} are allowed; use method='jordan', which draws it directly"
            )
        return draw_wave_by_rejection(stream, wave, a, n)

    def value(self, pairs: Pairs) -> Value:
        return pairs.of(_Transform(self, doubled=False))

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, pairs.map(2).of(_Transform(self, doubled=True)), 0)

    def magnitude(self) -> Scalar:
        return 1

    @property
    def is_one_sided(self) -> bool:
        return not self.wave.odd

    def work(self, n: int, nonzeros: float) -> float:
        """Zero for arcs; positive for rejection, so that arcs win between equal laws."""
        return n / float(self.mass) if self.by_rejection else 0.0

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        how = "by rejection from the Gaussian" if self.by_rejection else "arc by arc"
        mass = f"share {float(self.mass):.6g} of the Gaussian"
        return [f"frequencies of {self}, {mass}, {how}, on columns {columns_shown(columns, names)}{self.remark}"]

    def __str__(self) -> str:
        return f"{PART_NAMES[self.wave]} of {self.direction}"


@dataclass(frozen=True)
class _Transform:
    """The value of a part, or E Re p² of its sample p as a function of the doubled lag."""

    part: JordanPart
    doubled: bool

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        wave, a = self.part.wave, float(self.part.direction.frequency)
        along, across = along_and_across(self.part.direction, pairs)
        turned = wave_sine(wave, a, along) if wave.odd and not self.doubled else wave_cosine(wave, a, along)
        turned = -turned if wave.odd else turned  # (±i)² = −1
        return np.asarray(np.exp(-across / 2) * turned / float(self.part.mass))

    def expression(self, pairs: Pairs) -> Any:
        wave, a = self.part.wave, self.part.direction.frequency
        along, across = along_and_across(self.part.direction, pairs)
        if wave.odd and not self.doubled:
            turned = (sympy.exp(-((along + a) ** 2) / 2) - sympy.exp(-((along - a) ** 2) / 2)) / 4
        else:
            turned = transform_expression(wave, a, along)
            turned = -turned if wave.odd else turned
        return sympy.exp(-across / 2) * turned / self.part.mass


def jordan(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "jordan": k = ‖μ_R⁺‖ k_R⁺ − ‖μ_R⁻‖ k_R⁻ + 2‖μ_I⁺‖ k_I, every k_ the transform of a probability.

    For radial formulas with a density that changes sign, the first two are the default. Parts with less than 1e-12 of
    the Jordan mass are omitted, and named [He, He, Liu and Huang 2022].
    """
    if isinstance(kernel, GaussianDirection):
        return rejection(kernel, by_rejection=False)
    found = law_of(kernel)
    return found if isinstance(found, MixtureLaw) else None


def rejection(kernel: GaussianDirection, *, by_rejection: bool = True) -> MixtureLaw | None:
    """The scheme "rejection": the same parts, drawn by rejection from the Gaussian as published."""
    if kernel.is_symmetric:
        return None
    found: list[tuple[Scalar, Law]] = []
    waves = [(1, WavePart.POSITIVE_COSINE), (-1, WavePart.NEGATIVE_COSINE), (2, WavePart.POSITIVE_SINE)]
    if kernel.has_constant_real_part:
        found, waves = [(1, FourierLaw(kernel.gaussian))], waves[2:]
    for count, wave in waves:
        mass = part_mass(wave, kernel.frequency)
        found.append((count * kernel.gain * mass, JordanPart(kernel, wave, mass, by_rejection)))
    weights, parts = zip(*_without_negligible(found), strict=True)
    return MixtureLaw(parts, weights)


def _without_negligible(found: list[tuple[Scalar, Law]]) -> list[tuple[Scalar, Law]]:
    sizes = [known_number(abs(weight)) for weight, _ in found]
    if None in sizes:
        return found
    total = sum(size for size in sizes if size is not None)
    kept, remark = [], ""
    for (weight, part), size in zip(found, sizes, strict=True):
        if size is not None and size >= NEGLIGIBLE * total:
            kept.append((weight, part))
        elif isinstance(part, JordanPart):
            share = f"of {abs(float(weight)):.3g}" if size else "below the smallest float"
            remark += f"; left out: {PART_NAMES[part.wave]}, mass {share}"
    first = [(w, replace(p, remark=remark) if isinstance(p, JordanPart) else p) for w, p in kept[:1]]
    return first + kept[1:]


@dataclass(frozen=True)
class SignedRadialLaw(PhasorLaw):
    """p = exp(i ω·(x − y)), ω ~ max(±μ, 0)/m, μ the spectral measure of f(‖Δ‖), m = `mass`; `sign` is that of the part.

    ‖ω‖ by inversion of the increasing or decreasing pieces of the numerical distribution function, ω/‖ω‖ uniform on the
    sphere. The means k₊ and k₋ have m₊k₊ − m₋k₋ = k. A = 1 and B = k_±(2Δ).
    """

    kernel: FormulaRadial
    sign: int
    mass: Scalar

    def validate(self) -> None:
        super().validate()
        spectrum = self.kernel.spectrum
        if self.sign not in (1, -1) or not isinstance(spectrum, NumericalSpectrum) or not spectrum.has_parts:
            raise ValueError(f"{self.kernel} has no part of sign {self.sign}")
        if abs(self.mass - spectrum.masses()[self.sign < 0]) > 1e-6 * self.mass:
            raise ValueError(f"the mass of a part is {self.mass}")

    @property
    def _spectrum(self) -> NumericalSpectrum:
        found = self.kernel.spectrum
        assert isinstance(found, NumericalSpectrum)
        return found

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        normal = stream.normal("normal", (n, len(columns)))
        radius = self._spectrum.parts[self.sign < 0].quantile(stream.uniforms("radius", (n,)))
        frequencies = normal * (radius / np.sqrt(np.square(normal).sum(axis=1)))[:, None]
        phasors = Phasors.symmetric(columns, frequencies)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), phasors.merged())]

    def value(self, pairs: Pairs) -> Value:
        return pairs.of(_RadialTransform(self))

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, pairs.map(2).of(_RadialTransform(self)), 0)

    def magnitude(self) -> Scalar:
        return 1

    @property
    def tolerance(self) -> float:
        return self._spectrum.tolerance

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        which = "positive" if self.sign > 0 else "negative"
        how = f"ρ by inversion of its distribution function, to {self.tolerance:.1g}"
        place = columns_shown(columns, names)
        return [
            f"frequencies of the {which} part of {self.kernel}, mass {float(self.mass):.6g}, {how}, on columns {place}"
        ]


@dataclass(frozen=True)
class _RadialTransform:
    """k_± as a function of the lag."""

    part: SignedRadialLaw

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        law, kernel = self.part, self.part.kernel
        distance = np.sqrt(pairs.squared_norm())
        negative = law._spectrum.parts[1].transform(distance, kernel.dim)
        if law.sign < 0:
            return negative
        # so that the parts add up to k to the last digit
        return np.asarray((kernel.profile(distance) + (float(law.mass) - 1) * negative) / float(law.mass))

    def expression(self, pairs: Pairs) -> Any:
        """∫ max(±s(ρ), 0) Ω(ρ‖Δ‖) dρ / m, s(ρ) the mass of μ at ‖ω‖ = ρ."""
        law, kernel = self.part, self.part.kernel
        half, rho = sympy.S(kernel.dim) / 2, sympy.Symbol("rho", positive=True)
        along = SymbolicPairs(kernel.dim, lambda i: rho if i == 1 else sympy.S.Zero, None, True)
        area = 2 * sympy.pi**half / sympy.gamma(half) * rho ** (kernel.dim - 1)
        shell = sympy.Max(law.sign * area * kernel.density_expression(along), 0)
        x = rho * root(sympy.S(pairs.squared_norm()))
        wave = sympy.gamma(half) * (2 / x) ** (half - 1) * sympy.besselj(half - 1, x)
        return sympy.Integral(shell * wave, (rho, 0, sympy.oo)) / law.mass


def signed_parts(kernel: FormulaRadial) -> MixtureLaw | None:
    """m₊k₊ − m₋k₋, if the spectral measure has a known negative part; else None."""
    if not isinstance(kernel.dim, int) or kernel.shape.unknowns() or kernel.verdict().positive_definite == "proved":
        return None
    spectrum = kernel.spectrum
    if not isinstance(spectrum, NumericalSpectrum) or not spectrum.has_parts:
        return None
    positive, negative, _ = spectrum.masses()
    parts = SignedRadialLaw(kernel, 1, positive), SignedRadialLaw(kernel, -1, negative)
    return MixtureLaw(parts, (positive, -negative))


own_law.register(FormulaRadial, lambda kernel, below: signed_parts(kernel) or FourierLaw(kernel))


@own_law.register
def _(kernel: FormulaProduct, below: Below) -> Law:
    """Of both signs: in every column the parts of the factor, with the product of their signs."""
    del below
    line = kernel.line() if isinstance(kernel.dim, int) else None
    found = None if line is None else signed_parts(line)
    if found is None:
        return FourierLaw(kernel)
    if kernel.dim == 1:
        return found
    return ProductLaw(tuple(SelectedLaw(found, (i,), kernel.dim) for i in range(kernel.dim)))
