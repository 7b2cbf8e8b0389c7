"""The distribution of the modulus of a radial measure, in a table that is inverted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernelspec.special.hankel_pieces import HankelPieces

__all__ = ["RadialTable", "hermite", "radial_table"]

Array = NDArray[np.float64]

_TOLERANCE = 1e-6
_FIRST, _LAST = -30.0, 40.0
_MOST_NODES = 8_000
_MOST_LEVELS = 24
_MOST_WORK = 300_000
"""Pieces of f that refining may sum over all ρ: some seconds; what is left then is said by the tolerance."""

_TRIED = np.array([0.26, 0.5])
_BISECTIONS = 45
_STEPS = 32


@dataclass(frozen=True)
class RadialTable:
    """μ(‖ω‖ ≤ ρ) at nodes (m,), with its derivative; between them a cubic polynomial is within `tolerance` of it.

    Beyond the last node what is left falls like a power of ρ. From `resolved` on there are cells that are wider than
    the tolerance needs.
    """

    nodes: Array
    mass: Array
    slope: Array
    tolerance: float
    resolved: float

    @cached_property
    def negative(self) -> float:
        """The mass of the negative part: what the distribution function falls by between the nodes."""
        width = np.diff(self.nodes)[:, None]
        ends = (self.mass[:-1, None], self.mass[1:, None], self.slope[:-1, None] * width, self.slope[1:, None] * width)
        inside = np.diff(hermite(np.linspace(0, 1, _STEPS + 1), *ends), axis=1)
        return float(np.maximum(-inside, 0).sum())

    def quantile(self, share: Array) -> Array:
        """The ρ with μ(‖ω‖ ≤ ρ) = share, (n,), for a measure without a negative part."""
        rising = np.maximum.accumulate(np.clip(self.mass, 0.0, 1.0))
        cell = np.clip(np.searchsorted(rising, share, side="right"), 1, len(self.nodes) - 1)
        low, high = self.nodes[cell - 1], self.nodes[cell]
        a, b = np.zeros(len(share)), np.ones(len(share))
        ends = (rising[cell - 1], rising[cell], self.slope[cell - 1] * (high - low), self.slope[cell] * (high - low))
        for _ in range(_BISECTIONS):
            middle = (a + b) / 2
            below = hermite(middle, *ends) < share
            a, b = np.where(below, middle, a), np.where(below, b, middle)
        found = low + (high - low) * (a + b) / 2
        found = np.where(share < rising[0], self.nodes[0] * (share / max(rising[0], 1e-300)), found)
        rest = 1 - rising[-1]
        beyond = share >= rising[-1]
        with np.errstate(divide="ignore", over="ignore"):
            tail = self.nodes[-1] * (np.maximum(rest, 1e-300) / np.maximum(1 - share, 1e-300)) ** (1 / self._power)
        return np.where(beyond, np.minimum(tail, 1e150), found)

    @property
    def _power(self) -> float:
        """a where what is left falls like ρ^{−a}."""
        half = int(np.searchsorted(self.nodes, self.nodes[-1] / 4))
        rests = 1 - self.mass[[half, -1]]
        if not (rests > 0).all() or rests[1] >= rests[0]:
            return 1.0
        return max(0.05, float(np.log(rests[0] / rests[1]) / np.log(self.nodes[-1] / self.nodes[half])))


def radial_table(pieces: HankelPieces, scale: float) -> RadialTable:
    """The table, from ρ = 2^−30/scale to where all but the tolerance of the mass is inside.

    Cells are halved until the cubic is right at two places in them. Raises ArithmeticError where the transform is not
    known to the tolerance for any ρ.
    """
    grid = 2.0 ** np.arange(_FIRST, _LAST) / scale
    mass, doubt = pieces.ball(grid)
    good = doubt < _TOLERANCE
    usable = int(np.argmin(good)) if not good.all() else len(grid)
    if usable < 4:
        raise ArithmeticError("the transform is not resolved")
    grid, mass = grid[:usable], mass[:usable]
    outside = np.flatnonzero(np.abs(1 - mass) > _TOLERANCE / 10)
    stop = min(int(outside[-1]) + 2, len(grid)) if len(outside) else len(grid)
    inside = np.flatnonzero(np.abs(mass) < _TOLERANCE / 100)
    begin = max(0, int(inside[-1])) if len(inside) and inside[-1] < stop - 2 else 0
    grid = grid[begin:stop]
    mass, slope = pieces.ball(grid)[0], pieces.shell(grid)[0]
    found = [np.array([grid, mass, slope])]
    cells = np.array([grid[:-1], grid[1:], mass[:-1], mass[1:], slope[:-1], slope[1:]])
    count, work, left, before, resolved = len(grid), 0, 0.0, 1.0, float(grid[-1])
    for _ in range(_MOST_LEVELS):
        low, high, f0, f1, s0, s1 = cells
        if not len(low):
            break
        width = high - low
        tried = low[:, None] + width[:, None] * _TRIED
        work += pieces.work(tried.ravel())
        if work > _MOST_WORK:
            left, resolved = max(left, before), float(low.min())  # not worse than what these cells are halves of
            break
        exact = pieces.ball(tried.ravel())[0].reshape(tried.shape)
        guess = hermite(_TRIED, f0[:, None], f1[:, None], (s0 * width)[:, None], (s1 * width)[:, None])
        error = np.abs(exact - guess).max(axis=1)
        bad = error > _TOLERANCE / 2
        if count + int(bad.sum()) > _MOST_NODES:
            left, resolved = float(error.max()), float(low[bad].min())
            break
        left, before = float(error[~bad].max(initial=left)), float(error.max())
        middle, at = tried[bad, -1], exact[bad, -1]
        rise = pieces.shell(middle)[0]
        found.append(np.array([middle, at, rise]))
        count += len(middle)
        lower = np.array([low[bad], middle, f0[bad], at, s0[bad], rise])
        upper = np.array([middle, high[bad], at, f1[bad], rise, s1[bad]])
        cells = np.concatenate([lower, upper], axis=1)
    joined = np.concatenate(found, axis=1)
    nodes, mass, slope = joined[:, np.argsort(joined[0])]
    return RadialTable(nodes, mass, slope, max(_TOLERANCE, left, abs(1 - float(mass[-1]))), resolved)


def hermite(x: Array, f0: Array, f1: Array, s0: Array, s1: Array) -> Array:
    """Hermite's cubic on [0, 1]."""
    y = 1 - x
    return np.asarray(f0 * y * y * (1 + 2 * x) + f1 * x * x * (1 + 2 * y) + s0 * x * y * y - s1 * x * x * y)
