"""Fitted models: what each of them holds, their files, and their descriptions."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from kernelspec.catalogue import FaultsNamed
from kernelspec.elaboration.medians import Weigh
from kernelspec.errors import DataError, PlanError
from kernelspec.maps.description import columns_read, known_names, labelled_lines
from kernelspec.maps.drawn_plan import DrawnPlan, Origin
from kernelspec.maps.landmarks import KeptRowsWarning, warn_of_kept_rows
from kernelspec.maps.map_file import read_model, save_model
from kernelspec.models.given import Observations, SpecOnTable, SpecParameters, Table, checked_table
from kernelspec.models.state import LARGEST, By, classes_of, plain_targets, targets_of
from kernelspec.planning.strata import categories_met
from kernelspec.spec import Spec, parse
from kernelspec.tables.categories import KnownCategories
from kernelspec.tables.column_types import Missing
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import is_arrow_table, without_views

__all__ = [
    "FittedEstimator",
    "FittedModel",
    "HeldOut",
    "ModelDescription",
    "Training",
    "check_finite",
    "compared",
    "held_out_score",
    "kept_rows_of",
    "load_model",
    "rows_at",
    "save_quietly",
    "training_of",
]


@dataclass(frozen=True)
class HeldOut:
    """A score on `n_rows` held-out rows, its 95 % interval, and the score of a linear model there."""

    metric: Literal["R²", "accuracy"]
    value: float
    low: float
    high: float
    linear: float
    n_rows: int

    def __str__(self) -> str:
        """`R² 0.854 (0.842 to 0.866) on 2,800 rows held out; linear model 0.612`."""
        own = f"{self.metric} {self.value:.3f} ({self.low:.3f} to {self.high:.3f})"
        return f"{own} on {self.n_rows:,} rows held out; linear model {self.linear:.3f}"


@dataclass(frozen=True, eq=False)
class Training:
    """The training data of a model: the complete spec, the table as read, and the number of rows.

    `names` are those of all `width` columns of the table, `feature_names` the argument of the estimator. The categories
    are those of each compared column. `target`, `kept` and `held_out` are known if `kernelspec fit` made the model.
    """

    spec: str
    layout: Layout
    width: int
    names: tuple[str, ...] | None
    feature_names: tuple[str, ...] | None
    n_rows: int
    n_distinct: int
    """0 if the rows came in parts, which may share some."""
    categories: tuple[KnownCategories, ...]
    target: str | None = None
    kept: tuple[str, ...] = ()
    """Columns that identify rows: `kernelspec predict` copies them."""
    held_out: HeldOut | None = None

    @classmethod
    def of(cls, spec: Spec, table: Table, read: SpecOnTable, observations: Observations, names: Any) -> Training:
        """The training data of a spec with observations; `names` is the estimator's `feature_names`."""
        positions = [(i,) for i in read.layout.mapped.categorical]
        return cls(
            str(spec),
            read.layout,
            table.width,
            table.names,
            None if names is None else tuple(names),
            len(observations.targets),
            len(observations.rows),
            tuple(categories_met([observations.rows], positions).values()),
        )

    @property
    def missing(self) -> Missing:
        """How the estimator treated missing categories."""
        return "refuse" if self.layout.types is None else self.layout.types.missing

    def added(self, observations: Observations) -> Training:
        """With more observations, some of which may have the same rows."""
        return replace(
            self,
            n_rows=self.n_rows + len(observations.targets),
            n_distinct=0,
            categories=tuple(own.with_rows(observations.rows) for own in self.categories),
        )

    def joined(self, other: Training) -> Training:
        """With the observations of other training data of the same columns, which may have the same rows."""
        return replace(
            self,
            n_rows=self.n_rows + other.n_rows,
            n_distinct=0,
            categories=tuple(one.joined(own) for one, own in zip(self.categories, other.categories, strict=True)),
        )

    def validate(self) -> None:
        """Raise ValueError if names do not match the columns; a saved model may hold anything."""
        for names in (self.names, self.feature_names):
            if names is not None and len(names) != self.width:
                raise ValueError(f"{len(names)} names for {self.width} columns")
        if any(position >= self.layout.mapped.dim for own in self.categories for position in own.positions):
            raise ValueError("categories of columns that are not there")


class FittedModel(ABC):
    """The arrays that an estimator predicts from, as in files: a frozen dataclass."""

    training: Training

    @abstractmethod
    def estimator(self) -> FittedEstimator:
        """An estimator that has this model."""

    @property
    @abstractmethod
    def kept_rows(self) -> int:
        """The number of data rows in the model."""

    @property
    @abstractmethod
    def features_drawn(self) -> DrawnPlan:
        """The map of the features. Raises PlanError for a model without features."""

    @abstractmethod
    def traced(self, features: Any, xp: Any) -> dict[str, Any]:
        """The outputs by name, computed from features by array functions."""

    @abstractmethod
    def shown(self) -> dict[str, Any]:
        """The properties particular to this kind of model, by label."""


class FittedEstimator(SpecParameters):
    """An estimator for tables that can be saved after fitting."""

    tune: By | Literal["auto"] | None
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    _fitted: FittedModel
    _task: Literal["regression", "classes"]
    _spec: Spec | None = None
    _origin: Origin | None = None

    @property
    def spec_(self) -> Spec:
        """The spec with values for its parameters. Raises NotFittedError."""
        check_is_fitted(self, "_fitted")
        if self._spec is None:
            self._spec = parse(self._fitted.training.spec)
        return self._spec

    def save(self, path: str | Path) -> None:
        """Write the fitted model to a file (NumPy arrays and a JSON header; no pickle), to be read by `ks.load_model`.

        Raises NotFittedError, FileError. Warns KeptRowsWarning of the data rows in the model.
        """
        check_is_fitted(self, "_fitted")
        warn_of_kept_rows(kept_rows_of(self))
        save_model(self._fitted, path)

    def to_onnx(self) -> Any:
        """The model as an `onnx.ModelProto`: from named columns (n, 1) to the output `prediction`.

        Inputs are text or float64, with dates as days since 1970-01-01. A classifier also has `probabilities`,
        (n, classes). Equal to `predict` up to rounding, without its checks of rows. Raises NotFittedError;
        MissingPackageError without onnx; PlanError for what ONNX cannot compute, such as special functions or
        categories that share hashed columns, and for models that are not on features.
        """
        from kernelspec.maps.onnx import onnx_model

        check_is_fitted(self, "_fitted")
        fitted = self._fitted
        if _uses_shared_columns(fitted):
            raise PlanError(
                "ONNX: the model was fitted to categories that the rows which chose its features did not have; they "
                "share hashed columns. Use method='nystrom'"
            )
        return onnx_model(fitted.features_drawn, fitted.traced, fitted.training.categories)

    def describe(self) -> ModelDescription:
        """A description of the model: spec, columns with types, categories, rows, noise, score, and its file.

        `print` it, or use `to_dict()`. `kernelspec show FILE` prints the same. Raises NotFittedError.
        """
        check_is_fitted(self, "_fitted")
        return ModelDescription(type(self).__name__, self._fitted.training, self._fitted.shown(), self._origin)

    def with_score(self, target: str, kept: tuple[str, ...], held_out: HeldOut | None) -> Self:
        """The estimator, with the target name, the columns that identify rows, and a score, for its file."""
        training = replace(training_of(self), target=target, kept=kept, held_out=held_out)
        self._fitted = replace(self._fitted, training=training)  # type: ignore[type-var]
        return self

    def _read(self, X: Any, y: Any, weigh: Weigh) -> tuple[Table, Spec, SpecOnTable]:
        """A table for fit, the spec with its values, tuned if asked for, and the columns it uses. Raises SpecError,
        DataError, PlanError.
        """
        table = self._table(X, weigh)
        spec = self._spec_on(table)
        if self.tune not in (None, "auto", *get_args(By)):
            raise PlanError(f"tune must be None, 'auto', 'likelihood', 'loo', 'cv' or 'median', not {self.tune!r:.60}")
        if self.tune is not None:
            from kernelspec.models.tuning import tune

            tuned = tune(
                spec,
                X,
                y,
                by=self.tune,
                sample_weight=weigh(len(np.atleast_1d(y))),
                columns=self.feature_names,
                text=table.text,
                missing=self.missing,
                seed=self._seed(),
                task=self._task,
            )
            if tuned.is_interrupted:
                raise KeyboardInterrupt
            spec = tuned.spec
        return table, spec, table.under(spec)

    def _keep(self, fitted: FittedModel, spec: Spec | None) -> Self:
        """Become the estimator of a fitted model; without a spec, its text is parsed on use."""
        training = fitted.training
        self._fitted, self._spec, self._origin = fitted, spec, None
        Table(None, training.width, training.names).remember(self)
        return self

    def _compares_categories(self) -> bool:
        if hasattr(self, "_fitted") and self._spec is None:  # scikit-learn calls this when it checks column names
            return bool(self._fitted.training.layout.categorical)
        return super()._compares_categories()

    def _rows(self, X: Any) -> Rows:
        """The rows of a table for predictions. Raises NotFittedError, DataError."""
        check_is_fitted(self, "_fitted")
        layout = self._fitted.training.layout
        return X if isinstance(X, Rows) else layout.read(checked_table(self, layout, X))


def training_of(model: FittedEstimator) -> Training:
    """The training data of a model. Raises NotFittedError."""
    check_is_fitted(model, "_fitted")
    return model._fitted.training


def kept_rows_of(model: FittedEstimator) -> str | None:
    """A note on the data rows in a file of a fitted model; None if it holds none."""
    kept = model._fitted.kept_rows
    return f"the saved model holds {kept:,} rows of the data" if kept else None


@FaultsNamed()
def load_model(path: str | Path) -> Any:
    """The KernelRegressor or KernelClassifier written by `model.save(path)`, with bit-identical predictions.

    The whole file is checked before use; its text is parsed only for `spec_`. Raises FileError for a file that is
    missing, damaged, edited, of another format version, or not a model.
    """
    origin, fitted = read_model(path, FittedModel)  # type: ignore[type-abstract]
    model = fitted.estimator()
    model._origin = origin
    return model


def save_quietly(model: FittedEstimator, path: str) -> None:
    """Save a model without a warning of the rows that it holds: the caller reports them. Raises FileError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KeptRowsWarning)
        model.save(path)


_MOST_HELD_OUT, _FEWEST_HELD_OUT = 5_000, 10
_RESAMPLED = 1_000
_MOST_INDICATORS = 200
_QUANTILE = 1.96


def held_out_score(estimator: FittedEstimator, X: Any, y: NDArray[Any]) -> HeldOut | None:
    """The score of an estimator on a random fifth of the rows, at most 5,000, fitted without them; None for few rows.

    R² has a bootstrap interval, accuracy that of Wilson [1927]. Raises as `fit`.
    """
    n = len(y)
    count = min(n // 5, _MOST_HELD_OUT)
    if count < _FEWEST_HELD_OUT:
        return None
    generator = np.random.default_rng(0)
    order = generator.permutation(n)
    if is_classifier(estimator):  # a row of each class is last, and learned from
        codes = classes_of(plain_targets(y))[1][order]
        last = n - 1 - np.unique(codes[::-1], return_index=True)[1]
        order = np.concatenate([np.delete(order, last), order[last]])
    held, kept = np.sort(order[:count]), np.sort(order[count:])
    model = clone(estimator).fit(rows_at(X, kept), y[kept])
    return compared(model, rows_at(X, held), y[held], rows_at(X, kept), y[kept])


def compared(model: FittedEstimator, X: Any, truth: NDArray[Any], known_X: Any, known_y: NDArray[Any]) -> HeldOut:
    """The score of a fitted model on rows it has not seen, next to a linear model fitted on the seen rows.

    Of several targets it is the mean of their R².
    """
    training, count, generator = training_of(model), len(truth), np.random.default_rng(1)
    rows, others = (training.layout.read(own) for own in (X, known_X))
    has_classes = hasattr(model, "classes_")
    truth, known_y = (_flat(own, has_classes) for own in (truth, known_y))
    predicted = model.predict(rows)
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300) if has_classes else Ridge(alpha=1.0))
    # so that squares of huge numbers do not overflow
    linear.fit(np.clip(_design(training, others), -LARGEST, LARGEST), known_y)
    guessed = linear.predict(np.clip(_design(training, rows), -LARGEST, LARGEST))
    if has_classes:
        share, center = float(np.mean(predicted == truth)), _QUANTILE**2 / (2 * count)
        width = _QUANTILE * np.sqrt(share * (1 - share) / count + (center / count) / 2)
        low, high = ((share + center + sign * width) / (1 + 2 * center) for sign in (-1, 1))
        return HeldOut("accuracy", share, float(low), float(high), float(np.mean(guessed == truth)), count)
    center = truth.mean(axis=0)  # so that squares do not cancel
    truth, predicted, guessed = (own.reshape(count, -1) - center for own in (truth, predicted, guessed))
    weights = generator.multinomial(count, np.full(count, 1 / count), size=_RESAMPLED)
    low, high = np.quantile(_determination(truth, predicted, weights), [0.025, 0.975])
    once = np.ones((1, count))
    value, plain = (float(_determination(truth, own, once)[0]) for own in (predicted, guessed))
    return HeldOut("R²", value, float(low), float(high), plain, count)


def _flat(y: Any, has_classes: bool) -> NDArray[Any]:
    """Classes (n,), or numbers (n,) or (n, T)."""
    if has_classes:
        return plain_targets(y).ravel()
    found = targets_of(y)
    return found[:, 0] if found.shape[1:] == (1,) else found


def _determination(truth: NDArray[Any], predicted: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float64]:
    """R² for rows of weights (b, n), averaged over the targets: (b,); 0 for a constant target."""
    total = weights.sum(axis=1)[:, None]
    errors = weights @ np.square(truth - predicted)
    spread = weights @ np.square(truth) - np.square(weights @ truth) / total
    return np.asarray((1 - errors / np.where(spread > 0, spread, np.where(errors > 0, errors, 1))).mean(axis=1))


def rows_at(X: Any, index: NDArray[np.intp]) -> Any:
    """Some rows of an Arrow table, a pandas frame or an array."""
    if is_arrow_table(X):
        for i, name in enumerate(X.column_names):
            X = X.set_column(i, name, without_views(X.column(i)))
        return X.take(index)
    return X.iloc[index] if hasattr(X, "iloc") else X[index]


def _design(training: Training, rows: Rows) -> NDArray[np.float64]:
    """The columns of a linear model: numbers, and an indicator for each of the first 200 categories."""
    columns = [rows.dense()[:, list(training.layout.mapped.numeric)]]
    for known in training.categories:
        columns.append(np.eye(min(len(known), _MOST_INDICATORS) + 1)[np.minimum(known.numbers(rows), _MOST_INDICATORS)])
    return np.concatenate(columns, axis=1)


def check_finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Predictions (m, …), if all are finite. Raises DataError with the first row of a non-finite one."""
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise DataError(f"the prediction overflows in row {row}: its numbers are too large for this model")
    return values


@dataclass(frozen=True, repr=False)
class ModelDescription:
    """A description of a model, as text (`print`) and as JSON data (`to_dict`).

    `origin` has the writer of the file, the time, and the checksum; None for a model not read from a file.
    """

    estimator: str
    training: Training
    own: dict[str, Any]
    origin: Origin | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        training, layout = self.training, self.training.layout
        score, origin = training.held_out, self.origin
        return {
            "model": self.estimator,
            "spec": training.spec,
            "target": training.target,
            "n_rows": training.n_rows,
            "n_distinct_rows": training.n_distinct or None,
            "n_columns": training.width,
            "columns": [vars(own) for own in columns_read(layout)],
            "categories": [own.to_dict() for own in known_names(training.categories, layout)],
            **self.own,
            "held_out": None if score is None else vars(score),
            **{own.name: None if origin is None else getattr(origin, own.name) for own in fields(Origin)},
        }

    def __str__(self) -> str:
        training, layout = self.training, self.training.layout
        rows = [
            ("spec", training.spec.rstrip()),
            ("model", self.estimator + ("" if training.target is None else f" of {training.target!r}")),
            ("rows", f"{training.n_rows:,}" + f" ({training.n_distinct:,} distinct)" * (training.n_distinct > 0)),
            *((label.replace("_", " "), _number(value)) for label, value in self.own.items()),
            ("score", "" if training.held_out is None else str(training.held_out)),
        ]
        return labelled_lines(rows, layout, known_names(training.categories, layout), self.origin)

    def __repr__(self) -> str:
        return f"ModelDescription({self.estimator}, {self.training.spec!r:.60})"


def _number(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_number(own)}" for name, own in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_number, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _uses_shared_columns(fitted: FittedModel) -> bool:
    """Whether predictions depend on columns shared by unknown categories, beyond the rounding of the others."""
    drawn = fitted.features_drawn
    shared = np.zeros(drawn.n_columns, dtype=bool)
    shared[: len(drawn.shared_columns)] = drawn.shared_columns
    features = np.random.default_rng(0).standard_normal((3, drawn.n_columns)) * [np.zeros_like(shared), shared, ~shared]
    scores = [own for own in fitted.traced(features, np).values() if own.dtype.kind == "f"]
    return any(np.abs(own[1] - own[0]).max() > 1e-9 * np.abs(own[2] - own[0]).max() for own in scores)
