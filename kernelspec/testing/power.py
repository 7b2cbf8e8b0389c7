"""How many samples find an error of a given size: what the long version of the tests draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.compilation import compile_spec
from kernelspec.laws.variance import sample_variance
from kernelspec.notation.pairs import NumericPairs
from kernelspec.spec import Spec, as_spec
from kernelspec.testing.deviations import LARGE
from kernelspec.verification.fourth_moments import sample_fourth_moment
from kernelspec.verification.mean_tests import samples_needed

if TYPE_CHECKING:
    from kernelspec.planning.methods import Method

__all__ = ["samples_to_find"]

_ROUNDING = 4e-13
_WIDEST = 10.0
"""A standard deviation of (p − k)², in units of its mean: variances that may hang on rarer events are left out."""


def samples_to_find(
    spec: Spec | str, X: Any, method: Method, *, bias: float = 0.01, variance: float = 0.05, level: float = 1e-12
) -> int:
    """Samples of each term that find, with probability 0.999, these relative errors at all pairs whose k is large.

    A bias of 1 % of the term, and a variance 5 % off, where |k| is at least 0.3 of its size; for a test at `level`, the
    chance of a false alarm at one pair. Variances that may hang on rare events, by what is known of fourth moments, are
    left out.
    """
    plan = compile_spec(as_spec(spec), n_features=48, method=method, draws="independent", anchors="never", data=X).plan
    rows = plan.layout.read(np.asarray(X, dtype=float))
    pairs, most = NumericPairs(rows, rows), 2
    for stratum in plan.strata:
        k = np.abs(np.broadcast_to(np.asarray(stratum.value(pairs), dtype=float), pairs.shape))
        second = sample_variance(stratum.law, pairs.select(stratum.positions), plan.form)
        fourth = sample_fourth_moment(stratum, pairs, plan.form)
        size = np.maximum(k, float(stratum.law.magnitude()))
        varies = (k >= LARGE * size) & np.isfinite(second) & (second > _ROUNDING * size**2)
        known = varies & np.isfinite(fourth)
        spread = np.sqrt(np.maximum(fourth[known] / second[known] ** 2 - 1, 1e-3))
        spread = spread[spread <= _WIDEST]
        for shifts in (bias * k[varies] / np.sqrt(second[varies]), variance / spread):
            if len(shifts):
                most = max(most, samples_needed(float(shifts.min()), level))
    return most
