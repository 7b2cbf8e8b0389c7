"""Predicted variance of a map with anchors, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.planning.anchors.pilot import FINE_PILOT, Pilots
from kernelspec.planning.anchors.residual import Residual

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs
    from kernelspec.planning.anchors.anchors import Anchors
    from kernelspec.planning.strata import Stratum

__all__ = ["anchored_bias", "anchored_variance", "anchored_variance_summed"]


def anchored_variance(
    parts: Sequence[tuple[Stratum, int]], anchors: Anchors, pairs: NumericPairs
) -> NDArray[np.float64]:
    """Σ w² Var / n of the samples' remainders, from a pilot of 1,024 samples a stratum, of the shape of the pairs.

    Zero for anchors alone, which do not vary.
    """
    total, pilots = np.zeros(pairs.shape), Pilots()
    residual = Residual.on(pairs, anchors, [stratum for stratum, _ in parts])
    for stratum, n in parts:
        if n:
            total += stratum.weight**2 * stratum.ratio * pilots.variance(stratum, residual) / n
    return total


def anchored_variance_summed(parts: Sequence[tuple[Stratum, int]], anchors: Anchors, pairs: NumericPairs) -> float:
    """The same, summed over all pairs of rows x and y, from 2,048 pilot samples a stratum that say most of 32,768."""
    pilots, residual = Pilots(FINE_PILOT, chosen=True), Residual.on(pairs, anchors, [stratum for stratum, _ in parts])
    return sum(
        stratum.weight**2 * stratum.ratio * pilots.sum_over_pairs(stratum, residual) / n for stratum, n in parts if n
    )


def anchored_bias(strata: Sequence[Stratum], anchors: Anchors, pairs: NumericPairs) -> NDArray[np.float64]:
    """What anchors alone leave of the kernel, with the sign of an error: the estimate less the kernel."""
    residual = Residual.on(pairs, anchors, strata)
    return np.asarray(-sum((s.weight * residual.kernel(s) for s in strata), np.zeros(pairs.shape)))
