"""Where a formula may change from one branch to another: the places that integration must not straddle."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from kernelspec.formulas.floats import values
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.jets import jet

__all__ = ["breakpoints", "kinks"]

_GRID = np.unique(np.concatenate([[0.0], np.geomspace(1e-12, 1e12, 4000), np.linspace(0, 100, 4001)]))
_JUMP = 1e-12


@lru_cache(maxsize=256)
def breakpoints(formula: Formula) -> tuple[float, ...]:
    """The points t > 0 at which the branches of a max, a min or an abs meet, in order.

    Found as changes of sign between 1e-12 and 1e12 and bisected to the float: the first one at or beyond the change,
    and the last one of a stretch on which the branches are equal.
    Branches that meet more than once between two of 8,000 points may be missed.
    """
    found: set[float] = set()
    for difference in formula.choices():
        signs = np.sign(values(difference, _GRID))
        for i in np.flatnonzero(signs[1:] != signs[:-1]):
            if not np.isnan(signs[i : i + 2]).any():
                point = _bisected(difference, float(_GRID[i]), float(_GRID[i + 1]), float(signs[i]))
                found.add(math.nextafter(point, 0) if signs[i] == 0 else point)
    return tuple(sorted(point for point in found if point > 0))


def _bisected(formula: Formula, low: float, high: float, sign: float) -> float:
    """The first float in (low, high] at which the sign is no longer `sign`."""
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return high
        if np.sign(values(formula, middle)) == sign:
            low = middle
        else:
            high = middle


def kinks(formula: Formula) -> tuple[tuple[float, float], ...]:
    """The points t > 0 at which f′ jumps, and by how much; jumps of less than 1e-12/t are left out."""
    points = breakpoints(formula)
    if not points:
        return ()
    # the branches may meet between two floats: one on either side of both
    places = np.array(points)
    left = jet(formula, np.nextafter(np.nextafter(places, 0), 0), side=-1).first
    right = jet(formula, np.nextafter(places, np.inf), side=1).first
    jumps = right - left
    return tuple((float(t), float(jump)) for t, jump in zip(points, jumps, strict=True) if abs(t * jump) > _JUMP)
