"""Pictures of a feature map: frequencies, bins, landmarks, and its error on some rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.maps.draw import draw_plan
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.evaluation import approximate
from kernelspec.maps.predicted_error import ErrorOnRows
from kernelspec.planning.landmarks.simulated import can_simulate
from kernelspec.planning.plan import Plan
from kernelspec.planning.strata import kernel_value
from kernelspec.plotting.figures import distinct_colours, is_dark, new_figure
from kernelspec.plotting.pictures import bins_panel, error_panel, frequencies_panel, landmarks_panel
from kernelspec.samples.frequencies import products
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["WhatOfMaps", "numeric_columns", "plot_map", "typical_rows"]

WhatOfMaps = Literal["features", "bins", "error", "landmarks"]
"""The pictures of a feature map."""

Numbers = NDArray[np.float64]

_NEED_ROWS = "pictures of the error need rows: pass a table X"


def plot_map(drawn: DrawnPlan, rows: Rows | None, what: WhatOfMaps | None, dark: bool | None) -> Figure:
    """One picture, or side by side all that the map has. Raises PlanError for a picture that it does not have."""
    dark = is_dark(dark)
    missing = {
        "landmarks": None if drawn.plan.landmarks is not None else "the map has no landmarks",
        "features": None if _frequencies(drawn) is not None else "the samples have no frequencies of numeric columns",
        "bins": None if _binned_column(drawn) is not None else "the samples have no bins of numeric columns",
        "error": _NEED_ROWS if rows is None else None,
    }
    if what is not None and what not in missing:
        raise PlanError(f"what must be one of {', '.join(missing)}, not {what!r:.60}")
    if what is not None and (why := missing[what]) is not None:
        raise PlanError(why)
    shown = [name for name, why in missing.items() if why is None] if what is None else [what]
    if not shown:
        raise PlanError(_NEED_ROWS)
    figure = new_figure(len(shown), (), (), dark=dark)
    for axes, name in zip(figure.axes, shown, strict=True):
        _PANELS[name](axes, drawn, rows, distinct_colours(2, dark=dark))
    return figure


def numeric_columns(layout: Layout) -> dict[int, str]:
    """The columns of numbers that a kernel reads, by position, and their names."""
    numeric = [i for i in layout.used if i in layout.numeric and i not in layout.categorical]
    return {i: layout.names[i] if layout.names is not None else f"column {i}" for i in numeric}


def _frequencies(drawn: DrawnPlan) -> tuple[Numbers, Numbers, list[str]] | None:
    """Frequencies (n, p), weights (n,), and names of the columns, of samples that turn; None if there are none."""
    names = numeric_columns(drawn.plan.layout.mapped)
    parts = [(p.phasors, p.weight) for p in (drawn.dense, *drawn.keyed) if p is not None and p.phasors is not None]
    read = [i for i in names if any(i in phasors.columns for phasors, _ in parts)]
    if not read:
        return None
    found, weights = [], []
    for phasors, weight in parts:
        units = np.array([[float(column == place) for column in phasors.columns] for place in read])
        values = products(units, phasors.frequencies).T
        turning = (values != 0).any(axis=1)
        found.append(values[turning])
        weights.append(weight[turning])
    frequencies = np.concatenate(found)
    return (frequencies, np.concatenate(weights), [names[i] for i in read]) if len(frequencies) else None


def _features(axes: Any, drawn: DrawnPlan, _rows: Rows | None, colours: Any) -> None:
    found = _frequencies(drawn)
    assert found is not None
    frequencies_panel(axes, *found, colours[0])


def _binned_column(drawn: DrawnPlan) -> int | None:
    """The first column of numbers that the keys depend on."""
    numeric = numeric_columns(drawn.plan.layout.mapped)
    return next((c for part in drawn.keyed for f in part.factors for c in f.columns if c in numeric), None)


_PLACES, _RANGE = 601, (-3.0, 3.0)
"""Places along a column, and their range without rows."""


def typical_rows(rows: Rows | None, dim: int, column: int) -> tuple[Numbers, Rows]:
    """Places over the range of a column, and rows there with the medians or modes of all other columns."""
    numbers = np.zeros((_PLACES, dim)) if rows is None else np.tile(np.median(rows.dense(), axis=0), (_PLACES, 1))
    low, high = _RANGE if rows is None else (float(end(rows.dense()[:, column])) for end in (np.min, np.max))
    numbers[:, column] = places = np.linspace(low, high if high > low else low + 1, _PLACES)
    codes = {} if rows is None else {position: _most_frequent(own) for position, own in rows.categories.items()}
    return places, Rows(numbers, codes)


def _most_frequent(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    found, counts = np.unique(codes, return_counts=True)
    return np.full(_PLACES, found[np.argmax(counts)], dtype=np.uint64)


def _bins(axes: Any, drawn: DrawnPlan, rows: Rows | None, colours: Any) -> None:
    column = _binned_column(drawn)
    assert column is not None
    places, along = typical_rows(rows, drawn.plan.layout.mapped.dim, column)
    keys = np.hstack([part.keys(along) for part in drawn.keyed if any(column in f.columns for f in part.factors)])
    share = (keys == keys[len(keys) // 2]).mean(axis=1)
    bins_panel(axes, places, keys, share, numeric_columns(drawn.plan.layout.mapped)[column], colours)


_SHARES, _MAPS, _ERROR_ROWS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1), 6, 128


def _error(axes: Any, drawn: DrawnPlan, rows: Rows | None, colours: Any) -> None:
    assert rows is not None
    some = rows.some(_ERROR_ROWS)
    exact = kernel_value(drawn.plan.strata, NumericPairs(some, some))
    size, found = float(np.linalg.norm(exact)) or 1.0, {}
    for plan in _smaller(drawn.plan):
        maps = [draw_plan(replace(plan, seed=seed)) for seed in range(plan.seed, plan.seed + _MAPS)]
        measured = [float(np.linalg.norm(approximate(one, some, some) - exact)) / size for one in maps]
        # with keys, what samples drawn together gain is known for the whole plan alone
        is_known = plan is drawn.plan or not plan.is_measured or can_simulate(plan.strata)
        found[_columns(maps[0])] = ErrorOnRows(plan, some, some).predicted() if is_known else math.nan, measured
    predicted, measured_of = zip(*found.values(), strict=True)
    error_panel(axes, list(found), np.array(predicted), np.array(measured_of), colours)


def _smaller(plan: Plan) -> Iterator[Plan]:
    """The plan with shares of its samples, and the whole."""
    if plan.normalized or plan.zero_bit or plan.estimated is not None:
        raise PlanError("published estimators are biased: use ks.verify to measure their error")
    last: tuple[int, ...] | None = None
    for share in _SHARES if not plan.chosen.is_biased else (1,):
        counts = tuple(max(1, round(share * n)) if n else 0 for n in plan.chosen.counts)
        if counts != last:
            whole = counts == plan.chosen.counts
            yield plan if whole else replace(plan, chosen=replace(plan.chosen, counts=counts))
        last = counts


def _columns(drawn: DrawnPlan) -> int:
    """Feature columns, and for every sample with a key the nonzeros of a row."""
    landmarks = 0 if drawn.plan.landmarks is None else drawn.plan.landmarks.n_columns
    dense = 0 if drawn.dense is None else drawn.dense.n_columns(drawn.plan.form)
    return landmarks + dense + sum(len(part) * part.entries(drawn.plan.form) for part in drawn.keyed)


def _landmarks(axes: Any, drawn: DrawnPlan, rows: Rows | None, colours: Any) -> None:
    assert drawn.plan.landmarks is not None
    names = numeric_columns(drawn.plan.layout.mapped)
    places = list(names)[:2]
    chosen = drawn.plan.landmarks.left.rows.dense()[:, places]
    shown = np.zeros((0, len(places))) if rows is None else rows.some(2_000).dense()[:, places]
    landmarks_panel(axes, shown, chosen, list(names.values()), colours)


_PANELS = {"landmarks": _landmarks, "features": _features, "bins": _bins, "error": _error}
