"""Total masses of the parts of a spectral measure, in closed form or by numerical integration with an error bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from math import log2, pi
from operator import add

import numpy as np

from kernelspec.errors import NoDensityError, NotAvailableYet
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import holds, known_number
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian_directions import GaussianDirection
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.limits import counted_work
from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.cartesian import envelope
from kernelspec.measures.inversion import is_radial
from kernelspec.measures.measure import Measure, Spectral, measure_of
from kernelspec.measures.mixture import Embedding, Mixture, PushForward, atoms_apart
from kernelspec.measures.tails import radial_integrals
from kernelspec.measures.translated import Shifted
from kernelspec.random.streams import Stream
from kernelspec.special.radial_spectrum import NumericalSpectrum
from kernelspec.special.wave_integrals import wave_mass
from kernelspec.special.wave_parts import WavePart

__all__ = ["NEGLIGIBLE", "Masses", "affordable_ratio", "integrate_masses", "masses_of", "part_mass", "sampled_ratio"]

NEGLIGIBLE = 1e-12
"""Parts with less than this share of the Jordan mass are dropped, and reported."""


def part_mass(part: WavePart, frequency: Scalar) -> Scalar:
    """E w⁺(aZ), Z ~ N(0, 1): a float for a number, a series for a symbol."""
    a = known_number(frequency)
    if a is not None:
        return wave_mass(part, a)
    from kernelspec.measures.jordan import mass_expression

    return mass_expression(part, frequency)


_DRAWS, _FEWEST_DRAWS, _PROBES = 2**16, 2**8, 2**2

_WORK = 1500.0  # millions of operations for all draws, about 1.5 s, and for each draw, which limits slow densities

_LARGEST = 1e300  # largest density: its product with weights and a few parts stays a float

_TERMS = 20_000

_POOR = 1e-4  # an integral with a larger relative error than this is replaced by random draws

_REFUSED = 1e-2
"""If every draw would be an integral, draws are not used, and this is the largest relative error reported."""


def integrate_masses(measure: Measure, k0: float) -> Masses:
    """The masses of μ with ∫ dμ = k(0), `measure` in numbers.

    Sums over atoms; the Fourier series of |cos| and |sin| for a translated positive measure (r·ω has the characteristic
    function k(tr)); an integral over one variable on the line and for radial measures; otherwise the average over 2¹⁶
    draws of the envelope, or fewer if these are too much work, with its standard error. Raises NotAvailableYet if the
    density cannot be evaluated.
    """
    while isinstance(measure, Embedding) or (isinstance(measure, PushForward) and not measure.is_matrix):
        measure = measure.part
    if isinstance(measure, Mixture) and len(measure.parts) == 1 and (weight := float(measure.weights[0])):
        scaled = integrate_masses(measure.parts[0], k0 / weight).scaled(weight)
        assert scaled is not None  # the sign of a float is known
        return scaled
    if isinstance(measure, Spectral) and isinstance(measure.kernel, FormulaRadial):
        return _by_table(measure.kernel)
    atoms = measure.atoms()
    if atoms is not None:
        weights = atoms.weights
        sizes = (np.abs(weights.real).sum(), np.abs(weights.imag).sum(), np.abs(weights).sum())
        return _masses(k0, *sizes, error=abs(atoms.omitted))
    if isinstance(measure, Shifted) and not measure.part.is_complex and envelope(measure.part) == measure.part:
        return _translated(measure, k0)
    try:
        if measure.without_density() is None and (measure.dim == 1 or (is_radial(measure) and not measure.is_complex)):
            found = radial_integrals(measure)
            if found.error <= (_REFUSED if is_inverted(measure) else _POOR) * found.modulus:
                sizes = (found.absolute_real, found.absolute_imaginary, found.modulus)
                # ∫ Re μ is k(0): the computed value is a second check of the error
                return _masses(k0, *sizes, error=max(found.error, abs(found.real - k0)))
        return _random(measure, k0)
    except NoDensityError as error:
        raise NotAvailableYet(f"the masses of this measure need its density: {error}") from None


def sampled_ratio(measure: Measure, n: int) -> tuple[np.ndarray, np.ndarray]:
    """n draws of the envelope, (n, d), and μ(ω)/envelope(ω) times the envelope's mass, (n,), whose mean is k(0).

    Raises NoDensityError if the envelope's density underflows.
    """
    outer = envelope(measure)
    frequencies = outer.sample(Stream(0), n)
    mass = float(outer.total_mass())
    if isinstance(measure, Shifted) and outer == measure.part:
        return frequencies, mass * measure.phases(frequencies)
    if isinstance(measure, Mixture) and isinstance(outer, Mixture):
        parts: dict[Measure, np.ndarray] = {}  # shared by both
        for part in (*outer.parts, *measure.parts):
            if part not in parts:
                parts[part] = _bounded(_density(part, frequencies, parts))
        density, dominating = (
            np.array(own.weights, dtype=float) @ np.array([parts[part] for part in own.parts])
            for own in (measure, outer)
        )
    else:
        density, dominating = _bounded(measure.density(frequencies)), _bounded(outer.density(frequencies))
    if not dominating.all():
        raise NoDensityError("it underflows at its own frequencies")
    return frequencies, mass * (density / dominating)


def _density(part: Measure, frequencies: np.ndarray, known: dict[Measure, np.ndarray]) -> np.ndarray:
    """The density of a part; by a phase if it is a translation of a known one, whose values may be slow."""
    if isinstance(part, Shifted) and part.part in known:
        return np.asarray(known[part.part] * part.phases(frequencies))
    return part.density(frequencies)


def _bounded(density: np.ndarray) -> np.ndarray:
    """Replaces ∞, at poles of the density, by a finite number so large that other values do not matter."""
    return np.where(np.isinf(density), _LARGEST, density)


def _masses(k0: float, real: float, imaginary: float, whole: float, *, error: float, is_random: bool = False) -> Masses:
    """From ∫|Re μ|, ∫|Im μ|, ∫|μ|, using ∫ Re μ = k(0) and ∫ Im μ = 0."""
    real, half = max(float(real), abs(k0)), float(imaginary) / 2
    whole = max(float(whole), real)
    return Masses((real + k0) / 2, (real - k0) / 2, half, half, whole, float(error), is_random)


def _translated(measure: Shifted, k0: float) -> Masses:
    """E|cos r·ω| = 2/π − (4/π) Σ (−1)^k k(2kr)/(4k² − 1); E|sin r·ω| is the same without the sign."""
    k = np.arange(1, _TERMS + 1)
    transform = measure.part.characteristic_function(2 * k[:, None] * np.asarray(measure.by, dtype=float))
    terms = transform / (4 * k**2 - 1)
    size = float(measure.part.total_mass())
    real = 2 / pi * size - 4 / pi * float(np.sum(np.where(k % 2, -1, 1) * terms))
    imaginary = 2 / pi * size - 4 / pi * float(np.sum(terms))
    left_out = float(np.abs(transform[_TERMS // 2 :]).max()) / (pi * _TERMS)
    return _masses(k0, real, imaginary, size, error=left_out)


def _random(measure: Measure, k0: float) -> Masses:
    if measure.without_density() is not None and not isinstance(measure, Shifted):
        raise NoDensityError(str(measure.without_density()))
    if is_inverted(measure):
        raise NoDensityError("every value of it is an integral, and thousands would be needed")
    _, ratio = affordable_ratio(measure)
    sizes = [np.abs(ratio.real), np.abs(ratio.imag), np.abs(ratio)]
    scale = float(sizes[2].max()) or 1.0  # squares of tilted densities may overflow
    error = scale * max(float((size / scale).std()) for size in sizes) / np.sqrt(len(ratio))
    return _masses(k0, *(scale * float((size / scale).mean()) for size in sizes), error=error, is_random=True)


def affordable_ratio(measure: Measure) -> tuple[np.ndarray, np.ndarray]:
    """`sampled_ratio` of 2¹⁶ draws, or of fewer if the density is expensive.

    Work is counted rather than timed, so that the answer is the same on every machine. Raises NoDensityError if even
    the fewest draws are too much.
    """
    for n in (_PROBES, _FEWEST_DRAWS):
        with counted_work() as work:
            found = sampled_ratio(measure, n)
        affordable = n * _WORK / work.done if work.done else float(_DRAWS)
        if affordable < _FEWEST_DRAWS:
            raise NoDensityError("every value of it is expensive, and hundreds would be needed")
    n = min(_DRAWS, 1 << int(log2(affordable)))
    return found if n == _FEWEST_DRAWS else sampled_ratio(measure, n)


@dataclass(frozen=True)
class Masses:
    """Masses of the Jordan parts of the real and the imaginary part, and the total variation.

    real_positive − real_negative = k(0), imaginary_positive = imaginary_negative; total_variation ∫ |μ| is at most
    `jordan`. `error` bounds the error of numerical integration (a standard error if `is_random`); 0 for closed forms
    and series.
    """

    real_positive: Scalar
    real_negative: Scalar
    imaginary_positive: Scalar
    imaginary_negative: Scalar
    total_variation: Scalar
    error: float = 0.0
    is_random: bool = False

    @property
    def jordan(self) -> Scalar:
        """The sum of the four masses."""
        return self.real_positive + self.real_negative + self.imaginary_positive + self.imaginary_negative

    def plus(self, other: Masses) -> Masses:
        """The masses of the sum of two measures with disjoint supports."""
        sums = Masses(*map(add, astuple(self), astuple(other)))
        return replace(sums, is_random=self.is_random or other.is_random)

    def scaled(self, weight: Scalar) -> Masses | None:
        """The masses of the measure times a real number; None if its sign is unknown."""
        if holds(weight > 0):
            real = (weight * self.real_positive, weight * self.real_negative)
        elif holds(weight < 0):
            weight = -weight
            real = (weight * self.real_negative, weight * self.real_positive)
        else:
            return None
        sizes = (weight * self.imaginary_positive, weight * self.imaginary_negative, weight * self.total_variation)
        error = self.error * float(weight) if self.error else 0.0
        return Masses(*real, *sizes, error, self.is_random)


def masses_of(kernel: Kernel, numeric: Callable[[], Kernel], *, positive_definite: bool = False) -> Masses:
    """The masses of the spectral measure of a kernel in SymPy; `numeric` gives the same kernel in numbers.

    A kernel that is positive definite, by its nodes or by proof, has all its mass, k(0), in the positive real part. A
    Gaussian density times a wave along one direction has series; every other measure is integrated numerically. Raises
    NotStationaryError without a spectral measure; if numbers are needed, ParameterError for free parameters and
    DimensionError for free d; NotAvailableYet if the density cannot be evaluated.
    """
    if positive_definite or not kernel.is_stationary:  # measure_of raises with the reason
        return _positive(measure_of(kernel).total_mass())
    found = _exact(kernel)
    if found is not None:
        return found
    whole = numeric()
    line = whole.line() if isinstance(whole, FormulaProduct) else None
    if line is not None:
        return _of_power(_by_table(line), int(whole.dim))
    measure = measure_of(whole)
    apart = atoms_apart(measure)
    if apart is None:
        return integrate_masses(measure, float(whole.diagonal()))
    atoms, rest = apart  # disjoint supports, so their masses add
    return _of_atoms(atoms).plus(integrate_masses(rest, float(rest.total_mass())))


def _of_atoms(measure: Mixture) -> Masses:
    """For a measure of atoms only: the mass of the omitted ones is an error, of either sign."""
    found = measure.atoms()
    assert found is not None
    real, imaginary = np.real(found.weights), np.imag(found.weights)
    above, below, ahead, behind = (float(np.maximum(side, 0).sum()) for side in (real, -real, imaginary, -imaginary))
    return Masses(above, below, ahead, behind, float(np.abs(found.weights).sum()), found.omitted)


def _exact(kernel: Kernel) -> Masses | None:
    if isinstance(kernel, GaussianDirection):
        return _along_one_direction(kernel)
    if kernel.verdict().positive_definite == "proved":
        return _positive(measure_of(kernel).total_mass())
    if isinstance(kernel, Sum) and len(kernel.terms) == 1:
        inner = _exact(kernel.terms[0])
        return None if inner is None else inner.scaled(kernel.weights[0])
    # a change of variables moves the mass; a matrix might merge parts of it
    if isinstance(kernel, Select) or (isinstance(kernel, Stretch) and not kernel.is_matrix):
        return _exact(kernel.base)
    return None


def _positive(size: Scalar) -> Masses:
    return Masses(size, 0, 0, 0, size)


def _by_table(kernel: FormulaRadial) -> Masses:
    """From the numerical distribution function of ‖ω‖. Raises NotAvailableYet if that is unknown."""
    spectrum = kernel.spectrum
    if not isinstance(spectrum, NumericalSpectrum):
        return Masses(1, 0, 0, 0, 1)
    try:
        positive, negative, error = spectrum.masses()
    except ArithmeticError as reason:
        raise NotAvailableYet(f"the masses of {kernel} are not available: {reason}", kernel.span) from None
    return Masses(positive, negative, 0, 0, positive + negative, error)


def _of_power(line: Masses, dim: int) -> Masses:
    """The product over the columns of measures with masses a and b: ((a + b)^d ± (a − b)^d)/2."""
    size, rest = float(line.total_variation) ** dim, float(line.real_positive - line.real_negative) ** dim
    return Masses((size + rest) / 2, (size - rest) / 2, 0, 0, size, dim * size * line.error)


def _along_one_direction(kernel: GaussianDirection) -> Masses:
    """E max(±cos aZ, 0) and E max(sin aZ, 0) times the gain: numbers to a relative 1e-12, or SymPy series."""
    gain, a = _float_if_number(kernel.gain), kernel.frequency
    imaginary = gain * part_mass(WavePart.POSITIVE_SINE, a)
    size = _float_if_number(kernel.total_variation())
    if kernel.has_constant_real_part:
        return Masses(1, 0, imaginary, imaginary, size)
    positive, negative = (gain * part_mass(wave, a) for wave in (WavePart.POSITIVE_COSINE, WavePart.NEGATIVE_COSINE))
    return Masses(positive, negative, imaginary, imaginary, size)


def _float_if_number(value: Scalar) -> Scalar:
    known = None if isinstance(value, int) else known_number(value)
    return value if known is None else known
