"""How heavy the tails of an estimate may be: a bound on its fourth central moment, from the law of its samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.variance import sample_variance
from kernelspec.verification.sample_bounds import largest_sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.laws.collisions import Collisions
    from kernelspec.notation.pairs import NumericPairs
    from kernelspec.numerics.phasor import Form
    from kernelspec.planning.plan import Plan
    from kernelspec.planning.strata import Stratum

__all__ = ["estimate_fourth_moment", "sample_fourth_moment"]

_UNLIKELY = 10.0
"""So many root mean squares of |p| are taken for a bound where keys decide and none is known."""

_ROUNDING = 1e-14
"""What cancellation may leave of a fourth moment that is zero."""


def estimate_fourth_moment(
    plan: Plan, pairs: NumericPairs, collisions: Collisions | None = None
) -> NDArray[np.float64]:
    """An upper bound on E(k̂ − E k̂)⁴ for pairs of rows: 3 V² + Σ w⁴ (m₄ − 3 s⁴)/n³ over strata of n samples each.

    s² and m₄ are the central moments of one sample p. Of cosines of frequencies m₄ is exact, by k at the multiples of
    the lag; so it is of keys alone, by k; else |p| ≤ c implies m₄ ≤ (c + |k|)² s². Infinite where no c is known.
    """
    total, excess = np.zeros(pairs.shape), np.zeros(pairs.shape)
    for stratum, n in plan.parts:
        own_collisions = stratum.collisions(pairs, collisions)
        second = sample_variance(stratum.law, pairs.select(stratum.positions), plan.form, own_collisions)
        total += stratum.weight**2 * second / n
        if own_collisions is not None and stratum.law.has_key:
            fourth = _hashed(stratum, pairs, plan.form, second)
        else:
            fourth = sample_fourth_moment(stratum, pairs, plan.form)
        with np.errstate(invalid="ignore"):
            own = np.where(second > 0, fourth - 3 * second**2, 0.0)
        excess += stratum.weight**4 * own / n**3
    return np.asarray(3 * total**2 + excess)


def sample_fourth_moment(stratum: Stratum, pairs: NumericPairs, form: Form) -> NDArray[np.float64]:
    """An upper bound on E(p − E p)⁴ of one sample, the weight left out; infinite where no bound on |p| is known."""
    second = sample_variance(stratum.law, pairs.select(stratum.positions), "paired")
    fourth = _without_offset(stratum, pairs, second)
    if form != "phase" or not stratum.law.has_phasor:
        return fourth
    # a wave of modulus |z_L z_R| ≤ c and uniform phase is added: 6 E(p − k)²d² + E d⁴ with E d² = |z_L z_R|²/2
    square = _largest(stratum, pairs) ** 2
    with np.errstate(invalid="ignore"):
        return np.asarray(fourth + square * (3 * second + 3 / 8 * np.asarray(stratum.moments(pairs).a, dtype=float)))


def _hashed(stratum: Stratum, pairs: NumericPairs, form: Form, second: NDArray[np.float64]) -> NDArray[np.float64]:
    """With keys that may share a column, by the bound on |p| alone."""
    largest = _largest(stratum, pairs) * (2 if form == "phase" and stratum.law.has_phasor else 1)
    with np.errstate(invalid="ignore"):
        return np.where(second > 0, (largest + _mean(stratum, pairs)) ** 2 * second, 0.0)


def _without_offset(stratum: Stratum, pairs: NumericPairs, second: NDArray[np.float64]) -> NDArray[np.float64]:
    largest, mean = _largest(stratum, pairs), _mean(stratum, pairs)
    with np.errstate(invalid="ignore"):
        bound = np.where(second > 0, (largest + mean) ** 2 * second, 0.0)
    if isinstance(stratum.law, FourierLaw):
        return np.minimum(bound, _of_cosines(stratum, pairs))
    if stratum.law.has_amplitude:
        return np.asarray(bound)
    # of keys alone E p² = c|E p| only if p is 0 or c times one sign: the law is known then
    c = np.where(np.isfinite(largest), largest, 0.0)
    two = (c > 0) & (np.abs(second + mean**2 - c * mean) <= _ROUNDING * np.maximum(c**2, 1))
    chance = np.divide(mean, c, out=np.zeros(pairs.shape), where=two)
    of_two = chance * (c - mean) ** 4 + (1 - chance) * mean**4
    return np.asarray(np.where(two, np.minimum(bound, of_two + _ROUNDING), bound))


def _of_cosines(stratum: Stratum, pairs: NumericPairs) -> NDArray[np.float64]:
    """m₄ of m cos(ω·Δ), from E cos jω·Δ = k(jΔ)/m."""
    own, mass = pairs.select(stratum.positions), float(stratum.law.magnitude())
    c, c2, c3, c4 = (np.asarray(stratum.law.value(own.map(j)), dtype=float) / mass for j in (1, 2, 3, 4))
    raw2, raw3, raw4 = (1 + c2) / 2, (3 * c + c3) / 4, (3 + 4 * c2 + c4) / 8
    fourth = raw4 - 4 * c * raw3 + 6 * c**2 * raw2 - 3 * c**4 + _ROUNDING
    return np.asarray(np.broadcast_to(mass**4 * fourth, pairs.shape))


def _largest(stratum: Stratum, pairs: NumericPairs) -> NDArray[np.float64]:
    if not stratum.law.has_key:
        return largest_sample(stratum.law, pairs.select(stratum.positions))
    # rows whose keys differ may share a column, and then have the amplitudes of rows whose keys agree
    largest = largest_sample(stratum.law, pairs.with_keys_agreeing().select(stratum.positions))
    free = np.asarray(stratum.moments(pairs.with_keys_agreeing()).a, dtype=float)
    return np.where(np.isfinite(largest), largest, _UNLIKELY * np.sqrt(free))


def _mean(stratum: Stratum, pairs: NumericPairs) -> NDArray[np.float64]:
    return np.asarray(np.abs(np.broadcast_to(np.asarray(stratum.mean_value(pairs), dtype=float), pairs.shape)))
