"""Min-max keys without t*: shorter to store, biased upwards, by how much is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.minmax import MinMax
from kernelspec.laws.rewriting import replaced
from kernelspec.notation.pairs import NumericPairs

if TYPE_CHECKING:
    from kernelspec.planning.plan import Plan

__all__ = ["measured_bias", "with_zero_bit"]

_ROWS = 64


def with_zero_bit(kernel: Kernel) -> Kernel:
    """The kernel with keys i* instead of (i*, t*) for every minmax() in it. Raises PlanError if there is none."""
    changed = replaced(kernel, lambda node: replace(node, zero_bit=True) if isinstance(node, MinMax) else None)
    if changed == kernel:
        raise PlanError("zero_bit=True shortens the keys of minmax(), which this kernel does not have")
    return changed


def measured_bias(plan: Plan, pairs: NumericPairs) -> str:
    """How much the samples of the plan agree more often than those with whole keys, on 64 × 64 pairs of rows.

    Both are the same samples, so that all of the difference is bias: it is never negative for positive weights.
    """
    from kernelspec.maps.draw import draw
    from kernelspec.maps.feature_map import FeatureMap

    whole = tuple(replace(stratum, kernel=_whole(stratum.kernel)) for stratum in plan.strata)
    x, y = pairs.x.take(slice(0, _ROWS)), pairs.y.take(slice(0, _ROWS))
    short, full = (FeatureMap(each, *draw(each)).approximate(x, y) for each in (plan, replace(plan, strata=whole)))
    excess = short - full
    return f"by {np.mean(excess):.2g} on average and {np.max(excess):.2g} at most over {excess.size} pairs of rows"


def _whole(kernel: Kernel) -> Kernel:
    return replaced(kernel, lambda node: replace(node, zero_bit=False) if isinstance(node, MinMax) else None)
