"""Predictions of a plan on given rows: the variance of single estimates, and the error of the kernel matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import Collisions
from kernelspec.maps.draw import draw_plan
from kernelspec.maps.evaluation import approximate, inner_products
from kernelspec.numerics.threads import single_threaded
from kernelspec.planning.landmarks.landmarks import CompiledPairs, Residual
from kernelspec.planning.landmarks.simulated import MeasuredError, can_simulate, has_no_variance
from kernelspec.planning.measured import error_interval
from kernelspec.planning.options import ROUNDING
from kernelspec.planning.plan import Plan
from kernelspec.planning.reference import JudgedRows, PairWeights, RowsScatter, relative_error
from kernelspec.planning.strata import kernel_value
from kernelspec.tables.rows import Rows

__all__ = ["ErrorOnRows", "predict_variance"]

_SIDE_BY_SIDE = 512
"""Rows of x per block."""

_SIMULATED = 512
"""Rows on either side for simulated draws: all, or a sample that includes those far from the landmarks."""

_DRAWN_ROWS, _DRAWS, _TABLES = 128, 32, 4000
"""Rows on either side, and maps, for the scatter of errors of maps with keys; and numbers for an interval."""

_SEED, _LEAST_VARIANCE, _SCATTER_OF_SHARING = 0x5343415454455200, 1e-4, 0.25
"""The seed of the first of these maps, which no other map is likely to have; the least relative variance of a squared
error, and of what unknown keys add to it.
"""


def predict_variance(plan: Plan, x: Rows, y: Rows, collisions: Collisions | None = None) -> NDArray[np.float64]:
    """Variance of the estimate of k(x_i, y_j), (n, m); with `collisions`, of features with hashed keys."""
    blocks = [plan.variance(NumericPairs(block, y), collisions) for _, block in x.blocks(_SIDE_BY_SIDE)]
    return np.concatenate(blocks)


@dataclass(frozen=True, eq=False)
class ErrorOnRows:
    """‖K̂ − K‖_F / ‖K‖_F for K = (k(x_i, y_j)): the root of its mean square over maps, and an interval for some maps.

    By formula if there is one. The errors of coupled samples and of landmark remainders are simulated on these very
    rows: a ratio to independent samples measured on other rows does not apply to rows far from them. `more_variance` is
    added to the total that the plan predicts.
    """

    plan: Plan
    x: Rows
    y: Rows
    collisions: Collisions | None = None
    more_variance: float = 0.0

    @np.errstate(over="ignore", invalid="ignore")  # the error is infinite if squares overflow
    def predicted(self) -> float:
        """√E‖K̂ − K‖²_F / ‖K‖_F; 0 if K̂ is K, infinite if only K is 0. Raises PlanError for shortened keys."""
        if self.plan.zero_bit:
            raise PlanError("zero_bit=True is biased, and the error has no formula: compare fmap.approximate with k")
        if self.plan.exactness and can_simulate(self.plan.strata):
            return 0.0  # squares of k may overflow; with keys, new categories may share columns
        if self._is_simulated:
            measured, size, _ = self._measured
            error = measured.total + self.more_variance
            if error > size * ROUNDING**2 and has_no_variance(self.plan.strata, self.x):
                return math.inf
        else:
            error, size = self._by_formula
            error += self.more_variance
        found = relative_error(error, size)
        if found is None:
            return 0.0
        return found if self.plan.exactness else max(found, ROUNDING)

    def simulated_parts(self) -> list[float] | None:
        """The contribution of every stratum to E‖K̂ − K‖²_F; None if there is a formula."""
        if not self._is_simulated:
            return None
        return [factor * own.variance for factor, own, _ in self._measured[0].parts]

    def interval(self, coverage: float, maps: int) -> tuple[float, float]:
        """An interval, with probability `coverage`, for the root mean square of ‖K̂ − K‖_F / ‖K‖_F over `maps` maps."""
        error = self.predicted()
        if not error or not np.isfinite(error) or self.plan.chosen.is_biased or error <= ROUNDING:
            return error, error
        if self.plan.normalized or not can_simulate(self.plan.strata):
            low, high = self._scatter_of_draws(coverage, maps)
            low, high = error * low, error * high
        else:
            found, _, rows = self._measured
            low, high = error_interval(error, found, maps=maps, coverage=coverage, rows=rows)
        return (low, high) if self.plan.exactness else (max(low, ROUNDING), max(high, ROUNDING))

    @property
    def _is_simulated(self) -> bool:
        plan, chosen = self.plan, self.plan.chosen
        if not plan.is_measured or chosen.is_biased or plan.normalized or not can_simulate(plan.strata):
            return False
        return (
            plan.landmarks is not None or plan.form == "paired" or not chosen.is_complex
        )  # else there are offsets, too

    @property
    def _is_coupled_with_keys(self) -> bool:
        """Whether the ratio of coupled samples to independent ones is measured here, as other rows have another."""
        return self.plan.is_measured and self.plan.unbiased and not can_simulate(self.plan.strata)

    @cached_property
    def _totals_of_draws(self) -> NDArray[np.float64] | None:
        """Squared errors of draws of the plan over the one expected by formula; None if no error is expected."""
        of_x, of_y = np.zeros(len(self.x)), np.zeros(len(self.y))
        for part, block in self.x.blocks(_SIDE_BY_SIDE):
            errors = self._expected_squares(block, self.y)
            of_x[part] = errors.sum(axis=1)
            of_y += errors.sum(axis=0)
        x = JudgedRows.among(self.x, _DRAWN_ROWS, of_x)
        y = x if self.y is self.x else JudgedRows.among(self.y, _DRAWN_ROWS, of_y)
        weights = x.of_pairs(len(self.x)) if y is x else PairWeights(x.weights, y.weights)
        expected = weights.total(self._expected_squares(x.rows, y.rows))
        if not 0 < expected < np.inf:
            return None
        kernel = kernel_value(self.plan.strata, NumericPairs(x.rows, y.rows))
        stored = self.collisions is not None and self.collisions == (self.plan.collisions or Collisions.none())
        totals = []
        for seed in range(_SEED, _SEED + _DRAWS):
            draw = draw_plan(replace(self.plan, seed=seed))
            estimate = inner_products if stored and draw.has_columns else approximate  # some learn columns from data
            totals.append(weights.total(np.square(estimate(draw, x.rows, y.rows) - kernel)) / expected)
        return np.array(totals)

    def _scatter_of_draws(self, coverage: float, maps: int) -> tuple[float, float]:
        """The interval of the error of some maps relative to the predicted one, from draws of the plan on some rows.

        If the squared error of a draw has relative variance v, that of M draws is about gamma distributed with shape
        M/v; and v, from R draws, is known up to a χ² with R − 1 degrees of freedom. Draws with less error than expected
        missed rare ones with more, which increases v. The expected error itself is exact by formula, except for coupled
        samples, whose error is the mean of these draws, and for biased plans, for which they alone say what it is. What
        unknown keys add by sharing columns scatters as much, and by a quarter at least.
        """
        totals, generator = self._totals_of_draws, np.random.default_rng(3)
        shared = self.more_variance / (self._by_formula[0] + self.more_variance) if self.more_variance else 0.0
        if totals is None:
            if not shared:
                return 1.0, 1.0
            totals = np.ones(_DRAWS)
        mean = float(np.mean(totals))
        unbiased, coupled = self.plan.unbiased, self._is_coupled_with_keys
        if coupled and mean > 0:
            totals, mean = totals / mean, 1.0
        missed = math.sqrt(_DRAWS) * max(0.0, 1 - mean) if unbiased else 0.0
        variance = max(float(np.var(totals, ddof=1)), missed**2, _LEAST_VARIANCE)
        variances = variance * (_DRAWS - 1) / generator.chisquare(_DRAWS - 1, _TABLES)
        ratios = generator.gamma(maps / variances) * variances / maps
        if coupled or not unbiased:
            of_draws = max(mean, math.sqrt(_LEAST_VARIANCE))
            ratios *= of_draws * np.exp(np.sqrt(variances / _DRAWS) / of_draws * generator.standard_normal(_TABLES))
        if shared:
            own = np.maximum(variances, _SCATTER_OF_SHARING)
            ratios = (1 - shared) * ratios + shared * generator.gamma(maps / own) * own / maps
        low, high = np.sqrt(np.quantile(ratios, [(1 - coverage) / 2, (1 + coverage) / 2]))
        return min(1.0, float(low)), max(1.0, float(high))

    def _expected_squares(self, x: Rows, y: Rows) -> NDArray[np.float64]:
        """E (k̂ − k)² of pairs of rows, (n, m), by formula."""
        pairs = NumericPairs(x, y)
        return np.asarray(self.plan.variance(pairs, self.collisions) + np.square(self.plan.bias_on(pairs)))

    @cached_property
    def _by_formula(self) -> tuple[float, float]:
        """E‖K̂ − K‖²_F without what unknown keys add, and ‖K‖²_F. The ratio of coupled samples with keys to independent
        ones is that of draws on these rows.
        """
        error, size = 0.0, 0.0
        for _, block in self.x.blocks(_SIDE_BY_SIDE):
            pairs = NumericPairs(block, self.y)
            variance, bias = self.plan.variance(pairs, self.collisions), self.plan.bias_on(pairs)
            error += float(variance.sum()) + float(np.square(bias).sum())
            size += float(np.square(kernel_value(self.plan.strata, pairs)).sum())
        if self._is_coupled_with_keys and self._totals_of_draws is not None:
            error *= float(np.mean(self._totals_of_draws))
        return error, size

    @cached_property
    def _measured(self) -> tuple[MeasuredError, float, RowsScatter | None]:
        """The error on all pairs of rows, their Σ k², and the scatter due to choosing rows."""
        with single_threaded():  # the matrices are small, so threads would wait for each other
            x = JudgedRows.among(self.x, _SIMULATED, self._left(self.x))
            y = x if self.y is self.x else JudgedRows.among(self.y, _SIMULATED, self._left(self.y))
            weights = x.of_pairs(len(self.x)) if y is x else PairWeights(x.weights, y.weights)
            pairs, landmarks = CompiledPairs(x.rows, y.rows), self.plan.landmarks
            if landmarks is None:
                residual = Residual.without_landmarks(pairs)
            else:
                residual = Residual.on(pairs, landmarks, self.plan.strata)
            size, samples = np.square(kernel_value(self.plan.strata, pairs)), sum(self.plan.chosen.counts)
            is_part = y is x and len(x.rows) < len(self.x)
            rows = RowsScatter(x, size, samples, known=len(x.rows)) if is_part else None
            return MeasuredError.of(self.plan.parts, residual, weights), weights.total(size), rows

    def _left(self, rows: Rows) -> NDArray[np.float64] | None:
        """What landmarks leave of k(x, x), for rows to choose from."""
        landmarks = self.plan.landmarks
        if landmarks is None or len(rows) <= _SIMULATED or landmarks.right is not None:
            return None
        strata, kept = self.plan.strata, landmarks.left.rows
        own = kernel_value(strata, NumericPairs(rows, rows, grid=False))
        blocks = [kernel_value(strata, CompiledPairs(block, kept)) for _, block in rows.blocks(_SIDE_BY_SIDE)]
        columns = np.concatenate([landmarks.columns(values, "left") for values in blocks])
        return np.asarray(np.abs(own - np.square(columns) @ landmarks.signs))
