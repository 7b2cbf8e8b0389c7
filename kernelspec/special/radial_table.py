"""The distribution of the modulus of a radial measure as an invertible table, and its signed parts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kernelspec.loading import scipy, special
from kernelspec.special.hankel_pieces import HankelPieces

__all__ = ["RadialTable", "SignedRadial", "radial_table", "radial_wave", "unresolved_mass"]

Array = NDArray[np.float64]

_TOLERANCE = 1e-6
_FIRST, _LAST = -30.0, 40.0
_MOST_NODES = 8_000
_MOST_LEVELS = 24
_MOST_WORK = 300_000
"""Cap on the pieces of f that refinement sums over all ρ (a few seconds); the tolerance reports what is left."""

_TRIED = np.array([0.26, 0.5])
_BISECTIONS = 45
_STEPS = 32


@dataclass(frozen=True)
class RadialTable:
    """μ(‖ω‖ ≤ ρ) at nodes (m,), with its derivative; cubic interpolation is within `tolerance` of it.

    Beyond the last node the remaining mass falls like a power of ρ. From `resolved` on, some cells are wider than the
    tolerance requires.
    """

    nodes: Array
    mass: Array
    slope: Array
    tolerance: float
    resolved: float

    @cached_property
    def negative(self) -> float:
        """The mass of the negative part: the total decrease of the distribution function between nodes."""
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
        """a such that the remaining mass falls like ρ^{−a}."""
        half = int(np.searchsorted(self.nodes, self.nodes[-1] / 4))
        rests = 1 - self.mass[[half, -1]]
        if not (rests > 0).all() or rests[1] >= rests[0]:
            return 1.0
        return max(0.05, float(np.log(rests[0] / rests[1]) / np.log(self.nodes[-1] / self.nodes[half])))


def radial_table(pieces: HankelPieces, scale: float) -> RadialTable:
    """The table, from ρ = 2^−30/scale to the point beyond which the mass is within the tolerance.

    Cells are halved until the cubic is accurate at two places in them. Raises ArithmeticError if the transform is less
    accurate than the tolerance at every ρ.
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
    inside = int(np.argmax(np.abs(mass) >= _TOLERANCE / 100))  # later, parts of both signs may cancel
    begin = max(0, inside - 1) if inside < stop - 1 else 0
    grid, mass = grid[begin:stop], mass[begin:stop]
    slope = pieces.shell(grid)[0]
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
            left, resolved = max(left, before), float(low.min())  # no worse than the cells that were halved
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


_POINTS = 6
_OCTAVES = 3
_SLOWEST = 0.8  # an octave with more than this share of the previous one's mass: the sum may diverge

_BLOCK = 1 << 20
_DIRECT, _KNOTS = 1_500, 1_200  # up to this many distances, each has its own sum; for more, a spline through as many


@dataclass(frozen=True)
class SignedRadial:
    """The rising (`sign` = 1) or falling (−1) pieces of μ(‖ω‖ ≤ ρ), as the law of ‖ω‖ under that part of μ.

    A piece is the stretch first ≤ x ≤ last of a cell `ends` (4, m) of cubics on low + x·width, monotone there.
    """

    low: Array
    width: Array
    ends: Array
    first: Array
    last: Array

    @classmethod
    def of(cls, table: RadialTable, sign: int) -> SignedRadial:
        """The pieces of the table, with a linear one from 0 to its first node."""
        nodes = np.concatenate([[0.0], table.nodes])
        mass = np.concatenate([[0.0], table.mass])
        width = np.diff(nodes)
        rise = np.stack([table.slope[:-1], table.slope[1:]]) * width[1:]
        slopes = np.concatenate([np.full((2, 1), mass[1]), rise], axis=1)
        ends = np.stack([mass[:-1], mass[1:], *slopes])
        places = np.sort(np.concatenate([np.zeros((1, len(width))), _extrema(ends), np.ones((1, len(width)))]), axis=0)
        first, last = places[:-1].ravel(), places[1:].ravel()
        cell = np.tile(np.arange(len(width)), len(places) - 1)
        change = hermite(last, *ends[:, cell]) - hermite(first, *ends[:, cell])
        kept = (last > first) & (sign * change > 0)
        order = np.flatnonzero(kept)[np.argsort((nodes[:-1][cell] + width[cell] * first)[kept])]
        cell = cell[order]
        return cls(nodes[:-1][cell], width[cell], ends[:, cell], first[order], last[order])

    @cached_property
    def _heights(self) -> Array:
        return np.abs(hermite(self.last, *self.ends) - hermite(self.first, *self.ends))

    @cached_property
    def mass(self) -> float:
        """The mass of the part."""
        return float(self._heights.sum())

    @property
    def n_runs(self) -> int:
        """The number of intervals of ρ that support the part."""
        if not len(self.low):
            return 0
        start, stop = self.low + self.width * self.first, self.low + self.width * self.last
        return 1 + int((start[1:] > stop[:-1] * (1 + 1e-12)).sum())

    def mass_between(self, low: float, high: float) -> float:
        """The mass of the pieces that start at low ≤ ρ < high."""
        start = self.low + self.width * self.first
        return float(self._heights[(start >= low) & (start < high)].sum())

    def quantile(self, share: Array) -> Array:
        """The ρ below which the part has this share of its mass."""
        total = np.concatenate([[0.0], np.cumsum(self._heights)])
        wanted = share * total[-1]
        piece = np.clip(np.searchsorted(total, wanted, side="right") - 1, 0, len(self.low) - 1)
        ends = self.ends[:, piece]
        a, b = self.first[piece], self.last[piece]
        base, inside = hermite(a, *ends), wanted - total[piece]
        for _ in range(_BISECTIONS):
            middle = (a + b) / 2
            below = np.abs(hermite(middle, *ends) - base) < inside
            a, b = np.where(below, middle, a), np.where(below, b, middle)
        return np.asarray(self.low[piece] + self.width[piece] * (a + b) / 2)

    def transform(self, distance: Array, dim: int) -> Array:
        """∫ exp(iω·Δ) over the part, divided by its mass, at ‖Δ‖ = distance on R^dim."""
        flat = np.ravel(distance)
        met = np.unique(flat)
        if len(met) <= _DIRECT:
            found = self._sums(met, dim)[np.searchsorted(met, flat)]
        else:
            knots = met[-1] * np.linspace(0, 1, _KNOTS) ** 2
            found = scipy.interpolate.CubicSpline(knots, self._sums(knots, dim))(flat)
        return np.asarray(found).reshape(np.shape(distance))

    def _sums(self, distance: Array, dim: int) -> Array:
        """The integral of Ω(ρr) dF, by Gauss's rule on every piece."""
        radii, weights = self._rule
        found = np.zeros(len(distance))
        step = max(1, _BLOCK // max(1, len(radii)))
        for start in range(0, len(distance), step):
            block = distance[start : start + step]
            found[start : start + step] = radial_wave(np.multiply.outer(block, radii), dim) @ weights
        return found

    @cached_property
    def _rule(self) -> tuple[Array, Array]:
        points, shares = np.polynomial.legendre.leggauss(_POINTS)
        length = (self.last - self.first) / 2
        x = (self.first + self.last) / 2 + np.multiply.outer(points, length)
        f0, f1, s0, s1 = self.ends
        slope = 6 * x * (1 - x) * (f1 - f0) + s0 * (1 - x) * (1 - 3 * x) + s1 * x * (3 * x - 2)
        weights = np.abs(slope) * length * shares[:, None]
        radii, sizes = (self.low + self.width * x).ravel(), weights.ravel() / weights.sum()
        order = np.argsort(sizes)
        kept = order[np.cumsum(sizes[order]) > 1e-9]
        return radii[kept], sizes[kept] / sizes[kept].sum()


def unresolved_mass(table: RadialTable) -> float:
    """An estimate of the negative mass beyond what the table resolves: infinite if it may diverge.

    The masses in the last octaves, continued as a geometric series.
    """
    part = SignedRadial.of(table, -1)
    edges = table.resolved / 2.0 ** np.arange(_OCTAVES)
    last, before = (part.mass_between(low, high) for high, low in pairwise(edges))
    if last <= table.tolerance:
        return last
    ratio = last / before if before > 0 else math.inf
    return last * ratio / (1 - ratio) if ratio < _SLOWEST else math.inf


def radial_wave(x: Array, dim: int) -> Array:
    """Ω(x) = Γ(d/2) (2/x)^{d/2−1} J_{d/2−1}(x), the transform of the uniform law on the unit sphere of R^d."""
    if dim == 1:
        return np.asarray(np.cos(x))
    if dim == 3:
        return np.asarray(np.sinc(x / np.pi))
    order = dim / 2 - 1
    bessel = {2: special.j0, 4: special.j1}.get(dim, lambda z: special.jv(order, z))  # the first two are fast
    safe = np.maximum(x, 1e-2)
    near = 1 - x * x / (2 * dim) * (1 - x * x / (4 * (dim + 2)))
    return np.asarray(np.where(x < 1e-2, near, math.gamma(dim / 2) * (2 / safe) ** order * bessel(safe)))


def _extrema(ends: Array) -> Array:
    """The extrema of cubics in (0, 1), (2, m); 0 if absent."""
    f0, f1, s0, s1 = ends
    a, b, c = 6 * (f0 - f1) + 3 * (s0 + s1), -6 * (f0 - f1) - 4 * s0 - 2 * s1, s0
    root = b * b - 4 * a * c
    real = root > 0
    q = -(b + np.copysign(np.sqrt(np.where(real, root, 0.0)), b)) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.stack([q / a, c / q])
    return np.where(real & (found > 0) & (found < 1), found, 0.0)
