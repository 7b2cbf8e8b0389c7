"""Errors of coupled samples and of what landmarks leave, simulated on the rows in question, with their interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.laws.joint import JointLaw, bounded_ratio, samples_at_once, shows_error
from kernelspec.planning.candidates import most_landmarks
from kernelspec.planning.known_rows import drawn_for
from kernelspec.planning.landmarks.landmarks import CompiledPairs, Residual
from kernelspec.planning.landmarks.pilot import CANDIDATES, SingleSamples, real_parts, weighted_squares
from kernelspec.planning.reference import TABLES, JudgedRows, PairSums, PairWeights, RowsScatter
from kernelspec.planning.strata import kernel_value
from kernelspec.random.streams import Stream

if TYPE_CHECKING:
    from kernelspec.planning.candidates import Costing, Proposal
    from kernelspec.planning.landmarks.search import LandmarkSearches
    from kernelspec.planning.strata import Stratum

__all__ = [
    "COVERAGE",
    "MAPS",
    "MeasuredError",
    "Simulation",
    "can_simulate",
    "error_interval",
    "measured",
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

_PATH = (0x73696D756C,)
"""Of the streams of simulated draws, which maps never draw from."""


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
        self.left.extend(real_parts(left))
        self.right.extend(real_parts(right))
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
        means = [samples.squared_mean for samples in singles]
        together = [i for i, (stratum, _) in enumerate(parts) if stratum.draws is not None]
        groups = [[i] for i in together] if exact else [together] * bool(together)  # of many terms all have one ratio
        draws = simulated(parts, residual, weights, groups=groups, means=means)
        ratios = [1.0] * len(parts)
        for group, errors in zip(groups, draws.groups, strict=True):
            for i in group:
                ratios[i] = errors.ratio
        factors = [stratum.weight**2 / n * ratio for (stratum, n), ratio in zip(parts, ratios, strict=True)]
        total = math.fsum(factor * samples.variance for factor, samples in zip(factors, singles, strict=True))
        counts = [n for _, n in parts]
        return cls(total, draws, tuple(zip(factors, singles, counts, strict=True)))

    def scattered(self, maps: int, generator: np.random.Generator) -> NDArray[np.float64]:
        """Logarithms of the mean Σ W f of some maps over the expected one."""
        sums, known = np.zeros(TABLES), np.zeros(TABLES)
        for factor, samples, n in self.parts:
            means, estimates = samples.resampled(maps * n, generator)
            sums += factor * means
            known += factor * estimates
        relative = self.draws.totals / np.maximum(self.draws.alone, 1e-300)
        spread = 0.0
        if (self.draws.alone > 0).all():
            spread = float(relative.std(ddof=1) / relative.mean())
        draws = len(relative)
        by_draws = spread * math.sqrt(1 / draws + 1 / maps) * generator.standard_t(draws - 1, TABLES)
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
    errors_of_groups: list[SquaredErrors] = []
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
        errors_of_groups.append(SquaredErrors(totals, np.maximum(alone, 0.0), size))
        whole = [before + error for before, error in zip(whole, errors, strict=True)] if whole else errors
    squares = [np.square(error) for error in whole]
    return Simulation(
        errors_of_groups[0].totals
        if len(errors_of_groups) == 1
        else np.array([weights.total(square) for square in squares]),
        np.asarray(sum(errors.alone for errors in errors_of_groups)),
        math.fsum(errors.size for errors in errors_of_groups),
        np.asarray(sum(squares) / draws),
        tuple(errors_of_groups[: len(groups)]),
    )


def _exact_values(
    strata: Sequence[Stratum], groups: Sequence[Sequence[int]], residual: Residual
) -> list[NDArray[np.float64]]:
    """What landmarks leave of the kernel of every group of strata; of the largest as the rest of the whole, whose
    values are known."""
    largest = max(range(len(groups)), key=lambda place: len(groups[place]))
    exact = [
        residual.whole(strata if place == largest else [strata[i] for i in group]) for place, group in enumerate(groups)
    ]
    for place, values in enumerate(exact):
        if place != largest:
            exact[largest] = exact[largest] - values
    return exact


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
    law, fresh = stratum.law, residual.forgetting()
    if isinstance(law, JointLaw):
        drawn = law.draw_runs(stream, n, len(runs), stratum.positions)
    else:
        drawn = drawn_for(residual.pairs.x, law, stream, n * len(runs), stratum.positions)
    sides = [fresh.sides(batch) for batch in drawn]
    for batch, (left, right) in zip(drawn, sides, strict=True):
        order = np.argsort(batch.index // n, kind="stable")
        ends = np.searchsorted(batch.index[order] // n, np.arange(len(runs) + 1))
        scaled = (left * (batch.sign * (stratum.weight / n))).T[order]
        other = right.T[order]
        for run, estimate in enumerate(runs):
            part = slice(ends[run], ends[run + 1])
            estimate.add(scaled[part], other[part])
    seconds = weighted_squares(residual, drawn, sides, weights, n * len(runs))
    return np.asarray(seconds.reshape(len(runs), n).sum(axis=1) * (stratum.weight / n) ** 2)


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


_JUDGED = 256
"""Rows on which the error of a plan is measured."""

_LOOKED_AT_IN_ALL = 4096
"""Samples of all strata together that are looked at, for those that say most."""


@np.errstate(over="ignore", invalid="ignore")  # what is not finite has no measured error
def measured(alone: Proposal, costing: Costing, searches: LandmarkSearches | None) -> Proposal:
    """The proposal with its error as many samples and draws show it, and the interval that it has on new rows.

    As it is where that is not possible: without data, for keys, for biased landmarks, and for random offsets.
    """
    reference, candidate = costing.reference, alone.candidate
    if reference.sample is None or candidate.is_biased or not alone.strata or not can_simulate(alone.strata):
        return alone
    rows, judged, search = reference.sample, None, None
    if alone.landmarks is not None:
        assert searches is not None
        strata = tuple(stratum.independent for stratum in alone.strata)
        search = searches.of(strata, most_landmarks(strata, costing.budget))
        rows, judged = search.ground.sample, search.judged
    judged = JudgedRows.among(rows, _JUDGED) if judged is None else judged
    pairs = CompiledPairs(judged.rows, judged.rows)
    if alone.landmarks is None:
        residual = Residual.without_landmarks(pairs)
    else:
        assert search is not None
        among = search.among(len(alone.landmarks.left))
        residual = Residual.on(pairs, alone.landmarks, alone.strata, among)
    weights, size = judged.of_pairs(reference.n_rows), np.square(kernel_value(alone.strata, pairs))
    parts = list(zip(alone.strata, candidate.counts, strict=True))
    error_of_draws, whole = MeasuredError.of(parts, residual, weights, _LOOKED_AT_IN_ALL), weights.total(size)
    if not (whole > 0 and np.isfinite(error_of_draws.total)):
        return alone
    error = candidate.error
    if alone.landmarks is not None or (
        any(candidate.draws) and (candidate.form == "paired" or not candidate.is_complex)
    ):
        error = math.sqrt(error_of_draws.total / whole)
    if error is None:
        return alone
    of_rows = RowsScatter(judged, size, sum(candidate.counts), known=len(rows), new=reference.n_rows)
    interval = error_interval(error, error_of_draws, rows=of_rows)
    variance = candidate.variance
    if alone.landmarks is not None:  # between different rows, as that of all other candidates
        squares = PairSums.of(error_of_draws.draws.squares, judged.weights)
        total = weights.total(error_of_draws.draws.squares)
        variance = (
            squares.others / (squares.rows * (squares.rows - 1)) * (error_of_draws.total / total if total else 1.0)
        )
    return replace(alone, candidate=replace(candidate, variance=variance, error=error, error_interval=interval))
