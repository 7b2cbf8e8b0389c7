"""Gaussian processes fitted to observations: exactly, or on the features of a map. All variances are relative to a.

The model is y = m + f(x) + ε with f ~ N(0, a k), ε ~ N(0, a λ) and a flat prior on m.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.models.exact import ExactFit, ExactPath, diagonal_of
from kernelspec.models.ridge import RidgeFit, RidgePath, least
from kernelspec.models.state import State, dense
from kernelspec.planning.strata import kernel_value

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.models.given_table import Observations, SpecOnTable
    from kernelspec.planning.options import Method
    from kernelspec.tables.rows import Rows

__all__ = ["ExactPosterior", "FeaturePosterior", "LeaveOneOut", "Posterior", "fit_exact", "fit_on_features"]

Numbers = NDArray[np.float64]

_FOR_VARIANCE = 256
"""Landmarks that the variance comes from if features are sampled: sampled ones are certain of rows far from all."""

_MOST_TOGETHER = 2_048
"""Rows on which functions are drawn together."""

_NEGLIGIBLE = 1e-9
"""A residual of this share of k(x, x) is rounding."""


class Posterior(Protocol):
    """What the observations say of the function, for each of T targets."""

    @property
    def noises(self) -> Numbers:
        """λ, the noise variance relative to the amplitude, (T,)."""

    @property
    def amplitudes(self) -> Numbers:
        """a, (T,)."""

    @property
    def log_likelihoods(self) -> Numbers:
        """Log of the restricted marginal likelihood, (T,)."""

    def mean(self, rows: Rows) -> Numbers:
        """The posterior mean of m + f, (m, T)."""

    def variance(self, rows: Rows) -> Numbers:
        """The posterior variance of m + f, (m, T)."""

    def covariance(self, rows: Rows, target: int) -> Numbers:
        """The posterior covariance of m + f for one target, (m, m)."""

    def drawn(self, rows: Rows, n_samples: int, generator: np.random.Generator) -> Numbers:
        """Functions drawn from the posterior, less its mean: (m, T, n)."""

    def leave_one_out(self, observations: Observations) -> LeaveOneOut:
        """The error for each observation of the model fitted without it."""


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Errors y − ŷ and predicted standard deviations, (n, T), in units of y, and weights (n,)."""

    errors: Numbers
    deviations: Numbers
    weights: Numbers


@dataclass(frozen=True, eq=False)
class ExactPosterior:
    """The exact posterior on up to thousands of distinct rows."""

    fit: ExactFit
    amplitudes: Numbers
    log_likelihoods: Numbers

    @property
    def noises(self) -> Numbers:
        return self.fit.noises

    def mean(self, rows: Rows) -> Numbers:
        return self.fit.mean(rows)

    def variance(self, rows: Rows) -> Numbers:
        return self.fit.variance(rows)

    def covariance(self, rows: Rows, target: int) -> Numbers:
        return self.fit.covariance(rows, target)

    def drawn(self, rows: Rows, n_samples: int, generator: np.random.Generator) -> Numbers:
        drawn = [_drawn(self.covariance(rows, t), n_samples, generator) for t in range(len(self.noises))]
        return np.stack(drawn, axis=1)

    def leave_one_out(self, observations: Observations) -> LeaveOneOut:
        leverage = self.fit.leverage()
        fitted = self.fit.mean(observations.rows)
        own = self.noises * leverage / _kept(leverage) + self.noises
        return _left_out(observations, fitted, leverage, own * self.amplitudes)


@dataclass(frozen=True, eq=False)
class FeaturePosterior:
    """The posterior on features: their noise τ is λ and the mean of what landmarks alone leave of k(x, x).

    The variance is that of the features of `spread_map`, landmarks and nothing else, and of their residual
    k(x, x) − ‖h(x)‖², so it is a k(x, x) far from all rows [Snelson and Ghahramani 2006].
    """

    feature_map: FeatureMap
    fit: RidgeFit
    spread_map: FeatureMap
    spread_fit: RidgeFit
    noises: Numbers
    amplitudes: Numbers
    log_likelihoods: Numbers

    def mean(self, rows: Rows) -> Numbers:
        return np.concatenate([self.fit.mean(dense(block)) for block in self.feature_map.blocks(rows)])

    def variance(self, rows: Rows) -> Numbers:
        explained = self._leverage(self.spread_map, self.spread_fit, rows) * self.spread_fit.noises
        return np.asarray(explained + self.spread_map.residual(rows)[:, None])

    def covariance(self, rows: Rows, target: int) -> Numbers:
        fit = self.spread_fit
        rotated = (dense(self.spread_map.left(rows)) - fit.feature_mean) @ fit.eigenvectors
        noise = fit.noises[target]
        explained = (rotated * (noise / (fit.eigenvalues + noise))) @ rotated.T + noise / fit.weight
        return np.asarray(explained + self._residual_covariance(rows))

    def drawn(self, rows: Rows, n_samples: int, generator: np.random.Generator) -> Numbers:
        found = self.spread_fit.drawn(dense(self.spread_map.left(rows)), n_samples, generator)
        own = kernel_value(self.spread_map.plan.strata, NumericPairs(rows, rows, grid=False))
        if (self.spread_map.residual(rows) > _NEGLIGIBLE * own).any():
            for target in range(found.shape[1]):
                found[:, target] += _drawn(self._residual_covariance(rows), n_samples, generator)
        return found

    def leave_one_out(self, observations: Observations) -> LeaveOneOut:
        rows = observations.rows
        leverage = self._leverage(self.feature_map, self.fit, rows)
        spread = leverage if self.spread_fit is self.fit else self._leverage(self.spread_map, self.spread_fit, rows)
        own = self.noises + self.spread_map.residual(rows)[:, None] + self.spread_fit.noises * spread / _kept(spread)
        return _left_out(observations, self.mean(rows), leverage, own * self.amplitudes)

    def _leverage(self, feature_map: FeatureMap, fit: RidgeFit, rows: Rows) -> Numbers:
        return np.concatenate([fit.leverage(dense(block)) for block in feature_map.blocks(rows)])

    def _residual_covariance(self, rows: Rows) -> Numbers:
        if len(rows) > _MOST_TOGETHER:
            raise DataError(
                f"functions are drawn on at most {_MOST_TOGETHER} rows together, not {len(rows)}: draw them in parts, "
                "or give the model more features"
            )
        from kernelspec.maps.landmarks import landmark_columns

        plan = self.spread_map.plan
        assert plan.landmarks is not None
        columns = landmark_columns(plan, plan.landmarks, rows, "left")
        return np.asarray(kernel_value(plan.strata, NumericPairs(rows, rows)) - columns @ columns.T)


def _drawn(covariance: Numbers, n_samples: int, generator: np.random.Generator) -> Numbers:
    """N(0, covariance), (m, n)."""
    eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return np.asarray(root @ generator.standard_normal((len(covariance), n_samples)))


def _kept(leverage: Numbers) -> Numbers:
    """1 − h, what an observation leaves of its own error."""
    return np.maximum(1.0 - leverage, np.finfo(float).eps)


def _left_out(observations: Observations, fitted: Numbers, leverage: Numbers, variance: Numbers) -> LeaveOneOut:
    """Errors e/(1 − h) for the leverage h of one observation of each distinct row, (u, T), and these variances."""
    place = observations.place
    errors = (observations.targets - fitted[place]) / _kept(leverage)[place]
    return LeaveOneOut(errors, np.sqrt(np.maximum(variance, 0.0))[place], observations.weights)


def fit_exact(kernel: Kernel, observations: Observations, noise: float | None) -> ExactPosterior:
    """The exact posterior with a given noise variance, or the one of largest likelihood for each target.

    Raises DataError; PlanError for a kernel that the rows show to be indefinite.
    """
    path = ExactPath.of(kernel, observations)
    scale = float(np.mean(diagonal_of(kernel, observations.rows)))
    if path.least_eigenvalue < -1e-9 * max(float(path.eigenvalues.max(initial=0.0)), scale):
        raise PlanError(
            f"the kernel matrix of these rows has the eigenvalue {path.least_eigenvalue:.3g}: the kernel is not "
            "positive definite, and a Gaussian process needs one that is"
        )
    n_targets = observations.targets.shape[1]
    noises = least(path.deviance, scale) if noise is None else np.full(n_targets, max(noise, 1e-10 * scale))
    return ExactPosterior(path.fit(noises), path.amplitudes(noises), -np.diagonal(path.deviance(noises)) / 2)


def fit_on_features(
    given: SpecOnTable, observations: Observations, *, n_features: int, method: Method, seed: int
) -> FeaturePosterior:
    """The posterior on features for these observations, the noise as in `fit_exact`. Raises SpecError, PlanError."""
    rows, noise = observations.rows, given.noise

    def solved(feature_map: FeatureMap) -> RidgePath:
        state = State.of(feature_map, rows, observations.means, observations.totals)
        state.target_scatter += observations.within
        return RidgePath.of(state)

    feature_map = given.features(rows, n_features, method, seed)
    path, left = solved(feature_map), 0.0
    if feature_map.plan.chosen.is_biased:  # samples beside landmarks estimate what these leave
        spread_map, spread_path = feature_map, path
        left = float(observations.totals @ feature_map.residual(rows) / observations.totals.sum())
    else:
        spread_map = given.features(rows, _FOR_VARIANCE, "nystrom", seed)
        spread_path = solved(spread_map)
    scale = float(np.mean(kernel_value(feature_map.plan.strata, NumericPairs(rows, rows, grid=False))))
    if noise is None:
        noises = least(lambda tried: path.deviance(tried + left), scale)
    else:
        noises = np.full(observations.targets.shape[1], max(noise, 1e-10 * scale))
    total = noises + left
    fit = path.fit(total)
    return FeaturePosterior(
        feature_map,
        fit,
        spread_map,
        fit if spread_path is path else spread_path.fit(total),
        noises,
        path.amplitudes(total),
        -np.diagonal(path.deviance(total)) / 2,
    )
