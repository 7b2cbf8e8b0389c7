"""From the estimates of one estimator to its check, at a level that holds for any tails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Collisions, sample_variance
from kernelspec.numerics.phasor import Form
from kernelspec.planning.plan import Plan
from kernelspec.planning.strata import Stratum
from kernelspec.verification.certificate import EstimatorCheck
from kernelspec.verification.statistics import (
    ALIKE,
    LARGE,
    ROUNDING,
    Deviations,
    detectable_shift,
    largest_sample,
    mean_limit,
    samples_needed,
    variance_interval,
    varies_often,
)

__all__ = ["Trials", "estimate_fourth_moment", "judge", "sample_fourth_moment"]

Numbers = NDArray[np.float64]

_UNLIKELY = 10.0
"""Multiples of the root mean square of |p| taken as a bound if keys decide and no bound is known."""

_MOMENT_ROUNDING = 1e-14
"""Cancellation error of a fourth moment that is zero."""


def estimate_fourth_moment(plan: Plan, pairs: NumericPairs, collisions: Collisions | None = None) -> Numbers:
    """An upper bound on E(k̂ − E k̂)⁴ for pairs of rows: 3 V² + Σ w⁴ (m₄ − 3 s⁴)/n³ over strata of n samples each.

    s² and m₄ are the central moments of one sample p. For cosines of frequencies, m₄ follows exactly from k at
    multiples of the lag, and for keys alone, from k; otherwise |p| ≤ c implies m₄ ≤ (c + |k|)² s². Infinite if no c is
    known.
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


def sample_fourth_moment(stratum: Stratum, pairs: NumericPairs, form: Form) -> Numbers:
    """An upper bound on E(p − E p)⁴ of one sample, without the weight; infinite if no bound on |p| is known."""
    second = sample_variance(stratum.law, pairs.select(stratum.positions), "paired")
    fourth = _without_offset(stratum, pairs, second)
    if form != "phase" or not stratum.law.has_phasor:
        return fourth
    # a wave of modulus |z_L z_R| ≤ c and uniform phase is added: 6 E(p − k)²d² + E d⁴ with E d² = |z_L z_R|²/2
    square = _largest(stratum, pairs) ** 2
    with np.errstate(invalid="ignore"):
        return np.asarray(fourth + square * (3 * second + 3 / 8 * np.asarray(stratum.moments(pairs).a, dtype=float)))


def _hashed(stratum: Stratum, pairs: NumericPairs, form: Form, second: Numbers) -> Numbers:
    """With keys that may share a column, from the bound on |p| alone."""
    largest = _largest(stratum, pairs) * (2 if form == "phase" and stratum.law.has_phasor else 1)
    with np.errstate(invalid="ignore"):
        return np.where(second > 0, (largest + _mean(stratum, pairs)) ** 2 * second, 0.0)


def _without_offset(stratum: Stratum, pairs: NumericPairs, second: Numbers) -> Numbers:
    largest, mean = _largest(stratum, pairs), _mean(stratum, pairs)
    with np.errstate(invalid="ignore"):
        bound = np.where(second > 0, (largest + mean) ** 2 * second, 0.0)
    if isinstance(stratum.law, FourierLaw):
        return np.minimum(bound, _of_cosines(stratum, pairs))
    if stratum.law.has_amplitude:
        return np.asarray(bound)
    # for keys alone E p² = c|E p| only if p is 0 or c times one sign: the law is known then
    c = np.where(np.isfinite(largest), largest, 0.0)
    two = (c > 0) & (np.abs(second + mean**2 - c * mean) <= _MOMENT_ROUNDING * np.maximum(c**2, 1))
    chance = np.divide(mean, c, out=np.zeros(pairs.shape), where=two)
    of_two = chance * (c - mean) ** 4 + (1 - chance) * mean**4
    return np.asarray(np.where(two, np.minimum(bound, of_two + _MOMENT_ROUNDING), bound))


def _of_cosines(stratum: Stratum, pairs: NumericPairs) -> Numbers:
    """m₄ of m cos(ω·Δ), from E cos jω·Δ = k(jΔ)/m."""
    own, mass = pairs.select(stratum.positions), float(stratum.law.magnitude())
    c, c2, c3, c4 = (np.asarray(stratum.law.value(own.map(j)), dtype=float) / mass for j in (1, 2, 3, 4))
    raw2, raw3, raw4 = (1 + c2) / 2, (3 * c + c3) / 4, (3 + 4 * c2 + c4) / 8
    fourth = raw4 - 4 * c * raw3 + 6 * c**2 * raw2 - 3 * c**4 + _MOMENT_ROUNDING
    return np.asarray(np.broadcast_to(mass**4 * fourth, pairs.shape))


def _largest(stratum: Stratum, pairs: NumericPairs) -> Numbers:
    if not stratum.law.has_key:
        return largest_sample(stratum.law, pairs.select(stratum.positions))
    # rows with different keys may share a column, and then have the amplitudes of rows with equal keys
    largest = largest_sample(stratum.law, pairs.with_keys_agreeing().select(stratum.positions))
    free = np.asarray(stratum.moments(pairs.with_keys_agreeing()).a, dtype=float)
    return np.where(np.isfinite(largest), largest, _UNLIKELY * np.sqrt(free))


def _mean(stratum: Stratum, pairs: NumericPairs) -> Numbers:
    return np.asarray(np.abs(np.broadcast_to(np.asarray(stratum.mean_value(pairs), dtype=float), pairs.shape)))


_SAME = 1e-9
"""Tolerance for a row with itself, without variance; for other pairs, `ALIKE`."""

_BIAS, _VARIANCE = 0.01, 0.05
"""Relative errors of a mean and of a variance for which the required number of maps is reported."""

_LARGEST_BIAS = 0.1
"""An estimator that may have a larger relative bias than this, undetected, does not pass."""


@dataclass(frozen=True)
class Trials:
    """One estimator's M estimates of P pairs, as `errors` (M, P), with everything needed to judge them, each (P,).

    `fourth` bounds the mean of errors⁴, infinite if no bound is known; `size` is that of the kernel's summands, `value`
    the kernel itself. If the prediction was `measured`, it is not a claim to be tested.
    """

    method: str
    hashed: bool
    errors: Numbers
    predicted: Numbers
    fourth: Numbers
    value: Numbers
    size: Numbers
    identical: NDArray[np.bool_]
    pairs: NDArray[np.intp]
    measured: bool = False


def judge(trials: Trials, n_estimators: int, budget: float) -> EstimatorCheck:
    """The check of one of `n_estimators`; the three kinds of test share its part of the budget."""
    rounding = ROUNDING * trials.size**2
    if trials.measured:  # by the moments of their own errors; infinite if these depend on fewer than sixteen events
        squares = np.square(trials.errors - trials.errors.mean(axis=0))
        variance = np.where(varies_often(trials.errors), trials.errors.var(axis=0, ddof=1), np.inf)
        trials = replace(trials, predicted=variance, fourth=np.square(squares).mean(axis=0))
    finite = np.isfinite(trials.predicted)
    exact = finite & (trials.predicted <= rounding)
    random = finite & ~exact
    kept = Deviations(
        trials.errors[:, random], trials.predicted[random], rounding[random], np.asarray(trials.fourth)[random]
    )
    pairs, level = trials.pairs[random], budget / n_estimators / 3
    large = np.abs(trials.value) >= LARGE * trials.size
    bias = _bias(kept, pairs, level)
    if not bias.get("bias_passed", True):  # a variance about the wrong mean is a different question
        kept = replace(kept, errors=kept.errors - kept.errors.mean(axis=0))
    judged = {"n_rare": len(pairs)} if trials.measured else _variance(kept, pairs, level)
    return EstimatorCheck(
        method=trials.method,
        hashed=trials.hashed,
        n_maps=len(trials.errors),
        n_pairs=len(trials.pairs),
        n_judged=int(random.sum()),
        n_exact=int(exact.sum()),
        n_infinite=int((~finite).sum()),
        **bias,
        **judged,
        **_exact(trials, exact),
        **_power(kept, trials.value[random], trials.size[random], level, is_certain=bool(large[exact].any())),
    )


def _bias(kept: Deviations, pairs: NDArray[np.intp], level: float) -> dict[str, Any]:
    if not len(pairs):
        return {"z_scores": np.empty(0)}
    share = level / len(pairs)
    z, limit = kept.z_scores(share), mean_limit(kept.n_maps, share)
    worst = int(np.argmax(np.abs(z)))
    return {
        "bias_passed": bool((np.abs(z) <= limit).all()),
        "n_bias_tests": len(pairs),
        "z_scores": z,
        "worst_z": float(z[worst]),
        "z_limit": limit,
        "worst_z_pair": _pair(pairs[worst]),
    }


def _variance(kept: Deviations, pairs: NDArray[np.intp], level: float) -> dict[str, Any]:
    # a prediction that is mostly rounding says nothing about a ratio
    sure = kept.predicted > 100 * kept.rounding
    share = level / max(1, int(sure.sum()))
    sure[sure] = kept.take(sure).can_judge_variance(share)
    found: dict[str, Any] = {"n_variances": int(sure.sum()), "n_rare": int((~sure).sum())}
    if not sure.any():
        return found
    kept, pairs = kept.take(sure), pairs[sure]
    ratios, reach = kept.ratios(share), kept.reach(share)
    mean, dof = kept.pooled_ratio()
    below, above = (float(end) for end in variance_interval(dof, level))
    worst = int(np.argmax(np.abs(ratios - 1) / reach))
    return found | {
        "variance_passed": bool((np.abs(ratios - 1) <= reach).all() and below <= mean <= above),
        "n_variance_tests": len(pairs) + 1,
        "variance_ratio": mean,
        "variance_interval": (below, above),
        "ratio_range": (float(ratios.min()), float(ratios.max())),
        "worst_ratio": float(ratios[worst]),
        "worst_ratio_interval": (max(0.0, float(1 - reach[worst])), float(1 + reach[worst])),
        "worst_ratio_pair": _pair(pairs[worst]),
    }


def _power(kept: Deviations, value: Numbers, size: Numbers, level: float, *, is_certain: bool) -> dict[str, Any]:
    """What these maps would find at the pairs with a large kernel, and how many maps find errors of a given size.

    `is_certain`: the kernel is large at some pairs without variance.
    """
    found: dict[str, Any] = {"sees_bias": is_certain}
    large = np.abs(value) >= LARGE * size
    if large.any():
        share = level / len(value)
        deviation = float((np.sqrt(kept.predicted[large]) / np.abs(value[large])).max())
        found["found_bias"] = deviation * detectable_shift(kept.n_maps, share)
        found["sees_bias"] = found["found_bias"] <= _LARGEST_BIAS
        found["maps_for_bias"] = samples_needed(_BIAS / deviation, share)
        found["maps_to_see_bias"] = samples_needed(_LARGEST_BIAS / deviation, share)
    judged = large & kept.can_judge_variance(level / max(1, len(value)))
    if judged.any():
        share = level / int(judged.sum())
        spread = float(kept.spread()[judged].max())
        found["found_variance"] = spread * detectable_shift(kept.n_maps, share)
        found["maps_for_variance"] = samples_needed(_VARIANCE / spread, share)
    return found


def _exact(trials: Trials, exact: NDArray[np.bool_]) -> dict[str, Any]:
    if not exact.any():
        return {}
    error = np.abs(trials.errors[:, exact]).max(axis=0)
    size = trials.size[exact]
    deviation = np.divide(error, size, out=np.where(error > 0, np.inf, 0.0), where=size > 0)
    limits = np.where(trials.identical[exact], _SAME, ALIKE)
    worst = int(np.argmax(deviation / limits))
    return {
        "exact_passed": bool((deviation <= limits).all()),
        "exact_deviation": float(deviation[worst]),
        "exact_limit": float(limits[worst]),
        "exact_pair": _pair(trials.pairs[exact][worst]),
    }


def _pair(pair: NDArray[np.intp]) -> tuple[int, int]:
    return int(pair[0]), int(pair[1])
