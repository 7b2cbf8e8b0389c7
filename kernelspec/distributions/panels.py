"""Densities and quantiles on polynomial panels: moments, transforms and inverse functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from kernelspec.distributions.distribution import Distribution
from kernelspec.errors import RangeError
from kernelspec.loading import special

__all__ = ["Panels", "QuantilePanels", "density_panels", "quantile_panels"]

_NODES = 16
_FURTHEST = 640.0  # range of ln r: nearly all floats
_NEGLIGIBLE = 1e-18  # a density per unit of ln r below this share of the largest is dropped
_MOST_PANELS = 20_000
_ROUNDING = 4e-16
_POINTS, _WEIGHTS = legendre.leggauss(_NODES)
_TURNS = 2.0 * np.array([1, 1j, -1, -1j])[np.arange(_NODES) % 4]
_TO_COEFFICIENTS = (legendre.legvander(_POINTS, _NODES - 1) * _WEIGHTS[:, None]) * (np.arange(_NODES) + 0.5)
"""Values at the nodes → Legendre coefficients."""


@dataclass(frozen=True, eq=False)
class Panels:
    """A density on panels that cover the support: values (P, 16) at the nodes of each."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    values: NDArray[np.float64]
    density: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    moments: dict[int, float]
    """E R^p by p; infinite if the integrand does not fall off."""

    @cached_property
    def nodes(self) -> NDArray[np.float64]:
        """r at the nodes, (P, 16)."""
        return _nodes(self.low, self.high)

    @cached_property
    def masses(self) -> NDArray[np.float64]:
        """Probabilities at the nodes, (P, 16)."""
        return np.asarray(self.values * ((self.high - self.low) / 2)[:, None] * _WEIGHTS)

    def tents(self, lag: NDArray[np.float64]) -> NDArray[np.float64]:
        """E max(0, 1 − t/R)."""
        t = lag.ravel()
        panel = np.searchsorted(self.high, t, side="right")
        tails = self.masses, self.masses / self.nodes
        beyond = [np.append(np.cumsum(part.sum(axis=1)[::-1])[::-1], [0.0, 0.0]) for part in tails]
        inside = panel < len(self.high)
        at = np.minimum(panel, len(self.high) - 1)
        start, end = np.maximum(t, self.low[at]), np.maximum(self.high[at], t)
        nodes = _nodes(start, end)
        weights = self.density(nodes) * ((end - start) / 2)[:, None] * _WEIGHTS
        own = np.where(inside, (weights * (1 - t[:, None] / nodes)).sum(axis=1), 0.0)
        whole = beyond[0][np.minimum(panel + 1, len(self.high))] - t * beyond[1][np.minimum(panel + 1, len(self.high))]
        return np.clip(np.where(inside, own + whole, 0.0), 0.0, 1.0).reshape(lag.shape)

    def cosine(self, frequency: NDArray[np.float64]) -> NDArray[np.float64]:
        """E cos ωR, by the same rules as `transform`."""
        coefficients, half = self.values @ _TO_COEFFICIENTS, (self.high - self.low) / 2
        found = []
        for omega in np.abs(frequency.ravel()).tolist():
            slow = half * omega < 1
            still = (self.masses[slow] * np.cos(omega * self.nodes[slow])).sum()
            found.append(still + self._waves(omega, coefficients, ~slow).sum())
        return np.asarray(np.array(found).reshape(frequency.shape) / self.masses.sum())

    def _waves(self, omega: float, coefficients: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """∫ f(r) cos ωr dr over the chosen panels by Filon's rule: ∫ P_n(x) e^{ikx} dx = 2 iⁿ j_n(k) [Filon 1928]."""
        half, centre = ((self.high - self.low) / 2)[chosen], ((self.low + self.high) / 2)[chosen]
        waves = special.spherical_jn(np.arange(_NODES), (half * omega)[:, None]) * _TURNS
        return np.asarray((half * np.exp(1j * omega * centre) * (coefficients[chosen] * waves).sum(axis=1)).real)

    def transform(self, frequency: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2/ω²) E (1 − cos Rω)/R: by the nodes if a panel spans less than a wave, else by Filon's rule."""
        coefficients, half = (self.values / self.nodes) @ _TO_COEFFICIENTS, (self.high - self.low) / 2
        still, found = (self.masses / self.nodes).sum(axis=1), []
        for omega in np.abs(frequency.ravel()).tolist():
            slow = half * omega < 1
            angle = self.nodes[slow] * (omega / 2)
            total = (self.masses[slow] * self.nodes[slow] * np.square(np.sinc(angle / np.pi))).sum()
            if not slow.all():
                total += 2 / omega**2 * (still[~slow] - self._waves(omega, coefficients, ~slow)).sum()
            found.append(total)
        return np.array(found).reshape(frequency.shape)

    def quantile(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """Inverts the polynomial distribution function of each panel."""
        ends = np.cumsum(self.masses.sum(axis=1))
        wanted = np.clip(np.asarray(probability, dtype=float).ravel(), 0.0, 1.0) * ends[-1]
        panel = np.minimum(np.searchsorted(ends, wanted), len(ends) - 1)
        half = (self.high - self.low) / 2
        inside = legendre.legint((self.values * half[:, None]) @ _TO_COEFFICIENTS, axis=1, lbnd=-1)[panel]
        at = _inverted(inside, wanted - np.append(0.0, ends)[panel])
        found = (self.low + half)[panel] + half[panel] * at
        return np.asarray(found.reshape(np.shape(probability)))


def _inverted(series: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where increasing polynomials on (−1, 1), one per row, take the wanted values."""
    low, high = np.full(len(wanted), -1.0), np.ones(len(wanted))
    slope, at = legendre.legder(series, axis=1).T, np.zeros(len(wanted))
    for _ in range(60):  # Newton steps, or bisection if they leave the bracket
        short = legendre.legval(at, series.T, tensor=False) - wanted
        low, high = np.where(short < 0, at, low), np.where(short < 0, high, at)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = at - short / legendre.legval(at, slope, tensor=False)
        moved = np.where((moved > low) & (moved < high), moved, (low + high) / 2)
        settled = np.abs(short) <= _ROUNDING
        if settled.all():
            break
        at = np.where(settled, at, moved)  # each number is independent of the others drawn with it
    return at


def _nodes(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    return ((low + high) / 2)[:, None] + ((high - low) / 2)[:, None] * _POINTS


def density_panels(law: Distribution, powers: tuple[int, ...], share: float, probability: float) -> Panels:
    """Panels of a law on positive numbers, halved until the halves agree with the whole.

    They agree up to a `share` of the panel's mass and up to a `probability`. `powers` are those of the moments to
    compute. Raises RangeError unless the mass is 1.
    """
    start, end = (float(bound) for bound in law.support())

    def density(r: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(all="ignore"):
            return np.where((r >= start) & (r <= end), np.nan_to_num(np.asarray(law.density(r), dtype=float)), 0.0)

    grid = np.arange(-_FURTHEST, _FURTHEST, 0.25)
    per_logarithm = density(np.exp(grid)) * np.exp(grid)
    if (per_logarithm < 0).any():
        at = math.exp(grid[np.argmin(per_logarithm)])
        raise RangeError(f"the density of {law} is negative, as at {at:.3g}", law.span)
    kept, divergent = np.zeros(len(grid), dtype=bool), set()
    for power in (0, *powers):
        with np.errstate(divide="ignore"):
            weighted = np.exp(np.minimum(np.log(per_logarithm) + power * grid, 700.0))
        least = _NEGLIGIBLE * weighted.max(initial=0.0)
        last = np.flatnonzero(per_logarithm > 0)[-1 if power > 0 else 0] if per_logarithm.any() else 0
        reaches = end == math.inf if power > 0 else start == 0
        reaches &= last in (0, len(grid) - 1) or per_logarithm[last] < 1e-280 * math.exp(grid[last])
        if power and reaches and weighted[last] > 1e6 * least:
            divergent.add(power)
            continue
        kept |= weighted > least
    places = np.flatnonzero(kept)
    if not len(places):
        raise RangeError(f"the density of {law} is 0 at every point of its support that was evaluated", law.span)
    edges = np.unique(np.clip(np.exp(grid[max(places[0] - 1, 0) : places[-1] + 2]), start, end))
    low, high = edges[:-1], edges[1:]
    values = density(_nodes(low, high))
    done: list[tuple[NDArray[np.float64], ...]] = []
    while len(low):
        middle = (low + high) / 2
        sums, halves = (values * (high - low)[:, None] / 2) @ _WEIGHTS, []
        for a, b in ((low, middle), (middle, high)):
            own = density(_nodes(a, b))
            halves.append((a, b, own, (own * (b - a)[:, None] / 2) @ _WEIGHTS))
        doubt = np.abs(halves[0][3] + halves[1][3] - sums)
        rough = (doubt > share * np.abs(sums) + probability) & (high - low > 1e-12 * high)
        done.append((low[~rough], high[~rough], values[~rough]))
        if sum(len(part[0]) for part in done) + 2 * rough.sum() > _MOST_PANELS:
            raise RangeError(f"the density of {law} is too rough to be integrated: state its transform", law.span)
        low, high, values = (np.concatenate([half[i][rough] for half in halves]) for i in range(3))
    low, high, values = (np.concatenate([part[i] for part in done]) for i in range(3))
    order = np.argsort(low)
    panels = Panels(low[order], high[order], values[order], density, {})
    mass = float(panels.masses.sum())
    if abs(mass - 1) > 1e-8:
        raise RangeError(f"the density of {law} integrates to {mass:.9g} over its support, not to 1", law.span)
    for power in powers:
        moment = float((panels.masses * panels.nodes**power).sum())
        panels.moments[power] = math.inf if power in divergent else moment
    return panels


_LARGEST_LOGIT, _SAFE_LOGIT = 230.0, 20.0
"""Probabilities are resolved down to e to minus this; near 1, or near a nonzero quantile, floats resolve less."""

_MOST_QUANTILES = 4000
_JUMP = 1e-5  # tolerance on the logarithm of quantiles between panels; smaller differences may be rounding


@dataclass(frozen=True, eq=False)
class QuantilePanels:
    """ln(r − a) for a law on (a, ∞) as polynomials in s = ln p/(1 − p), p = P(R ≤ r), on panels from low to high."""

    start: float
    is_even: bool
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    series: NDArray[np.float64]

    def density(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        """The derivative of p; beyond the panels ln(r − a) is linear, and near 0 an even density is constant."""
        edges = legendre.legval(np.array([-1.0, 1.0]), self.series.T)
        bends = np.append(edges[0, 0], edges[:, 1])
        if self.is_even:
            r = np.maximum(r, np.exp(legendre.legval(0.0, self.series[0])))
        inside = r > self.start
        y = np.log(np.where(inside, r - self.start, 1.0)).ravel()
        panel = np.clip(np.searchsorted(bends, y) - 1, 0, len(self.low) - 1)
        half = ((self.high - self.low) / 2)[panel]
        wanted = np.clip(y, bends[0], bends[-1])
        at = _inverted(self.series[panel], wanted)
        slope = legendre.legval(at, legendre.legder(self.series, axis=1)[panel].T, tensor=False) / half
        s = (self.low[panel] + half) + half * at + (y - wanted) / slope
        with np.errstate(over="ignore"):
            found = special.expit(s) * special.expit(-s) / slope / np.exp(y)
        return np.where(inside, found.reshape(r.shape), 0.0)


def quantile_panels(
    law: Distribution, quantile: Callable[[NDArray[np.float64]], NDArray[np.float64]], start: float, *, is_even: bool
) -> QuantilePanels:
    """Panels for a `quantile` of s, halved until their polynomials are resolved; of |X| if `is_even`.

    Raises RangeError if the quantiles jump or do not increase.
    """

    def logarithm(s: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(all="ignore"):
            return np.log(np.asarray(quantile(s), dtype=float) - start)

    least = _SAFE_LOGIT if is_even or start else _LARGEST_LOGIT
    bounded = np.isfinite(logarithm(np.array([np.inf]))).all()
    low = np.arange(-least, _LARGEST_LOGIT if is_even and not bounded else _SAFE_LOGIT, 1.0)
    high = low + 1
    values = logarithm(_nodes(low, high))
    known = (np.abs(values) < _FURTHEST).all(axis=1)
    low, high, values = low[known], high[known], values[known]
    done: list[tuple[NDArray[np.float64], ...]] = []
    while len(low):
        series = values @ _TO_COEFFICIENTS
        noise = 1e-12 + 1e-15 * np.exp(np.minimum(np.abs(low + high) / 2, _SAFE_LOGIT))
        rough = np.abs(series[:, -3:]).max(axis=1) > noise * np.maximum(1, np.abs(series[:, 0]))
        done.append((low[~rough], high[~rough], series[~rough]))
        if sum(len(part[0]) for part in done) + 2 * rough.sum() > _MOST_QUANTILES:
            raise RangeError(f"the quantiles of {law} jump or bend too sharply: state its density", law.span)
        middle = ((low + high) / 2)[rough]
        low, high = np.append(low[rough], middle), np.append(middle, high[rough])
        values = logarithm(_nodes(low, high)) if len(low) else values[:0]
    falls = RangeError(f"the quantiles of {law} do not increase with the probability from {start:g} on", law.span)
    if not done:
        raise falls
    low, high, series = (np.concatenate([part[i] for part in done]) for i in range(3))
    order = np.argsort(low)
    edges = legendre.legval(np.array([-1.0, 1.0]), series[order].T)
    if (np.abs(edges[1:, 0] - edges[:-1, 1]) > _JUMP).any():
        raise RangeError(f"the quantiles of {law} jump: state its density", law.span)
    found = QuantilePanels(start, is_even, low[order], high[order], series[order])
    if not (legendre.legval(_POINTS, legendre.legder(found.series, axis=1).T) > 0).all():
        raise falls
    return found
