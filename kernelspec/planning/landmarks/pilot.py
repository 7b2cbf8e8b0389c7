"""The variance of landmark remainders, from pilot samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.known_rows import drawn_for, most_drawn_for
from kernelspec.planning.landmarks.landmarks import ChosenLandmarks, CompiledPairs, Residual
from kernelspec.planning.reference import TABLES, PairWeights
from kernelspec.planning.strata import Stratum
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples
from kernelspec.tables.rows import Rows

__all__ = [
    "CANDIDATES",
    "Pilots",
    "SingleSamples",
    "landmark_bias",
    "landmark_variance",
    "real_parts",
    "screened",
    "weighted_squares",
]

CANDIDATES = 32_768
"""Samples to screen, on some rows."""

_TERMS = 2**23
"""Most candidates times landmarks; with many landmarks, fewer candidates are screened."""

_ROWS = 16
"""Rows for screening candidates."""

_AT_ONCE = 4096

_CANDIDATES_PATH = (0x73637265656E,)
"""The stream of candidates, which neither maps nor other pilots use."""


@dataclass(frozen=True)
class Screened:
    """Samples p_j, chosen from `n_seen`, with weights w_j: E f(p) is the mean of Σ_j w_j f(p_j) for every f."""

    batch: Samples
    weights: NDArray[np.float64]
    n_seen: int


def screened(stratum: Stratum, residual: Residual, n: int, most: int = CANDIDATES) -> Screened | None:
    """At most n of N = `most` independent samples, chosen with probability ½/N + ½ s_j/Σ s, s_j their remainders.

    s_j = Σ (Re l r̄)² over the pairs of 16 rows: if few samples have most of the variance, these are found. Half of the
    choice is uniform, so that no weight exceeds 2/n. Systematic: samples of equal s are equally likely. None for laws
    whose samples are sums of terms, too large to draw, or of which no more than n can be screened.
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
    return Screened(batch.take(chosen), times / (n * size * chances[chosen]), size)


def products_of_sizes(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    """Σ (Re l conj r)² over all pairs of rows, for each sample."""
    sizes = [(side.real**2 + side.imag**2).sum(axis=0) for side in (left, right)]
    squares = [np.square(side).sum(axis=0) for side in (left, right)]
    return np.asarray((sizes[0] * sizes[1] + (squares[0] * np.conj(squares[1])).real) / 2)


PILOT = 1024
"""Samples of a stratum for comparisons; with 64 the variance is off by up to 61 %, with 256 by up to 12 %."""

FINE_PILOT = 2048
"""For predicting the error of the choice, from the most informative samples of 32,768: if one in a hundred has most of
it, as in duals, 4,096 random samples are off by 7 to 12 %, these by 2 to 3 %.
"""

_FEW = 8
"""Rows on which most samples are seen to vary."""

_PATH = (0x70696C6F74,)
"""The streams of pilots, which no map uses."""


@dataclass(frozen=True, eq=False)
class Pilots:
    """Samples of strata that no map has: drawn once for every law, or `chosen` from many for the remainder."""

    size: int = PILOT
    chosen: bool = False
    _met: dict[int, tuple[Stratum, list[Samples]]] = field(default_factory=dict)

    def samples(self, stratum: Stratum, rows: Rows | None = None) -> list[Samples]:
        """Independent samples; for wide known rows, only their values on these."""
        key = id(stratum.law)
        if key not in self._met:
            drawn = drawn_for(rows, stratum.law, Stream(0, _PATH), self.size, stratum.positions)
            self._met[key] = (stratum, drawn)
        return self._met[key][1]

    def variance(self, stratum: Stratum, residual: Residual) -> NDArray[np.float64]:
        """The variance of the product of one sample's remainders, in the shape of the pairs, without the weight.

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

    def _weighted(self, stratum: Stratum, residual: Residual) -> tuple[list[Samples], list[NDArray[np.float64]]]:
        """Samples, and their weights in a mean."""
        chosen = screened(stratum, residual, self.size) if self.chosen else None
        if chosen is not None:
            return [chosen.batch], [chosen.weights]
        batches = self.samples(stratum, residual.pairs.x)
        return batches, [np.full(len(batch.index), 1 / self.size) for batch in batches]


def _is_certain(stratum: Stratum, residual: Residual) -> bool:
    """Whether all samples, and their landmark remainders, are the same."""
    few = CompiledPairs(residual.pairs.x.take(slice(0, _FEW)), residual.pairs.y.take(slice(0, _FEW)))
    of_landmarks = CompiledPairs(residual.left_landmarks, residual.right_landmarks)
    pairs = (few, residual.pairs, of_landmarks)  # the first rows usually show variation
    return not any(stratum.law.variance(one.select(stratum.positions), 1, "paired").any() for one in pairs)


def _squares(
    residual: Residual, left: NDArray[Any], right: NDArray[Any], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The weighted sum of (Re l conj r)² over samples, of the shape of the pairs."""
    sizes = residual.products(np.square(np.abs(left)) * weights, np.square(np.abs(right)))
    return (sizes + residual.products(np.square(left) * weights, np.square(right))) / 2


def _of_several_terms(residual: Residual, batches: list[Samples], index: NDArray[np.intp]) -> NDArray[np.float64]:
    """The same for samples that are sums of terms, whose columns are gathered."""
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
    """Σ w² Var / n of the samples' remainders, in the shape of the pairs; zero for landmarks alone, which do not vary.

    From the 2,048 most informative of 32,768 pilot samples per stratum: 1,024 random ones miss the rare samples that
    have most of the variance if landmarks explain all others.
    """
    total, pilots = np.zeros(pairs.shape), Pilots(FINE_PILOT, chosen=True)
    residual = Residual.on(pairs, landmarks, [stratum for stratum, _ in parts])
    for stratum, n in parts:
        if n:
            total += stratum.weight**2 * stratum.ratio * pilots.variance(stratum, residual) / n
    return total


def landmark_bias(strata: Sequence[Stratum], landmarks: ChosenLandmarks, pairs: NumericPairs) -> NDArray[np.float64]:
    """The estimate minus the kernel for landmarks alone."""
    residual = Residual.on(pairs, landmarks, strata)
    return np.asarray(-sum((s.weight * residual.kernel(s) for s in strata), np.zeros(pairs.shape)))


_ROUNDING = 1e-12
"""Variances below this, relative to the squared mean, are rounding."""

_TOP = 32
"""The largest samples, from which the sizes of even larger ones are extrapolated."""

_KINDS, _LEAST = 4, 1e-6
"""Kinds of samples per factor of 2 of their squares, down to this share of the mean."""

_SINGLE_PATH = (0x73696D756C,)
"""The streams of single samples, the same as those of simulated draws."""


@dataclass(frozen=True, eq=False)
class SingleSamples:
    """What single samples of a stratum add to Σ W f(x, y) for squared errors f: `values`, each with a given `chance`.

    They were chosen from `n_seen` independent ones.
    """

    values: NDArray[np.float64]
    chances: NDArray[np.float64]
    squared_mean: float
    n_seen: int

    @classmethod
    def of(
        cls, stratum: Stratum, residual: Residual, weights: PairWeights, n: int, looked_at: int, *, exact: bool
    ) -> SingleSamples:
        """About n samples without weight, the most informative if screened; their mean is the kernel if `exact`."""
        alone, chosen = stratum.independent, None
        if looked_at > 2 * n:
            chosen = screened(alone, residual, n, looked_at)
        if chosen is not None:
            batches, chances, n_seen = [chosen.batch], chosen.weights, chosen.n_seen
        else:
            batches = drawn_for(residual.pairs.x, alone.law, Stream(0, _SINGLE_PATH), n, alone.positions)
            chances, n_seen = np.full(n, 1 / n), n
        sides = [residual.forgetting().sides(batch) for batch in batches]
        values = weighted_squares(residual, batches, sides, weights, n if chosen is None else None)
        index = batches[0].index
        if exact or len(batches) > 1 or len(np.unique(index)) != len(index) or len(index) != len(values):
            return cls(values, chances, weights.total(np.square(residual.kernel(alone))), n_seen)
        return cls(values, chances, _squared_mean(batches[0], sides[0], weights, chances, values), n_seen)

    def joined(self, values: NDArray[np.float64]) -> SingleSamples:
        """These and other independent samples."""
        n_seen = self.n_seen + len(values)
        chances = np.append(self.chances * (self.n_seen / n_seen), np.full(len(values), 1 / n_seen))
        return SingleSamples(np.append(self.values, values), chances, self.squared_mean, n_seen)

    @property
    def variance(self) -> float:
        """The variance of one sample."""
        variance = float(self.chances @ self.values) - self.squared_mean
        return variance if variance > _ROUNDING * self.squared_mean else 0.0

    @property
    def misses_some(self) -> bool:
        """Whether E p² ≥ (E p)² shows, beyond 5 standard errors, that samples which matter were too rare to be seen."""
        second = float(self.chances @ self.values)
        error = float(np.sqrt(np.square(self.chances) @ np.square(self.values - second)))
        return self.squared_mean - second > 5 * error + _ROUNDING * self.squared_mean

    def resampled(self, n: int, generator: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The variance as the mean over n other samples shows it, and as these do, for many tables.

        The chances of chosen samples add up to about 1: both have the mean Σ chance·value, as `variance` has. Samples
        larger than all seen have a chance of about 1/n_seen (exponentially distributed), and sizes that extend the
        largest ones by a Pareto distribution with Hill's estimate of its exponent.
        """
        least = max(_LEAST * self.variance, 1e-300)
        chances, values = self.chances, self.values
        # samples of similar value count as one kind
        kinds = np.unique(np.floor(_KINDS * np.log2(np.maximum(values, least))), return_inverse=True)[1]
        shares = np.bincount(kinds, chances)
        whole = float(shares.sum())
        of_kinds = np.bincount(kinds, chances * values) * (whole / shares)
        means = generator.multinomial(n, shares / whole, TABLES) @ of_kinds / n
        top = np.argsort(values)[-_TOP:]
        size, least_of_top = values[top[-1]], max(values[top[0]], least)
        exponent = np.log(np.maximum(values[top], least) / least_of_top) @ chances[top] / chances[top].sum()
        larger = generator.poisson(generator.exponential(n / self.n_seen, TABLES))
        means += larger * size * generator.random(TABLES) ** -min(1.0, exponent) / n
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
    """Σ W (Re p_j)² of n samples (0 without terms), or of those that there are; terms may be in several batches."""
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
    """Σ W (E p)² from samples of one term each: Σ W p_j p_k over distinct ones, with their chances."""
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
