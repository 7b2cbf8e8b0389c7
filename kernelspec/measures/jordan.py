"""Jordan parts and polar form of a spectral density, and the moments of the parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian_directions import GaussianDirection
from kernelspec.loading import sympy
from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.cartesian import cartesian, envelope, polar
from kernelspec.measures.masses import Masses, affordable_ratio
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.measures.tails import radial_integrals
from kernelspec.special.wave_integrals import wave_mass, wave_second_moment
from kernelspec.special.wave_parts import WavePart

__all__ = [
    "Jordan",
    "JordanMoments",
    "Polar",
    "jordan_moments",
    "jordan_parts",
    "mass_expression",
    "polar_form",
    "transform_expression",
]


def mass_expression(part: WavePart, frequency: Scalar) -> Any:
    """E w⁺(aZ), Z ~ N(0, 1), a = `frequency` > 0, as an unevaluated series.

    E max(±cos aZ, 0) = 1/π ± ½ e^{−a²/2} − (2/π) Σ_{k≥1} (−1)^k e^{−2k²a²} / (4k² − 1);
    E max(±sin aZ, 0) = 1/π − (2/π) Σ_{k≥1} e^{−2k²a²} / (4k² − 1); absolute values are twice that without ½ e^{−a²/2}.
    """
    k = sympy.Symbol("k", integer=True, positive=True)
    turn = 1 if part.odd else (-1) ** k
    term = turn * sympy.exp(-2 * k**2 * frequency**2) / (4 * k**2 - 1)
    half = 1 / sympy.pi - 2 / sympy.pi * sympy.Sum(term, (k, 1, sympy.oo))
    if part.sign == 0:
        return 2 * half
    return half if part.odd else half + part.sign * sympy.exp(-(frequency**2) / 2) / 2


def transform_expression(part: WavePart, frequency: Scalar, lag: Any) -> Any:
    """E w⁺(aZ) cos τZ at τ = `lag`, as an unevaluated series of Gaussians."""
    k = sympy.Symbol("k", integer=True)
    turn = 1 if part.odd else (-1) ** k
    term = turn * sympy.exp(-((2 * k * frequency + lag) ** 2) / 2) / (4 * k**2 - 1)
    absolute = -2 / sympy.pi * sympy.Sum(term, (k, -sympy.oo, sympy.oo))
    if part.sign == 0 or part.odd:
        return absolute if part.sign == 0 else absolute / 2
    turning = (sympy.exp(-((lag + frequency) ** 2) / 2) + sympy.exp(-((lag - frequency) ** 2) / 2)) / 2
    return (absolute + part.sign * turning) / 2


@dataclass(frozen=True)
class Jordan:
    """The four non-negative densities of μ = μ_R⁺ − μ_R⁻ + i(μ_I⁺ − μ_I⁻)."""

    real_positive: Any
    real_negative: Any
    imaginary_positive: Any
    imaginary_negative: Any


@dataclass(frozen=True)
class Polar:
    """μ = modulus · e^{i argument}: the law of ω for the polar estimator, and the phase that it adds on the left."""

    modulus: Any
    argument: Any


def jordan_parts(measure: Measure, frequency: SymbolicPairs) -> Jordan:
    """The parts of the density at ω, each max(±Re μ, 0) or max(±Im μ, 0)."""
    real, imaginary = cartesian(measure, frequency)
    return Jordan(*(sympy.Max(part, 0) for part in (real, -real, imaginary, -imaginary)))


def polar_form(measure: Measure, frequency: SymbolicPairs) -> Polar:
    """Modulus and argument of the density at ω; a known phase is not reduced to (−π, π]."""
    return Polar(*polar(measure, frequency))


@dataclass(frozen=True)
class JordanMoments:
    """E‖ω‖² under each of the normalized Jordan parts; 0 for a part without mass."""

    real_positive: float
    real_negative: float
    imaginary: float


def jordan_moments(kernel: Kernel, masses: Masses) -> JordanMoments:
    """The second moments of the parts of the measure of `kernel`, in numbers, with the given masses.

    Series along one Gaussian direction; integrals on the line, plus their error, since the bounds that use them must
    hold; otherwise averages over 2¹⁶ draws of the envelope, or fewer if these are too much work. Infinite if the
    envelope has an infinite second moment. Raises NoDensityError if the density cannot be evaluated, or not that often.
    """
    if isinstance(kernel, GaussianDirection):
        return _along_one_direction(kernel)
    measure = measure_of(kernel)
    if not np.isfinite(float(envelope(measure).second_moment())):
        return JordanMoments(np.inf, np.inf, np.inf)
    if measure.dim == 1 and is_inverted(measure):
        return _on_the_line(measure, masses)
    if is_inverted(measure):
        raise NoDensityError("every value of the density is an integral, and thousands would be needed")
    frequencies, ratio = affordable_ratio(measure)
    square = np.square(frequencies).sum(axis=1)

    def moment(part: np.ndarray, mass: float) -> float:
        return float(np.mean(part * square)) / mass if mass > 0 else 0.0

    positive, negative = np.maximum(ratio.real, 0), np.maximum(-ratio.real, 0)
    sizes = map(float, (masses.real_positive, masses.real_negative, masses.imaginary_positive))
    return JordanMoments(*map(moment, (positive, negative, np.maximum(ratio.imag, 0)), sizes))


def _on_the_line(measure: Measure, masses: Masses) -> JordanMoments:
    found = radial_integrals(measure, 2)
    if np.isinf(found.error):
        raise NoDensityError("the integral over the density is not known")

    def moment(size: float, mass: float) -> float:
        return (size + found.error) / mass if mass > 0 else 0.0

    positive, negative = (found.absolute_real + found.real) / 2, (found.absolute_real - found.real) / 2
    sizes = map(float, (masses.real_positive, masses.real_negative, masses.imaginary_positive))
    return JordanMoments(*map(moment, (positive, negative, found.absolute_imaginary / 2), sizes))


def _along_one_direction(kernel: GaussianDirection) -> JordanMoments:
    """(d − 1 + E Z² w⁺(aZ) / E w⁺(aZ)) / σ²."""
    a, variance, d = float(kernel.frequency), float(kernel.scale) ** -2, int(kernel.dim)

    def moment(part: WavePart) -> float:
        mass = wave_mass(part, a)
        return (d - 1 + wave_second_moment(part, a) / mass) * variance if mass > 0 else 0.0

    imaginary = moment(WavePart.POSITIVE_SINE)
    if kernel.has_constant_real_part:
        return JordanMoments(d * variance, 0.0, imaginary)
    return JordanMoments(moment(WavePart.POSITIVE_COSINE), moment(WavePart.NEGATIVE_COSINE), imaginary)
