"""E‖ω‖² under the Jordan parts of a spectral measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.kernels.kernel import Kernel
from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.envelope import envelope
from kernelspec.measures.measure_of import measure_of
from kernelspec.special.wave_part import WavePart
from kernelspec.spectrum.mass_integrals import affordable_ratio
from kernelspec.spectrum.masses import Masses
from kernelspec.spectrum.radial_integrals import radial_integrals

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure

__all__ = ["JordanMoments", "jordan_moments"]


@dataclass(frozen=True)
class JordanMoments:
    """E‖ω‖² under each of the normalised Jordan parts; 0 for a part without mass."""

    real_positive: float
    real_negative: float
    imaginary: float


def jordan_moments(kernel: Kernel, masses: Masses) -> JordanMoments:
    """The second moments of the parts of the measure of `kernel`, in numbers, with the masses given.

    Series along one Gaussian direction; on the line integrals, with their error added to them, as the bounds that take
    them must hold; means over 2¹⁶ draws of the envelope, or fewer where these are too much
    work, for the others. Infinite where the envelope has an infinite
    second moment. Raises NoDensityError where the density cannot be evaluated, or not so often.
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
    return JordanMoments(
        moment(positive, float(masses.real_positive)),
        moment(negative, float(masses.real_negative)),
        moment(np.maximum(ratio.imag, 0), float(masses.imaginary_positive)),
    )


def _on_the_line(measure: Measure, masses: Masses) -> JordanMoments:
    found = radial_integrals(measure, 2)
    if np.isinf(found.error):
        raise NoDensityError("the integral over the density is not known")

    def moment(size: float, mass: float) -> float:
        return (size + found.error) / mass if mass > 0 else 0.0

    return JordanMoments(
        moment((found.absolute_real + found.real) / 2, float(masses.real_positive)),
        moment((found.absolute_real - found.real) / 2, float(masses.real_negative)),
        moment(found.absolute_imaginary / 2, float(masses.imaginary_positive)),
    )


def _along_one_direction(kernel: GaussianDirection) -> JordanMoments:
    """(d − 1 + E Z² w⁺(aZ) / E w⁺(aZ)) / σ²."""
    from kernelspec.special.wave_moments import wave_mass, wave_second_moment

    a, variance, d = float(kernel.frequency), float(kernel.scale) ** -2, int(kernel.dim)

    def moment(part: WavePart) -> float:
        mass = wave_mass(part, a)
        return (d - 1 + wave_second_moment(part, a) / mass) * variance if mass > 0 else 0.0

    imaginary = moment(WavePart.POSITIVE_SINE)
    if kernel.has_constant_real_part:
        return JordanMoments(d * variance, 0.0, imaginary)
    return JordanMoments(moment(WavePart.POSITIVE_COSINE), moment(WavePart.NEGATIVE_COSINE), imaginary)
