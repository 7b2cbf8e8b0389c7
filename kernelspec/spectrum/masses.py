"""Total masses of the parts of a spectral measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kernelspec.errors import NotAvailableYet
from kernelspec.kernels.families.formula_product import FormulaProduct
from kernelspec.kernels.families.formula_radial import FormulaRadial
from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.elementary import holds, known_number
from kernelspec.special.radial_spectrum import NumericalSpectrum
from kernelspec.special.wave_part import WavePart
from kernelspec.spectrum.part_masses import part_mass

__all__ = ["Masses", "masses_of"]


@dataclass(frozen=True)
class Masses:
    """Masses of the Jordan parts of the real and the imaginary part, and the total variation.

    real_positive − real_negative = k(0), imaginary_positive = imaginary_negative; total_variation ∫ |μ| is at most
    `jordan`. `error` bounds the error of numerical integration (a standard error where `is_random`); 0 for
    closed forms and series.
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

    def scaled(self, weight: Scalar) -> Masses | None:
        """The masses of the measure times a real number; None where the sign of that is not known."""
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

    A kernel that is positive definite, by its nodes or known to be, has all its mass, k(0), in the positive real part.
    A Gaussian density times a wave along one direction has series; every other measure is integrated numerically.
    Raises NotStationaryError where there is no spectral measure, ParameterError for free parameters and DimensionError
    for free d where numbers are needed, NotAvailableYet where the density cannot be evaluated.
    """
    if positive_definite or not kernel.is_stationary:  # measure_of says why there is none
        return _positive(measure_of(kernel).total_mass())
    found = _exact(kernel)
    if found is not None:
        return found
    from kernelspec.spectrum.mass_integrals import integrate_masses

    whole = numeric()
    if isinstance(whole, FormulaRadial):
        return _by_table(whole)
    line = whole.line() if isinstance(whole, FormulaProduct) else None
    if line is not None:
        return _of_power(_by_table(line), int(whole.dim))
    return integrate_masses(measure_of(whole), float(whole.diagonal()))


def _exact(kernel: Kernel) -> Masses | None:
    if isinstance(kernel, GaussianDirection):
        return _along_one_direction(kernel)
    if kernel.verdict().positive_definite == "proved":
        return _positive(measure_of(kernel).total_mass())
    if isinstance(kernel, Sum) and len(kernel.terms) == 1:
        inner = _exact(kernel.terms[0])
        return None if inner is None else inner.scaled(kernel.weights[0])
    # a change of variables moves the mass; a matrix might bring parts of it together
    if isinstance(kernel, Select) or (isinstance(kernel, Stretch) and not kernel.is_matrix):
        return _exact(kernel.base)
    return None


def _positive(size: Scalar) -> Masses:
    return Masses(size, 0, 0, 0, size)


def _by_table(kernel: FormulaRadial) -> Masses:
    """From the numerical distribution function of ‖ω‖. Raises NotAvailableYet where that is not known."""
    spectrum = kernel.spectrum
    if not isinstance(spectrum, NumericalSpectrum):
        return Masses(1, 0, 0, 0, 1)
    try:
        positive, negative, error = spectrum.masses()
    except ArithmeticError as reason:
        raise NotAvailableYet(f"the masses of {kernel} are not available: {reason}", kernel.span) from None
    return Masses(positive, negative, 0, 0, positive + negative, error)


def _of_power(line: Masses, dim: int) -> Masses:
    """Of the product over the columns of measures with the masses a and b: ((a + b)^d ± (a − b)^d)/2."""
    size, rest = float(line.total_variation) ** dim, float(line.real_positive - line.real_negative) ** dim
    return Masses((size + rest) / 2, (size - rest) / 2, 0, 0, size, dim * size * line.error)


def _along_one_direction(kernel: GaussianDirection) -> Masses:
    """E max(±cos aZ, 0) and E max(sin aZ, 0) times the gain: numbers to a relative 1e-12, or series of SymPy."""
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
