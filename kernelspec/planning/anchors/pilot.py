"""The variance of samples' remainders, from samples drawn for that alone: there is no formula for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.planning.anchors.screened import products_of_sizes, screened
from kernelspec.planning.compiled_pairs import CompiledPairs
from kernelspec.planning.known_rows import drawn_for
from kernelspec.planning.pair_sums import PairSums
from kernelspec.random.streams import Stream

if TYPE_CHECKING:
    from kernelspec.planning.anchors.residual import Residual
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = ["FINE_PILOT", "PILOT", "Pilots"]

PILOT = 1024
"""Samples of a stratum to choose by; with 64 the variance is missed by up to 61 %, with 256 by up to 12 %."""

FINE_PILOT = 2048
"""To predict the error of what was chosen, from the samples of 32,768 that say most: where one in a hundred makes most
of it, as of duals, 4,096 samples as they come miss it by 7 to 12 %, these by 2 to 3 %."""

_FEW = 8
"""Rows on which most samples are seen to vary."""

_PATH = (0x70696C6F74,)
"""Of the streams of pilots, which no map draws from."""


@dataclass(frozen=True, eq=False)
class Pilots:
    """So many samples of strata, which no map has: drawn once for every law, or `chosen` of many for what is left."""

    size: int = PILOT
    chosen: bool = False
    _met: dict[int, tuple[Stratum, list[Samples]]] = field(default_factory=dict)

    def samples(self, stratum: Stratum, rows: Rows | None = None) -> list[Samples]:
        """Independent samples; for wide rows that are known, of what they say of these."""
        key = id(stratum.law)
        if key not in self._met:
            drawn = drawn_for(rows, stratum.law, Stream(0, _PATH), self.size, stratum.positions)
            self._met[key] = (stratum, drawn)
        return self._met[key][1]

    def variance(self, stratum: Stratum, residual: Residual) -> NDArray[np.float64]:
        """Of the product of one sample's remainders, of the shape of the pairs; the weight is left out.

        E (Re l r̄)² = (E |l|²|r|² + E Re l² r̄²)/2 is a mean over the pilot; the square of the mean is exact.
        """
        alone = stratum.independent
        if _is_certain(alone, residual):
            return np.zeros(residual.pairs.shape)
        batches, weights = self._weighted(alone, residual)
        index = np.concatenate([batch.index for batch in batches])
        if len(np.unique(index)) < len(index):
            second = _of_several_terms(residual, batches, index) / self.size
        else:
            parts = zip(batches, weights, strict=True)
            second = sum((_squares(residual, *residual.sides(batch), own) for batch, own in parts), np.zeros(()))
        return np.asarray(np.maximum(second - np.square(residual.kernel(alone)), 0.0))

    def total_variance(self, stratum: Stratum, residual: Residual) -> PairSums:
        """The same, summed over pairs of rows with themselves and with others: Σ |l|²|r|² = Σ |l|² Σ |r|²."""
        alone = stratum.independent
        if _is_certain(alone, residual):
            return PairSums(residual.pairs.shape[0], 0.0, 0.0)
        batches, weights = self._weighted(alone, residual)
        index = np.concatenate([batch.index for batch in batches])
        if len(np.unique(index)) < len(index):
            return PairSums.of(self.variance(stratum, residual))
        own = total = 0.0
        for batch, weight in zip(batches, weights, strict=True):
            left, right = residual.sides(batch)
            total += float(weight @ products_of_sizes(left, right))
            own += float((np.square((left * np.conj(right)).real) @ weight).sum())
        exact = PairSums.of(np.square(residual.kernel(alone)))
        others = total - own - exact.others
        return PairSums(exact.rows, max(0.0, own - exact.own), max(0.0, others))

    def sum_over_pairs(self, stratum: Stratum, residual: Residual) -> float:
        """The same, summed over all pairs of any rows x and y."""
        alone = stratum.independent
        if _is_certain(alone, residual):
            return 0.0
        batches, weights = self._weighted(alone, residual)
        index = np.concatenate([batch.index for batch in batches])
        if len(np.unique(index)) < len(index):
            return float(self.variance(stratum, residual).sum())
        parts = zip(batches, weights, strict=True)
        total = sum(float(weight @ products_of_sizes(*residual.sides(batch))) for batch, weight in parts)
        return max(0.0, total - float(np.square(residual.kernel(alone)).sum()))

    def _weighted(self, stratum: Stratum, residual: Residual) -> tuple[list[Samples], list[NDArray[np.float64]]]:
        """Samples, and what each counts in a mean."""
        found = screened(stratum, residual, self.size) if self.chosen else None
        if found is not None:
            return [found.batch], [found.weights]
        batches = self.samples(stratum, residual.pairs.x)
        return batches, [np.full(len(batch.index), 1 / self.size) for batch in batches]


def _is_certain(stratum: Stratum, residual: Residual) -> bool:
    """Whether samples are all the same, and so is what the anchors leave of them."""
    few = CompiledPairs(residual.pairs.x.take(slice(0, _FEW)), residual.pairs.y.take(slice(0, _FEW)))
    own = CompiledPairs(residual.left_anchors, residual.right_anchors)
    pairs = (few, residual.pairs, own)  # most are seen to vary on the first rows
    return not any(stratum.law.variance(one.select(stratum.positions), 1, "paired").any() for one in pairs)


def _squares(
    residual: Residual, left: NDArray[Any], right: NDArray[Any], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The weighted sum of (Re l conj r)² over samples, of the shape of the pairs."""
    sizes = residual.products(np.square(np.abs(left)) * weights, np.square(np.abs(right)))
    return (sizes + residual.products(np.square(left) * weights, np.square(right))) / 2


def _of_several_terms(residual: Residual, batches: list[Samples], index: NDArray[np.intp]) -> NDArray[np.float64]:
    """The same for samples that are sums of terms, whose columns are brought together."""
    sides = [residual.sides(batch) for batch in batches]
    order = np.argsort(index, kind="stable")
    left = np.hstack([own * batch.sign for (own, _), batch in zip(sides, batches, strict=True)]).T[order]
    right = np.hstack([own for _, own in sides]).T[order]
    ends = np.append(np.flatnonzero(np.diff(index[order], prepend=-1)), len(order))
    total = np.zeros(residual.pairs.shape)
    for first, last in pairwise(ends.tolist()):
        total += np.square(residual.products(left[first:last].T, right[first:last].T))
    return total
