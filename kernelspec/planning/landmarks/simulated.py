"""Errors of coupled samples and of what landmarks leave, simulated on the rows in question, with their interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.joint import JointLaw, bounded_ratio, samples_at_once, shows_error
from kernelspec.planning.known_rows import drawn_for
from kernelspec.planning.landmarks.pilot import CANDIDATES, screened
from kernelspec.random.streams import Stream
from kernelspec.samples.inner_products import means_of_runs

if TYPE_CHECKING:
    from kernelspec.planning.landmarks.landmarks import Residual
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = [
    "COVERAGE",
    "MAPS",
    "JudgedRows",
    "MeasuredError",
    "PairWeights",
    "RowsScatter",
    "Simulation",
    "can_simulate",
    "error_interval",
    "interval_by_formula",
    "simulated",
    "simulated_ratio",
]

MAPS = 32
"""An interval, unless another number is given, is of the root mean square over this many maps."""

COVERAGE = 0.95
"""The probability of an interval, unless another one is given."""

_AT_ONCE = 4096
"""Samples drawn together, of several draws of a plan."""

_WAITING = 2048
"""Columns of a draw that are multiplied together: a few products of many columns take less time than many of few."""

_DRAWS, _SAMPLES = (8, 32), 2048
"""Draws of a plan, fewest and most; between them those with this many samples in all."""

_SINGLE, _FEWEST_SINGLE = 512, 16
"""Single samples of all strata together, and of each at least, that second moments are taken from."""

_LOOKED_AT = 1024
"""Samples of each stratum that are looked at, at least: one in some hundreds may make most of the error."""

_FEW_TERMS = 4
"""Terms of which the kernel is evaluated one by one."""

_KINDS, _LEAST = 4, 1e-6
"""Kinds of samples for every factor of 2 of their squares, down to this part of the mean."""

_TABLES = 200
"""Tables that are resampled for an interval."""

_TAIL = 0.1
"""Share of the rows, those of the largest errors, whose distribution is continued beyond the largest one."""

_RESAMPLED = 10_000
"""Rows of such a table, at most."""

_RATIO_DRAWS = 16
"""Draws, at least, on which the ratio of coupled to independent samples is measured, if they have keys."""

_KEYED, _KEYED_ROWS, _KEYED_NUMBERS = 64, 48, 1 << 22
"""Single samples of all strata together, rows, and numbers of pairs of rows, for the scatter of maps with keys."""

_ROUNDING = 1e-12
"""Of a squared mean: variances below it are rounding."""

_PATH = (0x73696D756C,)
"""Of the streams of simulated draws, which maps never draw from."""


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Some rows of a table, each of which stands for `weights` rows."""

    rows: Rows
    weights: NDArray[np.float64]
    places: NDArray[np.intp]

    @classmethod
    def among(cls, rows: Rows, most: int, left: NDArray[np.float64] | None = None) -> JudgedRows:
        """At most this many rows: half by chance alone, half in proportion to what landmarks leave of k(x, x).

        A systematic sample: rows far from all landmarks, on which most of the error can lie, are surely included,
        with the weight 1.
        """
        if len(rows) <= most:
            return cls(rows, np.ones(len(rows)), np.arange(len(rows)))
        chances = np.full(len(rows), 1 / len(rows))
        if left is not None and 0 < float(left.sum()) < np.inf:
            chances = 0.5 * chances + 0.5 * left / left.sum()
        included = np.minimum(1.0, most * chances)
        for _ in range(8):  # what certain rows do not use of the sample goes to the others
            free = included < 1
            included[free] = np.minimum(1.0, included[free] * (most - np.count_nonzero(~free)) / included[free].sum())
        generator = np.random.default_rng(2)
        order = generator.permutation(len(rows))
        ends = np.cumsum(included[order])
        places = np.sort(order[np.flatnonzero(np.diff(np.floor(ends + generator.random()), prepend=0.0))])
        return cls(rows.take(places), 1 / included[places], places)

    def of_pairs(self, n_rows: int) -> PairWeights:
        """Those with which Σ W f(x, y) estimates the sum over all pairs of rows of a table of n rows."""
        shares = self.weights / self.weights.sum()
        others = 1 - float(np.square(shares).sum())
        scale = n_rows * (n_rows - 1) / others if others > 0 else 0.0
        sides = math.sqrt(scale) * shares
        return PairWeights(sides, sides, n_rows * shares - np.square(sides))


@dataclass(frozen=True, eq=False)
class PairWeights:
    """Weights W = x y' + diag(own) of pairs of rows."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    own: NDArray[np.float64] | None = None

    def total(self, values: NDArray[np.float64]) -> float:
        """Σ W f of a matrix f."""
        found = float(self.x @ values @ self.y)
        return found if self.own is None else found + float(self.own @ np.diagonal(values))


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
        alone, found = stratum.independent, None
        if looked_at > 2 * n:
            found = screened(alone, residual, n, looked_at)
        if found is not None:
            batches, chances = [found.batch], found.weights
        else:
            batches = drawn_for(residual.pairs.x, alone.law, Stream(0, _PATH), n, alone.positions)
            chances = np.full(n, 1 / n)
        sides = [residual.forgetting().sides(batch) for batch in batches]
        values = _weighted_squares(residual, batches, sides, weights, n if found is None else None)
        own = batches[0].index
        if exact or len(batches) > 1 or len(np.unique(own)) != len(own) or len(own) != len(values):
            return cls(values, chances, weights.total(np.square(residual.kernel(alone))))
        return cls(values, chances, _squared_mean(batches[0], sides[0], weights, chances, values))

    @property
    def variance(self) -> float:
        """That of one sample."""
        found = float(self.chances @ self.values) - self.squared_mean
        return found if found > _ROUNDING * self.squared_mean else 0.0

    def resampled(self, n: int, generator: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The variance as the mean over n other samples shows it, and as these here do, for many tables."""
        least = max(_LEAST * self.variance, 1e-300)
        chances, values = self.chances / self.chances.sum(), self.values
        # samples of about the same value count as one kind
        kinds = np.unique(np.floor(_KINDS * np.log2(np.maximum(values, least))), return_inverse=True)[1]
        shares = np.bincount(kinds, chances)
        of_kinds = np.bincount(kinds, chances * values) / shares
        means = generator.multinomial(n, shares / shares.sum(), _TABLES) @ of_kinds / n
        again = generator.poisson(1.0, (_TABLES, len(values)))
        estimates = again @ (self.chances * values) * (len(values) / np.maximum(1, again.sum(axis=1)))
        squared = self.squared_mean
        return np.maximum(means - squared, least), np.maximum(estimates - squared, least)


@dataclass(frozen=True, eq=False)
class SquaredErrors:
    """Sums Σ W f of squared errors f of some draws, and what they would be if the samples were independent (`alone`).

    `size` is the mean Σ W p² of one sample, which rounding is in proportion to.
    """

    totals: NDArray[np.float64]
    alone: NDArray[np.float64]
    size: float

    @property
    def shows_error(self) -> bool:
        """Whether some draw has an error that is more than rounding."""
        return shows_error(float(self.totals.mean()), self.size)

    @property
    def ratio(self) -> float:
        """The variance of samples drawn together over that of the same samples drawn independently.

        Draws without any error do not prove that there is none: see `bounded_ratio`.
        """
        alone = float(self.alone.mean())
        return bounded_ratio(float(self.totals.mean()), alone, self.size, len(self.totals)) if alone > 0 else 1.0


@dataclass(frozen=True, eq=False)
class Simulation(SquaredErrors):
    """Draws of a plan: the mean of their squared errors for all pairs of rows, and the sums of each group of strata."""

    squares: NDArray[np.float64]
    groups: tuple[SquaredErrors, ...]


@dataclass(eq=False)
class _Estimate:
    """The sum of products of columns, (rows, rows), of one draw; some columns still wait to be multiplied."""

    total: NDArray[np.float64] | None = None
    left: list[NDArray[np.float64]] = field(default_factory=list)
    right: list[NDArray[np.float64]] = field(default_factory=list)
    waiting: int = 0

    def add(self, left: NDArray[Any], right: NDArray[Any]) -> None:
        """The products Re l r̄ of columns (columns, rows)."""
        self.left.extend(_real_parts(left))
        self.right.extend(_real_parts(right))
        self.waiting += len(left)
        if self.waiting >= _WAITING:
            self._multiply()

    def value(self) -> NDArray[np.float64]:
        """The sum for all columns, of which there are some."""
        if self.left:
            self._multiply()
        assert self.total is not None
        return self.total

    def _multiply(self) -> None:
        products = np.concatenate(self.left).T @ np.concatenate(self.right)
        self.total = products if self.total is None else self.total + products
        self.left, self.right, self.waiting = [], [], 0


@dataclass(frozen=True, eq=False)
class MeasuredError:
    """The expected Σ W f of a plan, for squared errors f, and all that it scatters with."""

    total: float
    draws: Simulation
    parts: tuple[tuple[float, SingleSamples, int], ...]
    """Of every stratum a factor, the samples, and how many the plan draws."""

    @classmethod
    def of(
        cls,
        parts: Sequence[tuple[Stratum, int]],
        residual: Residual,
        weights: PairWeights,
        looked_at: int = CANDIDATES,
    ) -> MeasuredError:
        """The variance of independent samples from many single ones; times a ratio, for those that are drawn together.

        Single samples may be chosen, so that rare ones are seen that make most of the error; and rows enter as they
        are, for a ratio of one table does not hold for another. Cosine and sine are paired.
        """
        share = max(_FEWEST_SINGLE, _SINGLE // max(1, len(parts)))
        looked_at = max(looked_at // max(1, len(parts)), _LOOKED_AT)
        exact = len(parts) <= _FEW_TERMS
        singles = [SingleSamples.of(stratum, residual, weights, share, looked_at, exact=exact) for stratum, _ in parts]
        means = [own.squared_mean for own in singles]
        together = [i for i, (stratum, _) in enumerate(parts) if stratum.draws is not None]
        groups = [[i] for i in together] if exact else [together] * bool(together)  # of many terms all have one ratio
        draws = simulated(parts, residual, weights, groups=groups, means=means)
        ratios = [1.0] * len(parts)
        for group, errors in zip(groups, draws.groups, strict=True):
            for i in group:
                ratios[i] = errors.ratio
        factors = [stratum.weight**2 / n * ratio for (stratum, n), ratio in zip(parts, ratios, strict=True)]
        total = math.fsum(factor * own.variance for factor, own in zip(factors, singles, strict=True))
        counts = [n for _, n in parts]
        return cls(total, draws, tuple(zip(factors, singles, counts, strict=True)))

    def scattered(self, maps: int, generator: np.random.Generator) -> NDArray[np.float64]:
        """Logarithms of the mean Σ W f of some maps over the expected one."""
        sums, known = np.zeros(_TABLES), np.zeros(_TABLES)
        for factor, own, n in self.parts:
            means, estimates = own.resampled(maps * n, generator)
            sums += factor * means
            known += factor * estimates
        relative = self.draws.totals / np.maximum(self.draws.alone, 1e-300)
        spread = 0.0
        if (self.draws.alone > 0).all():
            spread = float(relative.std(ddof=1) / relative.mean())
        draws = len(relative)
        by_draws = spread * math.sqrt(1 / draws + 1 / maps) * generator.standard_t(draws - 1, _TABLES)
        return np.asarray(np.log(sums / known) + by_draws)


def can_simulate(strata: Sequence[Stratum]) -> bool:
    """Whether all samples are products of a function of x and one of y."""
    return not any(stratum.law.has_key for stratum in strata)


def draws_of(counts: Sequence[int]) -> int:
    """On how many draws a plan with these numbers of samples is measured."""
    least, most = _DRAWS
    return max(least, min(most, _SAMPLES // max(1, sum(counts))))


def simulated(
    parts: Sequence[tuple[Stratum, int]],
    residual: Residual,
    weights: PairWeights,
    draws: int | None = None,
    *,
    groups: Sequence[Sequence[int]] = (),
    means: Sequence[float] | None = None,
) -> Simulation:
    """The errors of independent draws of these samples, weights of the strata included, beside what landmarks say.

    The sums of each of the `groups` of strata are those of its samples alone. `means` are Σ W (E p)² of one sample of
    each stratum, if they are known.
    """
    draws = draws_of([n for _, n in parts]) if draws is None else draws
    others = sorted(set(range(len(parts))).difference(*groups))
    every = [*groups, *([others] if others or not groups else [])]
    whole: list[NDArray[np.float64]] = []
    found: list[SquaredErrors] = []
    for group, exact in zip(every, _exact_values([stratum for stratum, _ in parts], every, residual), strict=True):
        runs, alone, size = [_Estimate() for _ in range(draws)], np.zeros(draws), 0.0
        for place in group:
            stratum, n = parts[place]
            if means is not None:
                squared = means[place]
            elif len(group) == 1:
                squared = weights.total(np.square(exact)) / (stratum.weight**2 or 1.0)
            else:
                squared = weights.total(np.square(residual.kernel(stratum)))
            alone -= stratum.weight**2 * squared / n
            at_once = max(1, samples_at_once(_AT_ONCE, len(stratum.positions)) // n)
            for first in range(0, draws, at_once):
                some = slice(first, min(draws, first + at_once))
                seconds = _draw(stratum, n, residual, weights, Stream(first, (*_PATH, place)), runs[some])
                alone[some] += seconds
                size += n * float(seconds.sum()) / draws
        errors = [run.value() - exact for run in runs]
        totals = np.array([weights.total(np.square(error)) for error in errors])
        found.append(SquaredErrors(totals, np.maximum(alone, 0.0), size))
        whole = [before + error for before, error in zip(whole, errors, strict=True)] if whole else errors
    squares = [np.square(error) for error in whole]
    return Simulation(
        found[0].totals if len(found) == 1 else np.array([weights.total(square) for square in squares]),
        np.asarray(sum(own.alone for own in found)),
        math.fsum(own.size for own in found),
        np.asarray(sum(squares) / draws),
        tuple(found[: len(groups)]),
    )


def _exact_values(
    strata: Sequence[Stratum], groups: Sequence[Sequence[int]], residual: Residual
) -> list[NDArray[np.float64]]:
    """What landmarks leave of the kernel of every group of strata; of the largest as the rest of the whole, whose
    values are known."""
    largest = max(range(len(groups)), key=lambda place: len(groups[place]))
    found = [
        residual.whole(strata if place == largest else [strata[i] for i in group]) for place, group in enumerate(groups)
    ]
    for place, values in enumerate(found):
        if place != largest:
            found[largest] = found[largest] - values
    return found


def simulated_ratio(stratum: Stratum, n: int, residual: Residual, weights: PairWeights, draws: int) -> float:
    """`SquaredErrors.ratio` of n samples of one stratum, about the mean of these draws.

    For plans to be compared by: the kernel between the landmarks, which may be many, is not evaluated. Samples so rare
    that no draw has one are not seen.
    """
    runs = [_Estimate() for _ in range(draws)]
    at_once = max(1, samples_at_once(_AT_ONCE, len(stratum.positions)) // n)
    unweighted, seconds = replace(stratum, weight=1.0), np.zeros(draws)
    for first in range(0, draws, at_once):
        some = slice(first, min(draws, first + at_once))
        seconds[some] = _draw(unweighted, n, residual, weights, Stream(first, (*_PATH, 0)), runs[some])
    values = [run.value() for run in runs]
    mean = np.asarray(sum(values) / draws)
    totals = np.array([weights.total(np.square(value - mean)) for value in values]) * (draws / (draws - 1))
    squared_mean = weights.total(np.square(mean)) - float(totals.mean()) / draws
    return SquaredErrors(totals, np.maximum(seconds - squared_mean / n, 0.0), n * float(seconds.mean())).ratio


def _draw(
    stratum: Stratum,
    n: int,
    residual: Residual,
    weights: PairWeights,
    stream: Stream,
    runs: Sequence[_Estimate],
) -> NDArray[np.float64]:
    """Add the samples of a stratum to each of the draws. Returned are the second moments Σ W Σ_j p_j² of every draw."""
    law, own = stratum.law, residual.forgetting()
    if isinstance(law, JointLaw):
        drawn = law.draw_runs(stream, n, len(runs), stratum.positions)
    else:
        drawn = drawn_for(residual.pairs.x, law, stream, n * len(runs), stratum.positions)
    sides = [own.sides(batch) for batch in drawn]
    for batch, (left, right) in zip(drawn, sides, strict=True):
        order = np.argsort(batch.index // n, kind="stable")
        ends = np.searchsorted(batch.index[order] // n, np.arange(len(runs) + 1))
        scaled = (left * (batch.sign * (stratum.weight / n))).T[order]
        other = right.T[order]
        for run, estimate in enumerate(runs):
            part = slice(ends[run], ends[run + 1])
            estimate.add(scaled[part], other[part])
    seconds = _weighted_squares(residual, drawn, sides, weights, n * len(runs))
    return np.asarray(seconds.reshape(len(runs), n).sum(axis=1) * (stratum.weight / n) ** 2)


def _weighted_squares(
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
    left = np.hstack([own * batch.sign for (own, _), batch in zip(sides, batches, strict=True)])
    right = left if len(sides) == 1 and sides[0][0] is sides[0][1] else np.hstack([own for _, own in sides])
    order = np.argsort(index, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(index[order], prepend=-1)), len(order))
    found = np.zeros(len(ends) - 1 if n is None else n)
    places = np.arange(len(found)) if n is None else index[order][ends[:-1]]
    if len(ends) <= len(order):
        left, right = left.T[order], right.T[order]
        products = (residual.products(left[a:b].T, right[a:b].T) for a, b in pairwise(ends.tolist()))
        found[places] = [weights.total(np.square(product)) for product in products]
        return found
    # (Re l r̄)² = (|l|²|r|² + Re l² r̄²)/2, each a product of sums
    x, y = weights.x, weights.y
    sizes = (x @ _sizes(left)) * (y @ _sizes(right))
    turned = (x @ np.square(left)) * np.conj(y @ np.square(right))
    total = (sizes + turned.real) / 2
    if weights.own is not None:
        total = total + weights.own @ np.square((left * np.conj(right)).real)
    found[places] = total[order]
    return found


def _squared_mean(
    batch: Samples,
    sides: tuple[NDArray[Any], NDArray[Any]],
    weights: PairWeights,
    chances: NDArray[np.float64],
    values: NDArray[np.float64],
) -> float:
    """Σ W (E p)² from samples of one term each: Σ W p_j p_k of all that are different, with their chances."""
    left, right = (np.concatenate(_real_parts(side.T)) for side in sides)
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


def _real_parts(values: NDArray[Any]) -> list[NDArray[np.float64]]:
    return [values.real, values.imag] if np.iscomplexobj(values) else [values]


def error_interval(
    error: float,
    measured: MeasuredError,
    *,
    maps: int = MAPS,
    coverage: float = COVERAGE,
    rows: RowsScatter | None = None,
) -> tuple[float, float]:
    """Where the root mean square of the relative error of some maps lies, with a probability of `coverage`.

    What scatters: single samples, few of which may make most of the error; draws of samples together; and `rows`, where
    those of the maps are others than those judged on. If no draw has an error, the error is a bound, and may be 0.
    """
    if not error or not math.isfinite(error) or not 0 < measured.total < math.inf:
        return error, error
    generator = np.random.default_rng(3)
    logarithms = measured.scattered(maps, generator)
    if rows is not None and len(rows.judged.rows) > 1:
        logarithms = logarithms + rows.scattered(measured.draws.squares, generator)
    low, high = np.quantile(logarithms, [(1 - coverage) / 2, (1 + coverage) / 2])
    least = error * math.exp(min(0.0, low) / 2) if measured.draws.shows_error else 0.0
    return least, error * math.exp(max(0.0, high) / 2)


def interval_by_formula(
    error: float, parts: Sequence[tuple[Stratum, int]], squares: NDArray[np.float64], rows: RowsScatter
) -> tuple[float, float]:
    """The interval of an error whose square has a formula, `squares` for every pair of the judged rows: maps with keys.

    What scatters: maps, and rows. A sum of n independent errors e with the covariance C has a squared norm of the
    relative variance v = 2 tr C² / (tr C)², about, and that of M maps is about gamma distributed with the shape M/v.
    The products of the errors of single samples have the mean squares tr C_s C_t.
    """
    if not error or not math.isfinite(error) or not 0 < float(squares.sum()) < math.inf:
        return error, error
    most = math.isqrt(_KEYED_NUMBERS // max(1, rows.judged.rows.n_columns))
    some = rows.judged.rows.some(max(4, min(_KEYED_ROWS, most)))
    first, second = (own.ravel() for own in np.indices((len(some), len(some))))
    pairs = NumericPairs(some.take(first), some.take(second), grid=False)
    share = max(2, _KEYED // len(parts))
    errors = []
    for place, (stratum, n) in enumerate(parts):
        law, own = stratum.independent.law, pairs.select(stratum.positions)
        drawn = law.draw(Stream(0, (*_PATH, place)), share, tuple(range(own.x.n_columns)))
        products = means_of_runs(drawn, own.x, own.y, 1, share)
        errors.append((products - np.asarray(law.mean(own))) * (stratum.weight / math.sqrt(n * share)))
    gram = (both := np.concatenate(errors)) @ both.T
    size = float(np.trace(gram))
    scatter = 2 * max(0.0, float(np.square(gram).sum() - np.square(np.diagonal(gram)).sum()))
    generator = np.random.default_rng(3)
    logarithms = rows.scattered(squares, generator)
    if size > 0 and scatter > 0:
        of_ratio = 1 / _RATIO_DRAWS if any(stratum.draws for stratum, _ in parts) else 0.0
        shape = size**2 / scatter / (1 / MAPS + of_ratio)
        logarithms = logarithms + np.log(np.maximum(generator.gamma(shape, 1 / shape, _TABLES), 1e-300))
    low, high = np.quantile(logarithms, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return error * math.exp(min(0.0, low) / 2), error * math.exp(max(0.0, high) / 2)


@dataclass(frozen=True, eq=False)
class RowsScatter:
    """What the choice of rows adds: those judged on were drawn from `known` rows, and there are `new` others, if any.

    `size` is k(x, y)² of the judged rows, `samples` the number of all samples of the plan.
    """

    judged: JudgedRows
    size: NDArray[np.float64]
    samples: int
    known: int
    new: int = 0

    def scattered(self, squares: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
        """Logarithms of the relative squared error on new rows, or on all, over that on the judged ones.

        Tables are resampled. Squared errors of rows follow a Pareto distribution beyond the largest tenth of them
        (Hill's estimate of the exponent): a new row may be farther from all landmarks than any row seen.
        """
        chances = self.judged.weights / self.judged.weights.sum()
        found = np.zeros(_TABLES)
        for rows, sign in ((self.new, 1), (self.known, -1)):
            if not rows:
                continue
            number = min(rows, _RESAMPLED)
            tables = generator.multinomial(number, chances, size=_TABLES).astype(float)
            expected = number * chances[None]
            if self.new:
                errors = self._with_tail(tables, squares, chances, generator)
            else:
                errors = _sums(squares, tables) / _sums(squares, expected)
            sizes = _sums(self.size, tables) / _sums(self.size, expected)
            found += sign * np.log(np.maximum(errors / np.maximum(sizes, 1e-12), 1e-12))
        return found

    def _with_tail(
        self,
        tables: NDArray[np.float64],
        squares: NDArray[np.float64],
        chances: NDArray[np.float64],
        generator: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Squared errors of resampled tables (tables, rows) over the expected one, with new rows of the tail."""
        others, own = float(tables[0].sum()) - 1, np.diagonal(squares)
        beside = others * (squares @ chances - own * chances)
        shares = own + beside  # of the error, with this row
        order = np.argsort(-shares, kind="stable")
        last = max(2, int(np.searchsorted(np.cumsum(chances[order]), _TAIL)))
        if last >= len(order) or not 0 < shares[order[last]] < np.inf:
            return np.asarray(_sums(squares, tables) / _sums(squares, (others + 1) * chances[None]))
        tail, least = order[:last], shares[order[last]]
        # of a row of which landmarks say nothing: k² / n, and k √S(y, y) / √n beside a row y
        k, root = math.sqrt(float(np.diagonal(self.size).max())), math.sqrt(self.samples)
        most = max(float(shares.max()), (k / root) ** 2 + others * k / root * float(chances @ np.sqrt(own)))
        of_tail = chances[tail] / chances[tail].sum()
        exponent = float(of_tail @ np.log(shares[tail] / least))
        drawn = tables[:, tail].sum(axis=1).astype(int)
        values = np.minimum(least * generator.random(int(drawn.sum())) ** -exponent, most)
        of_far_rows = np.bincount(np.repeat(np.arange(len(tables)), drawn), values, len(tables))
        near, expected = tables.copy(), (others + 1) * chances[None]
        mean = float(expected[0, tail] @ shares[tail])
        near[:, tail] = expected[:, tail] = 0.0
        both = 1 + float(of_tail @ beside[tail]) / float(of_tail @ shares[tail])  # pairs with near rows count twice
        found = _sums(squares, near) + both * of_far_rows
        return np.asarray(found / (_sums(squares, expected) + both * mean))


def _sums(values: NDArray[np.float64], tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over all pairs of rows of tables in which row x stands this often (tables, rows)."""
    own = np.diagonal(values)
    return np.asarray(tables @ own + ((tables @ values) * tables - np.square(tables) * own).sum(axis=1))
