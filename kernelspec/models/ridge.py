"""Ridge regression on features, from the sums of a `State`: its solutions for all noise levels, and one with its
uncertainty.

Ridge regression is a Gaussian process with covariance a Z Z' + a τ I. With the centered scatter matrix S = V diag(s) V'
and b = V' Σ w (z − z̄)(y − ȳ), for a noise τ relative to the amplitude a: coefficients V b/(s + τ), fitted value ȳ + (z
− z̄)·β, leverage of one observation 1/n + (z − z̄)'(S + τ)⁻¹(z − z̄).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kernelspec.errors import PlanError
from kernelspec.planning.strata import smallest_share
from kernelspec.samples.declared_arrays import array

if TYPE_CHECKING:
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.models.state import State

__all__ = [
    "LEAST_GIVEN",
    "KernelSize",
    "RidgeFit",
    "RidgeModel",
    "RidgePath",
    "WideRidgeFit",
    "compact",
    "dense",
    "landmarks_pay",
    "least",
]

Numbers = NDArray[np.float64]

NOISES = (1e-6, 1e2)
"""The range of noise variances, relative to the average of k(x, x)."""

_MOST = 1e9
"""The largest noise tried, relative to the same."""

LEAST_GIVEN = 1e-10
"""The least noise that a spec gives, relative to the same."""

_GRID = 65
_REFINED = 33

_FLAT = 1e-9
"""Relative differences of losses that may be rounding."""

_PAYS = 0.04
"""The share of the squared error by which the second half of the landmarks lowers it, if more are worth their time."""

_WIDE = 2
"""More columns than this for each row: the decomposition of the rows is faster."""

_LEFT_AT_ONCE = 1 << 22
"""Errors that are held at a time, for several noises."""


@dataclass(frozen=True)
class KernelSize:
    """How large k is on u rows: the average of k(x, x), and the least spread of a term, 0 if it is not known."""

    average: float
    spread: float = 0.0
    n_rows: int = 0

    @property
    def rounding(self) -> float:
        """Eigenvalues of the kernel matrix are known to this."""
        return 4 * float(np.finfo(float).eps) * max(self.n_rows, 1) * self.average

    @property
    def smallest_share(self) -> float:
        """The spread of the smallest term relative to the average if it is far smaller, above rounding; else 1."""
        share = smallest_share(self.spread, self.average)
        return share if share == 1 else max(share, self.rounding / self.average)

    def raised(self, noise: float) -> float:
        """A given noise, or the least one beside this kernel."""
        least = LEAST_GIVEN * self.average
        return max(noise, min(least, max(LEAST_GIVEN * self.spread, self.rounding)) if self.spread else least)

    def below(self, noises: Numbers) -> Numbers:
        """The grid of `noises` from the least one for the smallest term, in steps as large."""
        lowest = max(NOISES[0] * self.spread, self.rounding)
        if not self.spread or lowest >= noises[0]:
            return noises[:0]
        step = noises[1] / noises[0]
        return np.asarray(noises[0] / step ** np.arange(int(np.log(noises[0] / lowest) / np.log(step)), 0, -1))


def least(
    loss: Callable[[Numbers], Numbers],
    size: KernelSize,
    *,
    grid: int = _GRID,
    refined: int = _REFINED,
    parabolas: int = 0,
) -> Numbers:
    """The noise of least loss for each target, within `NOISES` times the average of k(x, x), or beyond; `loss` maps
    noises (g,) to (g, T).

    First a grid of logarithms, as there may be several minima, then a finer one around the best. If that is the least
    noise, or a term of the kernel is far smaller than others, smaller ones are tried. If it is the largest,
    larger ones are, as long as the loss falls: many rows tell a weak function from a constant. A grid of few noises is
    followed by the vertices of `parabolas`. An average of 0, that of the zero kernel, counts as 1. If the loss is flat,
    as for rows that are all alike, the noise is about the average: the least one would mean an amplitude, and errors of
    other rows, of any size.
    """
    scale = size.average or 1.0
    first = scale * np.geomspace(*NOISES, grid)
    of_first = loss(first)
    while first[-1] < _MOST * scale and (of_first[-1] < of_first[:-1].min(axis=0) - _FLAT * np.abs(of_first[-1])).any():
        more = np.minimum(first[-1] * (first[1] / first[0]) ** np.arange(1, grid // 8 + 2), _MOST * scale)
        first, of_first = np.append(first, more), np.vstack([of_first, loss(more)])
    below, has_small_terms = size.below(first), size.smallest_share < 1
    is_tried = len(below) and (has_small_terms or (of_first[0] <= of_first.min(axis=0)).any())
    of_below = loss(below) if is_tried else None
    found = []
    for target, values in enumerate(of_first.T):
        coarse, best = first, _place_of_least(values, first / scale)
        if (best == 0 or has_small_terms) and of_below is not None:
            coarse = np.concatenate([below, first])
            best = _place_of_least(np.concatenate([of_below[:, target], values]), coarse / scale)
        low, high = coarse[max(best - 1, 0)], coarse[min(best + 1, len(coarse) - 1)]
        fine = np.geomspace(low, high, refined)
        of_fine = loss(fine)[:, target]
        best = _place_of_least(of_fine, fine / scale)
        found.append(fine[best])
        if parabolas and 0 < best < refined - 1:
            around = slice(best - 1, best + 2)
            found[-1] = _vertex(loss, target, fine[around], of_fine[around], parabolas)
    return np.array(found)


def _vertex(loss: Callable[[Numbers], Numbers], target: int, noises: Numbers, values: Numbers, steps: int) -> float:
    """The noise of least loss near three, the second of them the best, by parabolas in their logarithms."""
    points = np.log(noises)
    for _ in range(steps):
        (left, middle, right), slopes = points, np.diff(values) / np.diff(points)
        bend = (slopes[1] - slopes[0]) / (right - left)
        vertex = (left + middle) / 2 - slopes[0] / (2 * bend) if bend > 0 else middle
        if not left < vertex < right or abs(vertex - middle) < 1e-6:
            break
        points, values = np.append(points, vertex), np.append(values, loss(np.exp([vertex]))[:, target])
        order = np.argsort(points)
        place = int(np.clip(np.argmin(values[order]), 1, 2))
        points, values = (own[order[place - 1 : place + 2]] for own in (points, values))
    return float(np.exp(points[1]))


def _place_of_least(values: Numbers, ratios: Numbers) -> int:
    """Where the least value is; of several that are equal to rounding, the one whose ratio is nearest to 1."""
    best = int(np.argmin(values))
    equal = values <= values[best] + _FLAT * abs(values[best])  # others may be larger by many orders
    return int(np.argmin(np.where(equal, np.abs(np.log(ratios)), np.inf)))


@dataclass(frozen=True, eq=False)
class RidgePath:
    """The solutions for all noises, from one eigendecomposition of the scatter matrix of the features."""

    weight: float
    feature_mean: Numbers
    target_mean: Numbers
    eigenvalues: Numbers
    """s, (r,): all D of them, or of few rows those above 0."""
    eigenvectors: Numbers
    """V, (D, r)."""
    cross: Numbers
    """b, (r, T)."""
    target_scatter: Numbers

    @classmethod
    def of(cls, state: State) -> RidgePath:
        """The path of a state."""
        eigenvalues, eigenvectors = _eigen(state.feature_scatter, state.n_rows)
        return cls(
            state.weight,
            state.feature_mean,
            state.target_mean,
            np.maximum(eigenvalues, 0.0),
            np.ascontiguousarray(eigenvectors),  # in the memory order of files: the same bits once loaded
            eigenvectors.T @ state.cross_scatter,
            state.target_scatter,
        )

    def quadratic(self, noises: Numbers) -> Numbers:
        """Q = (y − ȳ)'(Z_c Z_c' + τI)⁻¹(y − ȳ) for noises (g,): (g, T)."""
        explained = (1.0 / (self.eigenvalues[None, :] + noises[:, None])) @ np.square(self.cross)
        return self._left(explained) / noises[:, None]

    def deviance(self, noises: Numbers) -> Numbers:
        """−2 log of the restricted marginal likelihood with the best amplitude a = Q/(n − 1), (g, T).

        The intercept is integrated out under a flat prior: (n − 1)(log 2πa + 1) + log det(Z_c Z_c' + τI) + log n, the
        determinant on the n − 1 dimensions orthogonal to the constant.
        """
        degrees = max(self.weight - 1.0, np.finfo(float).tiny)
        determinant = np.log1p(self.eigenvalues[None, :] / noises[:, None]).sum(axis=1) + degrees * np.log(noises)
        fit = degrees * (np.log(2 * np.pi * self.quadratic(noises) / degrees) + 1)
        return np.asarray(fit + determinant[:, None] + np.log(max(self.weight, 1.0)))

    def cross_validation(self, noises: Numbers) -> Numbers:
        """log of the generalized cross-validation score n RSS/(n − tr H)², H the hat matrix with intercept, (g, T).

        RSS = Σ w (y − ȳ)² − Σ b²(s + 2τ)/(s + τ)² [Golub, Heath and Wahba 1979].
        """
        shrunk = self.eigenvalues[None, :] + noises[:, None]
        explained = ((shrunk + noises[:, None]) / np.square(shrunk)) @ np.square(self.cross)
        left = self.weight - 1.0 - self.effective_dimension(noises)
        degrees = np.maximum(left, np.finfo(float).eps * self.weight)
        return np.asarray(np.log(self.weight * self._left(explained)) - 2 * np.log(degrees)[:, None])

    def _left(self, explained: Numbers) -> Numbers:
        """The scatter of the targets minus the explained part, at least its rounding."""
        floor = np.maximum(np.finfo(float).eps * self.target_scatter, np.finfo(float).tiny)
        return np.asarray(np.maximum(self.target_scatter - explained, floor))

    def effective_dimension(self, noises: Numbers) -> Numbers:
        """Σ s/(s + τ) for noises (g,): the number of directions determined by the rows against the noise."""
        return np.asarray((self.eigenvalues[None, :] / (self.eigenvalues[None, :] + noises[:, None])).sum(axis=1))

    def amplitudes(self, noises: Numbers) -> Numbers:
        """a for one noise per target, (T,)."""
        degrees = max(self.weight - 1.0, np.finfo(float).tiny)
        return np.diagonal(self.quadratic(noises)) / degrees

    def left_out(self, features: Numbers, targets: Numbers, units: Numbers, *, is_rough: bool = False) -> LeftOut:
        """Predictions for rows of features (m, D), each without its own row, of the weight `units` (m,).

        If `is_rough`, in single precision.
        """
        precision = np.float32 if is_rough else np.float64
        centred = np.subtract(features, self.feature_mean, dtype=precision, casting="same_kind")
        return LeftOut(self, centred @ self.eigenvectors.astype(precision, copy=False), targets, units)

    def without(self, noise: float, features: Numbers, targets: Numbers, weights: Numbers) -> Numbers:
        """Predictions (m, T) for observations of the path, by the solution without all of them.

        With U = [1, (z − z̄)'V] and A = diag(n, s + τ), the solution moves by −(A − U'WU)⁻¹ U'W(y − ŷ).
        """
        rotated = np.column_stack([np.ones(len(features)), (features - self.feature_mean) @ self.eigenvectors])
        shrunk = np.concatenate([[self.weight], self.eigenvalues + noise])
        fitted = rotated @ (np.vstack([self.weight * self.target_mean, self.cross]) / shrunk[:, None])
        weighted = rotated.T * weights
        moved = np.linalg.solve(np.diag(shrunk) - weighted @ rotated, weighted @ (targets - fitted))
        return np.asarray(fitted - rotated @ moved)

    def fit(self, noises: Numbers) -> RidgeFit:
        """The solution with one noise per target (T,)."""
        shrunk = self.cross / (self.eigenvalues[:, None] + noises[None, :])
        cls = RidgeFit if len(self.eigenvalues) == len(self.eigenvectors) else WideRidgeFit
        return cls(
            self.weight,
            self.feature_mean,
            self.target_mean,
            self.eigenvectors @ shrunk,
            self.eigenvectors,
            self.eigenvalues,
            noises,
        )


def _eigen(scatter: Numbers, n_rows: int) -> tuple[Numbers, Numbers]:
    """Ascending eigenvalues and vectors of the scatter matrix of n rows; of far fewer rows than columns, at most n.

    A pivoted Cholesky decomposition ends after n steps, and its factor (D, n) has the same range.
    """
    if _WIDE * n_rows >= len(scatter):
        return np.linalg.eigh(scatter)
    root, left = np.zeros((len(scatter), n_rows)), np.diagonal(scatter).copy()
    least = np.finfo(float).eps * left.max()
    for i in range(n_rows):
        pivot = int(np.argmax(left))
        if left[pivot] <= least:
            break
        column = scatter[:, pivot] - root[:, :i] @ root[pivot, :i]
        root[:, i] = column / np.sqrt(left[pivot])
        left -= np.square(root[:, i])
    vectors, roots, _ = np.linalg.svd(root, full_matrices=False)
    return np.square(roots)[::-1], vectors[:, ::-1]


def landmarks_pay(state: State, whole: RidgePath) -> bool:
    """Whether the second half of the landmarks of a path lowers the generalized cross-validation score by `_PAYS`.

    With features z = U'k(L, x), k(L, L) = AA' and A = U/|u|², those of the first half of L are Q'z up to a rotation, Q
    an orthonormal basis of the rows of A for them.
    """
    chosen = state.feature_map.plan.landmarks
    assert chosen is not None
    root = chosen.left_root
    basis = np.linalg.qr((root / np.square(root).sum(axis=0))[: len(root) // 2].T)[0]
    half = np.linalg.eigh(basis.T @ state.feature_scatter @ basis)
    scatter, turned = np.maximum(half.eigenvalues, 0.0), half.eigenvectors.T @ (basis.T @ state.cross_scatter)
    noises = float(whole.eigenvalues.sum() / whole.weight or 1.0) * np.geomspace(*NOISES, _GRID)
    few = replace(whole, eigenvalues=scatter, cross=turned)
    logs = [path.cross_validation(noises).min(axis=0) for path in (few, whole)]
    return bool(np.mean(logs[1] - logs[0]) < np.log1p(-_PAYS))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Leave-one-out predictions of ridge regression."""

    path: RidgePath
    rotated: Numbers
    """(z − z̄)'V, (m, D)."""
    targets: Numbers
    """(m, T)."""
    units: Numbers

    @cached_property
    def _squares(self) -> Numbers:
        return np.square(self.rotated)

    def _kept(self, inverses: Numbers) -> Numbers:
        """1 − leverage for inverses (D, g) of s + τ: (m, g)."""
        leverage = self.units[:, None] * (self._times(self._squares, inverses) + 1.0 / self.path.weight)
        return np.asarray(np.maximum(1.0 - leverage, 1e-12))

    def _left(self, inverses: Numbers) -> Numbers:
        """y − ŷ, (m, T, g): one product for all noises."""
        cross, (n_columns, n_noises) = self.path.cross, inverses.shape
        each = (cross[:, :, None] * inverses[:, None, :]).reshape(n_columns, -1)
        fitted = self._times(self.rotated, each).reshape(*self.targets.shape, n_noises)
        return np.asarray((self.targets - self.path.target_mean)[:, :, None] - fitted)

    def _times(self, rows: Numbers, right: Numbers) -> Numbers:
        """The product in the precision of the rows, as doubles."""
        return np.asarray(rows @ right.astype(rows.dtype, copy=False), dtype=np.float64)

    def predictions(self, noise: float) -> Numbers:
        """(m, T)."""
        inverses = 1.0 / (self.path.eigenvalues + noise)[:, None]
        return np.asarray(self.targets - self._left(inverses)[:, :, 0] / self._kept(inverses))

    def errors(self, noises: Numbers, weights: Numbers) -> Numbers:
        """Σ w (y − ŷ)² over rows and targets for noises (g,): (g,)."""
        inverses = 1.0 / (self.path.eigenvalues[:, None] + noises)
        weighted = weights[:, None] / np.square(self._kept(inverses))
        at_once = max(1, _LEFT_AT_ONCE // self.targets.size)
        parts = [slice(i, i + at_once) for i in range(0, len(noises), at_once)]
        found = [np.einsum("mtg,mg->g", np.square(self._left(inverses[:, part])), weighted[:, part]) for part in parts]
        return np.concatenate(found)


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
        """Raise ValueError without observations; a saved model may hold any number."""
        if not self.weight > 0:
            raise ValueError(f"a model of {self.weight:g} observations")

    def mean(self, features: NDArray[np.float64]) -> Numbers:
        """Predictions for features (m, D): (m, T)."""
        return features @ self.coefficients + (self.target_mean - self.feature_mean @ self.coefficients)

    def _rotated(self, features: Numbers) -> tuple[Numbers, Numbers]:
        """(z − z̄)'V, (m, r), and what is left of z − z̄ in other directions, (m, D) or (m, 0)."""
        centred = features - self.feature_mean
        rotated = centred @ self.eigenvectors
        n_columns, n_directions = self.eigenvectors.shape
        return rotated, centred - rotated @ self.eigenvectors.T if n_directions < n_columns else centred[:, :0]

    def leverage(self, features: NDArray[np.float64]) -> Numbers:
        """1/n + (z − z̄)'(S + τ)⁻¹(z − z̄) for every row and target: (m, T).

        Times τ, this is the posterior variance of the fitted function, relative to the amplitude.
        """
        rotated, others = (np.square(own) for own in self._rotated(features))
        found = rotated @ (1.0 / (self.eigenvalues[:, None] + self.noises[None, :])) + 1.0 / self.weight
        return np.asarray(found + others.sum(axis=1, keepdims=True) / self.noises)

    def covariance(self, features: Numbers, target: int) -> Numbers:
        """The posterior covariance of the fitted function, relative to the amplitude, (m, m)."""
        (rotated, others), noise = self._rotated(features), self.noises[target]
        within = (rotated * (noise / (self.eigenvalues + noise))) @ rotated.T
        return np.asarray(within + noise / self.weight + others @ others.T)

    def drawn(self, features: NDArray[np.float64], n_samples: int, generator: np.random.Generator) -> Numbers:
        """Values of n functions drawn from the posterior, relative to the root of the amplitude, minus the mean.

        (m, T, n): z·(β' − β) with β' − β ~ N(0, τ(S + τ)⁻¹), and the intercept's N(0, τ/n).
        """
        rotated, others = self._rotated(features)
        found = np.empty((len(features), len(self.noises), n_samples))
        for target, noise in enumerate(self.noises):
            normal = generator.standard_normal((len(self.eigenvalues), n_samples))
            scale = np.sqrt(noise / (self.eigenvalues + noise))
            offset = generator.standard_normal(n_samples) * np.sqrt(noise / self.weight)
            found[:, target] = rotated @ (scale[:, None] * normal) + offset
            found[:, target] += others @ generator.standard_normal((others.shape[1], n_samples))
        return found


@dataclass(frozen=True, eq=False)
class WideRidgeFit(RidgeFit):
    """A solution of far fewer rows than columns, with the directions in which the rows vary: S is 0 in all others."""

    eigenvectors: Numbers = array("float64", "columns", "directions")
    eigenvalues: Numbers = array("float64", "directions", at_least=0)


@dataclass(frozen=True, eq=False)
class RidgeModel:
    """Regression of T targets on features: y = m + z(x)·β + ε, β ~ N(0, a I), ε ~ N(0, a τ).

    `fit.noises` are τ, `amplitudes` a, and `log_likelihoods` those of y with the intercept integrated out and a fitted,
    (T,) each.
    """

    feature_map: FeatureMap
    fit: RidgeFit
    amplitudes: Numbers
    log_likelihoods: Numbers

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The posterior mean of y for rows X, (m,) or (m, T); optionally with the standard deviation of a new
        observation.

        The standard deviation is that of the features: unlike `ks.KernelRegressor`'s, it does not grow to that of the
        kernel far from all rows. Raises DataError.
        """
        blocks = [dense(block) for block in self.feature_map.blocks(X)]
        means = np.concatenate([np.zeros((0, len(self.amplitudes))), *(self.fit.mean(own) for own in blocks)])
        if not return_std:
            return self._shown(means)
        leverages = np.concatenate([np.zeros_like(means[:0]), *(self.fit.leverage(own) for own in blocks)])
        return self._shown(means), self._shown(np.sqrt(self.amplitudes * self.fit.noises * (1 + leverages)))

    def sample(self, X: Any, n_samples: int, generator: np.random.Generator) -> Any:
        """Functions m + z(x)·β drawn from the posterior at rows X: (m, n_samples) or (m, T, n_samples).

        Raises DataError; PlanError for anything but a generator.
        """
        if not isinstance(generator, np.random.Generator):
            raise PlanError(f"generator must be that of NumPy, as np.random.default_rng(0), not {generator!r:.60}")
        features = np.concatenate([dense(block) for block in self.feature_map.blocks(X)])
        drawn = np.sqrt(self.amplitudes)[:, None] * self.fit.drawn(features, n_samples, generator)
        found = self.fit.mean(features)[:, :, None] + drawn
        return found[:, 0] if len(self.amplitudes) == 1 else found

    def to_onnx(self) -> Any:
        """`predict` as an `onnx.ModelProto`: named columns (n, 1) to the output `prediction`, (n,) or (n, T).

        Raises as `FeatureMap.to_onnx`.
        """
        from kernelspec.maps.onnx import onnx_model

        def head(features: Any, _: Any) -> dict[str, Any]:
            return {"prediction": self._shown(self.fit.mean(features))}

        return onnx_model(self.feature_map, head)

    def _shown(self, values: Numbers) -> Numbers:
        return values[:, 0] if len(self.amplitudes) == 1 else values


def dense(features: Any) -> Numbers:
    """Features of a block, dense or CSR, as a new array (m, D)."""
    return np.array(features if isinstance(features, np.ndarray) else features.toarray(), dtype=np.float64)


def compact(features: Any) -> Any:
    """Features of a block as they are, or as CSR if three quarters are zeros."""
    is_mostly_zero = isinstance(features, np.ndarray) and 4 * np.count_nonzero(features) < features.size
    return csr_array(features) if is_mostly_zero else features
