"""Gaussian processes fitted to observations: exactly, or on the features of a map. All variances are relative to a.

The model is y = m + f(x) + ε with f ~ N(0, a k), ε ~ N(0, a λ) and a flat prior on m.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.landmarks import bounding_landmarks, landmark_columns
from kernelspec.models.exact import ExactFit, ExactPath, diagonal_of
from kernelspec.models.state import RidgeFit, RidgePath, State, dense, least
from kernelspec.planning.strata import kernel_value
from kernelspec.samples.declared_arrays import array

if TYPE_CHECKING:
    from kernelspec.models.given import Observations, SpecOnTable
    from kernelspec.planning.options import Method
    from kernelspec.tables.rows import Rows

__all__ = [
    "ExactPosterior",
    "FeaturePosterior",
    "FeatureSums",
    "LeaveOneOut",
    "Posterior",
    "check_fit",
    "drawn_with",
    "fit_exact",
    "left_out",
    "without_own",
]

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

    @property
    def scores(self) -> Numbers:
        """|error|/std for each target and observation, (T, n)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(np.abs(self.errors) / self.deviations, nan=0.0).T


@dataclass(frozen=True, eq=False)
class ExactPosterior:
    """The exact posterior on up to thousands of distinct rows."""

    solver: ClassVar[Literal["exact"]] = "exact"
    fit: ExactFit
    amplitudes: Numbers = array("float64", "targets", at_least=0)
    log_likelihoods: Numbers = array("float64", "targets")

    def validate(self) -> None:
        """Raise ValueError for another number of targets than the solution has: a saved model may hold any."""
        if len(self.amplitudes) != len(self.fit.noises):
            raise ValueError("amplitudes and noises are of different targets")

    @property
    def width(self) -> int:
        """The columns of a table."""
        return self.fit.training.width

    @property
    def kept_rows(self) -> int:
        """Rows of the data that are kept: all."""
        return len(self.fit.training)

    @property
    def n_targets(self) -> int:
        """T."""
        return len(self.amplitudes)

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
        drawn = [drawn_with(self.covariance(rows, t), n_samples, generator) for t in range(len(self.noises))]
        return np.stack(drawn, axis=1)

    def leave_one_out(self, observations: Observations) -> LeaveOneOut:
        leverage = self.fit.leverage()
        fitted = self.fit.mean(observations.rows)
        own = self.noises * leverage / without_own(leverage) + self.noises
        return left_out(observations, fitted, leverage, own * self.amplitudes)


@dataclass(frozen=True, eq=False)
class FeaturePosterior:
    """The posterior on features: their noise τ is λ and the mean of what landmarks alone leave of k(x, x).

    The variance is that of the features of `spread`, landmarks alone, and of their residual k(x, x) − ‖h(x)‖², so it is
    a k(x, x) far from all rows [Snelson and Ghahramani 2006].
    """

    solver: ClassVar[Literal["features"]] = "features"
    features: DrawnPlan
    fit: RidgeFit
    spread: DrawnPlan
    spread_fit: RidgeFit
    noises: Numbers = array("float64", "targets", above=0)
    amplitudes: Numbers = array("float64", "targets", at_least=0)
    log_likelihoods: Numbers = array("float64", "targets")

    def validate(self) -> None:
        """Raise ValueError unless maps and solutions fit each other: a saved model may hold any."""
        for drawn, fit in ((self.features, self.fit), (self.spread, self.spread_fit)):
            check_fit(drawn, fit, self.n_targets)
        if self.spread.plan.layout != self.features.plan.layout:
            raise ValueError("the two maps read different columns")
        bounding_landmarks(self.spread.plan)

    @property
    def width(self) -> int:
        """The columns of a table."""
        return self.features.plan.layout.mapped.dim

    @property
    def kept_rows(self) -> int:
        """Rows of the data that are kept: landmarks."""
        own = [drawn.plan.landmarks for drawn in {self.features, self.spread}]
        return sum(0 if landmarks is None else len(landmarks.left) for landmarks in own)

    @property
    def n_targets(self) -> int:
        """T."""
        return len(self.amplitudes)

    @cached_property
    def feature_map(self) -> FeatureMap:
        """The map of the features."""
        return FeatureMap.of(self.features)

    @cached_property
    def spread_map(self) -> FeatureMap:
        """The map of the landmarks that the variance comes from."""
        return self.feature_map if self.spread is self.features else FeatureMap.of(self.spread)

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
                found[:, target] += drawn_with(self._residual_covariance(rows), n_samples, generator)
        return found

    def leave_one_out(self, observations: Observations) -> LeaveOneOut:
        rows = observations.rows
        leverage = self._leverage(self.feature_map, self.fit, rows)
        spread = leverage if self.spread_fit is self.fit else self._leverage(self.spread_map, self.spread_fit, rows)
        own = (
            self.noises
            + self.spread_map.residual(rows)[:, None]
            + self.spread_fit.noises * spread / without_own(spread)
        )
        return left_out(observations, self.mean(rows), leverage, own * self.amplitudes)

    def _leverage(self, feature_map: FeatureMap, fit: RidgeFit, rows: Rows) -> Numbers:
        return np.concatenate([fit.leverage(dense(block)) for block in feature_map.blocks(rows)])

    def _residual_covariance(self, rows: Rows) -> Numbers:
        if len(rows) > _MOST_TOGETHER:
            raise DataError(
                f"functions are drawn on at most {_MOST_TOGETHER} rows together, not {len(rows)}: draw them in parts, "
                "or give the model more features"
            )
        plan = self.spread_map.plan
        assert plan.landmarks is not None
        columns = landmark_columns(plan, plan.landmarks, rows, "left")
        return np.asarray(kernel_value(plan.strata, NumericPairs(rows, rows)) - columns @ columns.T)


def check_fit(drawn: DrawnPlan, fit: RidgeFit, n_targets: int) -> None:
    """Raise ValueError unless a solution is one on the features of a map."""
    if not (drawn.has_columns and drawn.is_one_sided):
        raise ValueError("the features of the map do not make a model")
    if (drawn.n_columns, n_targets) != fit.coefficients.shape:
        raise ValueError(f"{fit.coefficients.shape} coefficients for {drawn.n_columns} features, {n_targets} targets")


def drawn_with(covariance: Numbers, n_samples: int, generator: np.random.Generator) -> Numbers:
    """N(0, covariance), (m, n)."""
    eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return np.asarray(root @ generator.standard_normal((len(covariance), n_samples)))


def without_own(leverage: Numbers) -> Numbers:
    """1 − h, what an observation leaves of its own error."""
    return np.maximum(1.0 - leverage, np.finfo(float).eps)


def left_out(observations: Observations, fitted: Numbers, leverage: Numbers, variance: Numbers) -> LeaveOneOut:
    """Errors e/(1 − h) for the leverage h of one observation of each distinct row, (u, T), and these variances."""
    place = observations.place
    errors = (observations.targets - fitted[place]) / without_own(leverage)[place]
    return LeaveOneOut(errors, np.sqrt(np.maximum(variance, 0.0))[place], observations.weights)


def fit_exact(given: SpecOnTable, observations: Observations) -> ExactPosterior:
    """The exact posterior with a given noise variance, or the one of largest likelihood for each target.

    Raises DataError; PlanError for a kernel that the rows show to be indefinite.
    """
    kernel, noise = given.kernel, given.noise
    path = ExactPath.of(kernel, observations, given.layout.mapped.used)
    scale = float(np.mean(diagonal_of(kernel, observations.rows)))
    if path.least_eigenvalue < -1e-9 * max(float(path.eigenvalues.max(initial=0.0)), scale):
        raise PlanError(
            f"the kernel matrix of these rows has the eigenvalue {path.least_eigenvalue:.3g}: the kernel is not "
            "positive definite, and a Gaussian process needs one that is"
        )
    n_targets = observations.targets.shape[1]
    noises = least(path.deviance, scale) if noise is None else np.full(n_targets, max(noise, 1e-10 * scale))
    return ExactPosterior(path.fit(noises), path.amplitudes(noises), -np.diagonal(path.deviance(noises)) / 2)


@dataclass(frozen=True, eq=False)
class FeatureSums:
    """The sums over observations that a posterior on features is solved from: those of more observations add up.

    `left` is Σ w of what landmarks alone leave of k(x, x). Maps, `scale` (the mean of k(x, x)) and a given noise are
    those of the first observations.
    """

    noise: float | None
    scale: float
    main: State
    spread: State
    left: float

    @classmethod
    def of(
        cls, given: SpecOnTable, observations: Observations, *, n_features: int, method: Method, seed: int
    ) -> FeatureSums:
        """The sums of observations on maps planned for their rows. Raises SpecError, PlanError."""
        rows = observations.rows
        main = spread = given.features(rows, n_features, method, seed)
        if not main.plan.chosen.is_biased:  # sampled features do not vanish far from the rows
            spread = given.features(rows, _FOR_VARIANCE, "nystrom", seed)
        scale = float(np.mean(kernel_value(main.plan.strata, NumericPairs(rows, rows, grid=False))))
        return cls._summed(given.noise, scale, main, spread, observations)

    @classmethod
    def _summed(
        cls, noise: float | None, scale: float, main: FeatureMap, spread: FeatureMap, observations: Observations
    ) -> FeatureSums:
        rows, totals, left = observations.rows, observations.totals, 0.0
        if main.plan.chosen.is_biased:  # samples beside landmarks estimate what these leave
            left = float(totals @ main.residual(rows))
        states = []
        for feature_map in dict.fromkeys((main, spread)):
            state = State.of(feature_map, rows, observations.means, totals)
            state.target_scatter += observations.within
            states.append(state)
        return cls(noise, scale, states[0], states[-1], left)

    def added(self, observations: Observations) -> FeatureSums:
        """The sums of these observations too. Raises DataError for another number of targets."""
        main, spread = self.main.feature_map, self.spread.feature_map
        other = self._summed(self.noise, self.scale, main, spread, observations)
        total = self.main + other.main
        both = total if self.spread is self.main else self.spread + other.spread
        return FeatureSums(self.noise, self.scale, total, both, self.left + other.left)

    def posterior(self) -> FeaturePosterior:
        """The posterior with the given noise variance, or the one of largest likelihood for each target."""
        path = RidgePath.of(self.main)
        spread_path = path if self.spread is self.main else RidgePath.of(self.spread)
        left = self.left / self.main.weight
        if self.noise is None:
            noises = least(lambda tried: path.deviance(tried + left), self.scale)
        else:
            noises = np.full(len(self.main.target_mean), max(self.noise, 1e-10 * self.scale))
        total = noises + left
        fit, drawn = path.fit(total), self.main.feature_map.plain
        return FeaturePosterior(
            drawn,
            fit,
            drawn if spread_path is path else self.spread.feature_map.plain,
            fit if spread_path is path else spread_path.fit(total),
            noises,
            path.amplitudes(total),
            -np.diagonal(path.deviance(total)) / 2,
        )
