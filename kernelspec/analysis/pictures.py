"""Pictures of kernels: k against the lag, the spectral density, and functions of its Gaussian process."""

from __future__ import annotations

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
from kernelspec.plotting.figures import distinct_colours, is_dark, new_figure
from kernelspec.plotting.pictures import checked_range, kernel_panel, samples_panel, spectrum_panel
from kernelspec.tables.cells import Span
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Drawn", "WhatOfKernels", "drawn_kernels", "label_of", "plot_kernels"]

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


_PATH_POINTS, _LENGTHS = 401, 4
_RANGE = (0.0, 5.0)
"""The range of samples if the kernel has no length of its own."""

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
