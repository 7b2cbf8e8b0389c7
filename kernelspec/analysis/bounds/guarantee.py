"""Which bound on the error at all lags of a ball holds for a kernel, with the numbers that enter it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kernelspec.analysis.bounds.complex_bound import complex_bound, complex_bound_error
from kernelspec.analysis.bounds.uniform_bound import Bound, uniform_bound, uniform_bound_error
from kernelspec.errors import NoDensityError, NotAvailableYet, NotStationaryError, PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.measures.measure_of import measure_of
from kernelspec.spectrum.jordan_moments import JordanMoments
from kernelspec.spectrum.masses import Masses

__all__ = ["ComplexGuarantee", "Guarantee", "PositiveGuarantee", "guarantee_of"]


@dataclass(frozen=True)
class PositiveGuarantee:
    """The bound of Rahimi and Recht, for the paired frequencies of a positive definite kernel."""

    dim: int
    k0: float
    second_moment: float

    def bound(self, eps: float, delta: float, diameter: float) -> Bound:
        """See `uniform_bound`."""
        return uniform_bound(eps, delta, diameter, dim=self.dim, k0=self.k0, second_moment=self.second_moment)

    def error(self, n: int, delta: float, diameter: float) -> float:
        """See `uniform_bound_error`."""
        return uniform_bound_error(n, delta, diameter, dim=self.dim, k0=self.k0, second_moment=self.second_moment)


@dataclass(frozen=True)
class ComplexGuarantee:
    """The bound of He et al., for the Jordan estimator of any other stationary kernel."""

    dim: int
    masses: Masses
    moments: JordanMoments

    def bound(self, eps: float, delta: float, diameter: float) -> Bound:
        """See `complex_bound`."""
        return complex_bound(eps, delta, diameter, dim=self.dim, masses=self.masses, moments=self.moments)

    def error(self, n: int, delta: float, diameter: float) -> float:
        """See `complex_bound_error`."""
        return complex_bound_error(n, delta, diameter, dim=self.dim, masses=self.masses, moments=self.moments)


Guarantee = PositiveGuarantee | ComplexGuarantee


def guarantee_of(
    numeric: Callable[[], Kernel], masses: Callable[[], Masses], dim: int, *, positive_definite: bool
) -> Guarantee:
    """The guarantee for a kernel on `dim` columns; `numeric` gives it in numbers, `masses` those of its measure.

    Raises NotStationaryError for a positive definite kernel without a spectral measure, PlanError for any other kernel
    whose masses and second moments cannot be had.
    """
    if positive_definite:
        kernel = numeric()
        measure = measure_of(kernel)  # first: a kernel without one may have no k(0) either
        return PositiveGuarantee(dim, float(kernel.diagonal()), float(measure.second_moment()))
    from kernelspec.spectrum.jordan_moments import jordan_moments

    try:
        sizes = masses()
        return ComplexGuarantee(dim, sizes, jordan_moments(numeric(), sizes))
    except (NoDensityError, NotAvailableYet, NotStationaryError) as error:
        raise PlanError(f"there is no uniform bound for this kernel: {error}") from None
