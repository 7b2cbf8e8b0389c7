"""How a budget of stored entries is divided among strata."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

__all__ = ["allocate"]


def allocate(budget: int, costs: Sequence[int], spreads: Sequence[float]) -> list[int]:
    """Samples of each stratum, at least one, costing at most `budget` together.

    Minimises Σ s_i² / n_i subject to Σ c_i n_i ≤ budget: n_i ∝ s_i / √c_i [Neyman 1934]. Strata without
    any spread (a key alone) get one sample. The last entries go one by one to where they help most, which is
    the optimum in whole numbers if all costs are equal.
    Spreads that are infinite share the budget as equal ones that are larger than all others.
    Raises ValueError if the budget does not reach for one sample each.
    """
    cost, spread = np.asarray(costs, dtype=float), _of_moderate_size(np.asarray(spreads, dtype=float))
    if budget < cost.sum():
        raise ValueError("the budget is smaller than one sample of each stratum")
    counts = _shares(budget, cost, spread)
    left = budget - int((counts * cost).sum())

    def gain(i: int) -> float:
        return -float(spread[i] ** 2 / (counts[i] * (counts[i] + 1) * cost[i]))

    heap = [(gain(i), i) for i in np.flatnonzero(spread > 0).tolist()]
    heapify(heap)
    while heap:
        _, i = heappop(heap)
        if cost[i] <= left:  # what does not fit now never will
            counts[i] += 1
            left -= int(cost[i])
            heappush(heap, (gain(i), i))
    return [int(count) for count in counts]


def _of_moderate_size(spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ten times the largest in the place of infinite ones; all over one power of two, so that squares are floats."""
    finite = np.isfinite(spread)
    largest, power = np.frexp(spread.max(initial=0.0, where=finite))
    return np.where(finite, np.ldexp(np.where(finite, spread, 0.0), -power), 10 * largest or 1.0)


def _shares(budget: int, cost: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.int64]:
    """The proportional shares rounded down, less the one sample by which rounding may be too much."""
    counts = np.ones(len(cost), dtype=np.int64)
    free = spread > 0
    share = spread / np.sqrt(cost)
    while free.any():
        rest = budget - float(cost[~free].sum())
        ideal = share * (rest / float((share * cost)[free].sum()))
        small = free & (ideal < 1)  # these keep their one sample; the others divide the rest
        if not small.any():
            counts[free] = np.maximum(1, np.floor(ideal[free]) - 1)
            break
        free &= ~small
    return counts
