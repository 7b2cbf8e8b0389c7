"""Pilot samples that say most: of many, those of which the anchors leave much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.planning.known_rows import drawn_for, most_drawn_for
from kernelspec.random.streams import Stream

if TYPE_CHECKING:
    from kernelspec.planning.anchors.residual import Residual
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples

__all__ = ["CANDIDATES", "Screened", "products_of_sizes", "screened"]

CANDIDATES = 32_768
"""Samples that are looked at, on some rows."""

_TERMS = 2**23
"""Candidates times anchors at most: of many anchors fewer are looked at."""

_ROWS = 16
"""Rows on which candidates are looked at."""

_AT_ONCE = 4096

_PATH = (0x73637265656E,)
"""Of the stream of candidates, which neither maps nor other pilots draw from."""


@dataclass(frozen=True)
class Screened:
    """Samples p_j with their weights w_j: E f(p) is the mean of Σ_j w_j f(p_j), whatever f is."""

    batch: Samples
    weights: NDArray[np.float64]


def screened(stratum: Stratum, residual: Residual, n: int, most: int = CANDIDATES) -> Screened | None:
    """At most n of N = `most` independent samples, chosen with probability ½/N + ½ s_j/Σ s, s_j what is left of them.

    s_j = Σ (Re l r̄)² over the pairs of 16 rows: where few samples make most of the variance, these are met. Half of
    the choice is blind, so that no weight is more than 2/n. Systematic: of equal s every sample is as likely.
    None for laws whose samples are sums of terms, too large to be drawn, or of which no more than n can be looked at.
    """
    rows = residual.pairs.x
    size = most_drawn_for(rows, stratum.positions, min(most, _TERMS // max(1, residual.a.shape[1])))
    if size <= 2 * n:
        return None
    try:
        batches = drawn_for(rows, stratum.law, Stream(0, _PATH), size, stratum.positions)
    except PlanError:
        return None
    if len(batches) != 1 or not np.bincount(batches[0].index, minlength=size).all() or len(batches[0].index) > size:
        return None
    batch, few = batches[0], residual.some(_ROWS)
    parts = (batch.take(np.arange(start, min(size, start + _AT_ONCE))) for start in range(0, size, _AT_ONCE))
    left = np.concatenate([products_of_sizes(*few.forgetting().sides(part)) for part in parts])
    total = float(left.sum())
    if not 0 < total < np.inf:
        return None
    chances = 0.5 / size + (0.5 / total) * left
    ends = np.cumsum(chances)
    start = Stream(0, _PATH).generator("start").random()
    places = np.searchsorted(ends, ends[-1] * (start + np.arange(n)) / n, side="right")
    chosen, times = np.unique(np.minimum(places, size - 1), return_counts=True)
    return Screened(batch.take(chosen), times / (n * size * chances[chosen]))


def products_of_sizes(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    """Σ (Re l conj r)² over all pairs of rows, for each sample."""
    sizes = [(side.real**2 + side.imag**2).sum(axis=0) for side in (left, right)]
    squares = [np.square(side).sum(axis=0) for side in (left, right)]
    return np.asarray((sizes[0] * sizes[1] + (squares[0] * np.conj(squares[1])).real) / 2)
