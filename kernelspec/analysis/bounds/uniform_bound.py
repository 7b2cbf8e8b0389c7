"""How many features make the error uniformly small on a ball."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

from kernelspec.errors import PlanError

__all__ = ["Bound", "check_bound", "least_error", "uniform_bound", "uniform_bound_error"]


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
