"""The sums over rows that determine models on features: they add up, and they answer without another pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.evaluation import feature_type
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.landmarks import kept_rows_shown, warn_of_kept_rows
from kernelspec.maps.map_file import read_model, save_model
from kernelspec.models.ridge import KernelSize, RidgeModel, RidgePath, dense, least
from kernelspec.planning.options import check_coverage
from kernelspec.planning.plan import Plan
from kernelspec.samples.declared_arrays import array
from kernelspec.tables.cells import is_missing, read_as_text

__all__ = [
    "LARGEST",
    "MOST_COPIES",
    "By",
    "Discrepancy",
    "MeanRests",
    "PrincipalComponents",
    "SavedState",
    "State",
    "check_real",
    "classes_of",
    "is_too_wide",
    "labels_of",
    "load_state",
    "numbers_or_indicators",
    "plain_targets",
    "refuse_masked",
    "target_columns",
    "targets_of",
    "weights_of",
]

Task = Literal["auto", "regression", "classes"]
By = Literal["likelihood", "loo", "cv", "median"]
"""How parameters are tuned."""

Numbers = NDArray[np.float64]

_LOOKED_AT = 100
"""How many texts of a target are looked at: if all of them look like numbers or dates, they do not name classes."""

_MOST_COLUMNS = 20_000
"""The most columns of a state: their scatter matrix takes 3.2 GB."""

LARGEST = 1e150
"""Squares of targets up to this are finite."""

MOST_COPIES = 1e15
"""The largest weight: counts up to this are exact."""

_DRAWS = 10_000
"""Draws of the error of a discrepancy."""

_TOGETHER = 1024
"""Directions whose draws are held at a time."""


@dataclass(frozen=True, eq=False)
class MeanRests:
    """What the means of features and targets lack, because they are rounded: mean + rest has twice the digits."""

    feature: Numbers = array("float64", "columns")
    target: Numbers = array("float64", "targets")


@dataclass(eq=False)
class State:
    """n, Σw, means and scatter matrices of features z (D,) and targets y (T,): sufficient for ridge regression.

    `feature_scatter` Σ w (z − z̄)(z − z̄)', `cross_scatter` Σ w (z − z̄)(y − ȳ)' and `target_scatter` Σ w (y − ȳ)².
    States of the same feature map add up, so blocks, files and machines can each compute their own. Centered sums are
    merged without cancellation [Chan, Golub and LeVeque 1983], about means with compensated rounding: columns and
    targets may lie far from 0. A weight counts how often a row occurs.
    """

    feature_map: FeatureMap
    n_rows: int
    weight: float
    feature_mean: Numbers
    target_mean: Numbers
    feature_scatter: Numbers = field(repr=False)
    cross_scatter: Numbers = field(repr=False)
    target_scatter: Numbers = field(repr=False)
    rests: MeanRests = field(repr=False)

    @classmethod
    def of(cls, feature_map: FeatureMap, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """The state of the rows X (n, d) with optional targets y, (n,) or (n, T), and weights (n,).

        Raises DataError; PlanError for a map of an asymmetric or indefinite kernel, or of more than 20,000 columns,
        whose scatter matrix takes gigabytes.
        """
        n_targets = 0 if y is None else target_columns(y).shape[1]
        return cls.empty(feature_map, n_targets).update(X, y, sample_weight)

    @classmethod
    def empty(cls, feature_map: FeatureMap, n_targets: int) -> Self:
        """The state of no rows. Raises PlanError as `of`."""
        if not feature_map.is_one_sided:
            raise PlanError("a State needs a symmetric kernel with features of positive sign: Z'Z must estimate it")
        check_real(feature_map)
        n_columns = feature_map.n_columns
        if is_too_wide(feature_map):
            raise PlanError(
                f"the scatter matrix of {n_columns:,} columns takes {8e-9 * n_columns**2:.1f} GB, and a State holds at "
                f"most {_MOST_COLUMNS:,}: plan fewer features, hash keys into buckets (buckets=1024), or use "
                "KernelRegressor(spec, solver='features') with this map's method and n_features: its fit solves by "
                "conjugate gradients, without a State"
            )
        return cls(
            feature_map,
            0,
            0.0,
            np.zeros(n_columns),
            np.zeros(n_targets),
            np.zeros((n_columns, n_columns)),
            np.zeros((n_columns, n_targets)),
            np.zeros(n_targets),
            MeanRests(np.zeros(n_columns), np.zeros(n_targets)),
        )

    def update(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add more rows, in place, and return the state. On DataError, nothing is added."""
        targets = None if y is None else target_columns(y)
        n_targets = 0 if targets is None else targets.shape[1]
        if n_targets != len(self.target_mean):
            raise DataError(f"y has {n_targets} targets, but the state has {len(self.target_mean)}")
        scale = 1.0
        if targets is None and sample_weight is not None and np.ndim(sample_weight) == 0:  # the same for all rows
            scale, sample_weight = float(weights_of(sample_weight, 1)[0]), None
        given = sample_weight if targets is None else targets
        weights = None if given is None else weights_of(sample_weight, len(given))
        found, first = self, 0
        for block in self.feature_map.blocks(X):
            rows = slice(first, first + block.shape[0])
            first = rows.stop
            if weights is not None and first > len(weights):
                break
            own = np.full(block.shape[0], scale) if weights is None else weights[rows]
            wanted = np.zeros((block.shape[0], 0)) if targets is None else targets[rows]
            found = found + self.of_features(self.feature_map, block, wanted, own, overwrites=True)
        if weights is not None and first != len(weights):
            raise DataError(f"X has more or fewer rows than y or its weights, which are {len(weights)}")
        self.__dict__.update(found.__dict__)
        return self

    @classmethod
    def of_features(
        cls, feature_map: FeatureMap, features: Any, targets: Numbers, weights: Numbers, *, overwrites: bool = False
    ) -> Self:
        """The state of features (n, D), dense or CSR, of the map, with targets (n, T) and weights (n,).

        If it `overwrites`, dense features in double precision are centred in place, which saves their memory.
        """
        total = float(weights.sum())
        mean = np.asarray(features.T @ weights).ravel() / total if total else np.zeros(features.shape[1])
        target_mean = weights @ targets / total if total else np.zeros(targets.shape[1])
        centred_targets = targets - target_mean
        root = np.sqrt(weights)[:, None]  # on both sides, so that the scatter matrix is symmetric to the last bit
        weighted_targets, rest = root * centred_targets, np.zeros(features.shape[1])
        if isinstance(features, np.ndarray):
            in_place = features if overwrites and features.dtype == np.float64 else None
            weighted = np.subtract(features, mean, out=in_place, dtype=np.float64)
            if (weights != 1).any():
                weighted *= root
            scatter, cross = weighted.T @ weighted, weighted.T @ weighted_targets
            rest = root[:, 0] @ weighted / (total or 1.0)
        else:  # centering fills in the zeros: only sums of columns that are mostly filled would cancel without it
            filled = np.bincount(features.indices, np.repeat(weights, np.diff(features.indptr)), features.shape[1])
            full = np.flatnonzero(filled > total / 2)
            centred = root * (features[:, full].toarray() - mean[full])
            weighted = features.multiply(root).tocsr()
            scatter = (weighted.T @ weighted).toarray() - total * np.outer(mean, mean)
            rest[full] = root[:, 0] @ centred / (total or 1.0)
            scatter[:, full] = weighted.T @ centred - total * np.outer(mean, rest[full])
            scatter[full] = scatter[:, full].T
            scatter[np.ix_(full, full)] = centred.T @ centred
            cross = np.asarray(weighted.T @ weighted_targets) - np.outer(mean, weights @ centred_targets)
            cross[full] = centred.T @ weighted_targets
        own = weights @ np.square(centred_targets)
        mean, rest = _two_sum(mean, rest)
        target_mean, target_rest = _two_sum(target_mean, root[:, 0] @ weighted_targets / (total or 1.0))
        rests = MeanRests(rest, target_rest)
        return cls(feature_map, len(targets), total, mean, target_mean, scatter, cross, own, rests)

    def __add__(self, other: State) -> Self:
        """The state of the rows of both. Raises PlanError for states of different feature maps."""
        if not isinstance(other, State):
            return NotImplemented
        if not _are_equal(self.feature_map, other.feature_map):
            raise PlanError("states of different feature maps do not add up: make both with the same map")
        if len(self.target_mean) != len(other.target_mean):
            raise DataError(f"states of {len(self.target_mean)} and {len(other.target_mean)} targets do not add up")
        total = self.weight + other.weight
        one, other = (self, other) if self.weight >= other.weight else (other, self)
        share = other.weight / total if total else 0.0
        moved, mean, rest = _merged(one.feature_mean, one.rests.feature, other.feature_mean, other.rests.feature, share)
        turned, target_mean, target_rest = _merged(
            one.target_mean, one.rests.target, other.target_mean, other.rests.target, share
        )
        root = np.sqrt(one.weight * share)
        scatter = one.feature_scatter + other.feature_scatter
        scatter += np.outer(root * moved, root * moved)
        return type(self)(
            self.feature_map,
            one.n_rows + other.n_rows,
            total,
            mean,
            target_mean,
            scatter,
            one.cross_scatter + other.cross_scatter + np.outer(root * moved, root * turned),
            one.target_scatter + other.target_scatter + np.square(root * turned),
            MeanRests(rest, target_rest),
        )

    def ridge(self, noise: float | None = None, *, by: Literal["likelihood", "gcv"] = "likelihood") -> RidgeModel:
        """Ridge regression of y on the features, which is Bayesian linear regression with an intercept.

        The noise variance, relative to the amplitude of the kernel, is the given one, or for each target the one of
        largest marginal likelihood, or of least generalized cross-validation score. The part of the kernel that the
        features miss counts as noise. Raises DataError for a state without targets, or with fewer than two rows;
        PlanError for a noise that is not positive.
        """
        if not len(self.target_mean) or not self.weight >= 2:
            raise DataError("regression needs two rows at least, and targets: State.of(fmap, X, y)")
        if noise is not None:
            _check_noise(noise)
        if by not in ("likelihood", "gcv"):
            raise PlanError(f"by must be 'likelihood' or 'gcv', not {by!r}")
        path = self._path
        loss = path.deviance if by == "likelihood" else path.cross_validation
        noises = (
            least(loss, KernelSize(self.mean_square)) if noise is None else np.full(len(self.target_mean), float(noise))
        )
        return RidgeModel(
            self.feature_map, path.fit(noises), path.amplitudes(noises), -np.diagonal(path.deviance(noises)) / 2
        )

    def mean_squared_error(self, model: RidgeModel) -> Any:
        """The mean of w (y − ŷ)² over the rows of the state, for a model of other rows: a number, or (T,).

        (T − 2 β'C + β'Sβ)/Σw + (ȳ − ŷ(z̄))² with the scatters T, C and S. Raises PlanError for a model on another map;
        DataError for a state without rows, or of other targets.
        """
        if not _are_equal(self.feature_map, model.feature_map):
            raise PlanError("the model has other features than the state: make both with the same map")
        fit, slopes = model.fit, model.fit.coefficients
        if not self.weight or self.cross_scatter.shape != slopes.shape:
            raise DataError(f"errors need rows with the {slopes.shape[1]} targets of the model: State.of(fmap, X, y)")
        explained = (slopes * (2 * self.cross_scatter - self.feature_scatter @ slopes)).sum(axis=0)
        shift = self.target_mean - fit.target_mean - (self.feature_mean - fit.feature_mean) @ slopes
        found = np.maximum(self.target_scatter - explained, 0.0) / self.weight + np.square(shift)
        return found if len(found) > 1 else float(found[0])

    @classmethod
    def learning_curve(cls, parts: Iterable[State], noise: float | None = None) -> list[tuple[int, Any]]:
        """The rows of the first part, the first two, and so on, each with the error of their ridge on the next part.

        Parts are states of disjoint random rows with targets; the error is `mean_squared_error`. Raises as `ridge`;
        DataError for fewer than two parts.
        """
        found: list[tuple[int, Any]] = []
        whole: State | None = None
        for part in parts:
            if whole is not None:
                found.append((whole.n_rows, part.mean_squared_error(whole.ridge(noise))))
            whole = part if whole is None else whole + part
        if not found:
            raise DataError("a learning curve needs states of two parts at least: [State.of(fmap, X1, y1), …]")
        return found

    @property
    def mean_square(self) -> float:
        """Σ w ‖z‖²/Σ w, an unbiased estimate of the mean of k(x, x)."""
        total = float(np.trace(self.feature_scatter)) / (self.weight or 1.0)
        return total + float(self.feature_mean @ self.feature_mean)

    def effective_dimension(self, noise: float) -> float:
        """Σ s/(s + noise), s the eigenvalues of the scatter matrix: the number of directions determined by the rows.

        `noise` is relative to the amplitude of the kernel. More features than a few times this number do not help.
        Raises PlanError for a noise that is not positive.
        """
        _check_noise(noise)
        return float(self._path.effective_dimension(np.array([float(noise)]))[0])

    def principal_components(self, n: int) -> PrincipalComponents:
        """The n directions in which the features vary most: kernel principal component analysis of all rows."""
        if not isinstance(n, Integral) or not 1 <= n <= len(self.feature_mean):
            raise PlanError(
                f"n must be a whole number between 1 and the {len(self.feature_mean)} columns, not {n!r:.60}"
            )
        values, vectors = self._path.eigenvalues, self._path.eigenvectors
        if len(values) < n:  # few rows, and components of variance 0 are asked for
            values, vectors = np.linalg.eigh(self.feature_scatter)
        variances = np.maximum(values[::-1][:n], 0.0) / max(self.weight - 1, 1.0)
        return PrincipalComponents(self.feature_map, self.feature_mean, variances, vectors[:, ::-1][:, :n])

    def discrepancy(self, other: State, coverage: float = 0.95) -> Discrepancy:
        """MMD² between the distributions of the rows of two states, unbiased [Gretton et al. 2012].

        ‖z̄ − z̄'‖² − tr S/n(n − 1) − tr S'/n'(n' − 1): 0 on average if both have the same distribution. Its error for a
        true difference δ is 2 δ·ε + ‖ε‖² − tr V with ε ~ N(0, V), V = S/n(n − 1) + S'/n'(n' − 1). The interval contains
        the ‖δ‖² for which the value is not among the smallest or largest, with δ in the direction of z̄ − z̄' and
        δ'Vδ/‖δ‖² estimated without the noise in it; `p_value` is the probability of a value at least this large for δ =
        0. Both come from 10,000 draws, and refer to the features of the map. Weights count rows. Raises PlanError for
        states of different maps, DataError for fewer than two rows.
        """
        if not isinstance(other, State):
            raise PlanError(f"a state is compared with another State, not {other!r:.60}: State.of(fmap, X)")
        if not _are_equal(self.feature_map, other.feature_map):
            raise PlanError("states of different feature maps cannot be compared: make both with the same map")
        check_coverage(coverage)
        sizes = [own.weight for own in (self, other)]
        if min(sizes) < 2:
            raise DataError("a discrepancy needs two rows on either side")
        noise = sum(own.feature_scatter / (own.weight * (own.weight - 1)) for own in (self, other))
        variances, vectors = np.linalg.eigh(noise)
        variances = np.maximum(variances, 0.0)
        shifts = vectors.T @ (self.feature_mean - other.feature_mean)
        square = float(shifts @ shifts)
        value = square - float(variances.sum())
        # noise in the difference turns it away from directions of large variance
        along, most = float(variances @ np.square(shifts)), float(variances.max(initial=0.0)) * square
        unbiased = float(variances @ (np.square(shifts) - variances)) * square / value if value > 0 else most
        turned = np.sqrt(min(max(unbiased, along), most) / along) if along > 0 else 1.0
        direction = turned * np.sqrt(variances) * shifts / (np.sqrt(square) or 1.0)
        generator, quadratic, linear = np.random.default_rng(0), np.zeros(_DRAWS), np.zeros(_DRAWS)
        for first in range(0, len(variances), _TOGETHER):
            some = slice(first, first + _TOGETHER)
            normal = generator.standard_normal((_DRAWS, len(variances[some])))
            quadratic += (np.square(normal) - 1) @ variances[some]
            linear += 2 * normal @ direction[some]

        def beyond(size: float, level: float) -> bool:
            """Whether the value is below the quantile of this level, for a true difference of this size."""
            return bool(size**2 + np.quantile(quadratic + size * linear, level) > value)

        lower, upper = (1 - coverage) / 2, (1 + coverage) / 2
        middle = float(np.sqrt(max(value, 0.0)))
        low = _border(lambda size: beyond(size, upper), 0.0, middle)
        high = _border(lambda size: beyond(size, lower), middle, middle + 8 * float(np.sqrt(variances.sum())))
        chance = float(1 + (quadratic >= value).sum()) / (1 + _DRAWS)
        return Discrepancy(value, low**2, high**2, chance, float(np.sqrt(self.feature_map.plan.chosen.variance)))

    def save(self, path: str | Path) -> None:
        """Write the state with its map to a file, to be read by `ks.load_state`. Raises FileError.

        Warns KeptRowsWarning for a map with landmarks, which are rows of the data.
        """
        warn_of_kept_rows(kept_rows_shown(self.feature_map.plan))
        save_model(SavedState.of(self), path)

    @property
    def _path(self) -> RidgePath:
        return RidgePath.of(self)


@dataclass(frozen=True, eq=False)
class SavedState:
    """A state as stored in files."""

    features: DrawnPlan
    n_rows: int
    weight: float
    feature_mean: Numbers = array("float64", "columns")
    target_mean: Numbers = array("float64", "targets")
    feature_scatter: Numbers = array("float64", "columns", "columns")
    cross_scatter: Numbers = array("float64", "columns", "targets")
    target_scatter: Numbers = array("float64", "targets", at_least=0)
    rests: MeanRests | None = field(default=None, metadata={"omitted": None})

    def validate(self) -> None:
        """Raise ValueError unless the sums fit the features of the map."""
        if not (self.features.has_columns and self.features.is_one_sided):
            raise ValueError("the features of the map do not make a state")
        if self.features.n_columns != len(self.feature_mean) or self.n_rows < 0 or not 0 <= self.weight < np.inf:
            raise ValueError(f"sums of {len(self.feature_mean)} columns and {self.n_rows} rows for another map")
        if not np.array_equal(self.feature_scatter, self.feature_scatter.T):
            raise ValueError("a scatter matrix is symmetric")
        ends = [len(self.feature_mean), len(self.target_mean)]
        if self.rests is not None and [len(self.rests.feature), len(self.rests.target)] != ends:
            raise ValueError("the rests of the means are of other columns or targets")

    @classmethod
    def of(cls, state: State) -> SavedState:
        """The state as stored in files."""
        return cls(state.feature_map.plain, *(getattr(state, own.name) for own in fields(state)[1:]))

    def state(self) -> State:
        """The state, to which rows can be added."""
        sums = [getattr(self, own.name) for own in fields(self)[1:-1]]
        rests = self.rests or MeanRests(np.zeros_like(self.feature_mean), np.zeros_like(self.target_mean))
        return State(FeatureMap.of(self.features), *sums, *[rests])


def load_state(path: str | Path) -> State:
    """The State written by `state.save(path)`; rows can be added as if it had never been saved.

    The whole file is checked before use. Raises FileError for a file that is missing, damaged, edited, of another
    format version, or not a state.
    """
    return read_model(path, SavedState)[1].state()


@dataclass(frozen=True)
class Discrepancy:
    """MMD² of two samples, unbiased, with its interval, and the p-value for equal distributions.

    All refer to the kernel z(x)·z(y) of the features. `feature_error` is its standard error about the kernel of the
    spec that the plan of the map predicts for a pair of rows; 0 if the features are exact. MMD² adds up averages of the
    kernel with weights 1, 1 and −2, so its own is at most four times that.
    """

    value: float
    low: float
    high: float
    p_value: float
    feature_error: float

    def __str__(self) -> str:
        """`MMD² 0.0023 (0.0000 to 0.0162), p = 0.23; of the features, which estimate k(x, y) to ±0.06`."""
        error = f"which estimate k(x, y) to ±{self.feature_error:.2g}" if self.feature_error else "which are exact"
        found = f"MMD² {self.value:.4g} ({self.low:.4g} to {self.high:.4g}), p = {self.p_value:.2g}"
        return f"{found}; of the features, {error}"


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """Directions (D, n) of features in which rows vary, with the variances (n,) along them, largest first."""

    feature_map: FeatureMap
    mean: Numbers
    variances: Numbers
    directions: Numbers

    def transform(self, X: Any) -> Numbers:
        """Coordinates of rows along the directions, (m, n). Raises DataError."""
        blocks = [(dense(block) - self.mean) @ self.directions for block in self.feature_map.blocks(X)]
        return np.concatenate([np.zeros((0, len(self.variances))), *blocks])


def _two_sum(one: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    """The sum as rounded, and what rounding lost, exactly [Knuth]."""
    total = one + other
    added = total - one
    return total, (one - (total - added)) + (other - added)


def _merged(
    mean: Numbers, rest: Numbers, other: Numbers, other_rest: Numbers, share: float
) -> tuple[Numbers, Numbers, Numbers]:
    """The difference of two means, and the mean of both with its rest; `share`, at most a half, is the other's."""
    gap, lost = _two_sum(other, -mean)
    moved = gap + (lost + (other_rest - rest))
    mean, lost = _two_sum(mean, share * moved)
    return moved, *_two_sum(mean, lost + rest)


def _border(beyond: Callable[[float], bool], low: float, high: float) -> float:
    """The point at which `beyond` becomes true between two numbers, to 2⁻⁴⁰ of their difference;
    `low` if true there.
    """
    if beyond(low):
        return low
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high


def _are_equal(one: FeatureMap, other: FeatureMap) -> bool:
    """Whether two maps give the same features: the plan with its seed determines the draws."""
    if one is other:
        return True
    mine, theirs = one.plan, other.plan
    drawn = [
        (plan.text, plan.values, plan.seed, plan.strata, plan.chosen, plan.buckets, plan.bits)
        for plan in (mine, theirs)
    ]
    if drawn[0] != drawn[1] or one.n_columns != other.n_columns or _names_read(mine) != _names_read(theirs):
        return False
    if mine.landmarks is None or theirs.landmarks is None:
        return mine.landmarks is theirs.landmarks
    return bool(
        np.array_equal(mine.landmarks.left.rows.dense(), theirs.landmarks.left.rows.dense())
        and np.array_equal(mine.landmarks.left_root, theirs.landmarks.left_root)
    )


def _names_read(plan: Plan) -> tuple[str, ...]:
    """The names of the columns that a map reads, in order, if they have names."""
    layout = plan.layout
    return () if layout.names is None else tuple(layout.names[i] for i in layout.used)


def _check_noise(noise: Any) -> None:
    if not isinstance(noise, Real) or not 0 < float(noise) < np.inf:
        raise PlanError(f"noise must be positive, not {noise!r:.60}")


def target_columns(y: Any) -> Numbers:
    """Targets as numbers (n, T). Raises as `targets_of`."""
    found = targets_of(y)
    return found[:, None] if found.ndim == 1 else found


def numbers_or_indicators(y: Any, task: Task = "auto") -> tuple[Numbers, bool]:
    """Targets as numbers or indicators of their classes, (n, T), and whether they are classes. Raises DataError."""
    y = plain_targets(y)
    if not has_classes(y, task):
        return target_columns(y), False
    classes, codes = classes_of(y)
    return np.eye(len(classes))[codes], True


def _array(values: Any, dtype: type | None, refusal: str) -> NDArray[Any]:
    """An array of the type. Raises DataError with the text `refusal`, and for masked values."""
    refuse_masked(values)
    try:
        return np.asarray(values, dtype=dtype)
    except (TypeError, ValueError):
        raise DataError(refusal) from None


def refuse_masked(values: Any) -> None:
    """Raise DataError for a masked array of targets or weights that hides some."""
    if np.ma.is_masked(values):
        hidden = np.argwhere(np.ma.getmaskarray(np.ma.atleast_1d(values)))[:, 0]
        raise DataError(f"y, or its weight, is masked in row {hidden[0]} ({len(hidden)} such cells): leave these out")


def targets_of(y: Any) -> Numbers:
    """Targets as numbers (n,) or (n, T), as given.

    Raises DataError for text, NaN and infinity, with the row, and for another shape.
    """
    refusal = "y holds text or objects, but regression needs numbers: KernelClassifier learns classes"
    given = _array(y, None, refusal)
    if given.dtype.kind in "US" or (given.dtype.kind == "O" and any(isinstance(own, str) for own in given.flat)):
        raise DataError(refusal)
    if given.dtype.kind == "c":
        raise DataError("Complex data not supported: y must be real")
    if given.dtype.kind in "mM":
        raise DataError("y holds dates or durations, but regression needs numbers: count them in days or seconds")
    found = _array(given, np.float64, refusal)
    if found.ndim not in (1, 2) or found.shape[1:] == (0,):
        raise DataError(f"y must have the shape (n,) or (n, targets), not {given.shape}")
    wrong = np.flatnonzero(~np.isfinite(found).all(axis=tuple(range(1, found.ndim))))
    if len(wrong):
        raise DataError(f"y is NaN or infinite in row {wrong[0]} ({len(wrong)} such rows): leave these rows out")
    is_large = np.abs(found).max(initial=0.0) > LARGEST
    spread = np.zeros(1) if is_large or not len(found) else np.ptp(found, axis=0)
    if is_large or ((spread > 0) & (spread < 1 / LARGEST)).any():
        raise DataError(f"y has numbers beyond {LARGEST:g}, or too close to each other: change its unit")
    return found


def plain_targets(y: Any) -> NDArray[Any]:
    """An array of numbers, or of true and false, if its objects are these, as in a data frame with gaps dropped.

    Raises DataError for masked targets, and for lists of several lengths.
    """
    given = _array(y, None, "y must have one class or number for each row, not lists of several lengths")
    if given.dtype.kind == "T":
        return np.array(given.tolist())  # scikit-learn does not know this type of text
    kinds = {type(own) for own in given.flat} if given.dtype.kind == "O" else set()
    if kinds and kinds <= {bool, np.bool_}:
        return given.astype(bool)
    if kinds and all(issubclass(own, int | np.integer) and not issubclass(own, bool) for own in kinds):
        return np.array(given.tolist())  # of a type that holds them, if there is one
    if kinds and all(issubclass(own, int | float | Decimal | np.number) and not issubclass(own, bool) for own in kinds):
        return given.astype(np.float64)
    return given


def weights_of(sample_weight: Any, n_rows: int) -> Numbers:
    """Weights of the rows, (n,), 1 by default. Raises DataError for negative or missing ones, or if all are 0."""
    if sample_weight is None:
        return np.ones(n_rows)
    found = _array(sample_weight, np.float64, f"sample_weight must hold numbers, not {sample_weight!r:.60}")
    if found.ndim == 0:
        found = np.full(n_rows, float(found))
    if found.shape != (n_rows,):
        raise DataError(f"sample_weight must have one number for each of {n_rows} rows, not the shape {found.shape}")
    if not ((found >= 0) & (found <= MOST_COPIES)).all():
        raise DataError(f"sample_weight counts how often rows occur: it must be from 0 to {MOST_COPIES:g}")
    if not found.any():
        raise DataError("sample_weight is zero for all rows: give some row a weight above 0")
    return found


def check_real(feature_map: FeatureMap) -> None:
    """Raise PlanError for a map of complex features."""
    if feature_type(feature_map, np.dtype(np.float64)).kind == "c":
        raise PlanError("models need real features: use method='paired' or 'auto', not 'complex'")


def is_too_wide(feature_map: FeatureMap) -> bool:
    """Whether a map has too many columns for a scatter matrix."""
    return feature_map.n_columns > _MOST_COLUMNS


def has_classes(y: NDArray[Any], task: Task = "auto") -> bool:
    """Whether the task is to predict classes: "auto" takes numbers for regression, other targets for classes.

    Raises PlanError for another task; DataError for text, under "auto", that looks like numbers or dates.
    """
    if task not in ("auto", "regression", "classes"):
        raise PlanError(f"task must be 'auto', 'regression' or 'classes', not {task!r}")
    if task != "auto":
        return task == "classes"
    texts = [own for own in y.ravel()[:_LOOKED_AT].tolist() if isinstance(own, str)] if y.dtype.kind in "OUT" else []
    hints = [read_as_text(own) for own in texts]
    if texts and all(hints):
        raise DataError(f"the target is text{hints[0]}, or say that these are classes (task='classes', --task classes)")
    return y.dtype.kind not in "fiumM"  # regression, too, refuses dates and durations


def classes_of(y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The sorted classes, and the index of the class of each row. Raises DataError."""
    classes, codes = np.unique(labels_of(y), return_inverse=True)
    if len(classes) < 2:
        raise DataError(f"y has one class only, {classes.tolist()}: a classifier needs two at least")
    return classes, codes.astype(np.intp)


def labels_of(y: Any) -> NDArray[Any]:
    """The class of each row, (n,). Raises DataError."""
    given = plain_targets(y)
    if given.ndim == 2 and given.shape[1] == 1:
        from sklearn.utils import column_or_1d

        given = column_or_1d(given, warn=True)
    if given.ndim != 1:
        raise DataError(f"y must have the shape (n,), not {given.shape}: one class for each row")
    if given.dtype.kind in "mM":
        raise DataError("y holds dates or durations: classes are text, whole numbers, or true and false")
    if given.dtype.kind == "c":
        raise DataError("Complex data not supported: classes are text, whole numbers, or true and false")
    missing = [i for i, own in enumerate(given.tolist()) if is_missing(own)] if given.dtype.kind == "O" else []
    if missing:
        raise DataError(f"y is missing in row {missing[0]} ({len(missing)} such rows): leave these rows out")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise DataError(f"y is NaN or infinite in row {int(np.flatnonzero(~np.isfinite(given))[0])}")
    cells = given.tolist() if given.dtype.kind in "OS" else []
    kinds = {str if isinstance(own, str) else type(own) for own in cells}
    if kinds == {int} or (
        given.dtype.kind == "f" and (np.floor(given) == given).all() and abs(given).max(initial=0.0) >= 2.0**63
    ):
        raise DataError("y holds whole numbers beyond 64 bits: give such classes as text")
    if kinds - {str}:  # objects that are all numbers, or true and false, are an array of these by now
        shown = " and ".join(sorted({own.__name__ for own in kinds}))
        raise DataError(f"y holds {shown}: classes must be text or numbers, all of one type, as astype(str) gives")
    from sklearn.utils.multiclass import check_classification_targets

    try:
        check_classification_targets(given)
    except ValueError as error:
        raise DataError(str(error)) from None
    return given
