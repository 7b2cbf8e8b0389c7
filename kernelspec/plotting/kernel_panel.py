"""The panel of k(t) against the lag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.plotting.axis_ranges import automatic_range, checked_range, is_wide
from kernelspec.plotting.figures import INK, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kernelspec.plotting.drawn import Drawn

__all__ = ["kernel_panel"]

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
