"""What a plan predicts of its estimate on given rows: variance pair by pair, and the error of the whole matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.pair_sums import ROUNDING
from kernelspec.planning.strata import kernel_value

if TYPE_CHECKING:
    from kernelspec.laws.collisions import Collisions
    from kernelspec.planning.plan import Plan
    from kernelspec.tables.rows import Rows

__all__ = ["predict_error", "predict_variance"]

_SIDE_BY_SIDE = 512
"""Rows of x per block."""


def predict_variance(plan: Plan, x: Rows, y: Rows, collisions: Collisions | None = None) -> NDArray[np.float64]:
    """Variance of the estimate of k(x_i, y_j), (n, m); with `collisions`, of features with hashed keys."""
    blocks = [plan.variance(NumericPairs(block, y), collisions) for _, block in x.blocks(_SIDE_BY_SIDE)]
    return np.concatenate(blocks)


def predict_error(
    plan: Plan, x: Rows, y: Rows, collisions: Collisions | None = None, more_variance: float = 0.0
) -> float:
    """√E‖K̂ − K‖²_F / ‖K‖_F for K = (k(x_i, y_j)), from variance and bias; 0 where K is zero, or the plan is exact.

    `more_variance`, in all, is added to what the plan predicts.
    """
    error, size = more_variance, 0.0
    for _, block in x.blocks(_SIDE_BY_SIDE):
        pairs = NumericPairs(block, y)
        error += plan.variance_summed(pairs, collisions) + float(np.square(plan.bias_on(pairs)).sum())
        size += float(np.square(kernel_value(plan.strata, pairs)).sum())
    found = float(np.sqrt(error / size)) if size else 0.0
    return found if plan.exactness or not size else max(found, ROUNDING)
