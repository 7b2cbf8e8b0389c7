"""Classification with a kernel written as text: calibrated probabilities from features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernelspec.catalogue import FaultsNamed, names_faults
from kernelspec.errors import DataError, PlanError
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.models.blocks import BlockwiseEstimator, DaskPartitions
from kernelspec.models.class_models import LabelledFeatures, LeastSquares, Logistic
from kernelspec.models.given import Observations, check_counts
from kernelspec.models.ridge import RidgePath
from kernelspec.models.saved import FittedModel, Training, check_finite
from kernelspec.models.state import (
    MOST_COPIES,
    By,
    State,
    classes_of,
    is_too_wide,
    labels_of,
    plain_targets,
    weights_of,
)
from kernelspec.planning.options import Budget, Method
from kernelspec.planning.strata import least_spread, terms_of
from kernelspec.spec import Spec
from kernelspec.tables.categories import Category
from kernelspec.tables.column_types import Missing
from kernelspec.tables.table_kinds import is_lazy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FittedClassifier", "KernelClassifier"]

Numbers = NDArray[np.float64]
ClassesType = Literal["bool", "int64", "float64", "str", "object"]

_TYPES: Mapping[str, ClassesType] = MappingProxyType(
    {"b": "bool", "i": "int64", "u": "int64", "f": "float64", "U": "str", "O": "object"}
)
"""The type of the classes in a file, by NumPy kind."""

_KINDS: Mapping[ClassesType, Any] = MappingProxyType(
    {"bool": bool, "int64": int, "float64": (int, float), "str": str, "object": (bool, int, float, str)}
)


@dataclass(frozen=True, eq=False)
class FittedClassifier(FittedModel):
    """A model of classes on features, and the arguments it was fitted with."""

    training: Training
    drawn: DrawnPlan
    model: LeastSquares | Logistic
    classes: tuple[Category, ...]
    classes_type: ClassesType
    losses: tuple[tuple[str, float], ...]
    n_features: int
    method: str

    def validate(self) -> None:
        """Raise ValueError unless the parts are consistent; a saved model may hold anything."""
        if self.drawn.plan.layout.dim != self.training.layout.dim or len(self.classes) < 2:
            raise ValueError("the map reads another table, or there is one class only")
        self.model.check(self.drawn, len(self.classes))
        if len(self.array_of_classes) != len(set(self.array_of_classes.tolist())):
            raise ValueError("two classes are the same")

    @cached_property
    def array_of_classes(self) -> NDArray[Any]:
        """The classes, with the dtype of predictions."""
        if not all(isinstance(own, _KINDS[self.classes_type]) for own in self.classes):
            raise ValueError(f"the classes are not {self.classes_type}")
        return np.array(self.classes, dtype=self.classes_type)

    @cached_property
    def feature_map(self) -> FeatureMap:
        """The map of the features."""
        return FeatureMap.of(self.drawn)

    @property
    def kind(self) -> Literal["least_squares", "logistic", "mean"]:
        """The kind of the model."""
        losses = dict(self.losses)
        if losses and min(losses, key=lambda own: losses[own]) == "mean":
            return "mean"
        return "least_squares" if isinstance(self.model, LeastSquares) else "logistic"

    @property
    def kept_rows(self) -> int:
        """The landmarks."""
        return 0 if self.drawn.plan.landmarks is None else len(self.drawn.plan.landmarks.left)

    def estimator(self) -> KernelClassifier:
        """A KernelClassifier that has this model."""
        training = self.training
        made = KernelClassifier(
            training.spec,
            kind="auto" if self.kind == "mean" else self.kind,
            n_features=self.n_features,
            method=self.method,
            feature_names=training.feature_names,
            missing=training.missing,
        )
        made.classes_ = self.array_of_classes
        return made._keep(self, None)

    @property
    def features_drawn(self) -> DrawnPlan:
        return self.drawn

    def traced(self, features: Any, xp: Any) -> dict[str, Any]:
        """`probabilities` (n, classes), and the class as `prediction` (n,)."""
        model = self.model
        if isinstance(model, LeastSquares):
            scores = model.slope * model.fit.mean(features) + model.offsets
        else:
            scores = features @ model.coefficients + model.intercepts
        moved = xp.exp(scores - xp.max(scores, axis=1, keepdims=True))
        found = moved / xp.sum(moved, axis=1, keepdims=True)
        return {"probabilities": found, "prediction": xp.take(self.array_of_classes, xp.argmax(found, axis=1), axis=0)}

    def shown(self) -> dict[str, Any]:
        """The kind of model, the classes, and what was compared."""
        classes = [str(own) for own in self.classes]
        return {"kind": self.kind, "classes": classes, "held_out_log_loss": dict(self.losses)}


@names_faults
class KernelClassifier(ClassifierMixin, BlockwiseEstimator):  # type: ignore[misc, unused-ignore]
    """A classifier on features of the kernel of a spec, with calibrated probabilities.

    Two models are fitted on the features of one map, and of these and their geometric mean, the one with the least log
    loss on rows held out is kept (fifths in turn, until they are 4,000 rows or all): least squares on class indicators,
    with the noise of least leave-one-out error, whose scores a temperature and one offset per class turn into
    probabilities; and multinomial logistic regression. `kind="least_squares"` or "logistic" fits only that one. More
    than 20,000 sampled or exact columns are left to logistic regression, which keeps sparse features sparse.

    The features are those of `n_features` landmarks (`method="nystrom"`; all rows, if there are not more), or of
    another method of `ks.compile`; "auto" as in KernelRegressor. `class_weight="balanced"`, which gives all classes the
    same total, or a weight per class, multiplies the weights of the rows. A term `v*noise()` of the spec is ignored.
    The other arguments are those of KernelRegressor.

    Attributes: `classes_`; `kind_`, the model kept; `losses_`, the held-out log loss of each kind compared; `spec_`,
    `fmap_`, `n_features_in_`, `feature_names_in_`.
    """

    classes_: NDArray[Any]
    _fitted: FittedClassifier
    _state: State | None = None
    _task = "classes"

    def __init__(
        self,
        spec: str | Spec,
        *,
        params: Mapping[str, float | Literal["median"]] | None = None,
        tune: By | Literal["auto"] | None = None,
        kind: Literal["auto", "least_squares", "logistic"] = "auto",
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
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
        self.kind = kind
        self.class_weight = class_weight
        self.n_features = n_features
        self.method = method
        self.feature_names = feature_names
        self.text = text
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to rows X (n, d), classes y (n,) and weights (n,).

        Dask collections are fitted by least squares where their partitions are, as `fit_blocks` does with blocks.
        Raises SpecError; DataError for an invalid table or invalid classes, including a single class, and for a column
        of a data frame that equals y; PlanError for an asymmetric or indefinite kernel.
        """
        if is_lazy(X):
            if self.kind == "logistic":
                raise PlanError("a Dask collection needs kind='least_squares' or 'auto', not 'logistic'")
            self._refuse_balanced()
            return self._fit_blocks(DaskPartitions.of_collections(X, y, sample_weight), 0)
        return self._fit(X, y, sample_weight, None)

    @available_if(lambda self: self.kind == "least_squares")  # type: ignore[untyped-decorator, unused-ignore]
    @FaultsNamed()
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Fit least squares to a batch of rows, or to one more batch; requires kind="least_squares".

        `classes` lists all classes, in the first call; the default is the classes of the first batch. Features, noise
        and the calibration of probabilities come from the first batch, the coefficients from all batches. Raises as
        `fit`; PlanError for a loaded model, and for class_weight="balanced", which needs the counts of all rows.
        """
        self._refuse_balanced()
        if not hasattr(self, "_fitted"):
            return self._fit(X, y, sample_weight, y if classes is None else classes)
        self._add(X, y, sample_weight)
        self._solve(X, y, sample_weight)
        return self

    @available_if(lambda self: self.kind == "least_squares")  # type: ignore[untyped-decorator, unused-ignore]
    @FaultsNamed()
    def fit_blocks(
        self, blocks: Iterable[Sequence[Any]], *, n_held_out: int = 0, checkpoint: str | Path | None = None
    ) -> Self:
        """Fit least squares to a table larger than memory, in two passes over blocks; requires kind="least_squares".

        As `KernelRegressor.fit_blocks`; the noise and the calibration of probabilities also come from 8,000 random
        rows, the classes from all rows. PlanError for class_weight="balanced".
        """
        self._refuse_balanced()
        return self._fit_blocks(blocks, n_held_out, checkpoint)

    def _refuse_balanced(self) -> None:
        if isinstance(self.class_weight, str):
            raise PlanError(
                f"class_weight={self.class_weight!r} needs the counts of all rows, which batches do not have: use a "
                "dict with a weight for each class"
            )

    def _classes_with(self, known: NDArray[Any] | None, y: Any) -> NDArray[Any]:
        labels = labels_of(y)
        return np.unique(labels if known is None else np.concatenate([known, labels]))

    def _begin(self, X: Any, y: Any, weights: Numbers, classes: Any) -> None:
        self._fit(X, y, weights, classes)

    def _states(self) -> tuple[State, ...]:
        return (self._state_so_far(),)

    def _become(self, states: Sequence[State], left: float, training: Training) -> None:
        self._state = states[0]
        self._fitted = replace(self._fitted, training=training)

    def _state_so_far(self) -> State:
        if self._state is None:
            raise PlanError(
                "this model cannot be fitted further: it was loaded, or fitted with a kind other than 'least_squares'"
            )
        return self._state

    def _add(self, X: Any, y: Any, weights: Any) -> None:
        state, rows, given = self._state_so_far(), self._rows(X), _column(y)
        codes = self._codes(given)
        observations = Observations.of(
            rows, np.eye(len(self.classes_))[codes], self._weights(weights, len(rows), codes)
        )
        before = self._fitted
        self._state = state + LabelledFeatures.of(before.feature_map, observations).state
        self._fitted = replace(before, training=before.training.added(observations))

    def _codes(self, given: NDArray[Any]) -> NDArray[np.intp]:
        """The number of the class of each row, (n,). Raises DataError for an unknown class."""
        known = set(self.classes_.tolist())  # not np.isin, for which 1 is "1" among texts
        unknown = next((own for own in given.tolist() if own not in known), None)
        if unknown is not None:
            raise DataError(f"y has the class {unknown!r}, which classes= of the first batch must list")
        return np.searchsorted(self.classes_, given)

    def _solve(self, X: Any, y: Any, weights: Any) -> None:
        self._solve_merged(self)

    def _solve_merged(self, other: Self) -> None:
        model = self._fitted.model
        assert isinstance(model, LeastSquares)
        fit = RidgePath.of(self._state_so_far()).fit(model.fit.noises)
        self._fitted = replace(self._fitted, model=replace(model, fit=fit))

    def _weights(self, sample_weight: Any, n_rows: int, codes: NDArray[np.intp]) -> Numbers:
        weights = weights_of(sample_weight, n_rows)
        given = self.class_weight
        if given is None or len(codes) != len(weights):
            return weights
        if given != "balanced":
            if not isinstance(given, Mapping):
                raise PlanError(f"class_weight must be 'balanced', or a number for each class, not {given!r:.60}")
            known = set(self.classes_.tolist())
            for name, weight in given.items():
                if name not in known:
                    raise PlanError(f"class_weight names {name!r}, but the classes are {list(known)!r:.100}")
                if not isinstance(weight, Real) or not 0 <= float(weight) <= MOST_COPIES:
                    raise PlanError(
                        f"class_weight must be at most {MOST_COPIES:g} and at least 0, not {weight!r:.60} for {name!r}"
                    )
            return np.asarray(weights * compute_sample_weight(given, self.classes_[codes]))
        totals = np.bincount(codes, weights, len(self.classes_))
        of_class = weights.sum() / ((totals > 0).sum() * np.where(totals > 0, totals, 1.0))
        return np.asarray(weights * of_class[codes])

    def _fit(self, X: Any, y: Any, sample_weight: Any, known: Any) -> Self:
        """Fit to rows; if the classes are `known`, least squares, which can be fitted to more rows."""
        if y is None:
            raise DataError("requires y to be passed, but the target y is None")
        if self.kind not in ("auto", "least_squares", "logistic"):
            raise PlanError(f"kind must be 'auto', 'least_squares' or 'logistic', not {self.kind!r}")
        self.classes_, codes = classes_of(y if known is None else known)
        classes = self.classes_
        if known is not None:
            codes = self._codes(_column(y))
        table, spec, read = self._read(X, y, lambda n: self._weights(sample_weight, n, codes))
        table.refuse_target(read.layout, y)
        weights = self._weights(sample_weight, len(read.rows), codes)
        counts = weights_of(sample_weight, len(read.rows))
        factors = np.divide(weights, counts, out=np.ones_like(weights), where=counts > 0)
        observations = Observations.of(read.rows, np.eye(len(classes))[codes], weights, factors)
        left = np.unique(np.argmax(observations.targets, axis=1))
        if known is None and len(left) < 2:
            raise DataError(f"y has one class only, {classes[left].tolist()}: a classifier needs two at least")
        check_counts(counts)
        seed, distinct = self._seed(), observations.rows
        feature_map = read.features(distinct, self.n_features, self.method, seed)
        if is_too_wide(feature_map) and (self.kind == "least_squares" or known is not None):
            raise PlanError(
                f"least squares need the scatter matrix of {feature_map.n_columns:,} columns, too many for it: use "
                "fit with kind='logistic' or 'auto', plan fewer features, or hash keys into buckets (buckets=1024)"
            )
        spread = least_spread(terms_of(read.kernel), distinct)
        labelled = LabelledFeatures.of(feature_map, observations, spread)
        if self.n_features == "auto" and known is None and not is_too_wide(feature_map):
            more = read.more_features(distinct, labelled.state, labelled.path, seed)
            labelled = labelled if more is None else LabelledFeatures.of(more, observations, spread)
        losses: dict[str, float] = {}
        model: LeastSquares | Logistic
        if known is not None:
            model = labelled.least_squares([])[0]
        else:
            losses, model = labelled.best(self.kind, np.random.default_rng(seed))
        self._state = labelled.state if self.kind == "least_squares" or known is not None else None
        fitted = FittedClassifier(
            Training.of(spec, table, read, observations, self.feature_names),
            labelled.feature_map.plain,
            model,
            tuple(classes.tolist()),
            "object" if _is_beyond_int64(classes) else _TYPES.get(classes.dtype.kind, "object"),
            tuple(losses.items()),
            labelled.feature_map.plan.n_features,
            self.method,
        )
        return self._keep(fitted, spec)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows X (n, d) with the right class. Raises NotFittedError; DataError, also for masked y."""
        truth, predicted = plain_targets(y), plain_targets(self.predict(X))
        return float(accuracy_score(truth, predicted, sample_weight=sample_weight))

    @property
    def kind_(self) -> Literal["least_squares", "logistic", "mean"]:
        """The model that was kept."""
        check_is_fitted(self, "_fitted")
        return self._fitted.kind

    @property
    def losses_(self) -> dict[str, float]:
        """The held-out log loss of each kind that was compared."""
        check_is_fitted(self, "_fitted")
        return dict(self._fitted.losses)

    @property
    def fmap_(self) -> FeatureMap:
        """The feature map."""
        check_is_fitted(self, "_fitted")
        return self._fitted.feature_map

    def predict_proba(self, X: Any) -> Numbers:
        """The probability of each class, (m, classes). Raises NotFittedError, DataError."""
        rows = self._rows(X)
        model, blocks = self._fitted.model, self._fitted.feature_map.blocks(rows)
        with np.errstate(over="ignore", invalid="ignore"):  # overflow is reported by name
            return check_finite(np.concatenate([model.probabilities(block) for block in blocks]))

    def plot(self, X: Any, *, column: str | int | None = None, dark: bool | None = None) -> Figure:
        """The probability of each class along a column of numbers.

        The column (default: the first) runs over its range in X; all others have their median or most frequent category
        there. Raises NotFittedError, DataError; PlanError for another column; MissingPackageError without matplotlib.
        """
        from kernelspec.models.explanation import plot_probabilities

        rows, classes = self._rows(X), [str(own) for own in self.classes_]
        layout = self._fitted.training.layout
        return plot_probabilities(self.predict_proba, layout, rows, column, classes, dark)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class, (m,). Raises NotFittedError, DataError."""
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[np.argmax(probabilities, axis=1)])

    def predict_log_proba(self, X: Any) -> Numbers:
        """The logarithm of the probability of each class, (m, classes)."""
        return np.asarray(np.log(self.predict_proba(X)))


def _is_beyond_int64(classes: NDArray[Any]) -> bool:
    return classes.dtype.kind == "u" and bool(classes[-1] > np.iinfo(np.int64).max)


def _column(y: Any) -> NDArray[Any]:
    """Classes (n,) of a batch. Raises DataError for another shape."""
    try:
        return np.asarray(column_or_1d(plain_targets(y)))
    except ValueError as error:
        raise DataError(str(error)) from None
