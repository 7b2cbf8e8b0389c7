"""Where the pieces of a function begin and end: close together at its landmarks, octaves outside them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["first_cuts"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_INWARD, _FEWEST = 20, 24
"""Octaves below the scale towards every landmark, and octaves that are looked at outside in any case."""


def first_cuts(
    function: Function, landmarks: Array, scale: float, both_sides: bool, within: float
) -> tuple[Array, float, float]:
    """The first cuts, the landmark farthest out, and a bound on the integral beyond the last cut."""
    marks = np.unique(
        np.clip(np.append(landmarks, [0.0, within, -within] if within < np.inf else 0.0), -within, within)
    )
    if not both_sides:
        marks = np.unique(np.abs(marks))
    cuts = [marks]
    for a, b in pairwise(marks):
        middle = (b - a) / 2
        inward = middle * 2.0 ** -np.arange(0.0, min(max(_INWARD + np.log2(middle / scale), 4), 60))
        cuts += [a + inward, b - inward]
    base = 2.0 ** np.ceil(np.log2(scale))
    steps = base * 2.0 ** np.arange(-_INWARD, 300.0)
    beyond = 0.0
    for side in () if within < np.inf else (1.0, -1.0) if both_sides else (1.0,):
        edge = marks[-1] if side > 0 else marks[0]
        outward, left = _extent(function, float(edge), side * steps)
        cuts.append(edge + outward)
        beyond += left
    joined = np.unique(np.concatenate(cuts))
    return joined, float(np.abs(marks).max()), beyond


def _extent(function: Function, edge: float, steps: Array) -> tuple[Array, float]:
    """The octaves outside the landmarks that matter, and a bound on ∫|f| outside the last."""
    inner = np.concatenate([steps * factor for factor in (1.0, 1.19, 1.41, 1.68)])
    height = np.abs(function(edge + inner)).reshape(4, -1).max(axis=0)
    mass = height * np.abs(steps)
    peak = float(mass.max(initial=0.0))
    if peak == 0:
        return steps[:_FEWEST], 0.0
    kept = int(np.flatnonzero(mass > 1e-19 * peak)[-1]) + 2
    if kept >= len(steps):
        ratio = mass[-1] / mass[-2] if mass[-2] > 0 else 0.0
        return steps, float(mass[-1] * ratio / (1 - ratio)) if ratio < 1 - 1e-6 else np.inf
    return steps[: max(kept, _FEWEST)], 0.0
