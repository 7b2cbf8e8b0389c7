"""The figure of kernels: two panels and one legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernelspec.plotting.drawn import Drawn, drawn_kernels
from kernelspec.plotting.figures import new_figure, require_matplotlib
from kernelspec.plotting.kernel_panel import kernel_panel
from kernelspec.plotting.spectrum_panel import spectrum_panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kernelspec.spec import Spec

__all__ = ["plot_kernels"]

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
