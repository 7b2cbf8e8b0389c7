"""The panel of the spectral density against the frequency, with atoms as stems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.plotting.axis_ranges import automatic_range, checked_range, is_wide
from kernelspec.plotting.figures import INK, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kernelspec.plotting.drawn import Drawn

__all__ = ["spectrum_panel"]

_POINTS, _COSTLY_POINTS = 601, 121
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
            points = _COSTLY_POINTS if spectrum.is_costly else _POINTS
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
