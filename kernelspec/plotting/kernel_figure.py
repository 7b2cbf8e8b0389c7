"""The figure of kernels: k(t) against the lag, and the spectral density against the frequency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.analysis.profile import Profile
from kernelspec.catalogue import KERNELS
from kernelspec.errors import NotStationaryError
from kernelspec.kernels.leaf import load_kernel
from kernelspec.language.nodes import Call, Node
from kernelspec.plotting.figures import INK, distinct_colours, dress, new_figure, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kernelspec.spec import Spec

__all__ = [
    "Drawn",
    "automatic_range",
    "checked_range",
    "drawn_kernels",
    "is_wide",
    "kernel_panel",
    "label_of",
    "plot_kernels",
    "spectrum_panel",
]


@dataclass(frozen=True)
class Drawn:
    """A kernel in a figure: its profile, and the label and colour that it has in every panel."""

    profile: Profile
    label: str
    colour: Any


def drawn_kernels(specs: Sequence[Spec], labels: Sequence[str] | None = None) -> list[Drawn]:
    """The kernels with their labels and colours. Raises what `plot_kernels` raises."""
    if not specs:
        raise ValueError("there must be at least one kernel to draw")
    if labels is not None and len(labels) != len(specs):
        raise ValueError(f"there are {len(specs)} kernels, but {len(labels)} labels")
    names = [label_of(spec) for spec in specs] if labels is None else [" ".join(label.split()) for label in labels]
    return [
        Drawn(*_profile(spec, name), colour)
        for spec, name, colour in zip(specs, names, distinct_colours(len(specs)), strict=True)
    ]


def label_of(spec: Spec) -> str:
    """The kernel of a spec and the values of its parameters, on one line: the label of a kernel that is given none."""
    from kernelspec.language.printer import print_node

    values = [f"{name} = {value:g}" for name, value in spec.params.items() if value is not None]
    text = " ".join(print_node(spec.program.body).split())
    return text + (", " if values else "") + ", ".join(values)


def _profile(spec: Spec, name: str) -> tuple[Profile, str]:
    """The profile of a kernel, between rows of equal categories if it compares some, and its label."""
    try:
        return Profile.of(spec), name
    except NotStationaryError as error:
        equal = replace(spec, program=_of_equal_categories(spec.program))
        if equal != spec:
            with suppress(NotStationaryError):
                profile = Profile.of(equal)
                if profile.varies():
                    return profile, f"{name}, equal categories"
        raise NotStationaryError(f"{name} cannot be drawn: {error}") from None


def _of_equal_categories(node: Any) -> Any:
    """The syntax tree with 1 in the place of kernels that compare categories."""
    if isinstance(node, tuple):
        return tuple(_of_equal_categories(item) for item in node)
    if not isinstance(node, Node):
        return node
    if isinstance(node, Call) and node.function in KERNELS and load_kernel(node.function).compares_categories:
        return replace(node, function="constant")
    return replace(node, **{part.name: _of_equal_categories(getattr(node, part.name)) for part in fields(node)})


_WIDE = 30
"""Kernels whose lags or frequencies differ by more than this factor are shown on logarithmic axes."""


def is_wide(reaches: Sequence[float]) -> bool:
    """Whether the kernels end at places so different that only a logarithmic axis shows all of them."""
    return max(reaches) > _WIDE * min(reaches)


def automatic_range(reaches: Sequence[float], *, wide: bool) -> tuple[float, float]:
    """From 0, or on a logarithmic axis from well inside the shortest, to the end of the longest, rounded up."""
    return min(reaches) / _WIDE if wide else 0.0, _rounded(max(reaches))


def checked_range(given: tuple[float, float], name: str) -> tuple[float, float]:
    """The range, as numbers. Raises ValueError unless it is finite and not empty."""
    low, high = map(float, given)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"{name} must be a range from low to high, not from {low:g} to {high:g}")
    return low, high


def _rounded(reach: float) -> float:
    """The reach rounded up to one of the numbers at which an axis likes to end."""
    power = 10.0 ** math.floor(math.log10(reach))
    return next(step * power for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= reach * (1 - 1e-9))


_POINTS = 601


def kernel_panel(axes: Axes, drawn: Sequence[Drawn], lags: tuple[float, float] | None = None) -> None:
    """Draw k(t) of every kernel; negative lags too where a kernel is not symmetric.

    The lags are on a logarithmic axis where the kernels are of very different widths.
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
        axes.axhline(0, color=INK, linewidth=0.6, zorder=1)
    else:
        axes.set_ylim(bottom=0)
    if wide:
        axes.set_xscale("log")
    dress(axes, "Kernel by lag", "lag t", "k(t)")
    axes.set_xlim(low, high)


def _grid(low: float, high: float) -> NDArray[np.float64]:
    """Lags of a range, evenly spaced, and denser about 0, where a kernel may have a cusp."""
    cusp = max(abs(low), abs(high)) * np.geomspace(1e-5, 0.05, 100)
    dense = np.concatenate([-cusp, [0.0], cusp])
    return np.union1d(np.linspace(low, high, _POINTS), dense[(dense > low) & (dense < high)])


_SPECTRUM_POINTS, _COSTLY_POINTS = 601, 121
_DASHES = (0, (4, 2))


def spectrum_panel(axes: Axes, drawn: Sequence[Drawn], frequencies: tuple[float, float] | None = None) -> None:
    """Draw the densities as lines (the imaginary part of a complex one dashed), atoms as stems as high as their mass.

    The axes are logarithmic where that shows more: the densities for tails that fall slowly, the frequencies for
    kernels of very different widths. Never with atoms or with a density that is negative somewhere.
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
            # less than that is the error of a numerical integral
            negative = negative or bool(least < -1e-6 * most) or np.iscomplexobj(values)
        complex_valued = complex_valued or np.iscomplexobj(spectrum.weights)
        negative = _stems(axes, each, low, high) or negative
    if negative:
        axes.axhline(0, color=INK, linewidth=0.6, zorder=1)
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
    # an atom at the end of the range stands clear of the axis
    axes.set_xlim(low - 0.02 * (high - low) if atoms else low, high)


def _stems(axes: Axes, drawn: Drawn, low: float, high: float) -> bool:
    """Draw the atoms in the range that can be seen; whether one of them has a negative part."""
    points, weights = drawn.profile.spectrum.points, drawn.profile.spectrum.weights
    seen = (points >= low) & (points <= high) & (np.abs(weights) > 1e-4 * np.abs(weights).max(initial=0))
    if not seen.any():
        return False
    parts: list[tuple[Any, Any, Any, str]] = [(weights[seen].real, "-", drawn.colour, drawn.label)]
    if np.iscomplexobj(weights):
        parts.append((weights[seen].imag, _DASHES, "white", f"_imaginary part of {drawn.label}"))
    for masses, style, face, label in parts:
        axes.vlines(points[seen], 0, masses, color=drawn.colour, linewidth=1.8, linestyle=style)
        axes.plot(
            points[seen], masses, linestyle="none", marker="o", markersize=4.5, color=drawn.colour, zorder=3,
            markerfacecolor=face, clip_on=False, label=label,
        )  # fmt: skip
    return any(bool((masses < 0).any()) for masses, *_ in parts)


def _explain(axes: Axes, *, dots: bool, dashes: bool) -> None:
    """A small legend for what is no kernel: the heights of atoms, and the two parts of a complex density."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=INK, marker="o", markersize=4.5, linestyle="none", label="mass of an atom")] * dots
    if dashes:
        handles.append(Line2D([], [], color=INK, linewidth=1.8, label="real part"))
        handles.append(Line2D([], [], color=INK, linewidth=1.4, linestyle=_DASHES, label="imaginary part"))
    if handles:
        axes.legend(handles=handles, loc="upper right", frameon=False, fontsize=9, labelcolor=INK)


_LONGEST_LABEL = 72


def plot_kernels(
    specs: Sequence[Spec],
    labels: Sequence[str] | None = None,
    *,
    lags: tuple[float, float] | None = None,
    frequencies: tuple[float, float] | None = None,
) -> Figure:
    """Kernels in two panels: k(t) on one column against the lag t, and the density of the column's frequency ω.

    Atoms are stems whose height is their mass. A kernel of several columns is shown along the first, with all others at
    lag 0. Ranges that are not given come from the kernels: the lag at which the slowest has fallen to about 2 %, the
    frequencies with most of the mass. The labels are the texts of the specs if not given.

    Raises NotStationaryError for a kernel that is no function of x − y, ParameterError for a parameter without value,
    ValueError for no specs, another number of labels, or an empty range, and MissingPackageError without matplotlib.
    """
    require_matplotlib()
    drawn = drawn_kernels(specs, labels)
    figure = new_figure(2, [_legend_text(each) for each in drawn], [each.colour for each in drawn])
    left, right = figure.axes
    kernel_panel(left, drawn, lags)
    spectrum_panel(right, drawn, frequencies)
    return figure


def _legend_text(drawn: Drawn) -> str:
    """The label, and what the panels cannot say: the column, and what is missing of the spectral measure."""
    label = drawn.label if len(drawn.label) <= _LONGEST_LABEL else drawn.label[: _LONGEST_LABEL - 1] + "…"
    spectrum, column = drawn.profile.spectrum, drawn.profile.column
    notes = [] if column is None else [f"along {column}"]
    if spectrum.unknown is not None:
        partly = spectrum.density is not None or len(spectrum.points)
        notes.append("part of its spectrum not shown" if partly else "spectral density not shown")
    return f"{label} ({', '.join(notes)})" if notes else label
