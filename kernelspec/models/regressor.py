"""Regression with a kernel written as text: predictions, their uncertainty, and sampled functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernelspec.errors import DataError, NotAvailableYet, NotStationaryError, PlanError
from kernelspec.models.exact import MOST_ROWS
from kernelspec.models.given import Observations, Table
from kernelspec.models.posterior import ExactPosterior, FeaturePosterior, FeatureSums, LeaveOneOut, fit_exact
from kernelspec.models.saved import FittedEstimator, FittedModel, Training, check_finite
from kernelspec.models.state import targets_of, weights_of
from kernelspec.models.state_space import StateSpacePosterior, fit_state_space, space_of
from kernelspec.samples.declared_arrays import array

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.planning.options import Method
    from kernelspec.spec import Spec
    from kernelspec.tables.column_types import Missing
    from kernelspec.tables.rows import Rows

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
    posterior: ExactPosterior | FeaturePosterior | StateSpacePosterior
    solver: Solver
    reason: str
    n_features: int
    method: str
    squeezed: bool
    weight: float
    """Σ w of the observations."""
    scores: Numbers = array("float64", "targets", len(_QUANTILES), at_least=0)

    def validate(self) -> None:
        """Raise ValueError unless the parts fit each other: a saved model may hold any."""
        own = self.posterior
        if own.width != self.training.layout.mapped.dim or self.solver != own.solver:
            raise ValueError(
                f"a model by {self.solver} for {self.training.layout.mapped.dim} columns has another posterior"
            )
        if own.n_targets != len(self.scores) or (self.squeezed and own.n_targets > 1) or not self.weight > 0:
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

    def shown(self) -> dict[str, Any]:
        """Solver, noise and likelihood."""
        own = self.posterior
        return {
            "solver": f"{self.solver} ({self.reason})",
            "noise": (own.noises * own.amplitudes).tolist(),
            "amplitude": own.amplitudes.tolist(),
            "log_likelihood": float(own.log_likelihoods.sum()),
        }


class KernelRegressor(RegressorMixin, FittedEstimator):  # type: ignore[misc, unused-ignore]
    """A Gaussian process with the kernel of a spec: y = m + f(x) + ε, f ~ N(0, a k), ε ~ N(0, a v).

    `spec` is the kernel, text or a Spec, and `params` gives values to its parameters (`params__scale` in a grid). The
    intercept m and the amplitude a are fitted, so y needs no scaling and the kernel no factor. The noise variance v is
    that of a term `v*noise()` in the spec, if it has one, else the one of largest likelihood.

    `solver="exact"` computes the exact posterior, for up to 10,000 distinct rows. `solver="features"` solves for the
    weights of `n_features` features: landmarks with `method="nystrom"`, or unbiased features with another method of
    `ks.compile`. `solver="state-space"` computes the exact posterior in linear time, for kernels of one column that
    have a state space (`ks.analyze(spec).state_space`). `solver="auto"` is exact for up to 2,000 distinct rows, and for
    any number by an exact state space. Each of several targets has its own noise and
    amplitude. `sample_weight` counts how often a row occurs: rows with whole weights give the model that repeated rows
    give.

    With solver="features", `partial_fit` fits batches of rows one after the other.

    `feature_names`, `text`, `missing` and `random_state` are those of KernelFeatures.

    Attributes: `spec_`, the Spec with values for its parameters; `noise_`, v as a variance of y, `amplitude_`, a (both
    arrays for several targets); `log_marginal_likelihood_value_`, the intercept integrated out; `solver_` and
    `solver_reason_`; `fmap_`, the FeatureMap, None for the exact solver; `n_features_in_`, `feature_names_in_`.
    """

    _fitted: FittedRegressor
    _sums: FeatureSums | None = None
    _n_first: int | None = None

    def __init__(
        self,
        spec: str | Spec,
        *,
        params: Mapping[str, float | Literal["median"]] | None = None,
        solver: Literal["auto", "exact", "state-space", "features"] = "auto",
        n_features: int = 1024,
        method: Method = "nystrom",
        feature_names: Sequence[str] | None = None,
        text: Sequence[str | int] | None = None,
        missing: Missing = "refuse",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.spec = spec
        self.params = params
        self.solver = solver
        self.n_features = n_features
        self.method = method
        self.feature_names = feature_names
        self.text = text
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to rows X (n, d), targets y, (n,) or (n, T), and weights (n,).

        Raises SpecError; DataError for a table or a target that cannot be used; PlanError for an asymmetric or
        indefinite kernel, which no Gaussian process has.
        """
        if y is None:
            raise DataError("requires y to be passed, but the target y is None")
        return self._fit(X, y, sample_weight, on_features=False)

    @available_if(lambda self: self.solver == "features")  # type: ignore[untyped-decorator, unused-ignore]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to a batch of rows, or to one more batch; with solver="features" only.

        Landmarks and sampled features, the parameters "median", and the noise of the spec are those of the first batch.
        Noise, amplitude and coefficients are those of all batches: the model is the same, however they are cut. Raises
        what `fit` does; PlanError for a model that was loaded, or solved exactly before.
        """
        if y is None:
            raise DataError("requires y to be passed, but the target y is None")
        if not hasattr(self, "_fitted"):
            return self._fit(X, y, sample_weight, on_features=True)
        if self._sums is None:
            raise PlanError(
                "this model cannot be fitted further: it was loaded, or solved exactly. Fit it with solver='features', "
                "and save it after the last batch"
            )
        rows, targets = self._rows(X), targets_of(y)
        targets = targets[:, None] if targets.ndim == 1 else targets
        observations = Observations.of(rows, targets, weights_of(sample_weight, len(rows)))
        sums, before = self._sums.added(observations), self._fitted
        posterior, weight = sums.posterior(), before.weight + float(observations.weights.sum())
        n_first = before.training.n_rows if self._n_first is None else self._n_first
        reason = _reason_of_batches(n_first)
        scores = _merged(before.scores, before.weight, posterior.leave_one_out(observations))
        training = before.training.added(observations)
        self._fitted = replace(
            before, training=training, posterior=posterior, weight=weight, scores=scores, reason=reason
        )
        self._sums, self._n_first = sums, n_first
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, *, on_features: bool) -> Self:
        table = Table.of(X, self.feature_names)
        targets = targets_of(y)
        spec = self._kernel().on(table.data, self.feature_names, self.text or (), self.missing)
        read = table.under(spec, self.feature_names, self.text or (), self.missing)
        squeezed = targets.ndim == 1
        targets = targets[:, None] if squeezed else targets
        observations = Observations.of(read.rows, targets, weights_of(sample_weight, len(read.rows)))
        if len(observations.targets) < 2:
            raise DataError(f"a model needs two rows at least: n_samples={len(observations.targets)}")
        solver, reason = self._solver(read.kernel, len(observations.rows))
        if on_features:
            solver, reason = "features", _reason_of_batches(len(observations.targets))
        posterior: ExactPosterior | FeaturePosterior | StateSpacePosterior
        self._sums, self._n_first = None, None
        if solver == "exact":
            posterior = fit_exact(read, observations)
        elif solver == "state-space":
            posterior = fit_state_space(read, observations)
        else:
            self._sums = FeatureSums.of(
                read, observations, n_features=self.n_features, method=self.method, seed=self._seed()
            )
            posterior = self._sums.posterior()
        left_out = posterior.leave_one_out(observations)
        scores = np.array([_quantiles(own, left_out.weights) for own in left_out.scores])
        weight = float(observations.weights.sum())
        training = Training.of(spec, table, read, observations, self.feature_names)
        fitted = FittedRegressor(
            training, posterior, solver, reason, self.n_features, self.method, squeezed, weight, scores
        )
        return self._keep(fitted, spec)

    @property
    def solver_(self) -> Solver:
        """The solver that was used."""
        return self._of_fit().solver

    @property
    def solver_reason_(self) -> str:
        """Why."""
        return self._of_fit().reason

    @property
    def fmap_(self) -> FeatureMap | None:
        """The feature map; None for the exact solver."""
        own = self._of_fit().posterior
        return own.feature_map if isinstance(own, FeaturePosterior) else None

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
        """Lower and upper ends of intervals that hold a new observation with a probability of `coverage`.

        mean ± q·std, where q is the quantile of |error|/std over the training rows, each predicted by the model fitted
        without it: errors that are not normal are allowed for. Raises NotFittedError, DataError, and PlanError for a
        coverage outside of (0, 1).
        """
        if not 0 < coverage < 1:
            raise PlanError(f"coverage must be between 0 and 1, not {coverage!r}")
        rows = self._rows(X)
        mean, half = self._mean(rows), self._deviation(rows) * self._factor(coverage)
        return self._shown(mean - half), self._shown(mean + half)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: int | np.random.RandomState | None = 0) -> Any:
        """Samples from the joint posterior of observations at the rows of X: (m, n_samples) or (m, T, n_samples).

        Each is one function on all rows, plus noise. Raises NotFittedError, DataError.
        """
        rows = self._rows(X)
        generator = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        posterior = self._fitted.posterior
        drawn = posterior.drawn(rows, n_samples, generator)
        drawn += np.sqrt(posterior.noises)[:, None] * generator.standard_normal(drawn.shape)
        found = self._mean(rows)[:, :, None] + np.sqrt(posterior.amplitudes)[:, None] * drawn
        return found[:, 0] if self._fitted.squeezed else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _solver(self, kernel: Kernel, n_distinct: int) -> tuple[Solver, str]:
        if self.solver not in ("auto", *get_args(Solver)):
            raise PlanError(f"solver must be 'auto', 'exact', 'state-space' or 'features', not {self.solver!r}")
        if self.solver == "state-space":
            error = space_of(kernel)[0].error
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
            space, _ = space_of(kernel)
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
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused by name
            return check_finite(self._fitted.posterior.mean(rows))

    def _deviation(self, rows: Rows) -> Numbers:
        """The standard deviation of a new observation, (m, T). Raises DataError if it overflows."""
        own = self._fitted.posterior
        with np.errstate(over="ignore", invalid="ignore"):
            return check_finite(np.sqrt(own.amplitudes * (own.variance(rows) + own.noises)))

    def _factor(self, coverage: float) -> Numbers:
        """q for each target, (T,)."""
        n, scores = self._fitted.weight, self._fitted.scores
        level = coverage * (n + 1) / n
        normal = NormalDist().inv_cdf((1 + coverage) / 2)
        if level > 1:
            return np.maximum(scores[:, -1], normal)
        return np.array([np.interp(level, _QUANTILES, own) for own in scores])

    def _shown(self, values: Numbers) -> Any:
        """Without the axis of the targets (the last) if y had none."""
        if not self._fitted.squeezed:
            return values
        found = values[..., 0]
        return found if np.ndim(found) else float(found)


def _reason_of_batches(n_first: int) -> str:
    return f"partial_fit: landmarks, samples and scales are those of the first {n_first:,} rows"


def _quantiles(scores: Numbers, weights: Numbers) -> Numbers:
    """Quantiles of scores (n,) that weights (n,) count: (2001,)."""
    order = np.argsort(scores)
    cumulated = np.cumsum(weights[order])
    places = np.searchsorted(cumulated, _QUANTILES * cumulated[-1] * (1 - 1e-12))
    return np.asarray(scores[order][np.minimum(places, len(scores) - 1)])


def _merged(quantiles: Numbers, weight: float, left_out: LeaveOneOut) -> Numbers:
    """The quantiles of earlier observations of this weight and of more, for each target."""
    n = quantiles.shape[1]
    weights = np.concatenate([np.full(n, weight / n), left_out.weights])
    return np.array(
        [_quantiles(np.concatenate(both), weights) for both in zip(quantiles, left_out.scores, strict=True)]
    )
