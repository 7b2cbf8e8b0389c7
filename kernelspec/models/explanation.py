"""The parts of a model of a target: terms, isolated rows, the benefit of more features or rows; plots by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.language import nodes
from kernelspec.language.printer import print_node
from kernelspec.maps.pictures import numeric_columns, typical_rows
from kernelspec.models.exact import ExactFit, diagonal_of, gram_of
from kernelspec.models.given import Observations, SpecOnTable, Table
from kernelspec.models.posterior import ExactPosterior, FeaturePosterior, fit_exact, fit_features
from kernelspec.models.ridge import RidgeFit
from kernelspec.models.state import numbers_or_indicators, target_columns
from kernelspec.plotting.figures import distinct_colours, is_dark, new_figure
from kernelspec.plotting.pictures import observations_panel, prediction_panel, probabilities_panel
from kernelspec.spec import Spec
from kernelspec.tables.cells import US_PER_DAY
from kernelspec.tables.column_types import Missing
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["explain_model", "plot_prediction", "plot_probabilities"]

Numbers = NDArray[np.float64]

_EXACT, _EXPLAINED = 2_000, 5_000
"""The most distinct rows for an exact model, and the most rows whose predictions are decomposed."""

_NOTHING = 1e-9
"""The share of the largest k(x, x) that is nothing, as where linear() is 0: only the intercept is unknown there."""

_FAR = 0.9
"""A row is isolated if the others leave this share of the variance of the function there."""

_PAIRS = 2**22
"""Pairs of rows whose kernels are computed at once."""

_SHOWN, _WORTHWHILE = 10, 0.05


@dataclass(frozen=True)
class ModelExplanation:
    """`terms` are the terms of the spec with their shares of the variance of the prediction, which add up to 1.

    A share is the covariance of the term with the prediction over the variance of the prediction: it is negative if
    others cancel the term. `far_rows` are the indices of the rows that the others determine poorly. Of the expected
    squared error, `from_features` is due to landmarks, and `from_rows` to posterior uncertainty: more of either reduces
    the error by at most that share.
    """

    n_rows: int
    n_landmarks: int | None
    score: float
    terms: tuple[tuple[str, float], ...]
    far_rows: tuple[int, ...]
    effective_dimension: float
    from_features: float
    from_rows: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self) | {"terms": [{"term": text, "share": share} for text, share in self.terms]}

    def __str__(self) -> str:
        size = "all rows" if self.n_landmarks is None else f"{self.n_landmarks:,} landmarks"
        far = ", ".join(f"{row:,}" for row in self.far_rows[:_SHOWN]) + (" …" if len(self.far_rows) > _SHOWN else "")
        advice = [
            f"more {what} would help" if share > _WORTHWHILE else f"more {what} would not help"
            for what, share in (("features", self.from_features), ("rows", self.from_rows))
        ]
        return "\n".join(
            [
                f"{self.n_rows:,} rows, a model on {size}: R² {self.score:.3f}, every row left out in turn",
                "share of the variance of the prediction:",
                *(f"  {share:z6.1%}  {text}" for text, share in self.terms),
                f"effective dimension: {self.effective_dimension:.1f}",
                f"of the squared error {self.from_features:.1%} is due to the landmarks: {advice[0]}",
                f"of the squared error {self.from_rows:.1%} is due to the number of rows: {advice[1]}",
                f"rows far from all others: {len(self.far_rows):,}" + (f" (rows {far})" if far else ""),
            ]
        )


def explain_model(
    spec: Spec,
    X: Any,
    y: Any,
    *,
    columns: Sequence[str] | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "category",
    n_features: int = 1024,
    seed: int = 0,
) -> ModelExplanation:
    """Explain the regression of y, or of indicators of its classes, on X, as `KernelRegressor` with
    this many landmarks predicts it, or exactly for few rows.

    Raises SpecError, DataError, PlanError.
    """
    table = Table.of(X, columns, text, missing)
    read = table.under(table.fitted(spec))
    targets, _ = numbers_or_indicators(y)
    observations = Observations.of(read.rows, targets, np.ones(len(read.rows)))
    observations.check_two()
    posterior: ExactPosterior | FeaturePosterior
    fit: ExactFit | RidgeFit
    if len(observations.rows) <= _EXACT:
        exact = fit_exact(read, observations)
        posterior, left, size, fit = exact, 0.0, None, exact.fit
        landmarks, dual = exact.fit.rows, exact.fit.dual
        left_out = posterior.leave_one_out(observations)
    else:
        feature_map = read.features(observations.rows, n_features, "nystrom", seed)
        sums, features, left_out = fit_features(read, observations, feature_map, seed)
        chosen = features.features.plan.landmarks
        assert chosen is not None
        posterior, left, landmarks, size = features, sums.left / sums.main.weight, chosen.left.rows, len(chosen.left)
        dual, fit = chosen.left_root @ features.fit.coefficients, features.fit
    noises, amplitudes = posterior.noises, posterior.amplitudes
    unknown = np.maximum(np.square(left_out.deviations) / amplitudes - noises, 0.0)
    prior = diagonal_of(read.kernel, observations.rows)[observations.place]
    is_far = (unknown.mean(axis=1) > _FAR * prior) & (prior > _NOTHING * prior.max())
    if size is not None:  # far from the landmarks: perhaps not from all rows
        is_far &= _is_alone(read, observations.rows, np.unique(observations.place[is_far]))[observations.place]
    from_rows = float((amplitudes * np.maximum(unknown.mean(axis=0) - left, 0.0)).sum())
    errors = float((amplitudes * (unknown.mean(axis=0) + noises)).sum())
    spread = np.square(targets - targets.mean(axis=0)).sum()
    return ModelExplanation(
        len(targets),
        size,
        float(1 - np.square(left_out.errors).sum() / spread) if spread else 0.0,
        _shares(read, observations, landmarks, dual),
        tuple(np.flatnonzero(is_far).tolist()),
        float((fit.eigenvalues[:, None] / (fit.eigenvalues[:, None] + noises + left)).sum(axis=0).mean()),
        min(float(amplitudes.sum()) * left / errors, 1.0),
        from_rows / errors,
    )


def _is_alone(read: SpecOnTable, rows: Rows, asked: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of the rows asked for, (n,), have no other row that determines more than a tenth of the function there."""
    prior, found = diagonal_of(read.kernel, rows), np.zeros(len(rows), dtype=bool)
    step = max(1, _PAIRS // len(rows))
    for some in (asked[start : start + step] for start in range(0, len(asked), step)):
        shared = np.square(gram_of(read.kernel, rows.take(some), rows)) / np.maximum(prior, _NOTHING * prior.max())
        shared[np.arange(len(some)), some] = 0.0
        found[some] = shared.max(axis=1) < (1 - _FAR) * prior[some]
    return found


def _shares(
    read: SpecOnTable, observations: Observations, landmarks: Rows, dual: Numbers
) -> tuple[tuple[str, float], ...]:
    """Each term with the covariance of Σ k_t(x, l) α_l with the prediction, relative to the variance of the latter,
    over the observations.
    """
    kernel = read.kernel
    parts: list[tuple[Any, Kernel]] = [(1.0, kernel)]
    if isinstance(kernel, Sum):
        parts = list(zip(kernel.weights, kernel.terms, strict=True))
    chosen = np.unique(np.linspace(0, len(observations.place) - 1, _EXPLAINED).astype(np.intp))
    places, counts = np.unique(observations.place[chosen], return_counts=True)
    some, counts = observations.rows.take(places), counts[:, None]
    values = np.stack([float(weight) * (gram_of(term, some, landmarks) @ dual) for weight, term in parts])
    values -= (values * counts).sum(axis=1, keepdims=True) / counts.sum()
    total = values.sum(axis=0)
    variance = float((counts * np.square(total)).sum())
    shares = [float((counts * own * total).sum()) / variance if variance else 1 / len(parts) for own in values]
    texts = _texts(read, [term for _, term in parts])
    each = iter(shares)
    return tuple((text, sum(islice(each, count))) for text, count in texts)


def _texts(read: SpecOnTable, terms: Sequence[Kernel]) -> list[tuple[str, int]]:
    """The terms of the last line as the spec writes them, with the number of terms of the kernel that each is; those of
    the kernel, if it merges some, such as equal ones.
    """
    program = read.spec.program
    body = program.body
    written = body.terms if isinstance(body, nodes.Sum) else (body,)
    kept = [own for own in written if not any(isinstance(p, nodes.Call) and p.function == "noise" for p in own.parts())]
    alone = [replace(read.spec, program=replace(program, body=own)).elaborated(read.columns).kernel for own in kept]
    counts = [len(own.terms) if isinstance(own, Sum) else 1 for own in alone]
    if sum(counts) != len(terms):
        return [(str(term), 1) for term in terms]
    return [(" ".join(print_node(own).split()), count) for own, count in zip(kept, counts, strict=True)]


def plot_prediction(
    predict: Callable[[Rows], tuple[Numbers, Numbers, Numbers]],
    layout: Layout,
    rows: Rows,
    y: Any,
    column: str | int | None,
    words: tuple[str, str],
    dark: bool | None,
) -> Figure:
    """Mean and band, (mean, lower, upper), along a column; `words` are the target and the band."""
    place, name, places = _column(layout, column)
    x, along = typical_rows(rows, layout.mapped.dim, place)
    mean, low, high = (np.reshape(values, (len(x), -1))[:, 0] for values in predict(along))
    colours = distinct_colours(2, dark=is_dark(dark))
    figure = new_figure(1, (), (), dark=is_dark(dark))
    if y is not None:
        seen = target_columns(y)
        if len(seen) != len(rows):
            raise DataError(f"X has {len(rows)} rows and y has {len(seen)}: inconsistent numbers of samples")
        observations_panel(figure.axes[0], places(rows.dense()[:, place]), seen[:, 0], colours[1])
    prediction_panel(figure.axes[0], places(x), mean, (low, high), (name, *words), colours[0])
    return figure


def plot_probabilities(
    predict: Callable[[Rows], Numbers],
    layout: Layout,
    rows: Rows,
    column: str | int | None,
    classes: list[str],
    dark: bool | None,
) -> Figure:
    """The probability of every class along a column."""
    place, name, places = _column(layout, column)
    x, along = typical_rows(rows, layout.mapped.dim, place)
    colours = distinct_colours(len(classes), dark=is_dark(dark))
    figure = new_figure(1, classes, colours, dark=is_dark(dark))
    probabilities_panel(figure.axes[0], places(x), predict(along), name, colours)
    return figure


def _column(layout: Layout, column: str | int | None) -> tuple[int, str, Callable[[Numbers], NDArray[Any]]]:
    """The position and name of a column of numbers, the one asked for or the first, and what draws its numbers: the
    dates of a column of dates. Raises PlanError.
    """
    names = numeric_columns(layout.mapped)
    dates = {name for place, name in numeric_columns(layout).items() if layout.type_at(place) == "date"}
    if not names:
        raise PlanError("a prediction is drawn along a column of numbers, and the kernel reads none")
    for place, name in names.items():
        if column is None or column in (place, name):
            return place, name, _dates if name in dates else np.asarray
    raise PlanError(f"column {column!r:.60} is not one of the kernel's columns of numbers, {', '.join(names.values())}")


_DRAWN_DAYS = (-719_162, 2_932_896)
"""The years 1 to 9999, which matplotlib can draw."""


def _dates(days: Numbers) -> NDArray[Any]:
    """The dates of days since 1970-01-01; the days, if some are beyond what can be drawn."""
    if days.min() < _DRAWN_DAYS[0] or days.max() > _DRAWN_DAYS[1]:
        return days
    return np.datetime64("1970-01-01", "us") + np.rint(days * US_PER_DAY).astype("m8[us]")
