"""Total masses of the parts of a spectral measure."""

from __future__ import annotations

from dataclasses import dataclass

from kernelspec.errors import NotAvailableYet
from kernelspec.kernels.arguments import Scalar
from kernelspec.kernels.kernel import Kernel

__all__ = ["Masses", "masses_of"]


@dataclass(frozen=True)
class Masses:
    """Masses of the Jordan parts of the real and the imaginary part, and the total variation.

    real_positive − real_negative = k(0), imaginary_positive = imaginary_negative.
    """

    real_positive: Scalar
    real_negative: Scalar
    imaginary_positive: Scalar
    imaginary_negative: Scalar
    total_variation: Scalar


def masses_of(kernel: Kernel) -> Masses:
    """The masses of the spectral measure of a kernel.

    A positive definite kernel has all its mass, k(0), in the positive real part. Raises NotAvailableYet for the
    others, and NotStationaryError where there is no spectral measure.
    """
    size = kernel.measure().total_mass()
    if kernel.verdict().positive_definite != "proved":
        message = "the masses of a signed spectral measure are not available yet in this version"
        raise NotAvailableYet(message, kernel.span)
    return Masses(size, 0, 0, 0, size)
