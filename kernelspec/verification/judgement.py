"""From the estimates of one estimator to its check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.verification.certificate import EstimatorCheck
from kernelspec.verification.mean_tests import detectable_shift, mean_limit, samples_needed
from kernelspec.verification.statistics import Deviations, variance_interval, varies_often

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Trials", "judge"]

_ROUNDING = 4e-15
"""Share of size² that cancellation may cost a predicted variance."""

_SAME = 1e-9
"""Agreement of a row with itself, where there is no variance."""

_ALIKE = 1e-6
"""Agreement of other pairs without variance: below √_ROUNDING a small variance cannot be told from none."""


_LARGE = 0.3
"""Of its size: pairs whose kernel is as large say how small a bias would be found."""

_BIAS, _VARIANCE = 0.01, 0.05
"""Errors of a mean and of a variance, relative, of which it is said how many maps would find them."""

_LARGEST_BIAS = 0.1
"""An estimator that may have a relative bias of more than this, unseen, does not pass."""


@dataclass(frozen=True)
class Trials:
    """One estimator's M estimates of P pairs, as `errors` (M, P), with all that they are judged by, each (P,).

    `fourth` bounds the mean of errors⁴, and is infinite where no bound is known; `size` is that of what the kernel is
    added up from, `value` the kernel itself. Where the prediction was `measured`, it is no claim to be tested.
    """

    method: str
    hashed: bool
    errors: NDArray[np.float64]
    predicted: NDArray[np.float64]
    fourth: NDArray[np.float64]
    value: NDArray[np.float64]
    size: NDArray[np.float64]
    identical: NDArray[np.bool_]
    pairs: NDArray[np.intp]
    measured: bool = False


def judge(trials: Trials, n_estimators: int, budget: float) -> EstimatorCheck:
    """The check of one of `n_estimators`; the three kinds of test share its part of the budget."""
    rounding = _ROUNDING * trials.size**2
    if trials.measured:
        trials = _by_own_spread(trials)
    finite = np.isfinite(trials.predicted)
    exact = finite & (trials.predicted <= rounding)
    random = finite & ~exact
    kept = Deviations(
        trials.errors[:, random], trials.predicted[random], rounding[random], np.asarray(trials.fourth)[random]
    )
    pairs, level = trials.pairs[random], budget / n_estimators / 3
    large = np.abs(trials.value) >= _LARGE * trials.size
    bias = _bias(kept, pairs, level)
    if not bias["bias_passed"]:  # a variance about the wrong mean is another question
        kept = replace(kept, errors=kept.errors - kept.errors.mean(axis=0))
    variance = _nothing_said(len(pairs)) if trials.measured else _variance(kept, pairs, level)
    return EstimatorCheck(
        method=trials.method,
        hashed=trials.hashed,
        n_maps=len(trials.errors),
        n_pairs=len(trials.pairs),
        n_judged=int(random.sum()),
        n_exact=int(exact.sum()),
        n_infinite=int((~finite).sum()),
        **bias,
        **variance,
        **_exact(trials, exact),
        **_power(kept, trials.value[random], trials.size[random], level, is_certain=bool(large[exact].any())),
    )


def _bias(kept: Deviations, pairs: NDArray[np.intp], level: float) -> dict[str, Any]:
    if not len(pairs):
        nothing = {"worst_z": None, "z_limit": None, "worst_z_pair": None}
        return {"bias_passed": True, "n_bias_tests": 0, "z_scores": np.empty(0), **nothing}
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
        return _nothing_said(int((~sure).sum()))
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


def _nothing_said(n_pairs: int) -> dict[str, Any]:
    """No variance was judged."""
    names = ("variance_ratio", "variance_interval", "ratio_range", "worst_ratio", "worst_ratio_interval")
    found = {"n_variances": 0, "n_rare": n_pairs, "variance_passed": True, "n_variance_tests": 0}
    return {**found, "worst_ratio_pair": None, **dict.fromkeys(names)}


def _by_own_spread(trials: Trials) -> Trials:
    """The trials with the moments of their own errors; infinite ones where these hang on fewer than sixteen events."""
    centred = trials.errors - trials.errors.mean(axis=0)
    variance = np.where(varies_often(trials.errors), trials.errors.var(axis=0, ddof=1), np.inf)
    return replace(trials, predicted=variance, fourth=(np.square(centred) ** 2).mean(axis=0))


def _power(
    kept: Deviations, value: NDArray[np.float64], size: NDArray[np.float64], level: float, *, is_certain: bool
) -> dict[str, Any]:
    """What these maps would have found at the pairs whose kernel is large, and how many find errors of a given size.

    `is_certain`: the kernel is large at some pairs without variance.
    """
    names = ("found_bias", "maps_for_bias", "maps_to_see_bias", "found_variance", "maps_for_variance")
    found: dict[str, Any] = {"sees_bias": is_certain, **dict.fromkeys(names)}
    large = np.abs(value) >= _LARGE * size
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
        return {"exact_passed": True, "exact_deviation": None, "exact_limit": None, "exact_pair": None}
    error = np.abs(trials.errors[:, exact]).max(axis=0)
    size = trials.size[exact]
    deviation = np.divide(error, size, out=np.where(error > 0, np.inf, 0.0), where=size > 0)
    limits = np.where(trials.identical[exact], _SAME, _ALIKE)
    worst = int(np.argmax(deviation / limits))
    return {
        "exact_passed": bool((deviation <= limits).all()),
        "exact_deviation": float(deviation[worst]),
        "exact_limit": float(limits[worst]),
        "exact_pair": _pair(trials.pairs[exact][worst]),
    }


def _pair(pair: NDArray[np.intp]) -> tuple[int, int]:
    return int(pair[0]), int(pair[1])
