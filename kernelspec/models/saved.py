"""Fitted models: what every one of them holds, files of them, and what they say of themselves."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from kernelspec.errors import DataError
from kernelspec.maps.description import columns_read, known_names, labelled_lines
from kernelspec.maps.drawn_plan import Origin
from kernelspec.maps.landmarks import KeptRowsWarning, warn_of_kept_rows
from kernelspec.maps.map_file import read_model, save_model
from kernelspec.models.given import SpecParameters, Table, checked_table
from kernelspec.planning.strata import categories_met
from kernelspec.spec import Spec, parse
from kernelspec.tables.categories import KnownCategories
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.models.given import Observations, SpecOnTable
    from kernelspec.tables.column_types import Missing

__all__ = [
    "FittedEstimator",
    "FittedModel",
    "HeldOut",
    "ModelDescription",
    "Training",
    "check_finite",
    "held_out_score",
    "kept_rows_of",
    "load_model",
    "rows_at",
    "save_quietly",
    "training_of",
]


@dataclass(frozen=True)
class HeldOut:
    """A score on `n_rows` rows that were held out, its 95 % interval, and the score of a linear model there."""

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
    """What a model was fitted to: the spec, complete, the table as it is read, and how many rows there were.

    `names` are those of all `width` columns of the table, `feature_names` what the estimator was given. The categories
    are those of each column that is compared. `target`, `kept` and `held_out` are known if `kernelspec fit` made it.
    """

    spec: str
    layout: Layout
    width: int
    names: tuple[str, ...] | None
    feature_names: tuple[str, ...] | None
    n_rows: int
    n_distinct: int
    categories: tuple[KnownCategories, ...]
    target: str | None = None
    kept: tuple[str, ...] = ()
    """Columns that name rows: `kernelspec predict` copies them."""
    held_out: HeldOut | None = None

    @classmethod
    def of(cls, spec: Spec, table: Table, read: SpecOnTable, observations: Observations, names: Any) -> Training:
        """That of a spec on observations; `names` are the `feature_names` of the estimator."""
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
        """What the estimator did with missing categories."""
        return "refuse" if self.layout.types is None else self.layout.types.missing

    def added(self, observations: Observations) -> Training:
        """With more observations, whose rows are taken for distinct from those before."""
        return replace(
            self,
            n_rows=self.n_rows + len(observations.targets),
            n_distinct=self.n_distinct + len(observations.rows),
            categories=tuple(own.with_rows(observations.rows) for own in self.categories),
        )

    def validate(self) -> None:
        """Raise ValueError for names of other columns than there are: a saved model may hold any."""
        for names in (self.names, self.feature_names):
            if names is not None and len(names) != self.width:
                raise ValueError(f"{len(names)} names for {self.width} columns")
        if any(position >= self.layout.mapped.dim for own in self.categories for position in own.positions):
            raise ValueError("categories of columns that are not there")


class FittedModel(ABC):
    """The arrays that an estimator predicts from, as files have them: a frozen dataclass."""

    training: Training

    @abstractmethod
    def estimator(self) -> FittedEstimator:
        """An estimator that has this model."""

    @property
    @abstractmethod
    def kept_rows(self) -> int:
        """Rows of the data that the model holds."""

    @abstractmethod
    def shown(self) -> dict[str, Any]:
        """What is particular to this kind of model, by label."""


class FittedEstimator(SpecParameters):
    """An estimator for tables, which can be saved once it is fitted."""

    feature_names: Sequence[str] | None
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    _fitted: FittedModel
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
        """Write the fitted model to a file (NumPy arrays and a JSON header; no pickle), which `ks.load_model` reads.

        Raises NotFittedError, FileError. Warns KeptRowsWarning of the rows of the data that the model holds.
        """
        check_is_fitted(self, "_fitted")
        warn_of_kept_rows(kept_rows_of(self))
        save_model(self._fitted, Path(path))

    def describe(self) -> ModelDescription:
        """What the model is: spec, columns with types, categories, rows, noise, score, and its file.

        `print` it, or use `to_dict()`. `kernelspec show FILE` prints the same. Raises NotFittedError.
        """
        check_is_fitted(self, "_fitted")
        return ModelDescription(type(self).__name__, self._fitted.training, self._fitted.shown(), self._origin)

    def with_score(self, target: str, kept: tuple[str, ...], held_out: HeldOut | None) -> Self:
        """The estimator, which remembers for its file what its target is called, what names rows, and a score."""
        training = replace(training_of(self), target=target, kept=kept, held_out=held_out)
        self._fitted = replace(self._fitted, training=training)  # type: ignore[type-var]
        return self

    def _keep(self, fitted: FittedModel, spec: Spec | None) -> Self:
        """Become the estimator of a fitted model; without a spec, its text is parsed on use."""
        training = fitted.training
        self._fitted, self._spec, self._origin = fitted, spec, None
        Table(None, training.width, training.names).remember(self)
        return self

    def _compares_categories(self) -> bool:
        if hasattr(self, "_fitted") and self._spec is None:  # scikit-learn asks when it looks at column names
            return bool(self._fitted.training.layout.categorical)
        return super()._compares_categories()

    def _rows(self, X: Any) -> Rows:
        """The rows of a table for predictions. Raises NotFittedError, DataError."""
        check_is_fitted(self, "_fitted")
        layout = self._fitted.training.layout
        return X if isinstance(X, Rows) else layout.read(checked_table(self, layout, X))


def training_of(model: FittedEstimator) -> Training:
    """What a model was fitted to. Raises NotFittedError."""
    check_is_fitted(model, "_fitted")
    return model._fitted.training


def kept_rows_of(model: FittedEstimator) -> str | None:
    """How many rows of the data a file of a fitted model holds; None if it holds none."""
    kept = model._fitted.kept_rows
    return f"the saved model holds {kept:,} rows of the data" if kept else None


def load_model(path: str | Path) -> Any:
    """The KernelRegressor or KernelClassifier that `model.save(path)` wrote, whose predictions are the same bits.

    All of the file is checked before it is used; no text in it is parsed, until `spec_` is asked for. Raises FileError
    for a file that is missing, damaged, edited, of another format version, or not a model.
    """
    origin, fitted = read_model(path, FittedModel)  # type: ignore[type-abstract]
    model = fitted.estimator()
    model._origin = origin
    return model


def save_quietly(model: FittedEstimator, path: str) -> None:
    """Save a model without a warning of rows that it holds: the caller says so. Raises FileError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KeptRowsWarning)
        model.save(path)


_MOST_HELD_OUT, _FEWEST_HELD_OUT = 5_000, 10
_RESAMPLED = 1_000
_MOST_INDICATORS = 200
_QUANTILE = 1.96


def held_out_score(estimator: FittedEstimator, X: Any, y: NDArray[Any]) -> HeldOut | None:
    """The score of an estimator on a random fifth of the rows, at most 5,000, fitted without them; None for few rows.

    R² has a bootstrap interval, accuracy that of Wilson [1927]. Raises what `fit` raises.
    """
    n = len(y)
    count = min(n // 5, _MOST_HELD_OUT)
    if count < _FEWEST_HELD_OUT:
        return None
    generator = np.random.default_rng(0)
    order = generator.permutation(n)
    held, kept = np.sort(order[:count]), np.sort(order[count:])
    model = clone(estimator).fit(rows_at(X, kept), y[kept])
    training = training_of(model)
    rows, others = (training.layout.read(rows_at(X, own)) for own in (held, kept))
    predicted, truth = model.predict(rows), y[held]
    linear = _linear_model(hasattr(model, "classes_"))
    linear.fit(_design(training, others), y[kept])
    guessed = linear.predict(_design(training, rows))
    if hasattr(model, "classes_"):
        share, center = float(np.mean(predicted == truth)), _QUANTILE**2 / (2 * count)
        width = _QUANTILE * np.sqrt(share * (1 - share) / count + (center / count) / 2)
        low, high = ((share + center + sign * width) / (1 + 2 * center) for sign in (-1, 1))
        return HeldOut("accuracy", share, float(low), float(high), float(np.mean(guessed == truth)), count)
    center = y.mean()  # so that squares do not cancel
    truth, predicted, guessed = truth - center, predicted - center, guessed - center
    weights = generator.multinomial(count, np.full(count, 1 / count), size=_RESAMPLED)
    low, high = np.quantile(_determination(truth, predicted, weights), [0.025, 0.975])
    once = np.ones((1, count))
    value, plain = (float(_determination(truth, own, once)[0]) for own in (predicted, guessed))
    return HeldOut("R²", value, float(low), float(high), plain, count)


def _determination(truth: NDArray[Any], predicted: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float64]:
    """R² for rows of weights (b, n): (b,); 0 if the target is constant."""
    total = weights.sum(axis=1)
    errors = weights @ np.square(truth - predicted)
    spread = weights @ np.square(truth) - np.square(weights @ truth) / total
    return np.asarray(1 - errors / np.where(spread > 0, spread, np.where(errors > 0, errors, 1)))


def rows_at(X: Any, index: NDArray[np.intp]) -> Any:
    """Some rows of an Arrow table, a pandas frame or an array."""
    return X.take(index) if hasattr(X, "combine_chunks") else X.iloc[index] if hasattr(X, "iloc") else X[index]


def _linear_model(of_classes: bool) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=300) if of_classes else Ridge(alpha=1.0))


def _design(training: Training, rows: Rows) -> NDArray[np.float64]:
    """The columns of a linear model: numbers, and an indicator for each of the first 200 categories."""
    columns = [rows.dense()[:, list(training.layout.mapped.numeric)]]
    for known in training.categories:
        columns.append(np.eye(min(len(known), _MOST_INDICATORS) + 1)[np.minimum(known.numbers(rows), _MOST_INDICATORS)])
    return np.concatenate(columns, axis=1)


def check_finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Predictions (m, …), if all are finite. Raises DataError that names the row of the first one that is not."""
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise DataError(f"the prediction overflows in row {row}: its numbers are too large for this model")
    return values


@dataclass(frozen=True, repr=False)
class ModelDescription:
    """What a model is, as text (`print`) and as JSON data (`to_dict`).

    `origin` names what wrote the file, when, and its checksum; it is None for a model that was not read from a file.
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
            "n_distinct_rows": training.n_distinct,
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
            ("rows", f"{training.n_rows:,} ({training.n_distinct:,} distinct)"),
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
