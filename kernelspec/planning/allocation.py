"""How a budget of stored entries is divided among strata."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["allocate"]


def allocate(budget: int, costs: Sequence[int], spreads: Sequence[float]) -> list[int]:
    """Samples of each stratum, at least one, costing at most `budget` together.

    Minimises Σ s_i² / n_i subject to Σ c_i n_i ≤ budget: n_i ∝ s_i / √c_i [Neyman 1934]. Strata without
    any spread (a key alone) get one sample. What rounding leaves over goes where it helps most.
    Raises ValueError if the budget does not reach for one sample each.
    """
    cost, spread = np.asarray(costs, dtype=float), np.asarray(spreads, dtype=float)
    counts = np.ones(len(costs), dtype=np.int64)
    left = budget - int(cost.sum())
    if left < 0:
        raise ValueError("the budget is smaller than one sample of each stratum")
    active = spread > 0
    if not active.any():
        return counts.tolist()
    share = np.where(active, spread / np.sqrt(cost), 0.0)
    ideal = share * budget / float((share * cost).sum())
    while True:
        # strata whose ideal share is below one sample keep theirs; the others divide the rest
        small = active & (ideal < 1)
        free = active & ~small
        rest = budget - float(cost[~free].sum())
        scaled = share * rest / float((share[free] * cost[free]).sum()) if free.any() else share * 0
        if not (free & (scaled < 1)).any():
            break
        ideal = np.where(free, scaled, ideal)
    counts[free] = np.maximum(1, np.floor(scaled[free])).astype(np.int64)
    left = budget - int((counts * cost).sum())
    for i in np.argsort(-np.where(free, scaled - np.floor(scaled), -1.0), kind="stable"):
        if free[i] and cost[i] <= left:
            counts[i] += 1
            left -= int(cost[i])
    return counts.tolist()
