"""What is in a figure: its curves and its legend."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import kernelspec as ks
from kernelspec.plotting import plot_kernels

__all__ = ["curve", "legend", "plot"]


def plot(*texts: str, **ranges: tuple[float, float]) -> Figure:
    """The figure of kernels."""
    return plot_kernels([ks.parse(text) for text in texts], **cast(Any, ranges))


def curve(axes: Axes, label: str) -> tuple[np.ndarray, np.ndarray]:
    """The points of a line."""
    (line,) = (line for line in axes.lines if line.get_label() == label)
    return np.asarray(line.get_xdata()), np.asarray(line.get_ydata())


def legend(figure: Figure) -> list[str]:
    """The texts below the panels."""
    return [text.get_text() for text in figure.legends[0].get_texts()]
