"""Figures in one style, on light and on dark backgrounds, and their files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.loading import require_package

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "INK",
    "distinct_colours",
    "dress",
    "figure_format",
    "ink_of",
    "is_dark",
    "new_figure",
    "require_matplotlib",
    "save_figure",
    "svg_of",
]

FORMATS = ("png", "svg", "pdf")
"""Figure formats, chosen by the suffix of the file."""

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The Okabe–Ito palette, distinguishable by every reader, without the yellow, which is too light for lines."""

_ON_DARK = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#F0E442", "#FFFFFF")
"""The same palette in another order, without the colors that are too dark for a dark background."""

INK = "#333333"
"""Color of text and axes."""

_LIGHT_INK, _DARK_PAPER = "#E6E6E6", "#14181D"
_GRID, _DARK_GRID = "#E3E3E3", "#3A434E"
_WIDTH, _PANEL_HEIGHT, _LEGEND_LINE = 8.6, 3.2, 0.22
_DPI = 200
_LEGEND_CHARACTERS = 104


def require_matplotlib() -> None:
    """Raise MissingPackageError without matplotlib; called before the work that a figure shows."""
    require_package("matplotlib", extra="plot", purpose="figures")


def is_dark(dark: bool | None = None) -> bool:
    """Whether a figure has a dark background: as asked, or as matplotlib's style has it. Raises MissingPackageError."""
    require_matplotlib()
    if dark is not None:
        return dark
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(rcParams["figure.facecolor"]), (0.2126, 0.7152, 0.0722))) < 0.5


@cache
def _figure_class() -> type[Figure]:
    from io import BytesIO

    from matplotlib.figure import Figure

    class Picture(Figure):
        """A figure that notebooks show without pyplot."""

        def _repr_png_(self) -> bytes:
            buffer = BytesIO()
            self.savefig(buffer, format="png", dpi=_DPI / 2)
            return buffer.getvalue()

    return Picture


def new_figure(panels: int, legend: Sequence[str], colours: Sequence[Any], *, dark: bool = False) -> Figure:
    """A figure with panels side by side and one legend, if it has any text, below them.

    Raises MissingPackageError without matplotlib.
    """
    require_matplotlib()
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D

    longest = max(map(len, legend), default=0) + 8
    columns = max(1, min(len(legend), 4, int(_LEGEND_CHARACTERS * panels / 2) // longest))
    height = _PANEL_HEIGHT + _LEGEND_LINE * math.ceil(len(legend) / columns)
    figure = _figure_class()(
        figsize=(_whole_pixels(_WIDTH * panels / 2), _whole_pixels(height)),
        dpi=_DPI,
        layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06, wspace=0.04),
        facecolor=_DARK_PAPER if dark else "white",
    )
    for axes in np.ravel(figure.subplots(1, panels)):
        axes.set_facecolor("none")
    if not legend:
        return figure
    handles = [Line2D([], [], color=colour, linewidth=2) for colour in colours]
    shown = figure.legend(
        handles, [" " * (text[:1] == "_") + text for text in legend], loc="outside lower center", ncols=columns,
        frameon=False, fontsize=9, labelcolor=_LIGHT_INK if dark else INK, handlelength=1.8, columnspacing=2.0,
    )  # fmt: skip
    for text in shown.get_texts():
        text.set_parse_math(False)  # column names may contain dollar signs
    return figure


def _whole_pixels(inches: float) -> float:
    # 8.6 * 3 / 2 is slightly less than 12.9: some versions of matplotlib truncate the fractional pixel, others round it
    return round(inches * _DPI) / _DPI


def ink_of(axes: Axes) -> str:
    """The color of text and axes on the background of this figure."""
    from matplotlib.colors import same_color

    return _LIGHT_INK if same_color(axes.figure.get_facecolor(), _DARK_PAPER) else INK


def dress(axes: Axes, title: str, abscissa: str, ordinate: str) -> None:
    """Title in words, labelled axes, a light grid, and no frame."""
    ink = ink_of(axes)
    axes.set_title(title, fontsize=10.5, loc="left", color=ink, pad=8)
    axes.set_xlabel(abscissa, fontsize=10, color=ink)
    axes.set_ylabel(ordinate, fontsize=10, color=ink)
    axes.tick_params(which="both", labelsize=9, colors=ink, length=3, width=0.6)
    axes.tick_params(which="minor", length=0)
    axes.grid(visible=True, color=_GRID if ink == INK else _DARK_GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=ink, linewidth=0.6)


def distinct_colours(count: int, *, dark: bool = False) -> list[Any]:
    """Distinguishable colors; for more kernels than the palette has, an ordered scale from dark to light."""
    if count <= len(_COLOURS):
        return list((_ON_DARK if dark else _COLOURS)[:count])
    from matplotlib import colormaps

    return [colormaps["viridis"](share) for share in np.linspace(0.2 * dark, 0.92 + 0.08 * dark, count)]


def figure_format(path: Path) -> str:
    """The format of the figure file `path`. Raises FileError for a suffix other than .png, .svg and .pdf."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        ending = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise FileError(f"{path}: has {ending}; use {', '.join('.' + name for name in FORMATS)}")
    return suffix


def save_figure(figure: Figure, path: Path) -> None:
    """Write the figure atomically; the same figure gives the same PNG. Raises FileError."""
    from kernelspec.tables.atomic import atomic_path, writing

    kind = figure_format(path)
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with atomic_path(path) as temporary, writing(path):
        figure.savefig(temporary, format=kind, dpi=_DPI, metadata=dates[kind])


def svg_of(figure: Figure, label: str) -> str:
    """The figure as an SVG element in the colors of the page around it. `label` is read to those who do not see it."""
    from html import escape
    from io import StringIO

    buffer = StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    text = buffer.getvalue().replace(INK.lower(), "currentColor").replace(INK, "currentColor")
    text = text.replace(_GRID.lower(), "currentColor; stroke-opacity: 0.15")
    text = text.replace(_COLOURS[0].lower(), f"var(--mark, {_COLOURS[0]})")
    return text[text.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1)
