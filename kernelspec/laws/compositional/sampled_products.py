"""Products of samples of any base kernel, drawn one at a time, each on the column that a random path ends at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.laws.compositional.factors_drawn_singly import MOST, MOST_OF_ONE, ONE_BY_ONE, too_many
from kernelspec.laws.compositional.own_columns import on_own_columns
from kernelspec.laws.runs import multiply_runs

if TYPE_CHECKING:
    from kernelspec.laws.compositional.skeleton_paths import Paths
    from kernelspec.laws.law import Law
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["multiply_sampled"]


def multiply_sampled(
    base: Law, positions: Sequence[int], stream: Stream, paths: Paths, n: int, *, over: str = "its base"
) -> list[Samples]:
    """∏ p_t for features 0, …, n − 1: as many independent samples of `base` as each of `paths` says, on its column.

    Samples of a node that is met often are multiplied in one draw where the law of the product is known. The first
    features do not depend on how many follow. Raises PlanError for more factors than can be drawn one by one:
    `over` is what it calls the base.
    """
    large = np.flatnonzero(paths.count > ONE_BY_ONE)
    at_once = base.draw_products(stream.child(1), paths.count[large], (0,)) if len(large) else None
    if at_once is None:
        large = large[:0]
    times = paths.count.copy()
    times[large] = 1  # one factor that is their product
    _check(over, paths.feature, paths.count, large)
    path = np.repeat(np.arange(len(times)), times)
    products = (np.cumsum(times) - times)[large]
    single = np.setdiff1d(np.arange(len(path)), products)
    factors = [batch.relabelled(single[batch.index]) for batch in base.draw(stream.child(0), len(single), (0,))]
    if at_once is not None:
        factors.append(at_once.relabelled(products[at_once.index]))
    column = np.array(positions, dtype=np.intp)[paths.node[path]]
    moved = [on_own_columns(batch, column[batch.index]) for batch in factors if len(batch)]
    return multiply_runs(moved, paths.feature[path], n)


def _check(over: str, feature: NDArray[np.intp], count: NDArray[np.int64], at_once: NDArray[np.intp]) -> None:
    drawn = count.astype(float)
    drawn[at_once] = 0
    met = too_many(np.bincount(feature, drawn))
    if met is not None:
        raise PlanError(
            f"the features of a skeleton over {over} have met {met}, more than can be drawn one by one "
            f"({MOST_OF_ONE:,} in a sample, {MOST:,} in a block of them): the law of their number has a heavy tail. "
            "Take fewer features, activations of less complexity, such as relu instead of step, or a base with "
            "frequencies such as gaussian(), which are drawn at once"
        )
