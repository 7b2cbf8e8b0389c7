"""The sums over rows that ridge regression on features is solved from, and its solutions for all noises.

Ridge regression is a Gaussian process whose covariance is a Z Z' + a τ I. With the centred scatter matrix
S = V diag(s) V' and b = V' Σ w (z − z̄)(y − ȳ), for a noise τ relative to the amplitude a: coefficients V b/(s + τ),
fitted value ȳ + (z − z̄)·β, leverage of one observation 1/n + (z − z̄)'(S + τ)⁻¹(z − z̄).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.samples.declared_arrays import array

if TYPE_CHECKING:
    from kernelspec.maps.feature_map import FeatureMap

__all__ = ["NOISES", "RidgeFit", "RidgePath", "State", "classes_of", "dense", "least", "targets_of", "weights_of"]

Numbers = NDArray[np.float64]


@dataclass(eq=False)
class State:
    """n, Σw, means and scatter matrices of features z (D,) and targets y (T,): all that ridge regression needs.

    `feature_scatter` Σ w (z − z̄)(z − z̄)', `cross_scatter` Σ w (z − z̄)(y − ȳ)' and `target_scatter` Σ w (y − ȳ)². States
    of the same feature map add up, so blocks, files and machines each have their own and the sum is that of all rows.
    Centred sums are merged without cancellation [Chan, Golub and LeVeque 1983].
    A weight counts how often a row occurs.
    """

    feature_map: FeatureMap
    n_rows: int
    weight: float
    feature_mean: Numbers
    target_mean: Numbers
    feature_scatter: Numbers = field(repr=False)
    cross_scatter: Numbers = field(repr=False)
    target_scatter: Numbers = field(repr=False)

    @classmethod
    def of(cls, feature_map: FeatureMap, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """The state of the rows X (n, d) with targets y, (n,) or (n, T), and weights (n,).

        Raises DataError; PlanError for a map of an asymmetric or indefinite kernel.
        """
        if not feature_map.is_one_sided:
            raise PlanError("a State needs a symmetric kernel with features of positive sign: Z'Z must estimate it")
        n_columns, n_targets = feature_map.n_columns, _table(targets_of(y)).shape[1]
        empty = cls(
            feature_map,
            0,
            0.0,
            np.zeros(n_columns),
            np.zeros(n_targets),
            np.zeros((n_columns, n_columns)),
            np.zeros((n_columns, n_targets)),
            np.zeros(n_targets),
        )
        return empty.update(X, y, sample_weight)

    def update(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add more rows, in place, and return the state. Raises DataError, and adds nothing then."""
        targets = _table(targets_of(y))
        weights = weights_of(sample_weight, len(targets))
        if targets.shape[1] != len(self.target_mean):
            raise DataError(f"y has {targets.shape[1]} targets, but the state has {len(self.target_mean)}")
        found, first = self, 0
        for block in self.feature_map.blocks(X):
            last = first + block.shape[0]
            if last > len(targets):
                break
            found = found + self.of_features(self.feature_map, block, targets[first:last], weights[first:last])
            first = last
        else:
            if first == len(targets):
                self.__dict__.update(found.__dict__)
                return self
        raise DataError(f"X has more or fewer rows than y, which has {len(targets)}")

    @classmethod
    def of_features(cls, feature_map: FeatureMap, features: Any, targets: Numbers, weights: Numbers) -> Self:
        """The state of features (n, D), dense or CSR, of the map, with targets (n, T) and weights (n,)."""
        total = float(weights.sum())
        mean = np.asarray(features.T @ weights).ravel() / total if total else np.zeros(features.shape[1])
        target_mean = weights @ targets / total if total else np.zeros(targets.shape[1])
        centred_targets = targets - target_mean
        if isinstance(features, np.ndarray):
            centred = np.asarray(features - mean, dtype=np.float64)
            weighted = centred * weights[:, None]
            scatter, cross = weighted.T @ centred, weighted.T @ centred_targets
        else:  # centring would fill the zeros
            weighted = features.multiply(weights[:, None]).tocsr().T
            scatter = (weighted @ features).toarray() - total * np.outer(mean, mean)
            cross = np.asarray(weighted @ centred_targets) - np.outer(mean, weights @ centred_targets)
        own = weights @ np.square(centred_targets)
        return cls(feature_map, len(targets), total, mean, target_mean, scatter, cross, own)

    def __add__(self, other: State) -> Self:
        """The state of the rows of both. Raises PlanError for states of different feature maps."""
        if not isinstance(other, State):
            return NotImplemented
        if not _are_equal(self.feature_map, other.feature_map):
            raise PlanError("states of different feature maps do not add up: make both with the same map")
        if len(self.target_mean) != len(other.target_mean):
            raise DataError(f"states of {len(self.target_mean)} and {len(other.target_mean)} targets do not add up")
        total = self.weight + other.weight
        share = other.weight / total if total else 0.0
        moved, turned = other.feature_mean - self.feature_mean, other.target_mean - self.target_mean
        between = self.weight * share
        return type(self)(
            self.feature_map,
            self.n_rows + other.n_rows,
            total,
            self.feature_mean + share * moved,
            self.target_mean + share * turned,
            self.feature_scatter + other.feature_scatter + between * np.outer(moved, moved),
            self.cross_scatter + other.cross_scatter + between * np.outer(moved, turned),
            self.target_scatter + other.target_scatter + between * np.square(turned),
        )


def dense(features: Any) -> Numbers:
    """Features of a block, dense or CSR, as an array (m, D) of its own."""
    return np.array(features if isinstance(features, np.ndarray) else features.toarray(), dtype=np.float64)


def _are_equal(one: FeatureMap, other: FeatureMap) -> bool:
    """Whether two maps give the same features: the plan with its seed determines the draws."""
    if one is other:
        return True
    mine, theirs = one.plan, other.plan
    drawn = [
        (plan.text, plan.values, plan.seed, plan.strata, plan.chosen, plan.buckets, plan.bits)
        for plan in (mine, theirs)
    ]
    if drawn[0] != drawn[1] or one.n_columns != other.n_columns:
        return False
    if mine.landmarks is None or theirs.landmarks is None:
        return mine.landmarks is theirs.landmarks
    return bool(
        np.array_equal(mine.landmarks.left.rows.dense(), theirs.landmarks.left.rows.dense())
        and np.array_equal(mine.landmarks.left_root, theirs.landmarks.left_root)
    )


def _table(targets: Numbers) -> Numbers:
    return targets[:, None] if targets.ndim == 1 else targets


def targets_of(y: Any) -> Numbers:
    """Targets as numbers (n,) or (n, T), as given.

    Raises DataError for text, NaN, infinity, naming the row, and for another shape.
    """
    given = np.asarray(y)
    if given.dtype.kind == "c":
        raise DataError("Complex data not supported: y must be real")
    if given.dtype.kind not in "fiub":
        try:
            given = given.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(
                "y holds text or objects, but regression needs numbers: KernelClassifier learns classes"
            ) from None
    found = given.astype(np.float64)
    if found.ndim not in (1, 2) or found.shape[1:] == (0,):
        raise DataError(f"y must have the shape (n,) or (n, targets), not {given.shape}")
    wrong = np.flatnonzero(~np.isfinite(found.reshape(len(found), -1)).all(axis=1))
    if len(wrong):
        raise DataError(f"y is NaN or infinite in row {wrong[0]} ({len(wrong)} such rows): leave these rows out")
    return found


def weights_of(sample_weight: Any, n_rows: int) -> Numbers:
    """Weights of the rows, (n,), 1 by default. Raises DataError for negative or missing ones, or if all are 0."""
    if sample_weight is None:
        return np.ones(n_rows)
    found = np.asarray(sample_weight, dtype=np.float64)
    if found.ndim == 0:
        found = np.full(n_rows, float(found))
    if found.shape != (n_rows,):
        raise DataError(f"sample_weight must have one number for each of {n_rows} rows, not the shape {found.shape}")
    if not (np.isfinite(found).all() and (found >= 0).all()):
        raise DataError("sample_weight must be finite and at least 0")
    if not found.any():
        raise DataError("sample_weight is zero for all rows: give some row a weight above 0")
    return found


def classes_of(y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes in order, and the number of the class of each row. Raises DataError."""
    given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] == 1:
        from sklearn.utils import column_or_1d

        given = column_or_1d(given, warn=True)
    if given.ndim != 1:
        raise DataError(f"y must have the shape (n,), not {given.shape}: one class for each row")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise DataError(f"y is NaN or infinite in row {int(np.flatnonzero(~np.isfinite(given))[0])}")
    from sklearn.utils.multiclass import check_classification_targets

    check_classification_targets(given)
    classes, codes = np.unique(given, return_inverse=True)
    if len(classes) < 2:
        raise DataError(f"y has one class only, {classes.tolist()}: a classifier needs two at least")
    return classes, codes.astype(np.intp)


NOISES = (1e-6, 1e2)
"""The noise variances that are tried, relative to the mean of k(x, x)."""

_GRID = 65
_REFINED = 33


def least(loss: Callable[[Numbers], Numbers], scale: float, *, grid: int = _GRID, refined: int = _REFINED) -> Numbers:
    """The noise of least loss for each target, within `NOISES` times `scale`: `loss` takes noises (g,) to (g, T).

    A grid of logarithms first, as there may be several minima, then a finer one around the best.
    """
    coarse = scale * np.geomspace(*NOISES, grid)
    values = loss(coarse)
    found = []
    for target, best in enumerate(np.argmin(values, axis=0)):
        low, high = coarse[max(best - 1, 0)], coarse[min(best + 1, grid - 1)]
        fine = np.geomspace(low, high, refined)
        found.append(fine[np.argmin(loss(fine)[:, target])])
    return np.array(found)


@dataclass(frozen=True, eq=False)
class RidgePath:
    """The solutions for all noises, from one eigendecomposition of the scatter matrix of the features."""

    weight: float
    feature_mean: Numbers
    target_mean: Numbers
    eigenvalues: Numbers
    """s, (D,)."""
    eigenvectors: Numbers
    """V, (D, D)."""
    cross: Numbers
    """b, (D, T)."""
    target_scatter: Numbers

    @classmethod
    def of(cls, state: State) -> RidgePath:
        """The path of a state."""
        eigenvalues, eigenvectors = np.linalg.eigh(state.feature_scatter)
        return cls(
            state.weight,
            state.feature_mean,
            state.target_mean,
            np.maximum(eigenvalues, 0.0),
            np.ascontiguousarray(eigenvectors),  # as files have them: the same bits once they are loaded
            eigenvectors.T @ state.cross_scatter,
            state.target_scatter,
        )

    def quadratic(self, noises: Numbers) -> Numbers:
        """Q = (y − ȳ)'(Z_c Z_c' + τI)⁻¹(y − ȳ) for noises (g,): (g, T)."""
        explained = (1.0 / (self.eigenvalues[None, :] + noises[:, None])) @ np.square(self.cross)
        floor = np.finfo(float).eps * np.maximum(self.target_scatter, np.finfo(float).tiny)
        return np.asarray(np.maximum(self.target_scatter - explained, floor) / noises[:, None])

    def deviance(self, noises: Numbers) -> Numbers:
        """−2 log of the restricted marginal likelihood with the best amplitude a = Q/(n − 1), (g, T).

        The intercept is integrated out under a flat prior: (n − 1)(log 2πa + 1) + log det(Z_c Z_c' + τI) + log n, the
        determinant on the n − 1 dimensions orthogonal to the constant.
        """
        degrees = max(self.weight - 1.0, np.finfo(float).tiny)
        determinant = np.log1p(self.eigenvalues[None, :] / noises[:, None]).sum(axis=1) + degrees * np.log(noises)
        fit = degrees * (np.log(2 * np.pi * self.quadratic(noises) / degrees) + 1)
        return np.asarray(fit + determinant[:, None] + np.log(max(self.weight, 1.0)))

    def amplitudes(self, noises: Numbers) -> Numbers:
        """a for one noise for each target, (T,)."""
        degrees = max(self.weight - 1.0, np.finfo(float).tiny)
        return np.diagonal(self.quadratic(noises)) / degrees

    def left_out(self, features: Numbers, targets: Numbers) -> Callable[[float], Numbers]:
        """From a noise to the predictions (m, T) for rows of features (m, D), each by the solution without it."""
        rotated = (features - self.feature_mean) @ self.eigenvectors

        def predictions(noise: float) -> Numbers:
            inverse = 1.0 / (self.eigenvalues + noise)
            fitted = self.target_mean + rotated @ (self.cross * inverse[:, None])
            leverage = np.square(rotated) @ inverse + 1.0 / self.weight
            return np.asarray(targets - (targets - fitted) / np.maximum(1.0 - leverage, 1e-12)[:, None])

        return predictions

    def fit(self, noises: Numbers) -> RidgeFit:
        """The solution with one noise for each target (T,)."""
        shrunk = self.cross / (self.eigenvalues[:, None] + noises[None, :])
        return RidgeFit(
            self.weight,
            self.feature_mean,
            self.target_mean,
            self.eigenvectors @ shrunk,
            self.eigenvectors,
            self.eigenvalues,
            noises,
        )


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """A solution: one noise τ for each of T targets."""

    weight: float
    feature_mean: Numbers = array("float64", "columns")
    target_mean: Numbers = array("float64", "targets")
    coefficients: Numbers = array("float64", "columns", "targets")
    eigenvectors: Numbers = array("float64", "columns", "columns")
    eigenvalues: Numbers = array("float64", "columns", at_least=0)
    noises: Numbers = array("float64", "targets", above=0)

    def validate(self) -> None:
        """Raise ValueError for no observations: a saved model may hold any number."""
        if not self.weight > 0:
            raise ValueError(f"a model of {self.weight:g} observations")

    def mean(self, features: NDArray[np.float64]) -> Numbers:
        """Predictions for features (m, D): (m, T)."""
        return np.asarray(self.target_mean - self.feature_mean @ self.coefficients + features @ self.coefficients)

    def leverage(self, features: NDArray[np.float64]) -> Numbers:
        """1/n + (z − z̄)'(S + τ)⁻¹(z − z̄) for every row and target: (m, T).

        τ times it is the posterior variance of the fitted function, relative to the amplitude.
        """
        rotated = np.square((features - self.feature_mean) @ self.eigenvectors)
        return np.asarray(rotated @ (1.0 / (self.eigenvalues[:, None] + self.noises[None, :])) + 1.0 / self.weight)

    def drawn(self, features: NDArray[np.float64], n_samples: int, generator: np.random.Generator) -> Numbers:
        """Values of n functions drawn from the posterior, relative to the root of the amplitude, less the mean.

        (m, T, n): z·(β' − β) with β' − β ~ N(0, τ(S + τ)⁻¹), and the intercept's N(0, τ/n).
        """
        m, n_targets = features.shape[0], len(self.noises)
        rotated = (features - self.feature_mean) @ self.eigenvectors
        found = np.empty((m, n_targets, n_samples))
        for target, noise in enumerate(self.noises):
            normal = generator.standard_normal((len(self.eigenvalues), n_samples))
            scale = np.sqrt(noise / (self.eigenvalues + noise))
            offset = generator.standard_normal(n_samples) * np.sqrt(noise / self.weight)
            found[:, target] = rotated @ (scale[:, None] * normal) + offset
        return found
