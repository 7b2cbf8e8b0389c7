"""How many samples make the error of an asymmetric or indefinite kernel uniformly small on a ball."""

from __future__ import annotations

import math

from kernelspec.analysis.bounds.uniform_bound import Bound, check_bound, least_error
from kernelspec.errors import PlanError
from kernelspec.spectrum.jordan_moments import JordanMoments
from kernelspec.spectrum.masses import Masses

__all__ = ["complex_bound", "complex_bound_error"]


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
