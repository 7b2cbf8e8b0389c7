"""The variance of what landmarks leave, from pilot samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.planning.known_rows import drawn_for, most_drawn_for
from kernelspec.planning.landmarks.landmarks import CompiledPairs, Residual
from kernelspec.planning.reference import TABLES, PairSums, PairWeights
from kernelspec.random.streams import Stream

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.planning.landmarks.landmarks import ChosenLandmarks
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = [
    "CANDIDATES",
    "FINE_PILOT",
    "PILOT",
    "Pilots",
    "Screened",
    "SingleSamples",
    "landmark_bias",
    "landmark_variance",
    "landmark_variance_summed",
    "products_of_sizes",
    "real_parts",
    "screened",
    "weighted_squares",
]

CANDIDATES = 32_768
"""Samples that are looked at, on some rows."""

_TERMS = 2**23
"""Candidates times landmarks at most: of many landmarks fewer are looked at."""

_ROWS = 16
"""Rows on which candidates are looked at."""

_AT_ONCE = 4096

_CANDIDATES_PATH = (0x73637265656E,)
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
        batches = drawn_for(rows, stratum.law, Stream(0, _CANDIDATES_PATH), size, stratum.positions)
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
    start = Stream(0, _CANDIDATES_PATH).generator("start").random()
    places = np.searchsorted(ends, ends[-1] * (start + np.arange(n)) / n, side="right")
    chosen, times = np.unique(np.minimum(places, size - 1), return_counts=True)
    return Screened(batch.take(chosen), times / (n * size * chances[chosen]))


def products_of_sizes(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    """Σ (Re l conj r)² over all pairs of rows, for each sample."""
    sizes = [(side.real**2 + side.imag**2).sum(axis=0) for side in (left, right)]
    squares = [np.square(side).sum(axis=0) for side in (left, right)]
    return np.asarray((sizes[0] * sizes[1] + (squares[0] * np.conj(squares[1])).real) / 2)


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
            second = sum((_squares(residual, *residual.sides(batch), weight) for batch, weight in parts), np.zeros(()))
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
        diagonal = total = 0.0
        for batch, weight in zip(batches, weights, strict=True):
            left, right = residual.sides(batch)
            total += float(weight @ products_of_sizes(left, right))
            diagonal += float((np.square((left * np.conj(right)).real) @ weight).sum())
        exact = PairSums.of(np.square(residual.kernel(alone)))
        others = total - diagonal - exact.others
        return PairSums(exact.rows, max(0.0, diagonal - exact.own), max(0.0, others))

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
        chosen = screened(stratum, residual, self.size) if self.chosen else None
        if chosen is not None:
            return [chosen.batch], [chosen.weights]
        batches = self.samples(stratum, residual.pairs.x)
        return batches, [np.full(len(batch.index), 1 / self.size) for batch in batches]


def _is_certain(stratum: Stratum, residual: Residual) -> bool:
    """Whether samples are all the same, and so is what the landmarks leave of them."""
    few = CompiledPairs(residual.pairs.x.take(slice(0, _FEW)), residual.pairs.y.take(slice(0, _FEW)))
    of_landmarks = CompiledPairs(residual.left_landmarks, residual.right_landmarks)
    pairs = (few, residual.pairs, of_landmarks)  # most are seen to vary on the first rows
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
    left = np.hstack([side * batch.sign for (side, _), batch in zip(sides, batches, strict=True)]).T[order]
    right = np.hstack([side for _, side in sides]).T[order]
    ends = np.append(np.flatnonzero(np.diff(index[order], prepend=-1)), len(order))
    total = np.zeros(residual.pairs.shape)
    for first, last in pairwise(ends.tolist()):
        total += np.square(residual.products(left[first:last].T, right[first:last].T))
    return total


def landmark_variance(
    parts: Sequence[tuple[Stratum, int]], landmarks: ChosenLandmarks, pairs: NumericPairs
) -> NDArray[np.float64]:
    """Σ w² Var / n of the samples' remainders, from a pilot of 1,024 samples a stratum, of the shape of the pairs.

    Zero for landmarks alone, which do not vary.
    """
    total, pilots = np.zeros(pairs.shape), Pilots()
    residual = Residual.on(pairs, landmarks, [stratum for stratum, _ in parts])
    for stratum, n in parts:
        if n:
            total += stratum.weight**2 * stratum.ratio * pilots.variance(stratum, residual) / n
    return total


def landmark_variance_summed(
    parts: Sequence[tuple[Stratum, int]], landmarks: ChosenLandmarks, pairs: NumericPairs
) -> float:
    """The same, summed over all pairs of rows x and y, from 2,048 pilot samples a stratum that say most of 32,768."""
    pilots, residual = Pilots(FINE_PILOT, chosen=True), Residual.on(pairs, landmarks, [stratum for stratum, _ in parts])
    return sum(
        stratum.weight**2 * stratum.ratio * pilots.sum_over_pairs(stratum, residual) / n for stratum, n in parts if n
    )


def landmark_bias(strata: Sequence[Stratum], landmarks: ChosenLandmarks, pairs: NumericPairs) -> NDArray[np.float64]:
    """What landmarks alone leave of the kernel, with the sign of an error: the estimate less the kernel."""
    residual = Residual.on(pairs, landmarks, strata)
    return np.asarray(-sum((s.weight * residual.kernel(s) for s in strata), np.zeros(pairs.shape)))


_ROUNDING = 1e-12
"""Of a squared mean: variances below it are rounding."""

_KINDS, _LEAST = 4, 1e-6
"""Kinds of samples for every factor of 2 of their squares, down to this part of the mean."""

_SINGLE_PATH = (0x73696D756C,)
"""Of the streams of single samples, which are those of simulated draws."""


@dataclass(frozen=True, eq=False)
class SingleSamples:
    """What single samples of a stratum add to Σ W f(x, y) for squared errors f: `values`, each of a given `chance`."""

    values: NDArray[np.float64]
    chances: NDArray[np.float64]
    squared_mean: float

    @classmethod
    def of(
        cls, stratum: Stratum, residual: Residual, weights: PairWeights, n: int, looked_at: int, *, exact: bool
    ) -> SingleSamples:
        """About n samples, those of many that say most where they can be looked at; without the weight of the stratum.

        The mean is that of the kernel, where it is to be `exact`, or else an unbiased estimate from the samples.
        """
        alone, chosen = stratum.independent, None
        if looked_at > 2 * n:
            chosen = screened(alone, residual, n, looked_at)
        if chosen is not None:
            batches, chances = [chosen.batch], chosen.weights
        else:
            batches = drawn_for(residual.pairs.x, alone.law, Stream(0, _SINGLE_PATH), n, alone.positions)
            chances = np.full(n, 1 / n)
        sides = [residual.forgetting().sides(batch) for batch in batches]
        values = weighted_squares(residual, batches, sides, weights, n if chosen is None else None)
        index = batches[0].index
        if exact or len(batches) > 1 or len(np.unique(index)) != len(index) or len(index) != len(values):
            return cls(values, chances, weights.total(np.square(residual.kernel(alone))))
        return cls(values, chances, _squared_mean(batches[0], sides[0], weights, chances, values))

    @property
    def variance(self) -> float:
        """That of one sample."""
        variance = float(self.chances @ self.values) - self.squared_mean
        return variance if variance > _ROUNDING * self.squared_mean else 0.0

    def resampled(self, n: int, generator: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The variance as the mean over n other samples shows it, and as these here do, for many tables.

        The chances of chosen samples add up to about 1: both have the mean Σ chance·value, as `variance` has.
        """
        least = max(_LEAST * self.variance, 1e-300)
        chances, values = self.chances, self.values
        # samples of about the same value count as one kind
        kinds = np.unique(np.floor(_KINDS * np.log2(np.maximum(values, least))), return_inverse=True)[1]
        shares = np.bincount(kinds, chances)
        whole = float(shares.sum())
        of_kinds = np.bincount(kinds, chances * values) * (whole / shares)
        means = generator.multinomial(n, shares / whole, TABLES) @ of_kinds / n
        again = generator.poisson(1.0, (TABLES, len(values)))
        estimates = again @ (self.chances * values) * (len(values) / np.maximum(1, again.sum(axis=1)))
        squared = self.squared_mean
        return np.maximum(means - squared, least), np.maximum(estimates - squared, least)


def weighted_squares(
    residual: Residual,
    batches: Sequence[Samples],
    sides: Sequence[tuple[NDArray[Any], NDArray[Any]]],
    weights: PairWeights,
    n: int | None,
) -> NDArray[np.float64]:
    """Σ W (Re p_j)² over pairs of rows, of all n samples, or of those that there are.

    The terms of a sample may be in several batches; a sample without terms is 0.
    """
    index = np.concatenate([batch.index for batch in batches])
    left = np.hstack([side * batch.sign for (side, _), batch in zip(sides, batches, strict=True)])
    right = left if len(sides) == 1 and sides[0][0] is sides[0][1] else np.hstack([side for _, side in sides])
    order = np.argsort(index, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(index[order], prepend=-1)), len(order))
    sums = np.zeros(len(ends) - 1 if n is None else n)
    places = np.arange(len(sums)) if n is None else index[order][ends[:-1]]
    if len(ends) <= len(order):
        left, right = left.T[order], right.T[order]
        products = (residual.products(left[a:b].T, right[a:b].T) for a, b in pairwise(ends.tolist()))
        sums[places] = [weights.total(np.square(product)) for product in products]
        return sums
    # (Re l r̄)² = (|l|²|r|² + Re l² r̄²)/2, each a product of sums
    x, y = weights.x, weights.y
    sizes = (x @ _sizes(left)) * (y @ _sizes(right))
    turned = (x @ np.square(left)) * np.conj(y @ np.square(right))
    total = (sizes + turned.real) / 2
    if weights.own is not None:
        total = total + weights.own @ np.square((left * np.conj(right)).real)
    sums[places] = total[order]
    return sums


def _squared_mean(
    batch: Samples,
    sides: tuple[NDArray[Any], NDArray[Any]],
    weights: PairWeights,
    chances: NDArray[np.float64],
    values: NDArray[np.float64],
) -> float:
    """Σ W (E p)² from samples of one term each: Σ W p_j p_k of all that are different, with their chances."""
    left, right = (np.concatenate(real_parts(side.T)) for side in sides)
    signed = chances / chances.sum() * batch.sign
    repeated = np.tile(signed, len(left) // len(signed))
    gram = ((left * weights.x) @ left.T) * ((right * weights.y) @ right.T)
    whole = float(repeated @ gram @ repeated)
    if weights.own is not None:
        whole += float(weights.own @ np.square(repeated @ (left * right)))
    same = float(np.square(signed) @ values)
    return max(0.0, (whole - same) / (1 - float(np.square(signed).sum())))


def _sizes(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(values.real**2 + values.imag**2 if np.iscomplexobj(values) else np.square(values))


def real_parts(values: NDArray[Any]) -> list[NDArray[np.float64]]:
    return [values.real, values.imag] if np.iscomplexobj(values) else [values]
