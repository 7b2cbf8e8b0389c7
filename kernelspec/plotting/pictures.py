"""Every picture as one function of axes and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kernelspec.plotting.figures import dress, ink_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Line",
    "Spectrum",
    "bins_panel",
    "checked_range",
    "error_panel",
    "frequencies_panel",
    "is_wide",
    "kernel_panel",
    "landmarks_panel",
    "observations_panel",
    "prediction_panel",
    "probabilities_panel",
    "samples_panel",
    "spectrum_panel",
]

Numbers = NDArray[np.float64]


class Spectrum(Protocol):
    """The law of a frequency: a density, if it has one, and atoms."""

    @property
    def density(self) -> Callable[[Numbers], NDArray[Any]] | None: ...
    @property
    def points(self) -> Numbers: ...
    @property
    def weights(self) -> NDArray[Any]: ...
    @property
    def is_costly(self) -> bool: ...


class Profiled(Protocol):
    """A kernel along one column."""

    @property
    def lag_reach(self) -> float: ...
    @property
    def frequency_reach(self) -> float: ...
    @property
    def is_even(self) -> bool: ...
    @property
    def has_heavy_tail(self) -> bool: ...
    @property
    def spectrum(self) -> Spectrum: ...
    def kernel(self, lags: Any) -> NDArray[Any]: ...


class Line(Protocol):
    """A kernel in a figure."""

    @property
    def profile(self) -> Profiled: ...
    @property
    def label(self) -> str: ...
    @property
    def colour(self) -> Any: ...


_WIDE = 30
"""Kernels whose lags or frequencies differ by more than this factor are shown on logarithmic axes."""


def is_wide(reaches: Sequence[float]) -> bool:
    """Whether the extents of the kernels differ so much that only a logarithmic axis shows all of them."""
    return max(reaches) > _WIDE * min(reaches)


def automatic_range(reaches: Sequence[float], *, wide: bool) -> tuple[float, float]:
    """From 0 (on a logarithmic axis, from well inside the shortest extent) to the longest, rounded up."""
    return min(reaches) / _WIDE if wide else 0.0, _rounded(max(reaches))


def checked_range(given: tuple[float, float], name: str) -> tuple[float, float]:
    """The range as numbers. Raises ValueError unless it is finite and nonempty."""
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a range (low, high), not {given!r:.60}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"{name} must be a finite range (low, high) with low < high, not ({low:g}, {high:g})")
    return low, high


def _rounded(reach: float) -> float:
    """The reach rounded up to a number that suits the end of an axis."""
    power = 10.0 ** math.floor(math.log10(reach))
    return next(step * power for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= reach * (1 - 1e-9))


_POINTS = 601


def kernel_panel(axes: Axes, drawn: Sequence[Line], lags: tuple[float, float] | None = None) -> None:
    """Draw k(t) of every kernel; negative lags too if a kernel is asymmetric.

    The lags are on a logarithmic axis if the kernels have very different widths.
    """
    reaches = [each.profile.lag_reach for each in drawn]
    even = all(each.profile.is_even for each in drawn)
    wide = lags is None and even and is_wide(reaches)
    low, high = automatic_range(reaches, wide=wide)
    low, high = checked_range((low if even else -high, high) if lags is None else lags, "lags")
    grid = np.geomspace(low, high, _POINTS) if wide else _grid(low, high)
    curves = [each.profile.kernel(grid) for each in drawn]
    for each, curve in zip(drawn, curves, strict=True):
        axes.plot(grid, curve, color=each.colour, linewidth=1.8, label=each.label)
    if min(curve.min() for curve in curves) < 0:
        axes.axhline(0, color=ink_of(axes), linewidth=0.6, zorder=1)
    else:
        axes.set_ylim(bottom=0)
    if wide:
        axes.set_xscale("log")
    dress(axes, "Kernel by lag", "lag t", "k(t)")
    axes.set_xlim(low, high)


def _grid(low: float, high: float) -> Numbers:
    """Evenly spaced lags of a range, denser about 0, where a kernel may have a cusp."""
    cusp = max(abs(low), abs(high)) * np.geomspace(1e-5, 0.05, 100)
    dense = np.concatenate([-cusp, [0.0], cusp])
    return np.union1d(np.linspace(low, high, _POINTS), dense[(dense > low) & (dense < high)])


_SPECTRUM_POINTS, _COSTLY_POINTS = 601, 121
_DASHES = (0, (4, 2))


def spectrum_panel(axes: Axes, drawn: Sequence[Line], frequencies: tuple[float, float] | None = None) -> None:
    """Draw densities as lines (the imaginary part of a complex one dashed), atoms as stems as high as their mass.

    The axes are logarithmic if that shows more: for densities with tails that fall slowly, for frequencies of kernels
    with very different widths. Never with atoms, or with a density that is negative somewhere.
    """
    reaches = [each.profile.frequency_reach for each in drawn]
    atoms = any(len(each.profile.spectrum.points) for each in drawn)
    wide = not atoms and is_wide(reaches)
    automatic = automatic_range(reaches, wide=wide)
    low, high = checked_range(automatic if frequencies is None else frequencies, "frequencies")
    wide = wide and low > 0
    peak, lowest, negative, complex_valued = 0.0, math.inf, False, False
    for each in drawn:
        spectrum = each.profile.spectrum
        if spectrum.density is not None:
            points = _COSTLY_POINTS if spectrum.is_costly else _SPECTRUM_POINTS
            grid = np.geomspace(low, high, points) if wide else np.linspace(low, high, points)
            values = spectrum.density(grid)
            values = np.where(np.isfinite(values), values, np.nan)  # a density may have a pole
            axes.plot(grid, values.real, color=each.colour, linewidth=1.8, label=each.label)
            if np.iscomplexobj(values):
                complex_valued = True
                axes.plot(grid, values.imag, color=each.colour, linewidth=1.4, linestyle=_DASHES)
            least, most = np.nanmin(values.real, initial=math.inf), np.nanmax(np.abs(values.real), initial=0)
            peak, lowest = max(peak, float(most)), min(lowest, float(least))
            # smaller values are numerical error
            negative = negative or bool(least < -1e-6 * most) or np.iscomplexobj(values)
        complex_valued = complex_valued or np.iscomplexobj(spectrum.weights)
        negative = _stems(axes, each, low, high) or negative
    if negative:
        axes.axhline(0, color=ink_of(axes), linewidth=0.6, zorder=1)
    heavy = wide or any(each.profile.has_heavy_tail for each in drawn)
    if heavy and not atoms and not negative and peak > 0:
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(max(lowest / 2, peak * 1e-5), peak * 2)
    elif not negative:
        axes.set_ylim(bottom=0)
    if wide:
        axes.set_xscale("log")
    only_atoms = atoms and all(each.profile.spectrum.density is None for each in drawn)
    _explain(axes, dots=atoms and not only_atoms, dashes=complex_valued)
    dress(axes, "Spectral density by frequency", "frequency ω", "mass of an atom" if only_atoms else "spectral density")
    # keep an atom at the end of the range clear of the axis
    axes.set_xlim(low - 0.02 * (high - low) if atoms else low, high)


def _stems(axes: Axes, drawn: Line, low: float, high: float) -> bool:
    """Draw the visible atoms in the range; whether one of them has a negative part."""
    points, weights = drawn.profile.spectrum.points, drawn.profile.spectrum.weights
    seen = (points >= low) & (points <= high) & (np.abs(weights) > 1e-4 * np.abs(weights).max(initial=0))
    if not seen.any():
        return False
    parts: list[tuple[Any, Any, Any, str]] = [(weights[seen].real, "-", drawn.colour, drawn.label)]
    if np.iscomplexobj(weights):
        parts.append((weights[seen].imag, _DASHES, "none", f"_imaginary part of {drawn.label}"))
    for masses, style, face, label in parts:
        axes.vlines(points[seen], 0, masses, color=drawn.colour, linewidth=1.8, linestyle=style)
        axes.plot(
            points[seen], masses, linestyle="none", marker="o", markersize=4.5, color=drawn.colour, zorder=3,
            markerfacecolor=face, clip_on=False, label=label,
        )  # fmt: skip
    return any(bool((masses < 0).any()) for masses, *_ in parts)


def _explain(axes: Axes, *, dots: bool, dashes: bool) -> None:
    """A small legend for the heights of atoms and the two parts of a complex density."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=ink_of(axes), marker="o", markersize=4.5, linestyle="none", label="mass of an atom")
    ] * dots
    if dashes:
        handles.append(Line2D([], [], color=ink_of(axes), linewidth=1.8, label="real part"))
        handles.append(Line2D([], [], color=ink_of(axes), linewidth=1.4, linestyle=_DASHES, label="imaginary part"))
    if handles:
        axes.legend(handles=handles, loc="upper right", frameon=False, fontsize=9, labelcolor=ink_of(axes))


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
