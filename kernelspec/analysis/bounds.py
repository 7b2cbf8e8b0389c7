"""How many samples make the error small, at a point or on a ball."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

from kernelspec.analysis.norm_bound import norm_bound
from kernelspec.analysis.variances import complexity
from kernelspec.errors import NoDensityError, NotAvailableYet, NotStationaryError, PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.measures.jordan import JordanMoments
from kernelspec.measures.masses import Masses
from kernelspec.measures.measure import measure_of

__all__ = [
    "Bound",
    "ComplexGuarantee",
    "Composition",
    "Guarantee",
    "PositiveGuarantee",
    "check_bound",
    "complex_bound",
    "complex_bound_error",
    "composition_of",
    "concentration",
    "guarantee_of",
    "learning_bound",
    "least_error",
    "pointwise_error",
    "pointwise_samples",
    "uniform_bound",
    "uniform_bound_error",
]


def complex_bound(
    eps: float, delta: float, diameter: float, *, dim: int, masses: Masses, moments: JordanMoments
) -> Bound:
    """The least M with M ≥ 4(d + 2)‖μ‖² ε⁻² (ln(β_d/δ) + 2d/(d + 2) ln(α l/ε)).

    With probability 1 − δ the error of the Jordan estimator with M samples of each part is then below ε for all lags in
    a ball of diameter l. ‖μ‖ is the Jordan mass, α² = (Σ squared masses)(Σ second moments), the imaginary parts
    counted twice, β_d = ((d/2)^{−d/(d+2)} + (d/2)^{2/(d+2)}) 2^{(6d+2)/(d+2)}. Source: He, He, Liu and Huang
    2022, Proposition 6. Raises PlanError if ε, δ or the diameter is out of range, or a second moment is infinite.
    """
    check_bound(eps, delta, diameter)
    samples = max(1, math.ceil(_needed(eps, delta, diameter, dim, masses, moments)))
    parts = sum(float(mass) > 0 for mass in (masses.real_positive, masses.real_negative, masses.imaginary_positive))
    return Bound(samples, 2 * parts * samples)


def complex_bound_error(
    n: int, delta: float, diameter: float, *, dim: int, masses: Masses, moments: JordanMoments
) -> float:
    """The least ε that n samples of each part reach with probability 1 − δ: the inverse of `complex_bound`."""
    return least_error(lambda eps: _needed(eps, delta, diameter, dim, masses, moments), n, delta, diameter)


def _needed(eps: float, delta: float, diameter: float, dim: int, masses: Masses, moments: JordanMoments) -> float:
    sizes = [float(masses.real_positive), float(masses.real_negative), float(masses.imaginary_positive)]
    spreads = [moments.real_positive, moments.real_negative, moments.imaginary]
    if not all(math.isfinite(spread) for spread in spreads):
        raise PlanError("there is no uniform bound: the second moment of the spectral measure is infinite")
    squares = sizes[0] ** 2 + sizes[1] ** 2 + 2 * sizes[2] ** 2
    alpha = math.sqrt(squares * (spreads[0] + spreads[1] + 2 * spreads[2]))
    if alpha == 0:
        return 1.0  # the zero kernel, or a constant
    half = dim / 2
    beta = (half ** (-dim / (dim + 2)) + half ** (2 / (dim + 2))) * 2 ** ((6 * dim + 2) / (dim + 2))
    logarithm = math.log(beta / delta) + 2 * dim / (dim + 2) * (math.log(alpha * diameter) - math.log(eps))
    jordan = sizes[0] + sizes[1] + 2 * sizes[2]
    return 4 * (dim + 2) * (jordan / eps) ** 2 * max(logarithm, 0.0)


@dataclass(frozen=True)
class Composition:
    """Of a kernel with dual activations: the expected number of factors of a feature, and a bound on its norm."""

    complexity: float
    norm: float

    def samples(self, eps: float, delta: float, *, phase: bool = False) -> int:
        """See `pointwise_samples`."""
        return pointwise_samples(self.norm, eps, delta, phase=phase)

    def error(self, n: int, delta: float, *, phase: bool = False) -> float:
        """See `pointwise_error`."""
        return pointwise_error(self.norm, n, delta, phase=phase)

    def learning_bound(self, n_rows: int, n_samples: int, *, radius: float, lipschitz: float = 1.0) -> float:
        """See `learning_bound`."""
        return learning_bound(self.norm, n_rows, n_samples, radius=radius, lipschitz=lipschitz)


def composition_of(kernel: Kernel) -> Composition | None:
    """Complexity and norm of the features of a kernel in numbers; None if no dual activation is part of it."""
    if not any(isinstance(part, Dual | Skeleton) for part in kernel.parts()):
        return None
    return Composition(complexity(kernel), norm_bound(kernel))


def concentration(norm: float, *, phase: bool = False) -> float:
    """2C⁴, and 8C⁴ with random offsets, which make C = `norm` larger by √2: the factor of ln(2/δ)/ε².

    Infinite where it is no float.
    """
    square = norm * norm
    return (8 if phase else 2) * square * square


def pointwise_samples(norm: float, eps: float, delta: float, *, phase: bool = False) -> int:
    """Samples that keep the error of one inner product below ε with probability 1 − δ: 2C⁴ ln(2/δ)/ε².

    C = `norm`; with random offsets 8C⁴ ln(2/δ)/ε². Raises PlanError for an infinite C, for ε
    or δ out of range, and for a number beyond all floats [Daniely et al. 2017, Theorem 3].
    """
    _check(norm, delta)
    if not eps > 0:
        raise PlanError(f"eps must be positive, not {eps:g}")
    found = concentration(norm, phase=phase) * math.log(2 / delta) / eps / eps
    if not math.isfinite(found):
        raise PlanError(f"features of norm {norm:.3g} need more samples than floats can count")
    return math.ceil(found)


def pointwise_error(norm: float, n: int, delta: float, *, phase: bool = False) -> float:
    """The ε for which n samples suffice: the inverse of `pointwise_samples`. Raises PlanError."""
    _check(norm, delta)
    if n < 1:
        raise PlanError(f"n must be at least 1, not {n}")
    return norm * norm * math.sqrt((8 if phase else 2) * math.log(2 / delta) / n)


def learning_bound(norm: float, n_rows: int, n_samples: int, *, radius: float, lipschitz: float = 1.0) -> float:
    """The excess risk of learning with random features: √8 ρBC/√m + ρBC/√q.

    For a convex ρ-Lipschitz loss, against the best f of norm at most B = `radius` in the space of the kernel, with m
    rows, q samples and λ = √2 ρC/(√m B), in expectation [Daniely et al. 2017, Theorem 5]. Raises PlanError for an
    infinite C.
    """
    _check(norm, 0.5)
    if n_rows < 1 or n_samples < 1 or not radius >= 0 or not lipschitz >= 0:
        raise PlanError("rows and samples must be at least 1, the radius and the Lipschitz constant not negative")
    size = lipschitz * radius * norm
    return math.sqrt(8 / n_rows) * size + size / math.sqrt(n_samples)


def _check(norm: float, delta: float) -> None:
    if not 0 < delta < 1:
        raise PlanError(f"delta must lie between 0 and 1, not {delta:g}")
    if not math.isfinite(norm):
        raise PlanError("the features of this kernel have no bound, so that this theorem says nothing of them")


@dataclass(frozen=True)
class Bound:
    """Frequencies that suffice (of each part of a complex measure), and the columns of their cosines and sines."""

    samples: int
    columns: int


def uniform_bound(eps: float, delta: float, diameter: float, *, dim: int, k0: float, second_moment: float) -> Bound:
    """The least D with 2⁸ (σ_p l / ε)² exp(−D ε² / (4(d + 2))) ≤ δ, ε in units of k(0).

    With probability 1 − δ the error of D paired frequencies is then below ε for all lags in a ball of diameter l;
    σ_p² = E‖ω‖². Source: Rahimi and Recht 2007, Claim 1 (D counts frequencies, not columns). Raises PlanError if ε, δ
    or the diameter is out of range, or the spectrum is too heavy-tailed for the bound.
    """
    check_bound(eps, delta, diameter)
    if k0 == 0 or second_moment == 0:
        return Bound(1, 2)  # the zero kernel, or a constant: one frequency has no error
    if not math.isfinite(second_moment):
        raise PlanError("there is no uniform bound: the second moment of the spectral measure is infinite")
    relative = eps / k0
    radius = math.log(256 * second_moment) + 2 * math.log(diameter / relative) - math.log(delta)
    samples = max(1, math.ceil(4 * (dim + 2) / relative**2 * max(radius, 0.0)))
    return Bound(samples, 2 * samples)


def uniform_bound_error(n: int, delta: float, diameter: float, *, dim: int, k0: float, second_moment: float) -> float:
    """The least ε that D = n paired frequencies reach with probability 1 − δ: the inverse of `uniform_bound`."""

    def needed(eps: float) -> float:
        return uniform_bound(eps, delta, diameter, dim=dim, k0=k0, second_moment=second_moment).samples

    found = least_error(needed, n, delta, diameter)
    return found if k0 and second_moment else 0.0


def check_bound(eps: float, delta: float, diameter: float) -> None:
    """Raise PlanError unless ε, δ and the diameter of the ball are such as a bound can be about."""
    given = all(isinstance(number, Real) for number in (eps, delta, diameter))
    if not (given and 0 < eps < math.inf and 0 < delta < 1 and 0 < diameter < math.inf):
        raise PlanError("a bound needs a positive, finite eps, 0 < delta < 1 and a positive, finite diameter")


def least_error(needed: Callable[[float], float], n: int, delta: float, diameter: float) -> float:
    """The least ε for which n samples are enough, `needed(ε)` being how many that takes: fewer for larger ε.

    Raises PlanError for n, δ or a diameter out of range.
    """
    given = all(isinstance(number, Real) for number in (n, delta, diameter))
    if not (given and n >= 1 and 0 < delta < 1 and 0 < diameter < math.inf):
        raise PlanError("the error of a bound needs n of at least 1, 0 < delta < 1 and a positive, finite diameter")
    low, high = -200.0, 200.0  # of ln ε
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if needed(math.exp(middle)) > n else (low, middle)
    return math.exp(high)


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
    from kernelspec.measures.jordan import jordan_moments

    try:
        sizes = masses()
        return ComplexGuarantee(dim, sizes, jordan_moments(numeric(), sizes))
    except (NoDensityError, NotAvailableYet, NotStationaryError) as error:
        raise PlanError(f"there is no uniform bound for this kernel: {error}") from None
