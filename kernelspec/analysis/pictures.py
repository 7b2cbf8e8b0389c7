"""Pictures of kernels: k against the lag, the spectral density, and functions of its Gaussian process."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.analysis.facts import Facts, analyze
from kernelspec.analysis.gram import evaluate_blocks
from kernelspec.analysis.profile import Profile, of_equal_categories
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import DataError, NotStationaryError, PlanError
from kernelspec.language.printer import print_node
from kernelspec.plotting.figures import distinct_colours, dress, ink_of, is_dark, new_figure
from kernelspec.plotting.pictures import checked_range, samples_panel
from kernelspec.tables.cells import Span
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Drawn", "WhatOfKernels", "drawn_kernels", "kernel_panel", "label_of", "plot_kernels", "spectrum_panel"]

Numbers = NDArray[np.float64]

WhatOfKernels = Literal["kernel", "density", "samples"]
"""The pictures of a kernel without data."""


@dataclass(frozen=True)
class Drawn:
    """A kernel in a figure: its profile, and its label and color in every panel."""

    profile: Profile
    label: str
    colour: Any


def drawn_kernels(
    specs: Sequence[ValuedProgram], labels: Sequence[str] | None = None, *, dark: bool = False
) -> list[Drawn]:
    """The kernels with their labels and colors. Raises as `plot_kernels`."""
    names = _names(specs, labels)
    return [
        Drawn(*_profile(spec, name), colour)
        for spec, name, colour in zip(specs, names, distinct_colours(len(specs), dark=dark), strict=True)
    ]


def _names(specs: Sequence[ValuedProgram], labels: Sequence[str] | None) -> list[str]:
    if not specs:
        raise ValueError("expected at least one kernel to draw")
    if labels is not None and len(labels) != len(specs):
        raise ValueError(f"expected {len(specs)} labels, one per kernel, not {len(labels)}")
    return [label_of(spec) for spec in specs] if labels is None else [" ".join(label.split()) for label in labels]


def label_of(spec: ValuedProgram) -> str:
    """The kernel of a spec and its parameter values on one line: the default label."""
    values = [
        f"{name} = {list(value) if isinstance(value, tuple) else f'{value:g}'}"
        for name, value in spec.params.items()
        if value is not None
    ]
    text = " ".join(print_node(spec.program.body).split())
    return text + (", " if values else "") + ", ".join(values)


def _profile(spec: ValuedProgram, name: str) -> tuple[Profile, str]:
    """The profile of a kernel and its label; if it compares categories, the profile for equal ones."""
    try:
        return Profile.of(spec), name
    except NotStationaryError as error:
        equal = of_equal_categories(spec)
        if equal != spec:
            with suppress(NotStationaryError):
                profile = Profile.of(equal)
                if profile.varies():
                    return profile, f"{name}, equal categories"
        raise NotStationaryError(f"{name} cannot be drawn: {error}") from None


_LONGEST_LABEL = 72


def plot_kernels(
    specs: Sequence[ValuedProgram],
    labels: Sequence[str] | None = None,
    *,
    what: WhatOfKernels | None = None,
    lags: tuple[float, float] | None = None,
    frequencies: tuple[float, float] | None = None,
    n_samples: int = 5,
    seed: int = 0,
    dark: bool | None = None,
) -> Figure:
    """Kernels in two panels: k(t) on one column against the lag t, and the density of the column's frequency ω.

    `what` is one of them, "kernel" or "density", or "samples": functions of the Gaussian process with this covariance.
    Atoms are stems whose height is their mass. A kernel of several columns is shown along the first, with all others at
    lag 0. The default ranges come from the kernels: the lag at which the slowest has fallen to about 2 %, and the
    frequencies with most of the mass; `lags` is also the range of samples. The default labels are the texts of the
    specs. `dark` is for dark backgrounds; None follows matplotlib's style.

    Raises NotStationaryError for a kernel that is not a function of x − y, except for samples; DataError for samples
    where the kernel is not defined, PlanError if no Gaussian process has the covariance; ParameterError for a parameter
    without a value, ValueError for no specs, a wrong number of labels, or an empty range, and MissingPackageError
    without matplotlib.
    """
    dark = is_dark(dark)
    if what not in (None, "kernel", "density", "samples"):
        raise ValueError(f"what must be 'kernel', 'density' or 'samples', not {what!r}")
    if not isinstance(n_samples, Integral) or n_samples < 1:
        raise ValueError(f"n_samples must be a whole number, at least 1, not {n_samples!r}")
    if what == "samples":
        return _plot_samples(specs, labels, lags, n_samples, seed, dark)
    drawn = drawn_kernels(specs, labels, dark=dark)
    legend, colours = [_legend_text(each) for each in drawn], [each.colour for each in drawn]
    figure = new_figure(1 if what else 2, legend, colours, dark=dark)
    if what != "density":
        kernel_panel(figure.axes[0], drawn, lags)
    if what != "kernel":
        spectrum_panel(figure.axes[-1], drawn, frequencies)
    return figure


_WIDE = 30  # kernels whose lags or frequencies differ by more than this factor are shown on logarithmic axes


def _is_wide(reaches: Sequence[float]) -> bool:
    """Whether the extents of the kernels differ so much that only a logarithmic axis shows all of them."""
    return max(reaches) > _WIDE * min(reaches)


def _automatic_range(reaches: Sequence[float], *, wide: bool) -> tuple[float, float]:
    """From 0 (on a logarithmic axis, from well inside the shortest extent) to the longest, rounded up."""
    return min(reaches) / _WIDE if wide else 0.0, _rounded(max(reaches))


def _rounded(reach: float) -> float:
    """The reach rounded up to a number that suits the end of an axis."""
    power = 10.0 ** math.floor(math.log10(reach))
    return next(step * power for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= reach * (1 - 1e-9))


_POINTS = 601


def kernel_panel(axes: Axes, drawn: Sequence[Drawn], lags: tuple[float, float] | None = None) -> None:
    """Draw k(t) of every kernel; negative lags too if a kernel is asymmetric.

    The lags are on a logarithmic axis if the kernels have very different widths.
    """
    reaches = [each.profile.lag_reach for each in drawn]
    even = all(each.profile.is_even for each in drawn)
    wide = lags is None and even and _is_wide(reaches)
    low, high = _automatic_range(reaches, wide=wide)
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


def spectrum_panel(axes: Axes, drawn: Sequence[Drawn], frequencies: tuple[float, float] | None = None) -> None:
    """Draw densities as lines (the imaginary part of a complex one dashed), atoms as stems as high as their mass.

    The axes are logarithmic if that shows more: for densities with tails that fall slowly, for frequencies of kernels
    with very different widths. Never with atoms, or with a density that is negative somewhere.
    """
    reaches = [each.profile.frequency_reach for each in drawn]
    atoms = any(len(each.profile.spectrum.points) for each in drawn)
    wide = not atoms and _is_wide(reaches)
    automatic = _automatic_range(reaches, wide=wide)
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


def _stems(axes: Axes, drawn: Drawn, low: float, high: float) -> bool:
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


_PATH_POINTS, _LENGTHS = 401, 4
_RANGE = (0.0, 5.0)  # the range of samples if the kernel has no length of its own

_NO_COLOUR = "#8A94A0"
"""The mark of a kernel whose functions have different colors."""


def _plot_samples(
    specs: Sequence[ValuedProgram],
    labels: Sequence[str] | None,
    lags: tuple[float, float] | None,
    n_samples: int,
    seed: int,
    dark: bool,
) -> Figure:
    """Functions of one Gaussian process, each in its color, or of several, which share the random numbers."""
    names = _names(specs, labels)
    places = [_place(spec, name) for spec, name in zip(specs, names, strict=True)]
    ends = [_end(facts, profile) for facts, profile in places]
    grid = np.linspace(*checked_range((0.0, max(ends)) if lags is None else lags, "lags"), _PATH_POINTS)
    normal = np.random.default_rng(seed).standard_normal((_PATH_POINTS, n_samples))
    found = [_paths(facts, profile, grid, normal) for facts, profile in places]
    colours = distinct_colours(len(specs) if len(specs) > 1 else max(n_samples, 1), dark=dark)
    figure = new_figure(1, names, colours if len(names) > 1 else [_NO_COLOUR], dark=dark)
    for (paths, deviation), colour in zip(found, colours, strict=False):
        samples_panel(figure.axes[0], grid, paths, deviation, colours if len(specs) == 1 else [colour] * n_samples)
    return figure


def _place(spec: ValuedProgram, name: str) -> tuple[Facts, Profile | None]:
    """The facts along a column, and the profile if the kernel is stationary."""
    try:
        profile, _ = _profile(spec, name)
        return profile.facts, profile
    except NotStationaryError:
        names = spec.columns().names
        return analyze(spec, 1 if names is None else None, columns=names), None


def _end(facts: Facts, profile: Profile | None) -> float:
    """The end of the default range: some widths of the kernel, or the end of its domain."""
    if profile is not None:
        return _LENGTHS * profile.lag_reach
    domains = layout_of(facts.spec.kernel(facts.columns), facts.mapped).domains
    return min((domain.until for domain, _ in domains if isinstance(domain, Span)), default=_RANGE[1])


def _paths(facts: Facts, profile: Profile | None, grid: Numbers, normal: Numbers) -> tuple[Numbers, Numbers]:
    """Functions (points, samples) with covariance k on the grid in one column, and their standard deviation."""
    kernel = facts.spec.kernel(facts.columns)
    layout = layout_of(kernel, facts.mapped)
    numeric = [i for i in layout.numeric if i not in layout.categorical]
    numbers = np.zeros((len(grid), int(kernel.dim)))
    numbers[:, profile.axis if profile is not None else min(numeric, default=0)] = grid
    rows = Rows(numbers, dict.fromkeys(range(numbers.shape[1]), np.zeros(len(grid), dtype=np.uint64)))
    try:
        for domain, positions in layout.domains:
            domain.check(numbers[:, list(positions)], lambda i, places=positions: layout.name_of(places[i]))  # type: ignore[misc]
        covariance = np.concatenate([block for _, block in evaluate_blocks(kernel, rows, rows)])
    except DataError as error:
        ends = f"{grid[0]:g} to {grid[-1]:g}"
        raise DataError(f"{label_of(facts.spec)} is not defined along one column from {ends}: {error}") from None
    eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    if not np.allclose(covariance, covariance.T) or eigenvalues[0] < -1e-9 * max(eigenvalues[-1], 0.0):
        raise PlanError(f"{label_of(facts.spec)} is not positive definite, so no Gaussian process has this covariance")
    eigenvalues[eigenvalues < 1e-12 * eigenvalues[-1]] = 0.0  # rounding, whose roots would be visible
    return vectors @ (np.sqrt(eigenvalues)[:, None] * normal), np.sqrt(covariance.diagonal().clip(0))


def _legend_text(drawn: Drawn) -> str:
    """The label, with what the panels do not show: the column, and missing parts of the spectral measure."""
    label = drawn.label if len(drawn.label) <= _LONGEST_LABEL else drawn.label[: _LONGEST_LABEL - 1] + "…"
    spectrum, column = drawn.profile.spectrum, drawn.profile.column
    notes = [] if column is None else [f"along {column}"]
    if spectrum.unknown is not None:
        partly = spectrum.density is not None or len(spectrum.points)
        notes.append("part of its spectrum not shown" if partly else "spectral density not shown")
    return f"{label} ({', '.join(notes)})" if notes else label
