"""Gaussian processes fitted to observations: exactly, or on the features of a map. All variances are relative to a.

The model is y = m + f(x) + ε with f ~ N(0, a k), ε ~ N(0, a λ) and a flat prior on m.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.landmarks import bounding_landmarks, landmark_columns
from kernelspec.models.exact import ExactFit, ExactPath, size_of
from kernelspec.models.ridge import KernelSize, RidgeFit, RidgePath, dense, least
from kernelspec.models.state import State
from kernelspec.planning.strata import kernel_value, least_spread, terms_of
from kernelspec.samples.declared_arrays import array
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.models.given import Observations, SpecOnTable

__all__ = [
    "ExactPosterior",
    "FeaturePosterior",
    "FeatureSums",
    "LeaveOneOut",
    "Posterior",
    "check_fit",
    "fit_exact",
    "fit_features",
    "left_out",
    "left_out_in_turn",
]

Numbers = NDArray[np.float64]

_FOR_VARIANCE = 256
"""Landmarks for the variance if features are sampled: sampled ones are overconfident far from all rows."""

_MOST_TOGETHER = 2_048
"""Rows on which functions are drawn jointly."""

_MOST_KEPT = 1 << 25
"""Feature values kept between the two passes of a fit: 256 MiB."""

_ROWS = 4_096
"""Rows of features held in memory at a time, if they are not kept."""

_STEPS = 20
"""Steps to a fixed point; each multiplies the error by the share of noise in what the kernel leaves."""

_CLEAR = 10
"""The noise is known from the evidence if it is this many times the mean remainder after landmarks."""

_NEGLIGIBLE = 1e-9
"""A residual of this share of k(x, x) is rounding."""


class Posterior(ABC):
    """The posterior of the function given the observations, for each of T targets.

    `noises` are λ, the noise variance relative to the amplitude, `amplitudes` a, and `log_likelihoods` the logarithms
    of the restricted marginal likelihood, all (T,).
    """

    amplitudes: Numbers
    noises: Any

    @property
    def n_targets(self) -> int:
        """T."""
        return len(self.amplitudes)

    @abstractmethod
    def mean(self, rows: Rows) -> Numbers:
        """The posterior mean of m + f, (m, T)."""

    @abstractmethod
    def variance(self, rows: Rows) -> Numbers:
        """The posterior variance of m + f, (m, T)."""

    @abstractmethod
    def covariance(self, rows: Rows, target: int) -> Numbers:
        """The posterior covariance of m + f for one target, (m, m)."""

    def drawn(self, rows: Rows, n_samples: int, generator: np.random.Generator) -> Numbers:
        """Functions drawn from the posterior, minus its mean: (m, T, n)."""
        drawn = [drawn_with(self.covariance(rows, t), n_samples, generator) for t in range(self.n_targets)]
        return np.stack(drawn, axis=1)

    @abstractmethod
    def leave_one_out(self, observations: Observations) -> LeaveOneOut:
        """For each observation, the error of the model fitted without it."""


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
class ExactPosterior(Posterior):
    """The exact posterior on up to thousands of distinct rows."""

    solver: ClassVar[Literal["exact"]] = "exact"
    fit: ExactFit
    amplitudes: Numbers = array("float64", "targets", at_least=0)
    log_likelihoods: Numbers = array("float64", "targets")

    def validate(self) -> None:
        """Raise ValueError if the number of targets differs from the solution's; a saved model may hold anything."""
        if len(self.amplitudes) != len(self.fit.noises):
            raise ValueError("amplitudes and noises are of different targets")

    @property
    def width(self) -> int:
        """The columns of a table."""
        return self.fit.training.width

    @property
    def kept_rows(self) -> int:
        """The number of data rows that are kept: all."""
        return len(self.fit.training)

    @cached_property
    def noises(self) -> Numbers:
        return self.fit.noises

    def mean(self, rows: Rows) -> Numbers:
        return self.fit.mean(rows)

    def variance(self, rows: Rows) -> Numbers:
        return self.fit.variance(rows)

    def covariance(self, rows: Rows, target: int) -> Numbers:
        return self.fit.covariance(rows, target)

    def leave_one_out(self, observations: Observations) -> LeaveOneOut:
        fitted = self.fit.mean(observations.rows)
        return left_out(observations, fitted, self.fit.leverage(), self.noises, self.amplitudes)


@dataclass(frozen=True, eq=False)
class FeaturePosterior(Posterior):
    """The posterior on features, whose noise τ, that of the evidence, includes the average remainder after landmarks.

    The variance comes from the features of `spread`, landmarks alone, and their residual k(x, x) − ‖h(x)‖², so it is a
    k(x, x) far from all rows [Snelson and Ghahramani 2006].
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
        """Raise ValueError unless maps and solutions are consistent; a saved model may hold anything."""
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
        """The number of data rows that are kept: the landmarks."""
        own = [drawn.plan.landmarks for drawn in {self.features, self.spread}]
        return sum(0 if landmarks is None else len(landmarks.left) for landmarks in own)

    @cached_property
    def feature_map(self) -> FeatureMap:
        """The map of the features."""
        return FeatureMap.of(self.features)

    @cached_property
    def spread_map(self) -> FeatureMap:
        """The map of the landmarks used for the variance."""
        return self.feature_map if self.spread is self.features else FeatureMap.of(self.spread)

    def mean(self, rows: Rows) -> Numbers:
        return np.concatenate([self.of_features(dense(block)) for block in self.feature_map.blocks(rows)])

    def of_features(self, features: Any) -> Numbers:
        """The posterior mean for features (m, D)."""
        return self.fit.mean(features)

    def variance(self, rows: Rows) -> Numbers:
        _, leverage, left = _on(self.spread_fit, FeatureBlocks(self.spread_map, rows))
        return np.asarray(leverage * self.spread_fit.noises + left[:, None])

    def covariance(self, rows: Rows, target: int) -> Numbers:
        own = self.spread_fit.covariance(dense(self.spread_map.left(rows)), target)
        return np.asarray(own + self._residual_covariance(rows))

    def drawn(self, rows: Rows, n_samples: int, generator: np.random.Generator) -> Numbers:
        found = self.spread_fit.drawn(dense(self.spread_map.left(rows)), n_samples, generator)
        own = kernel_value(self.spread_map.plan.strata, NumericPairs(rows, rows, grid=False))
        if (self.spread_map.residual(rows) > _NEGLIGIBLE * own).any():
            for target in range(found.shape[1]):
                found[:, target] += drawn_with(self._residual_covariance(rows), n_samples, generator)
        return found

    def leave_one_out(self, observations: Observations, blocks: FeatureBlocks | None = None) -> LeaveOneOut:
        """As for the other posteriors; `blocks` are the features of the distinct rows, if they are known."""
        rows = observations.rows
        fitted, leverage, left = _on(self.fit, blocks or FeatureBlocks(self.feature_map, rows))
        spread = leverage
        if self.spread_fit is not self.fit:
            _, spread, left = _on(self.spread_fit, FeatureBlocks(self.spread_map, rows))
        plain = self.noises + left[:, None]
        return left_out(
            observations, fitted, leverage, plain, self.amplitudes, spread=spread, noises=self.spread_fit.noises
        )

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


@dataclass(eq=False)
class FeatureBlocks:
    """The features of rows, block by block, each to be used before the next; small ones are kept, for a second pass."""

    feature_map: FeatureMap
    rows: Rows
    is_read_once: bool = False
    _kept: list[tuple[Rows, Numbers]] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[Rows, Numbers]]:
        if self._kept:
            yield from self._kept
            return
        first, keeps = 0, not self.is_read_once and len(self.rows) * self.feature_map.n_columns <= _MOST_KEPT
        for block in self.feature_map.blocks(self.rows, rows=_ROWS):
            copies = keeps or not isinstance(block, np.ndarray)  # the next block overwrites this one
            features = dense(block) if copies else np.asarray(block, dtype=np.float64)
            own = self.rows.take(slice(first, first + block.shape[0])), features
            first += block.shape[0]
            if keeps:
                self._kept.append(own)
            yield own

    def left(self, rows: Rows, features: Numbers) -> Numbers:
        """The remainder of k(x, x) after landmarks, for rows with these features; 0 if samples estimate it."""
        plan = self.feature_map.plan
        if not plan.chosen.is_biased:
            return np.zeros(len(rows))
        bounding_landmarks(plan)
        own = kernel_value(plan.strata, NumericPairs(rows, rows, grid=False))
        return np.asarray(np.maximum(own - np.einsum("ij,ij->i", features, features), 0.0))


def _on(fit: RidgeFit, blocks: FeatureBlocks) -> tuple[Numbers, Numbers, Numbers]:
    """The predictions (m, T), the leverage (m, T), and the remainder of k(x, x) after landmarks, (m,)."""
    found = [(fit.mean(own), fit.leverage(own), blocks.left(rows, own)) for rows, own in blocks]
    mean, leverage, left = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return mean, leverage, left


def check_fit(drawn: DrawnPlan, fit: RidgeFit, n_targets: int) -> None:
    """Raise ValueError unless the solution fits the features of the map."""
    if not (drawn.has_columns and drawn.is_one_sided):
        raise ValueError("the features of the map do not make a model")
    if (drawn.n_columns, n_targets) != fit.coefficients.shape:
        raise ValueError(f"{fit.coefficients.shape} coefficients for {drawn.n_columns} features, {n_targets} targets")


def drawn_with(covariance: Numbers, n_samples: int, generator: np.random.Generator) -> Numbers:
    """N(0, covariance), (m, n)."""
    eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return np.asarray(root @ generator.standard_normal((len(covariance), n_samples)))


def _without_own(leverage: Numbers) -> Numbers:
    """1 − h, the share of an observation's error that remains in its residual."""
    return np.maximum(1.0 - leverage, np.finfo(float).eps)


def left_out(
    observations: Observations,
    fitted: Numbers,
    leverage: Numbers,
    plain: Numbers,
    amplitudes: Numbers,
    *,
    spread: Numbers | None = None,
    noises: Numbers | None = None,
) -> LeaveOneOut:
    """Errors e/(1 − uh) for the leverage h of weight 1 of each distinct row, (u, T), and units u of the observations.

    Their variances are a(`plain` + λs/(1 − us)) for the leverage s (default: h) and noise λ (default: `plain`) of the
    map of the variance.
    """
    place, units = observations.place, observations.units[:, None]
    own = leverage[place] if spread is None else spread[place]
    plain = np.broadcast_to(plain, leverage.shape)[place]
    errors = (observations.targets - fitted[place]) / _without_own(units * leverage[place])
    variances = plain + (plain if noises is None else noises) * own / _without_own(units * own)
    return LeaveOneOut(errors, np.sqrt(np.maximum(amplitudes * variances, 0.0)), observations.weights)


def left_out_in_turn(
    fitted_to: Callable[[Observations], Posterior], observations: Observations, all_of_them: LeaveOneOut
) -> LeaveOneOut:
    """For each observation, the error of a model that learns its noise and amplitude, too, from the others.

    Others that are nearly equal say nothing about the size of errors: the deviation is at least a tenth of that by the
    noise and amplitude of `all_of_them`.
    """
    errors = np.empty_like(observations.targets)
    deviations = np.empty_like(errors)
    for i, place in enumerate(observations.place):
        posterior, row = fitted_to(observations.without(i)), observations.rows.take(np.array([place]))
        errors[i] = observations.targets[i] - posterior.mean(row)[0]
        deviations[i] = np.sqrt(posterior.amplitudes * (posterior.variance(row)[0] + posterior.noises))
    return LeaveOneOut(errors, np.maximum(deviations, all_of_them.deviations / 10), observations.weights)


def fit_exact(given: SpecOnTable, observations: Observations) -> ExactPosterior:
    """The exact posterior with a given noise variance, or the one of largest likelihood for each target.

    Raises DataError; PlanError for a kernel that the rows show to be indefinite.
    """
    kernel, noise = given.kernel, given.noise
    path = ExactPath.of(kernel, observations, given.layout.mapped.used)
    size = size_of(kernel, observations.rows)
    if path.least_eigenvalue < -1e-9 * max(float(path.eigenvalues.max(initial=0.0)), size.average):
        raise PlanError(
            f"the kernel matrix of these rows has the eigenvalue {path.least_eigenvalue:.3g}: the kernel is not "
            "positive definite, and a Gaussian process needs one that is"
        )
    n_targets = observations.targets.shape[1]
    noises = least(path.deviance, size) if noise is None else np.full(n_targets, size.raised(noise))
    return ExactPosterior(path.fit(noises), path.amplitudes(noises), -np.diagonal(path.deviance(noises)) / 2)


@dataclass(frozen=True, eq=False)
class FeatureSums:
    """The sums over observations that determine a posterior on features; sums of more observations add up.

    `left` is Σ w times the remainder of k(x, x) after landmarks. Maps, `size` and a given
    noise are those of the first observations, and so is `learned`, the variance of the noise learned from them alone.
    """

    noise: float | None
    size: KernelSize
    main: State
    spread: State
    left: float
    learned: Numbers | None = None

    @classmethod
    def _summed(
        cls, noise: float | None, size: KernelSize, maps: Sequence[FeatureBlocks], own: Observations
    ) -> FeatureSums:
        states, left, totals, means = [], 0.0, own.totals, own.means
        for blocks in maps:
            state, first, left = State.empty(blocks.feature_map, means.shape[1]), 0, 0.0
            for rows, features in blocks:
                some = slice(first, first + len(rows))
                first = some.stop
                left += float(totals[some] @ blocks.left(rows, features))
                state = state + State.of_features(
                    blocks.feature_map, features, means[some], totals[some], overwrites=blocks.is_read_once
                )
            state.target_scatter += own.within
            states.append(state)
        # samples next to landmarks estimate the remainder
        return cls(noise, size, states[0], states[-1], left if len(maps) == 1 else 0.0)

    def added(self, observations: Observations) -> FeatureSums:
        """The sums including these observations. Raises DataError for a different number of targets."""
        maps = dict.fromkeys((self.main.feature_map, self.spread.feature_map))
        rows = observations.rows
        other = self._summed(
            self.noise, self.size, [FeatureBlocks(own, rows, is_read_once=True) for own in maps], observations
        )
        states = [one + more for one, more in zip(self.states, other.states, strict=True)]
        return self.of_states(states, self.left + other.left)

    @property
    def states(self) -> tuple[State, ...]:
        """The sums on each map: one, or two if features are sampled."""
        return (self.main,) if self.spread is self.main else (self.main, self.spread)

    def of_states(self, states: Sequence[State], left: float) -> FeatureSums:
        """Other sums on the same maps, with the same scale and noise."""
        return replace(self, main=states[0], spread=states[-1], left=left)

    def posterior(self, path: RidgePath | None = None) -> FeaturePosterior:
        """The posterior with the given noise variance, or the maximum-likelihood one for each target.

        The remainder after landmarks counts as noise, which assumes that it is about equal for all rows. If it exceeds
        a share of the noise that is left, it says little about it: the variance is then at least `learned`.
        """
        path = RidgePath.of(self.main) if path is None else path
        spread_path = path if self.spread is self.main else RidgePath.of(self.spread)
        left = self.left / self.main.weight
        if self.noise is None:
            noises = least(lambda tried: path.deviance(tried + left), self.size)
            if self.learned is not None:
                is_unclear = noises < _CLEAR * left
                for _ in range(_STEPS):  # the amplitude depends on the noise
                    before = self.learned / np.maximum(path.amplitudes(noises + left), np.finfo(float).tiny)
                    noises = np.where(is_unclear, np.maximum(noises, before), noises)
        else:
            noises = np.full(len(self.main.target_mean), self.size.raised(self.noise))
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


def fit_features(
    given: SpecOnTable, observations: Observations, feature_map: FeatureMap, seed: int, *, grows: bool = False
) -> tuple[FeatureSums, FeaturePosterior, LeaveOneOut]:
    """The sums of observations on a map planned for their rows, their posterior, and its leave-one-out errors.

    If it `grows`, the map has more landmarks where they pay. Raises SpecError, PlanError.
    """
    rows, plan = observations.rows, feature_map.plan
    blocks = [FeatureBlocks(feature_map, rows)]
    if not plan.chosen.is_biased:  # sampled features do not vanish far from the rows
        blocks.append(FeatureBlocks(given.features(rows, _FOR_VARIANCE, "nystrom", seed), rows))
    average = float(np.mean(kernel_value(plan.strata, NumericPairs(rows, rows, grid=False))))
    size = KernelSize(average, least_spread(terms_of(given.kernel), rows), len(rows))
    sums = FeatureSums._summed(given.noise, size, blocks, observations)
    path = RidgePath.of(sums.main)
    if grows and (more := given.more_features(rows, sums.main, path, seed)) is not None:
        return fit_features(given, observations, more, seed)
    posterior = sums.posterior(path)
    left_out = posterior.leave_one_out(observations, blocks[0])
    if given.noise is None:
        left = sums.left / sums.main.weight
        posterior, left_out = _with_noise_of_errors(posterior, observations, left_out, left, size)
    return replace(sums, learned=posterior.noises * posterior.amplitudes), posterior, left_out


def _with_noise_of_errors(
    posterior: FeaturePosterior, observations: Observations, left_out: LeaveOneOut, left: float, size: KernelSize
) -> tuple[FeaturePosterior, LeaveOneOut]:
    """The posterior with the noise that maximizes the likelihood of the leave-one-out errors.

    The noise changes only if the average remainder after landmarks exceeds a tenth of it. The evidence assumes the same
    remainder s of k(x, x) for all rows, and determines only λ plus the average of s. A leave-one-out error has the
    variance a(V + λ), with V = s + τh/(1 − h), and rows near landmarks show the noise alone. The c different targets of
    a row share V, so their mean error has the variance a(V + λ/c), and their scatter is noise. Predictions, τ and a do
    not change.
    """
    noises, amplitudes = posterior.noises, posterior.amplitudes
    is_unclear = (noises < _CLEAR * left) & (amplitudes > 0)
    if not is_unclear.any():
        return posterior, left_out
    scale, totals = np.where(amplitudes > 0, amplitudes, 1.0), observations.totals[:, None]
    errors, others = left_out.errors / np.sqrt(scale), np.square(left_out.deviations) / scale - noises
    means, common = (observations.sums(own) / totals for own in (errors, np.maximum(others, 0.0)))
    scatter = observations.weights @ np.square(errors - means[observations.place])
    counts = observations.n_targets_of_rows[:, None]
    weights = (totals / counts)[:, 0]
    degrees = float(weights @ (counts[:, 0] - 1))

    def deviance(tried: Numbers) -> Numbers:
        found = np.empty((len(tried), len(noises)))
        for place, noise in enumerate(tried):
            variances = common + noise / counts
            found[place] = weights @ (np.log(variances) + np.square(means) / variances) + scatter / noise
        return found + degrees * np.log(tried)[:, None]

    found = np.where(is_unclear, least(deviance, size), noises)
    deviations = np.sqrt(np.maximum(amplitudes * (others + found), 0.0))
    return replace(posterior, noises=found), replace(left_out, deviations=deviations)
