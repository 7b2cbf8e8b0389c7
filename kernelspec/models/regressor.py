"""Regression with a kernel written as text: predictions, their uncertainty, and sampled functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernelspec.catalogue import FaultsNamed, names_faults
from kernelspec.errors import DataError, NotAvailableYet, NotStationaryError, PlanError
from kernelspec.loading import caller_level
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.evaluation import RoundingWarning
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.models.blocks import BlockwiseEstimator, DaskPartitions
from kernelspec.models.conjugate import WidePosterior, fit_wide
from kernelspec.models.exact import MOST_ROWS
from kernelspec.models.given import Observations, SpecOnTable, checked_features, drawn_seed
from kernelspec.models.posterior import (
    ExactPosterior,
    FeaturePosterior,
    FeatureSums,
    Posterior,
    fit_exact,
    fit_features,
    left_out_in_turn,
)
from kernelspec.models.saved import FittedModel, Training, check_finite, training_of
from kernelspec.models.state import By, State, is_too_wide, refuse_masked, target_columns, targets_of, weights_of
from kernelspec.models.state_space import StateSpacePosterior, fit_state_space, space_of
from kernelspec.planning.options import Budget, Method, check_coverage
from kernelspec.samples.declared_arrays import array
from kernelspec.spec import Spec
from kernelspec.tables.column_types import Missing
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import is_lazy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FittedRegressor", "KernelRegressor"]

Numbers = NDArray[np.float64]

_EXACT = 2_000
"""Distinct rows up to which solver="auto" is exact."""

_MOST_STATES = 12
"""States up to which solver="auto" filters: time is proportional to their cube."""

Solver = Literal["exact", "state-space", "features"]

_QUANTILES = np.linspace(0, 1, 2_001)


@dataclass(frozen=True, eq=False)
class FittedRegressor(FittedModel):
    """A posterior with the quantiles of |error|/std of left-out observations, and the arguments it was fitted with."""

    training: Training
    posterior: ExactPosterior | FeaturePosterior | StateSpacePosterior | WidePosterior
    solver: Solver
    reason: str
    n_features: int
    method: str
    squeezed: bool
    weight: float
    """Σ w of the observations."""
    scores: Numbers = array("float64", "targets", len(_QUANTILES), at_least=0)

    def validate(self) -> None:
        """Raise ValueError unless the parts are consistent; a saved model may hold anything."""
        own = self.posterior
        if own.width != self.training.layout.mapped.dim or self.solver != own.solver:
            raise ValueError(
                f"a model by {self.solver} for {self.training.layout.mapped.dim} columns has another posterior"
            )
        if own.n_targets != len(self.scores) or (self.squeezed and own.n_targets > 1) or not self.weight >= 0:
            raise ValueError(f"{own.n_targets} targets have {len(self.scores)} scores")

    def estimator(self) -> KernelRegressor:
        """A KernelRegressor that has this model."""
        training = self.training
        made = KernelRegressor(
            training.spec,
            solver=self.solver,
            n_features=self.n_features,
            method=self.method,
            feature_names=training.feature_names,
            missing=training.missing,
        )
        return made._keep(self, None)

    @property
    def kept_rows(self) -> int:
        """The landmarks of features; all rows of the other solvers."""
        return self.posterior.kept_rows

    @property
    def features_drawn(self) -> DrawnPlan:
        """The map of the features. Raises PlanError for another solver."""
        if not isinstance(self.posterior, FeaturePosterior | WidePosterior):
            raise PlanError(f"ONNX needs a model on features, not solver={self.solver!r}: use solver='features'")
        return self.posterior.features

    def traced(self, features: Any, xp: Any) -> dict[str, Any]:
        """`prediction`, (n,) or (n, T)."""
        assert isinstance(self.posterior, FeaturePosterior | WidePosterior)
        mean = self.posterior.of_features(features)
        return {"prediction": mean[:, 0] if self.squeezed else mean}

    def shown(self) -> dict[str, Any]:
        """Solver, noise and likelihood."""
        own = self.posterior
        return {
            "solver": f"{self.solver} ({self.reason})",
            "noise": (own.noises * own.amplitudes).tolist(),
            "amplitude": own.amplitudes.tolist(),
        } | ({} if isinstance(own, WidePosterior) else {"log_likelihood": float(own.log_likelihoods.sum())})


@names_faults
class KernelRegressor(RegressorMixin, BlockwiseEstimator):  # type: ignore[misc, unused-ignore]
    """A Gaussian process with the kernel of a spec: y = m + f(x) + ε, f ~ N(0, a k), ε ~ N(0, a v).

    `spec` is the kernel, text or a Spec, and `params` gives values to its parameters (`params__scale` in a grid). With
    `tune="auto"`, "likelihood", "loo", "cv" or "median", `fit` tunes them first, as `ks.tune` does with that `by`. The
    intercept m and the amplitude a are fitted, so y needs no scaling and the kernel no factor. The noise variance v is
    that of a term `v*noise()` in the spec, if it has one, else the one of largest likelihood. If landmarks leave out
    more than a tenth of that variance, it is estimated from leave-one-out errors instead.

    `solver="exact"` computes the exact posterior, for up to 10,000 distinct rows. `solver="features"` solves for the
    weights of `n_features` features: landmarks with `method="nystrom"`, or unbiased features with another method of
    `ks.compile`. `solver="state-space"` computes the exact posterior in linear time, for kernels of one column that
    have a state space (`ks.analyze(spec).state_space`). For more than 20,000 sampled or exact columns, `fit` uses
    conjugate gradients, without standard deviations: `solver_reason_` says how. `solver="auto"` is exact for up to
    2,000 distinct rows, and for any number by an exact state space. Each of several targets has its own noise and
    amplitude. `sample_weight` counts how often a row occurs: rows with whole weights give the model that repeated rows
    give, and so are the numbers that the spec takes from data (`median`, `standardize`, `rank`, `fill`).

    `n_features="auto"` is 1,024. For up to 43,690 rows, `fit` takes 1,536 landmarks if the second half of 1,024 lowers
    the generalized cross-validation score by at least 4 %.

    With solver="features", `partial_fit` fits batches of rows one after the other.

    `feature_names`, `text`, `missing` and `random_state` are those of KernelFeatures, but what is missing in a column
    that match() compares is a category of its own by default; `missing="refuse"` refuses it.

    Attributes: `spec_`, the Spec with values for its parameters; `noise_`, v as a variance of y, `amplitude_`, a (both
    arrays for several targets); `log_marginal_likelihood_value_`, the intercept integrated out; `solver_` and
    `solver_reason_`; `fmap_`, the FeatureMap, None for the exact solver; `n_features_in_`, `feature_names_in_`.
    """

    _fitted: FittedRegressor
    _task = "regression"
    _sums: FeatureSums | None = None
    _n_first: int | None = None

    def __init__(
        self,
        spec: str | Spec,
        *,
        params: Mapping[str, float | Literal["median"]] | None = None,
        tune: By | Literal["auto"] | None = None,
        solver: Literal["auto", "exact", "state-space", "features"] = "auto",
        n_features: Budget = "auto",
        method: Method = "nystrom",
        feature_names: Sequence[str] | None = None,
        text: Sequence[str | int] | None = None,
        missing: Missing = "category",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.spec = spec
        self.params = params
        self.tune = tune
        self.solver = solver
        self.n_features = n_features
        self.method = method
        self.feature_names = feature_names
        self.text = text
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to rows X (n, d), targets y, (n,) or (n, T), and weights (n,).

        Dask collections are fitted on features where their partitions are, as `fit_blocks` does with blocks.
        Raises SpecError; DataError for an invalid table or target, and for a column of a data frame that equals y;
        PlanError for an asymmetric or indefinite kernel.
        """
        if y is None:
            raise DataError("requires y to be passed, but the target y is None")
        if is_lazy(X):
            if self.solver not in ("auto", "features"):
                raise PlanError(f"a Dask collection needs solver='features' or 'auto', not {self.solver!r}")
            return self._fit_blocks(DaskPartitions.of_collections(X, y, sample_weight), 0)
        return self._fit(X, y, sample_weight, on_features=False)

    @available_if(lambda self: self.solver == "features")  # type: ignore[untyped-decorator, unused-ignore]
    @FaultsNamed()
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to a batch of rows, or to one more batch; requires solver="features".

        Landmarks and sampled features, parameters set to "median", and the noise of the spec come from the first batch.
        Noise, amplitude and coefficients come from all batches: predictions do not depend on how later ones are cut.
        Widths of intervals do, by a few per cent: the errors that scale them are those of each batch when it came.
        Raises as `fit`; PlanError for a loaded model, or one solved exactly before.
        """
        if y is None:
            raise DataError("requires y to be passed, but the target y is None")
        if not hasattr(self, "_fitted"):
            return self._fit(X, y, sample_weight, on_features=True)
        self._sums_so_far()
        before, observations = self._fitted, self._observations(X, y, sample_weight)
        self._n_first = self._n_first or before.training.n_rows
        self._add_observations(observations)
        # the earlier quantiles and those of the errors of this batch, each weighted by its rows
        reason = _reason_of_batches(self._n_first) if self._n_first else before.reason
        self._solve_sums(observations, before, reason)
        return self

    @available_if(lambda self: self.solver == "features")  # type: ignore[untyped-decorator, unused-ignore]
    @FaultsNamed()
    def fit_blocks(
        self, blocks: Iterable[Sequence[Any]], *, n_held_out: int = 0, checkpoint: str | Path | None = None
    ) -> Self:
        """Fit the model to a table larger than memory, in two passes over blocks; requires solver="features".

        `blocks` can be iterated twice and yields pairs (X, y), or (X, y, sample_weight). Landmarks, samples, medians
        and learned numbers come from 8,000 random rows; noise, amplitude and coefficients from all rows: predictions do
        not depend on how the table is cut. `n_held_out` random rows, at most a fifth, are first predicted without them,
        and `held_out_` is the score. With `checkpoint`, the sums are written to this file once a minute, and a fit that
        was interrupted goes on from there; it knows the table by its targets, weights and random rows. Raises as `fit`;
        PlanError for an iterator, which cannot start again; FileError for a checkpoint of another version, spec, table
        or map.
        """
        return self._fit_blocks(blocks, n_held_out, checkpoint)

    def _classes_with(self, known: NDArray[Any] | None, y: Any) -> None:
        return None

    def _begin(self, X: Any, y: Any, weights: Numbers, classes: Any) -> None:
        self._fit(X, y, weights, on_features=True)

    def _states(self) -> tuple[State, ...]:
        return self._sums_so_far().states

    def _become(self, states: Sequence[State], left: float, training: Training) -> None:
        self._sums = self._sums_so_far().of_states(states, left)
        self._fitted = replace(self._fitted, training=training, weight=states[0].weight)

    def _left(self) -> float:
        return self._sums_so_far().left

    def _solve_merged(self, other: Self) -> None:
        own, theirs = self._fitted, other._fitted
        scores = _merged(own.scores, own.weight - theirs.weight, theirs.scores, _spread_over(theirs.weight))
        self._fitted = replace(own, posterior=self._sums_so_far().posterior(), scores=scores)

    def _add(self, X: Any, y: Any, weights: Numbers | None) -> None:
        self._add_observations(self._observations(X, y, weights))

    def _solve(self, X: Any, y: Any, weights: Numbers) -> None:
        reason = f"in blocks: landmarks, samples and scales are those of {len(y):,} random rows"
        self._solve_sums(self._observations(X, y, weights), None, reason)

    def _sums_so_far(self) -> FeatureSums:
        if self._sums is None:
            raise PlanError(
                "this model cannot be fitted further: it was loaded, or solved exactly or by conjugate gradients. Fit "
                "it with solver='features', and save it after the last batch"
            )
        return self._sums

    def _observations(self, X: Any, y: Any, sample_weight: Any) -> Observations:
        rows = self._rows(X)
        return Observations.of(rows, target_columns(y), weights_of(sample_weight, len(rows)))

    def _add_observations(self, observations: Observations) -> None:
        sums = self._sums_so_far()
        self._sums, before = sums.added(observations), self._fitted
        weight = before.weight + float(observations.weights.sum())
        self._fitted = replace(before, training=before.training.added(observations), weight=weight)

    def _solve_sums(self, observations: Observations, before: FittedRegressor | None, reason: str) -> None:
        """Solve the sums; the errors of some observations join the quantiles of `before`, or replace them."""
        posterior = self._sums_so_far().posterior()
        left_out = posterior.leave_one_out(observations)
        if before is None:
            scores = np.array([_quantiles(own, left_out.weights) for own in left_out.scores])
        else:
            scores = _merged(before.scores, before.weight, left_out.scores, left_out.weights)
        self._fitted = replace(self._fitted, posterior=posterior, scores=scores, reason=reason)

    def _fit(self, X: Any, y: Any, sample_weight: Any, *, on_features: bool) -> Self:
        n_features = checked_features(self.n_features)
        table, spec, read = self._read(X, y, partial(weights_of, sample_weight))
        targets = targets_of(y)
        table.refuse_target(read.layout, targets)
        squeezed = targets.ndim == 1
        targets = targets[:, None] if squeezed else targets
        observations = Observations.of(read.rows, targets, weights_of(sample_weight, len(read.rows)))
        observations.check_two()
        solver, reason = self._solver(read, len(observations.rows))
        if on_features:
            solver, reason = "features", _reason_of_batches(len(observations.targets))
        posterior: ExactPosterior | FeaturePosterior | StateSpacePosterior | WidePosterior
        self._sums, self._n_first, left_out = None, None, None
        again: Callable[[Observations], Posterior]
        if solver != "features":
            exactly: Callable[[Observations], ExactPosterior | StateSpacePosterior] = partial(fit_exact, read)
            error = 0.0
            if solver == "state-space":
                space = space_of(read)
                exactly, error = partial(fit_state_space, read, space), space[0].error
            again, posterior = exactly, exactly(observations)
            if error > (least := float(posterior.noises.min())):
                warnings.warn(
                    f"the states describe the kernel within {error:.1g}, but the noise is {least:.1g}: predictions and "
                    "their deviations may be far from the kernel's; use solver='exact' or more noise",
                    RoundingWarning,
                    stacklevel=caller_level(),
                )
            left_out = posterior.leave_one_out(observations)
        else:
            seed = self._seed()
            feature_map = read.features(observations.rows, self.n_features, self.method, seed)
            if is_too_wide(feature_map) and not on_features and not feature_map.plan.chosen.is_biased:
                posterior, reason = fit_wide(read.noise, feature_map, observations)
            else:
                grows = self.n_features == "auto" and not on_features
                self._sums, posterior, left_out = fit_features(read, observations, feature_map, seed, grows=grows)
                feature_map = self._sums.main.feature_map

                def again(some: Observations) -> Posterior:
                    return fit_features(read, some, feature_map, seed)[1]

        if left_out is not None and observations.are_few:
            left_out = left_out_in_turn(again, observations, left_out)
        scores = np.zeros((targets.shape[1], len(_QUANTILES)))
        if left_out is not None:
            scores = np.array([_quantiles(own, left_out.weights) for own in left_out.scores])
        weight = float(observations.weights.sum())
        if solver == "features":
            n_features = feature_map.plan.n_features
        training = Training.of(spec, table, read, observations, self.feature_names)
        fitted = FittedRegressor(training, posterior, solver, reason, n_features, self.method, squeezed, weight, scores)
        return self._keep(fitted, spec)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions for rows X (n, d). Raises NotFittedError; DataError, also for masked targets."""
        refuse_masked(y)
        return float(super().score(X, y, sample_weight))

    @property
    def solver_(self) -> Solver:
        """The solver that was used."""
        return self._of_fit().solver

    @property
    def solver_reason_(self) -> str:
        """Why this solver was used."""
        return self._of_fit().reason

    @property
    def fmap_(self) -> FeatureMap | None:
        """The feature map; None for the exact solver."""
        own = self._of_fit().posterior
        return own.feature_map if isinstance(own, FeaturePosterior | WidePosterior) else None

    @property
    def noise_(self) -> Any:
        """The variance of the observation noise, in units of y squared; (T,) for several targets."""
        own = self._of_fit().posterior
        return self._shown(own.amplitudes * own.noises)

    @property
    def amplitude_(self) -> Any:
        """The factor a of the kernel; (T,) for several targets."""
        return self._shown(self._of_fit().posterior.amplitudes)

    @property
    def log_marginal_likelihood_value_(self) -> float:
        """Log of the likelihood of y with the intercept integrated out, summed over the targets."""
        return float(self._of_fit().posterior.log_likelihoods.sum())

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """The posterior mean of y, (m,) or (m, T).

        With `return_std`, also the standard deviation of a new observation, noise included, of the same shape; with
        `return_cov`, also their covariance, (m, m) or (m, m, T). Raises NotFittedError, DataError.
        """
        if return_std and return_cov:
            raise PlanError("return_std and return_cov exclude each other: the diagonal of the covariance is std**2")
        rows = self._rows(X)
        mean = self._mean(rows)
        if return_std:
            return self._shown(mean), self._shown(self._deviation(rows))
        if not return_cov:
            return self._shown(mean)
        own = self._fitted.posterior
        amplitudes, noises = own.amplitudes, own.noises
        found = [
            amplitude * (own.covariance(rows, target) + noise * np.eye(len(rows)))
            for target, (amplitude, noise) in enumerate(zip(amplitudes, noises, strict=True))
        ]
        return self._shown(mean), self._shown(np.stack(found, axis=-1))

    def predict_interval(self, X: Any, coverage: float = 0.95) -> tuple[Any, Any]:
        """Lower and upper ends of intervals that hold a new observation with probability `coverage`.

        mean ± q·std, where q is the quantile of |error|/std over the training rows, each predicted by the model fitted
        without it, so errors need not be normal. Of up to 32 rows, `fit` learns noise and amplitude again without each.
        A rough kernel explains the noise of scattered rows too: there, a given `v*noise()` is safer than a learned one.
        Raises NotFittedError, DataError, and PlanError for a coverage outside (0, 1).
        """
        check_coverage(coverage)
        rows = self._rows(X)
        mean, half = self._mean(rows), self._deviation(rows) * self._factor(coverage)
        return self._shown(mean - half), self._shown(mean + half)

    def plot(
        self,
        X: Any = None,
        y: Any = None,
        *,
        column: str | int | None = None,
        coverage: float = 0.95,
        dark: bool | None = None,
    ) -> Figure:
        """The prediction of y along a column of numbers, with the band of `predict_interval`.

        The column (default: the first) runs over its range in X; all others have their median or most frequent category
        there. Without X, these are the training rows, if the model keeps them. With X and y, observations are shown.
        Of several targets, the first is shown. Raises NotFittedError, DataError; PlanError for a model without rows, or
        another column; MissingPackageError without matplotlib.
        """
        from kernelspec.models.explanation import plot_prediction

        target = training_of(self).target or "y"
        return plot_prediction(
            lambda rows: (self.predict(rows), *self.predict_interval(rows, coverage)),
            self._fitted.training.layout,
            self._rows_to_plot(X, y),
            y,
            column,
            (target, f"{100 * coverage:g} % interval"),
            dark,
        )

    def _rows_to_plot(self, X: Any, y: Any) -> Rows:
        own = self._fitted.posterior
        if X is not None:
            return self._rows(X)
        if y is not None:
            raise PlanError("y is drawn at the rows of X: pass both, plot(X, y)")
        match own:
            case ExactPosterior():
                return own.fit.rows
            case StateSpacePosterior():
                return own.path.training.rows
        raise PlanError("this model keeps no training rows: pass a table, plot(X)")

    def sample_y(self, X: Any, n_samples: int = 1, random_state: int | np.random.RandomState | None = 0) -> Any:
        """Samples from the joint posterior of observations at the rows of X: (m, n_samples) or (m, T, n_samples).

        Each is one function on all rows, plus noise. Raises NotFittedError, DataError, and PlanError unless `n_samples`
        is an integer of at least 0.
        """
        if not isinstance(n_samples, Integral) or isinstance(n_samples, bool) or n_samples < 0:
            raise PlanError(f"n_samples must be a whole number from 0 on, not {n_samples!r:.60}")
        rows = self._rows(X)
        generator = np.random.default_rng(drawn_seed(random_state))
        posterior = self._fitted.posterior
        drawn = posterior.drawn(rows, n_samples, generator)
        drawn += np.sqrt(posterior.noises)[:, None] * generator.standard_normal(drawn.shape)
        found = self._mean(rows)[:, :, None] + np.sqrt(posterior.amplitudes)[:, None] * drawn
        return found[:, 0] if self._fitted.squeezed else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _solver(self, given: SpecOnTable, n_distinct: int) -> tuple[Solver, str]:
        if self.solver not in ("auto", *get_args(Solver)):
            raise PlanError(f"solver must be 'auto', 'exact', 'state-space' or 'features', not {self.solver!r}")
        if self.solver == "state-space":
            error = space_of(given)[0].error
            return self.solver, f"as asked for; the kernel within {error:.1g}" if error else "as asked for"
        if self.solver == "exact" and n_distinct > MOST_ROWS:
            raise PlanError(
                f"the exact solver takes at most {MOST_ROWS:,} distinct rows, and there are {n_distinct:,}: use "
                "solver='features'"
            )
        if self.solver != "auto":
            return self.solver, "as asked for"
        shown = f"{n_distinct:,} distinct rows, {'at most' if n_distinct <= _EXACT else 'more than'} {_EXACT:,}"
        if n_distinct <= _EXACT:
            return "exact", shown
        try:
            space, _ = space_of(given)
        except (NotAvailableYet, NotStationaryError):
            return "features", shown
        if space.error or space.n_states > _MOST_STATES:
            return "features", shown
        return "state-space", f"{shown}, and {space.n_states} states describe the kernel exactly"

    def _of_fit(self) -> FittedRegressor:
        check_is_fitted(self, "_fitted")
        return self._fitted

    def _mean(self, rows: Rows) -> Numbers:
        """The posterior mean, (m, T). Raises DataError if it overflows."""
        with np.errstate(over="ignore", invalid="ignore"):  # overflow is reported by name
            return check_finite(self._fitted.posterior.mean(rows))

    def _deviation(self, rows: Rows) -> Numbers:
        """The standard deviation of a new observation, (m, T). Raises DataError if it overflows."""
        own = self._fitted.posterior
        with np.errstate(over="ignore", invalid="ignore"):
            return check_finite(np.sqrt(own.amplitudes * (own.variance(rows) + own.noises)))

    def _factor(self, coverage: float) -> Numbers:
        """q for each target, (T,)."""
        n, scores = self._fitted.weight, self._fitted.scores
        level = coverage * (n + 1) / n if n else coverage  # without rows: those of an earlier model
        if level > 1:  # too few rows for a quantile: that of normal errors whose mean and size are estimated from them
            return np.maximum(scores[:, -1], stdtrit(max(1.0, n - 2), (1 + coverage) / 2))
        return np.array([np.interp(level, _QUANTILES, own) for own in scores])

    def _shown(self, values: Numbers) -> Any:
        """The values without the last axis, for targets, if y had none."""
        if not self._fitted.squeezed:
            return values
        found = values[..., 0]
        return found if np.ndim(found) else float(found)


def _reason_of_batches(n_first: int) -> str:
    return f"partial_fit: landmarks, samples and scales are those of the first {n_first:,} rows"


def _quantiles(scores: Numbers, weights: Numbers) -> Numbers:
    """Weighted quantiles of scores (n,) with weights (n,): (2001,)."""
    order = np.argsort(scores)
    cumulated = np.cumsum(weights[order])
    places = np.searchsorted(cumulated, _QUANTILES * cumulated[-1] * (1 - 1e-12))
    return np.asarray(scores[order][np.minimum(places, len(scores) - 1)])


def _merged(quantiles: Numbers, weight: float, scores: Numbers, weights: Numbers) -> Numbers:
    """The combined quantiles of earlier observations of this weight, and of scores (T, n) with weights (n,)."""
    both = np.concatenate([_spread_over(weight), weights])
    return np.array([_quantiles(np.concatenate(own), both) for own in zip(quantiles, scores, strict=True)])


def _spread_over(weight: float) -> Numbers:
    """The weight of observations, shared among their quantiles."""
    return np.full(len(_QUANTILES), weight / len(_QUANTILES))
