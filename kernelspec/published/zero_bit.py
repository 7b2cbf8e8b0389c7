"""How much min-max keys without t* are biased upwards, measured on the samples of a plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernelspec.maps.draw import draw_map
from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.plan import Plan
from kernelspec.planning.zero_bit import with_zero_bit

__all__ = ["measured_bias"]

_ROWS = 64


def measured_bias(plan: Plan, pairs: NumericPairs) -> str:
    """How much the samples of the plan agree more often than those with whole keys, on 64 × 64 pairs of rows.

    Both are the same samples, so that all of the difference is bias: it is never negative for positive weights.
    """
    whole = replace(plan, strata=with_zero_bit(plan.strata, zero_bit=False))
    x, y = pairs.x.take(slice(0, _ROWS)), pairs.y.take(slice(0, _ROWS))
    short, full = (draw_map(each).approximate(x, y) for each in (plan, whole))
    excess = short - full
    return f"by {np.mean(excess):.2g} on average and {np.max(excess):.2g} at most over {excess.size} pairs of rows"
