"""The error of a proposal measured on rows of the data, and its interval on new rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.joint import draws_for_ratio
from kernelspec.planning.candidates import Costing, Proposal, most_landmarks
from kernelspec.planning.landmarks.landmarks import CompiledPairs, Residual
from kernelspec.planning.landmarks.simulated import MeasuredError, can_simulate
from kernelspec.planning.reference import TABLES, JudgedRows, PairSums, RowsScatter
from kernelspec.planning.strata import Stratum, estimate_variance, kernel_value
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import means_of_runs

if TYPE_CHECKING:
    from kernelspec.planning.landmarks.search import LandmarkSearches

__all__ = ["COVERAGE", "MAPS", "error_interval", "measured"]

MAPS = 32
"""The default number of maps over which an interval takes the root mean square."""

COVERAGE = 0.95
"""The default probability of an interval."""

_JUDGED = 256
"""Rows on which the error of a plan is measured."""

_LOOKED_AT_IN_ALL = 4096
"""Samples of all strata together to screen for the most informative ones."""

_KEYED, _KEYED_ROWS, _KEYED_NUMBERS = 64, 48, 1 << 22
"""Single samples of all strata together, rows, and pairs of rows, for the scatter of maps with keys."""

_JUDGED_BY_FORMULA = 128
"""Rows for the scatter of an error given by a formula."""

_PATH = (0x73696D756C,)
"""The streams of simulated draws, which maps never use."""


@np.errstate(over="ignore", invalid="ignore")  # what is not finite has no measured error
def measured(alone: Proposal, costing: Costing, searches: LandmarkSearches | None) -> Proposal:
    """The proposal with its error measured by samples and draws, and its interval on new rows.

    For maps with keys, the error has a formula. Unchanged without data, and for biased landmarks.
    """
    reference, candidate = costing.reference, alone.candidate
    if reference.sample is None or candidate.is_biased or not alone.strata:
        return alone
    parts = list(zip(alone.strata, candidate.counts, strict=True))
    if not can_simulate(alone.strata):
        return _with_interval_by_formula(alone, costing)
    rows, search = reference.sample, None
    if alone.landmarks is None:
        judged = JudgedRows.among(rows, _JUDGED)
        pairs = CompiledPairs(judged.rows, judged.rows)
        residual = Residual.without_landmarks(pairs)
    else:
        assert searches is not None
        strata = tuple(stratum.independent for stratum in alone.strata)
        search = searches.of(strata, most_landmarks(strata, costing.budget))
        rows, judged = search.ground.sample, search.judged
        pairs = CompiledPairs(judged.rows, judged.rows)
        residual = Residual.on(pairs, alone.landmarks, alone.strata)
    weights, size = judged.of_pairs(reference.n_rows), np.square(kernel_value(alone.strata, pairs))
    whole = weights.total(size)
    if not whole > 0:
        return alone
    error_of_draws = MeasuredError.of(parts, residual, weights, _LOOKED_AT_IN_ALL)
    if not np.isfinite(error_of_draws.total):
        return alone
    error = candidate.error
    if alone.landmarks is not None or (
        any(candidate.draws) and (candidate.form == "paired" or not candidate.is_complex)
    ):
        error = math.sqrt(error_of_draws.total / whole)
    if error is None:
        return alone
    of_rows = RowsScatter(judged, size, sum(candidate.counts), known=len(rows), new=reference.n_rows)
    if search is not None and search.ground.is_definite and alone.landmarks is not None:
        left, chance = search.beyond(len(alone.landmarks.left), candidate.counts)
        of_rows = replace(of_rows, beyond=left, chance=chance * reference.n_rows)
    interval = error_interval(error, error_of_draws, rows=of_rows)
    variance = candidate.variance
    if alone.landmarks is not None:  # between different rows, as for all other candidates
        squares = PairSums.of(error_of_draws.draws.squares, judged.weights)
        total = weights.total(error_of_draws.draws.squares)
        variance = (
            squares.others / (squares.rows * (squares.rows - 1)) * (error_of_draws.total / total if total else 1.0)
        )
    return replace(alone, candidate=replace(candidate, variance=variance, error=error, error_interval=interval))


def _with_interval_by_formula(alone: Proposal, costing: Costing) -> Proposal:
    """The proposal with the interval of its predicted error, for samples that have only a formula."""
    reference, candidate = costing.reference, alone.candidate
    if candidate.error is None or reference.sample is None:
        return alone
    judged = JudgedRows.among(reference.sample, _JUDGED_BY_FORMULA)
    grid = NumericPairs(judged.rows, judged.rows)
    size, n_rows = np.square(kernel_value(alone.strata, grid)), reference.n_rows
    of_rows = RowsScatter(judged, size, sum(candidate.counts), known=len(reference.sample), new=n_rows)
    parts = list(zip(alone.strata, candidate.counts, strict=True))
    squares = estimate_variance(parts, grid, candidate.form, costing.variances.collisions)
    interval = interval_by_formula(candidate.error, parts, squares, of_rows)
    return replace(alone, candidate=replace(candidate, error_interval=interval))


def error_interval(
    error: float,
    measured: MeasuredError,
    *,
    maps: int = MAPS,
    coverage: float = COVERAGE,
    rows: RowsScatter | None = None,
) -> tuple[float, float]:
    """An interval, with probability `coverage`, for the root mean squared relative error of some maps.

    Sources of scatter: single samples, few of which may have most of the error, and those too rare to be seen, without
    an upper end; coupled samples; and `rows`, if maps are applied to other rows than the judged ones. If no draw has an
    error, the error is a bound, and may be 0.
    """
    if not error or not math.isfinite(error) or not 0 < measured.total < math.inf:
        return error, error
    if measured.misses_some:
        totals = measured.draws.totals
        return error * math.sqrt(float(totals.min() / totals.mean())), math.inf
    generator = np.random.default_rng(3)
    logarithms = measured.scattered(maps, generator)
    beyond = np.zeros(len(logarithms))
    if rows is not None and len(rows.judged.rows) > 1:
        logarithms = logarithms + rows.scattered(measured.draws.squares, generator)
        beyond = rows.of_rows_beyond(measured.draws.squares, generator)
    tail = (1 - coverage) / 2
    if rows is not None and rows.new:  # quantiles of a few resampled tables are off by a standard error
        tail = max(0.0, tail - math.sqrt(tail * (1 - tail) / len(logarithms)))
    low = np.quantile(logarithms, tail)
    high = np.quantile(np.log(np.exp(logarithms) + beyond), 1 - tail)
    least = error * math.exp(min(0.0, low) / 2) if measured.draws.shows_error else 0.0
    return least, error * math.exp(max(0.0, high) / 2)


def interval_by_formula(
    error: float, parts: Sequence[tuple[Stratum, int]], squares: NDArray[np.float64], rows: RowsScatter
) -> tuple[float, float]:
    """The interval of an error whose square has a formula, `squares` for every pair of the judged rows: maps with keys.

    Sources of scatter: maps and rows. A sum of n independent errors e with covariance C has a squared norm of relative
    variance about v = 2 tr C² / (tr C)², and that of M maps is about gamma distributed with shape M/v. The products of
    the errors of single samples have the mean squares tr C_s C_t.
    """
    if not error or not math.isfinite(error) or not 0 < float(squares.sum()) < math.inf:
        return error, error
    most = math.isqrt(_KEYED_NUMBERS // max(1, rows.judged.rows.n_columns))
    some = rows.judged.rows.some(max(4, min(_KEYED_ROWS, most)))
    first, second = (side.ravel() for side in np.indices((len(some), len(some))))
    pairs = NumericPairs(some.take(first), some.take(second), grid=False)
    share = max(2, _KEYED // len(parts))
    errors = []
    for place, (stratum, n) in enumerate(parts):
        law, selected = stratum.independent.law, pairs.select(stratum.positions)
        drawn = law.draw(Stream(0, (*_PATH, place)), share, tuple(range(selected.x.n_columns)))
        products = means_of_runs(drawn, selected.x, selected.y, 1, share)
        errors.append((products - np.asarray(law.mean(selected))) * (stratum.weight / math.sqrt(n * share)))
    gram = (both := np.concatenate(errors)) @ both.T
    size = float(np.trace(gram))
    scatter = 2 * max(0.0, float(np.square(gram).sum() - np.square(np.diagonal(gram)).sum()))
    generator = np.random.default_rng(3)
    logarithms = rows.scattered(squares, generator)
    if size > 0 and scatter > 0:
        of_ratio = max((1 / draws_for_ratio(n) for stratum, n in parts if stratum.draws), default=0.0)
        shape = size**2 / scatter / (1 / MAPS + of_ratio)
        logarithms = logarithms + np.log(np.maximum(generator.gamma(shape, 1 / shape, TABLES), 1e-300))
    low, high = np.quantile(logarithms, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return error * math.exp(min(0.0, low) / 2), error * math.exp(max(0.0, high) / 2)
