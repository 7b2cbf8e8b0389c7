"""Every picture as one function of axes and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.plotting.figures import dress, ink_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "bins_panel",
    "checked_range",
    "error_panel",
    "frequencies_panel",
    "landmarks_panel",
    "observations_panel",
    "prediction_panel",
    "probabilities_panel",
    "samples_panel",
]

Numbers = NDArray[np.float64]


def checked_range(given: tuple[float, float], name: str) -> tuple[float, float]:
    """The range as numbers. Raises ValueError unless it is finite and nonempty."""
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a range (low, high), not {given!r:.60}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"{name} must be a finite range (low, high) with low < high, not ({low:g}, {high:g})")
    return low, high


def samples_panel(axes: Axes, grid: Numbers, paths: Numbers, deviation: Numbers, colours: Sequence[Any]) -> None:
    """Draw functions (points, samples) of a Gaussian process in the band of two standard deviations (points,)."""
    axes.fill_between(grid, -2 * deviation, 2 * deviation, color=colours[0], alpha=0.1, linewidth=0)
    for path, colour in zip(paths.T, colours, strict=True):
        axes.plot(grid, path, color=colour, linewidth=1.4)
    axes.set_xlim(grid[0], grid[-1])
    dress(axes, "Functions of the Gaussian process", "x", "f(x), and the band of 95 %")


def frequencies_panel(axes: Axes, frequencies: Numbers, weights: Numbers, names: Sequence[str], colour: Any) -> None:
    """Draw sampled frequencies (samples, columns): their weighted histogram on one column, else the first two columns.

    `weights` (samples,) are the shares of k(0) that the samples carry, as areas of the points.
    """
    if frequencies.shape[1] == 1:
        reach = np.quantile(np.abs(frequencies[:, 0]), 0.99) or 1.0
        axes.hist(
            frequencies[:, 0], 41, range=(-reach, reach), weights=weights / weights.sum(), color=colour, alpha=0.35,
            edgecolor=colour,
        )  # fmt: skip
        axes.plot(frequencies[:, 0], np.zeros(len(frequencies)), "|", color=ink_of(axes), markersize=7, alpha=0.5)
        axes.set_xlim(-reach, reach)
        dress(axes, f"{len(frequencies):,} frequencies", f"frequency ω of {names[0]}", "share")
        return
    shown = frequencies[:, :2]
    area = 14 * weights / weights.mean()
    axes.scatter(shown[:, 0], shown[:, 1], s=area.clip(4, 60), color=colour, alpha=0.6, linewidth=0)
    reach = float(np.quantile(np.abs(shown), 0.97)) * 1.3 or 1.0
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach))
    hidden = int((np.abs(shown) > reach).any(axis=1).sum())
    beyond = f", {hidden} of them outside" if hidden else ""
    dress(axes, f"{len(frequencies):,} frequencies{beyond}", f"frequency of {names[0]}", f"frequency of {names[1]}")


def _legend_below(axes: Axes) -> None:
    """The legend of one panel, where it covers nothing."""
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, frameon=False, fontsize=9, labelcolor=ink_of(axes),
        columnspacing=1.2, handlelength=1.4,
    )  # fmt: skip


_MOST_BINS_SHOWN = 24


def bins_panel(axes: Axes, x: Numbers, keys: NDArray[Any], share: Numbers, name: str, colours: Any) -> None:
    """Draw the keys (places, samples) of places x along a column: equal keys are one bin, a line per sample.

    `share` (places,) of all samples have the key of the place in the middle: the estimate of k, drawn over the bins.
    """
    shown = keys[:, :_MOST_BINS_SHOWN].T
    starts = np.ones(shown.shape, dtype=bool)
    starts[:, 1:] = shown[:, 1:] != shown[:, :-1]
    parity = np.cumsum(starts, axis=1) % 2
    middle = shown[:, [shown.shape[1] // 2]] == shown
    from matplotlib.colors import ListedColormap, to_rgba

    first, second = colours
    map_of = ListedColormap([to_rgba(first, 0.12), to_rgba(first, 0.3), to_rgba(second, 0.9)])
    edges = np.concatenate([[x[0]], (x[1:] + x[:-1]) / 2, [x[-1]]])
    axes.pcolormesh(
        edges, np.arange(len(shown) + 1) / len(shown), np.where(middle, 2, parity), cmap=map_of, vmin=0, vmax=2,
        rasterized=True,
    )  # fmt: skip
    axes.plot(x, share, color=ink_of(axes), linewidth=1.8)
    axes.set(xlim=(x[0], x[-1]), ylim=(0, 1.02))
    dress(axes, f"Bins of {len(shown)} of {keys.shape[1]:,} samples", name, "share in the bin of the middle")


def error_panel(axes: Axes, columns: Sequence[int], predicted: Numbers, measured: Numbers, colours: Any) -> None:
    """Draw relative errors against columns: predicted (sizes,), as a line where they are finite, and of several maps
    (sizes, maps), dots.
    """
    from matplotlib.ticker import LogLocator

    line, dots = colours
    finite = np.where(np.isfinite(predicted), predicted, np.nan)
    floor = max(float(np.nan_to_num(finite).max()), float(measured.max())) * 1e-9 or 1e-16
    axes.plot(columns, finite.clip(floor), "o-", color=line, linewidth=1.8, markersize=4, zorder=3, label="predicted")
    for size, errors in zip(columns, measured, strict=True):
        axes.plot([size] * len(errors), errors.clip(floor), ".", color=dots, markersize=6, alpha=0.7)
    axes.plot([], [], ".", color=dots, markersize=6, label=f"measured, {measured.shape[1]} maps each")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(columns, [f"{size:,}" for size in columns])
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
    axes.minorticks_off()
    _legend_below(axes)
    dress(axes, "Relative error of the kernel matrix", "feature columns", "‖K̂ − K‖ / ‖K‖")


def landmarks_panel(axes: Axes, rows: Numbers, landmarks: Numbers, names: Sequence[str], colours: Any) -> None:
    """Draw rows and landmarks, (n, p) both, on the first two columns; against their order if there is just one."""
    if rows.shape[1] == 1:
        rows, landmarks = (np.column_stack([x, np.linspace(0, 1, len(x))]) for x in (rows, landmarks))
        names = [names[0], "order of rows, of landmarks"]
    plain, chosen = colours
    axes.plot(rows[:, 0], rows[:, 1], ".", color=plain, markersize=4, alpha=0.35, label=f"{len(rows):,} rows")
    axes.plot(
        landmarks[:, 0], landmarks[:, 1], "o", markersize=7, markerfacecolor="none", markeredgecolor=chosen,
        markeredgewidth=1.5, label=f"{len(landmarks):,} landmarks",
    )  # fmt: skip
    _legend_below(axes)
    dress(axes, "Landmarks among the rows", names[0], names[1])


def _shorten_dates(axes: Axes, x: NDArray[Any]) -> None:
    """Label an axis of dates at a few ticks, without repeating the year at each."""
    if x.dtype.kind == "M":
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        ticks = AutoDateLocator(minticks=3, maxticks=6)
        axes.xaxis.set_major_locator(ticks)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(ticks))


def prediction_panel(
    axes: Axes, x: NDArray[Any], mean: Numbers, band: tuple[Numbers, Numbers], words: tuple[str, str, str], colours: Any
) -> None:
    """Draw a prediction (points,) with its band, (lower, upper); `words` are the column, the target, and the band."""
    name, target, said = words
    axes.fill_between(x, *band, color=colours, alpha=0.2, linewidth=0, label=said)
    axes.plot(x, mean, color=colours, linewidth=1.8, label="prediction")
    axes.set_xlim(x[0], x[-1])
    _shorten_dates(axes, x)
    _legend_below(axes)
    dress(axes, "Prediction", name, target)


def observations_panel(axes: Axes, x: NDArray[Any], y: Numbers, colour: Any) -> None:
    """Draw observations (n,) under a prediction."""
    axes.plot(x, y, ".", color=colour, markersize=4, alpha=0.4, label=f"{len(x):,} observations")


def probabilities_panel(axes: Axes, x: NDArray[Any], probabilities: Numbers, name: str, colours: Sequence[Any]) -> None:
    """Draw the probabilities (points, classes) along a column."""
    for own, colour in zip(probabilities.T, colours, strict=True):
        axes.plot(x, own, color=colour, linewidth=1.8)
    axes.set(xlim=(x[0], x[-1]), ylim=(-0.02, 1.02))
    _shorten_dates(axes, x)
    dress(axes, "Predicted probability of each class", name, "probability")
