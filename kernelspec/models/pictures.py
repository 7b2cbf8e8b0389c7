"""A model's prediction along one column, with its band."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.maps.pictures import numeric_columns, typical_rows
from kernelspec.plotting.figures import distinct_colours, is_dark, new_figure
from kernelspec.plotting.pictures import observations_panel, prediction_panel, probabilities_panel
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_prediction", "plot_probabilities"]

Numbers = NDArray[np.float64]


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
    place, name = _column(layout, column)
    x, along = typical_rows(rows, layout.dim, place)
    mean, low, high = (np.reshape(values, (len(x), -1))[:, 0] for values in predict(along))
    colours = distinct_colours(2, dark=is_dark(dark))
    figure = new_figure(1, (), (), dark=is_dark(dark))
    if y is not None:
        seen = np.reshape(np.asarray(y, dtype=float), (len(rows), -1))[:, 0]
        observations_panel(figure.axes[0], rows.dense()[:, place], seen, colours[1])
    prediction_panel(figure.axes[0], x, mean, (low, high), (name, *words), colours[0])
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
    place, name = _column(layout, column)
    x, along = typical_rows(rows, layout.dim, place)
    colours = distinct_colours(len(classes), dark=is_dark(dark))
    figure = new_figure(1, classes, colours, dark=is_dark(dark))
    probabilities_panel(figure.axes[0], x, predict(along), name, colours)
    return figure


def _column(layout: Layout, column: str | int | None) -> tuple[int, str]:
    """The position and name of a column of numbers: the one asked for, or the first. Raises PlanError."""
    names = numeric_columns(layout)
    if not names:
        raise PlanError("a prediction is drawn along a column of numbers, and the kernel reads none")
    for place, name in names.items():
        if column is None or column in (place, name):
            return place, name
    raise PlanError(f"column {column!r:.60} is not one of the kernel's columns of numbers, {', '.join(names.values())}")
