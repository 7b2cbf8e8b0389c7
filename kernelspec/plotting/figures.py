"""Figures in one style: panels with one legend below them, colours for every reader, files by their suffix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.loading import require_package

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "FORMATS",
    "INK",
    "distinct_colours",
    "dress",
    "figure_format",
    "new_figure",
    "require_matplotlib",
    "save_figure",
]

FORMATS = ("png", "svg", "pdf")
"""Formats of a figure, told by the suffix of its file."""

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's, without the yellow, which is too light for a line: to be told apart by every reader."""

INK = "#333333"
"""Colour of text and axes."""

_GRID = "#E3E3E3"
_WIDTH, _PANEL_HEIGHT, _LEGEND_LINE = 8.6, 3.2, 0.22
_DPI = 200
_LEGEND_CHARACTERS = 104


def require_matplotlib() -> None:
    """Raises MissingPackageError where no figure can be drawn: asked for before the work that a figure shows."""
    require_package("matplotlib", extra="plot", purpose="figures")


def new_figure(panels: int, legend: Sequence[str], colours: Sequence[Any]) -> Figure:
    """A figure with panels side by side, and one legend below all of them.

    Raises MissingPackageError without matplotlib.
    """
    require_matplotlib()
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D

    columns = max(1, min(len(legend), 4, _LEGEND_CHARACTERS // (max(map(len, legend)) + 8)))
    height = _PANEL_HEIGHT + _LEGEND_LINE * math.ceil(len(legend) / columns)
    figure = Figure(
        figsize=(_whole_pixels(_WIDTH * panels / 2), _whole_pixels(height)),
        dpi=_DPI,
        layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06, wspace=0.04),
        facecolor="white",
    )
    figure.subplots(1, panels)
    handles = [Line2D([], [], color=colour, linewidth=2) for colour in colours]
    shown = figure.legend(
        handles, [" " * (text[:1] == "_") + text for text in legend], loc="outside lower center", ncols=columns,
        frameon=False, fontsize=9, labelcolor=INK, handlelength=1.8, columnspacing=2.0,
    )  # fmt: skip
    for text in shown.get_texts():
        text.set_parse_math(False)  # a dollar sign is one, in the name of a column
    return figure


def _whole_pixels(inches: float) -> float:
    # 8.6 * 3 / 2 is a little less than 12.9: some versions of matplotlib cut what is left of a pixel, others round it
    return round(inches * _DPI) / _DPI


def dress(axes: Axes, title: str, abscissa: str, ordinate: str) -> None:
    """Title in words, labelled axes, a light grid, and no frame."""
    axes.set_title(title, fontsize=10.5, loc="left", color=INK, pad=8)
    axes.set_xlabel(abscissa, fontsize=10, color=INK)
    axes.set_ylabel(ordinate, fontsize=10, color=INK)
    axes.tick_params(which="both", labelsize=9, colors=INK, length=3, width=0.6)
    axes.tick_params(which="minor", length=0)
    axes.grid(visible=True, color=_GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=INK, linewidth=0.6)


def distinct_colours(count: int) -> list[Any]:
    """Colours to tell apart; for more kernels than there are such colours, an ordered scale from dark to light."""
    if count <= len(_COLOURS):
        return list(_COLOURS[:count])
    from matplotlib import colormaps

    return [colormaps["viridis"](share) for share in np.linspace(0, 0.92, count)]


def figure_format(path: Path) -> str:
    """The format of the figure file `path`. Raises FileError for a suffix other than .png, .svg and .pdf."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        ending = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise FileError(f"{path}: has {ending}; figures are written to {', '.join('.' + name for name in FORMATS)}")
    return suffix


def save_figure(figure: Figure, path: Path) -> None:
    """Write the figure whole or not at all; the same figure gives the same PNG. Raises FileError."""
    from kernelspec.tables.atomic import atomic_path, writing

    kind = figure_format(path)
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with atomic_path(path) as temporary, writing(path):
        figure.savefig(temporary, format=kind, dpi=_DPI, metadata=dates[kind])
