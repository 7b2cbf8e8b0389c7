"""Simulated errors of coupled samples and of landmark remainders on given rows, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.laws.joint import JointLaw, bounded_ratio, samples_at_once, shows_error
from kernelspec.planning.known_rows import drawn_for
from kernelspec.planning.landmarks.landmarks import CompiledPairs, Residual
from kernelspec.planning.landmarks.pilot import CANDIDATES, SingleSamples, real_parts, weighted_squares
from kernelspec.planning.reference import TABLES, PairWeights
from kernelspec.planning.strata import Stratum
from kernelspec.random.coupled import block_size
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows

__all__ = ["MeasuredError", "can_simulate", "has_no_variance", "simulated", "simulated_ratio"]

_AT_ONCE = 4096
"""Coupled samples of several draws of a plan."""

_WAITING = 2048
"""Columns of a draw to multiply together: a few large products are faster than many small ones."""

_DRAWS, _SAMPLES = (8, 32), 8192
"""Fewest and most draws of a plan; between them, draws with this many samples in all."""

_NUMBERS = 1 << 26
"""Numbers of structured samples, draws times rows times padded columns, beyond which there are fewer draws."""

_SINGLE, _FEWEST_SINGLE = 512, 16
"""Single samples of all strata together, and the fewest of each, for second moments."""

_LOOKED_AT = 1024
"""Fewest samples of each stratum to inspect: one in several hundred may have most of the error."""

_RARE = 4
"""Samples this many times larger than the largest of all draws do not occur by chance in a draw."""

_FEW_TERMS = 4
"""Terms whose kernel is evaluated one by one."""

_INSPECTED = 32
"""Rows on which the variance of samples is computed by formula."""

_PATH = (0x73696D756C,)
"""The stream of simulated draws, which maps never use."""


@dataclass(frozen=True, eq=False)
class SquaredErrors:
    """Σ W f of squared errors f of draws, and of independent samples (`alone`); `size` is Σ W p² of one sample."""

    totals: NDArray[np.float64]
    alone: NDArray[np.float64]
    size: float

    @property
    def shows_error(self) -> bool:
        """Whether some draw has an error beyond rounding."""
        return shows_error(float(self.totals.mean()), self.size)

    @property
    def ratio(self) -> float:
        """The variance of coupled over independent samples; draws without error prove nothing: see `bounded_ratio`."""
        alone = float(self.alone.mean())
        return bounded_ratio(float(self.totals.mean()), alone, self.size, len(self.totals)) if alone > 0 else 1.0


@dataclass(frozen=True, eq=False)
class Simulation(SquaredErrors):
    """Draws of a plan: the mean of their squared errors for all pairs of rows, and the sums of each group of strata.

    `singles` are the Σ W p² of every sample, for each stratum.
    """

    squares: NDArray[np.float64]
    groups: tuple[SquaredErrors, ...]
    singles: tuple[NDArray[np.float64], ...]


@dataclass(eq=False)
class _Estimate:
    """The sum of products of columns, (rows, rows), of one draw; some columns may be pending."""

    total: NDArray[np.float64] | None = None
    left: list[NDArray[np.float64]] = field(default_factory=list)
    right: list[NDArray[np.float64]] = field(default_factory=list)
    waiting: int = 0

    def add(self, left: NDArray[Any], right: NDArray[Any]) -> None:
        """Add the products Re l r̄ of columns (columns, rows)."""
        self.left.extend(real_parts(left))
        self.right.extend(real_parts(right))
        self.waiting += len(left)
        if self.waiting >= _WAITING:
            self._multiply()

    def include(self, products: NDArray[np.float64]) -> None:
        """Add a sum of products, (rows, rows)."""
        self.total = products if self.total is None else self.total + products

    def value(self) -> NDArray[np.float64]:
        """The sum over all columns, of which there must be some."""
        if self.left:
            self._multiply()
        assert self.total is not None
        return self.total

    def _multiply(self) -> None:
        self.include(np.concatenate(self.left).T @ np.concatenate(self.right))
        self.left, self.right, self.waiting = [], [], 0


@dataclass(frozen=True, eq=False)
class MeasuredError:
    """The expected Σ W f of a plan for squared errors f, and everything it scatters with."""

    total: float
    draws: Simulation
    parts: tuple[tuple[float, SingleSamples, int], ...]
    """For every stratum a factor, the samples, and how many the plan draws."""
    misses_some: bool = False
    """Whether samples that matter are too rare to be seen: most maps then have the error `total`, a few far more."""

    @classmethod
    def of(
        cls, parts: Sequence[tuple[Stratum, int]], residual: Residual, weights: PairWeights, looked_at: int = CANDIDATES
    ) -> MeasuredError:
        """The variance of independent samples from many single ones; times a ratio for coupled samples.

        Single samples may be selected, to see rare ones that have most of the error; and rows are used unchanged,
        because a ratio for one table does not apply to another. Cosine and sine are paired. The samples of the draws
        count too; the ratio applies to sizes that occur in them: much larger samples are so rare that no other sample
        of a draw compensates for them.
        """
        share = max(_FEWEST_SINGLE, _SINGLE // max(1, len(parts)))
        varying = [not stratum.law.is_exact for stratum, _ in parts]  # all samples of the others are the same
        looked_at = max(looked_at // max(1, sum(varying)), _LOOKED_AT)
        exact = len(parts) <= _FEW_TERMS
        singles = [
            SingleSamples.of(
                stratum, residual, weights, share if varies else 1, looked_at * varies, exact=exact or not varies
            )
            for (stratum, _), varies in zip(parts, varying, strict=True)
        ]
        means = [samples.squared_mean for samples in singles]
        together = [i for i, (stratum, _) in enumerate(parts) if stratum.draws is not None]
        groups = [[i] for i in together] if exact else [together] * bool(together)  # many terms share one ratio
        draws = simulated(parts, residual, weights, groups=groups, means=means)
        ratios = [1.0] * len(parts)
        for group, errors in zip(groups, draws.groups, strict=True):
            for i in group:
                ratios[i] = errors.ratio
                beyond = _RARE * float(draws.singles[i].max())
                values, factor = singles[i].values, max(1.0, 1 / ratios[i])
                singles[i] = replace(singles[i], values=np.where(values > beyond, factor * values, values))
        singles = [samples.joined(values) for samples, values in zip(singles, draws.singles, strict=True)]
        factors = [stratum.weight**2 / n * ratio for (stratum, n), ratio in zip(parts, ratios, strict=True)]
        total = math.fsum(factor * samples.variance for factor, samples in zip(factors, singles, strict=True))
        misses_some = any(samples.misses_some for samples in singles)
        if misses_some or any(samples.variance == 0 for samples in singles):
            total = max(total, float(draws.totals.mean()))
        counts = [n for _, n in parts]
        return cls(total, draws, tuple(zip(factors, singles, counts, strict=True)), misses_some)

    def scattered(self, maps: int, generator: np.random.Generator) -> NDArray[np.float64]:
        """Logarithms of the mean Σ W f of some maps over the expected one."""
        sums, known = np.full(TABLES, 1e-300), np.full(TABLES, 1e-300)
        for factor, samples, n in self.parts:
            if not samples.variance:  # the draws say what there is
                continue
            means, estimates = samples.resampled(maps * n, generator)
            sums += factor * means
            known += factor * estimates
        spread = 0.0
        if (self.draws.alone > 0).all():
            relative = self.draws.totals / self.draws.alone
            spread = float(relative.std(ddof=1) / relative.mean())
        draws = len(self.draws.totals)
        by_draws = spread * math.sqrt(1 / draws + 1 / maps) * generator.standard_t(draws - 1, TABLES)
        return np.asarray(np.log(sums / known) + by_draws)


def has_no_variance(strata: Sequence[Stratum], rows: Rows) -> bool:
    """Whether single samples have no second moment on some rows, as in deep duals: landmarks give none."""
    some = rows.take(slice(0, len(rows), len(rows) // _INSPECTED + 1))
    pairs = CompiledPairs(some, some)
    alone = (stratum.independent for stratum in strata)
    with np.errstate(over="ignore", invalid="ignore"):
        variances = [own.law.variance(pairs.select(own.positions), 1, "paired") for own in alone]
    return any(bool(np.isinf(own).any()) for own in variances)


def can_simulate(strata: Sequence[Stratum]) -> bool:
    """Whether all samples are products of a function of x and one of y."""
    return not any(stratum.law.has_key for stratum in strata)


def simulated(
    parts: Sequence[tuple[Stratum, int]],
    residual: Residual,
    weights: PairWeights,
    draws: int | None = None,
    *,
    groups: Sequence[Sequence[int]] = (),
    means: Sequence[float] | None = None,
) -> Simulation:
    """The errors of independent draws of these samples, with the weights of the strata, besides the landmarks.

    The sums of each of the `groups` of strata are those of its samples alone. `means` are Σ W (E p)² of one sample of
    each stratum, if known.
    """
    if draws is None:
        sizes = [block_size(len(stratum.positions)) for stratum, _ in parts if stratum.draws == "hadamard"]
        numbers, (least, most) = _NUMBERS // max(1, sum(sizes) * len(residual.pairs.x)), _DRAWS
        draws = max(least, min(most, _SAMPLES // max(1, sum(n for _, n in parts)), numbers))
    others = sorted(set(range(len(parts))).difference(*groups))
    every = [*groups, *([others] if others or not groups else [])]
    whole: list[NDArray[np.float64]] = []
    singles: list[list[NDArray[np.float64]]] = [[] for _ in parts]
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
            for some, drawn in _drawn(stratum, n, residual, weights, place, runs):
                singles[place].append(drawn.ravel())
                seconds = drawn.sum(axis=1) * (stratum.weight / n) ** 2
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
        tuple(map(np.concatenate, singles)),
    )


def _exact_values(
    strata: Sequence[Stratum], groups: Sequence[Sequence[int]], residual: Residual
) -> list[NDArray[np.float64]]:
    """What landmarks leave of the kernel of every group; of the largest, as the rest of the known whole."""
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

    For comparing plans: does not evaluate the kernel between the landmarks, which may be many. Samples too rare to
    occur in a draw are not seen.
    """
    runs = [_Estimate() for _ in range(draws)]
    unweighted, seconds = replace(stratum, weight=1.0), np.zeros(draws)
    for some, drawn in _drawn(unweighted, n, residual, weights, 0, runs):
        seconds[some] = drawn.sum(axis=1) / n**2
    values = [run.value() for run in runs]
    mean = np.asarray(sum(values) / draws)
    totals = np.array([weights.total(np.square(value - mean)) for value in values]) * (draws / (draws - 1))
    squared_mean = weights.total(np.square(mean)) - float(totals.mean()) / draws
    return SquaredErrors(totals, np.maximum(seconds - squared_mean / n, 0.0), n * float(seconds.mean())).ratio


def _drawn(
    stratum: Stratum, n: int, residual: Residual, weights: PairWeights, place: int, runs: Sequence[_Estimate]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Some of the draws at a time, and Σ W p² of their samples, which are added to them."""
    if stratum.law.is_exact:  # all draws are the same, and may have tens of thousands of features
        shared = _Estimate()
        drawn = _draw(stratum, n, residual, weights, Stream(0, (*_PATH, place)), [shared])
        for run in runs:
            run.include(shared.value())
        yield slice(0, len(runs)), np.repeat(drawn, len(runs), axis=0)
        return
    at_once = max(1, samples_at_once(_AT_ONCE, len(stratum.positions)) // n)
    for first in range(0, len(runs), at_once):
        some = slice(first, min(len(runs), first + at_once))
        yield some, _draw(stratum, n, residual, weights, Stream(first, (*_PATH, place)), runs[some])


def _draw(
    stratum: Stratum, n: int, residual: Residual, weights: PairWeights, stream: Stream, runs: Sequence[_Estimate]
) -> NDArray[np.float64]:
    """Add the samples of a stratum to each of the draws; returns Σ W p² of every draw and sample, (draws, n)."""
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
    return weighted_squares(residual, drawn, sides, weights, n * len(runs)).reshape(len(runs), n)
