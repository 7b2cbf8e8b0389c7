"""From the estimates of one estimator to its check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.verification.certificate import EstimatorCheck
from kernelspec.verification.statistics import Deviations, variance_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Trials", "judge"]

_ROUNDING = 4e-15
"""Share of size² that cancellation may cost a predicted variance."""

_SAME = 1e-9
"""Agreement of a row with itself, where there is no variance."""

_ALIKE = 1e-6
"""Agreement of other pairs without variance: below √_ROUNDING a small variance cannot be told from none."""


@dataclass(frozen=True)
class Trials:
    """One estimator's M estimates of P pairs, as `errors` (M, P), with all that they are judged by, each (P,).

    `jumps` are the most that one sample can change an estimate, if that is known.
    """

    method: str
    hashed: bool
    errors: NDArray[np.float64]
    predicted: NDArray[np.float64]
    size: NDArray[np.float64]
    identical: NDArray[np.bool_]
    pairs: NDArray[np.intp]
    jumps: NDArray[np.float64] | None = None


def judge(trials: Trials, n_estimators: int, budget: float) -> EstimatorCheck:
    """The check of one of `n_estimators`; the three kinds of test share its part of the budget."""
    rounding = _ROUNDING * trials.size**2
    finite = np.isfinite(trials.predicted)
    exact = finite & (trials.predicted <= rounding)
    random = np.flatnonzero(finite & ~exact)
    deviations = Deviations(trials.errors[:, random], trials.predicted[random], rounding[random])
    fit = deviations.can_judge(None if trials.jumps is None else trials.jumps[random])
    judged = random[fit]
    kept = Deviations(trials.errors[:, judged], trials.predicted[judged], rounding[judged])
    level = budget / n_estimators / 3
    bias, n_bias = _bias(kept, trials.pairs[judged], level)
    variance, n_variance = _variance(kept, trials.pairs[judged], level)
    return EstimatorCheck(
        method=trials.method,
        hashed=trials.hashed,
        n_pairs=len(trials.pairs),
        n_judged=len(judged),
        n_tests=n_bias + n_variance,
        n_exact=int(exact.sum()),
        n_rare=len(random) - len(judged),
        n_infinite=int((~finite).sum()),
        z_scores=kept.z_scores(),
        **bias,
        **variance,
        **_exact(trials, exact),
    )


def _bias(kept: Deviations, pairs: NDArray[np.intp], level: float) -> tuple[dict[str, Any], int]:
    if not len(pairs):
        return {"bias_passed": True, "worst_z": None, "z_limit": None, "worst_z_pair": None}, 0
    z, limits = kept.z_scores(), kept.z_limits(level / len(pairs))
    worst = int(np.argmax(np.abs(z) / limits))
    found = {
        "bias_passed": bool((np.abs(z) <= limits).all()),
        "worst_z": float(z[worst]),
        "z_limit": float(limits[worst]),
        "worst_z_pair": _pair(pairs[worst]),
    }
    return found, len(pairs)


def _variance(kept: Deviations, pairs: NDArray[np.intp], level: float) -> tuple[dict[str, Any], int]:
    # a prediction that is mostly rounding says nothing about a ratio
    sure = kept.predicted > 100 * kept.rounding
    names = ("variance_ratio", "variance_interval", "ratio_range", "worst_ratio", "worst_ratio_interval")
    if not sure.any():
        return {"variance_passed": True, "worst_ratio_pair": None, **dict.fromkeys(names)}, 0
    kept, pairs = Deviations(kept.errors[:, sure], kept.predicted[sure], kept.rounding[sure]), pairs[sure]
    ratios = kept.ratios()
    low, high = variance_interval(kept.degrees_of_freedom(), level / len(pairs))
    mean, dof = kept.pooled_ratio()
    below, above = (float(end) for end in variance_interval(dof, level))
    # how far each ratio is from 1, as a share of the way to the end of its interval
    reach = np.where(ratios < 1, (1 - ratios) / (1 - low), (ratios - 1) / (high - 1))
    worst = int(np.argmax(reach))
    found = {
        "variance_passed": bool(((ratios >= low) & (ratios <= high)).all() and below <= mean <= above),
        "variance_ratio": mean,
        "variance_interval": (below, above),
        "ratio_range": (float(ratios.min()), float(ratios.max())),
        "worst_ratio": float(ratios[worst]),
        "worst_ratio_interval": (float(low[worst]), float(high[worst])),
        "worst_ratio_pair": _pair(pairs[worst]),
    }
    return found, len(pairs) + 1


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
