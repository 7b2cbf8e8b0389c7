"""Laws of which only the density is given: moments, Polya kernel, transform and draws by quadrature and inversion."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from kernelspec.distributions.distribution import LARGEST, SMALLEST, Positive
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, declared
from kernelspec.expressions.elementary import undefined

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernelspec.random.streams import Stream

__all__ = ["FromDensity", "Panels"]

_TOLERANCE = 1e-10
"""Of the distribution function; the other numbers are as good in proportion, where the density is smooth."""

_NODES = 16
_FURTHEST = 640.0
"""Of ln r: nearly all floats."""

_NEGLIGIBLE = 1e-18
"""A density per unit of ln r that is smaller than this share of the largest is left out."""

_MOST_PANELS = 20_000
_ROUNDING = 4e-16
_POINTS, _WEIGHTS = legendre.leggauss(_NODES)
_TO_COEFFICIENTS = (legendre.legvander(_POINTS, _NODES - 1) * _WEIGHTS[:, None]) * (np.arange(_NODES) + 0.5)
"""Values at the nodes → coefficients of Legendre's polynomials."""


@dataclass(frozen=True, kw_only=True)
class FromDensity(Positive):
    """A law on (0, ∞), or on its `support`, that states its density alone.

    Everything else is computed from about a thousand panels of Gauss–Legendre nodes, to 1e-10 of the distribution
    function. A closed form that the class does state takes the place of the computed one.
    """

    def support(self) -> tuple[Scalar, Scalar]:
        return 0.0, math.inf

    def tolerance(self) -> float:
        return _TOLERANCE

    def mean(self) -> Scalar:
        return self._moment(lambda panels: panels.moment(1))

    def inverse_mean(self) -> Scalar:
        return self._moment(lambda panels: panels.moment(-1))

    def quantile(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """r with P(R ≤ r) = p."""
        return self._panels.quantile(probability)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return np.clip(self.quantile(stream.uniform("quantile", shape)), SMALLEST, LARGEST)

    def density_expression(self, x: Any) -> Any:
        import sympy

        return sympy.Function(f"density_of_{self.name}")(x)

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        return self._panels.tents(np.asarray(lag, dtype=float))

    def polya_kernel_expression(self, lag: Any) -> Any:
        import sympy

        r = sympy.Symbol("r", positive=True)
        return sympy.Integral((1 - lag / r) * self.density_expression(r), (r, lag, sympy.oo))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        return self._panels.transform(np.asarray(frequency, dtype=float))

    def polya_transform_expression(self, frequency: Any) -> Any:
        import sympy

        r = sympy.Symbol("r", positive=True)
        wave = (1 - sympy.cos(frequency * r)) / r * self.density_expression(r)
        return 2 / frequency**2 * sympy.Integral(wave, (r, 0, sympy.oo))

    @property
    def _panels(self) -> Panels:
        return _panels_of(self)

    def _moment(self, moment: Callable[[Panels], float]) -> Scalar:
        """A number for a law in numbers, exact ones too; NaN where a parameter is a symbol."""
        given = {name: getattr(self, name) for name in declared(type(self))}
        try:
            numbers: dict[str, Any] = {name: float(value) for name, value in given.items()}
            return moment(replace(self, **numbers)._panels)
        except TypeError:
            return undefined(*given.values())


@dataclass(frozen=True, eq=False)
class Panels:
    """A density on panels that fill the support: values (P, 16) at the nodes of each."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    values: NDArray[np.float64]
    density: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    moments: dict[int, float]

    def moment(self, power: int) -> float:
        """E R^p for p = 1 and −1; infinite where the integrand does not fall off."""
        return self.moments[power]

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
        beyond = [np.append(np.cumsum(part.sum(axis=1)[::-1])[::-1], [0.0, 0.0]) for part in self._tails]
        inside = panel < len(self.high)
        at = np.minimum(panel, len(self.high) - 1)
        start, end = np.maximum(t, self.low[at]), np.maximum(self.high[at], t)
        nodes = _nodes(start, end)
        weights = self.density(nodes) * ((end - start) / 2)[:, None] * _WEIGHTS
        own = np.where(inside, (weights * (1 - t[:, None] / nodes)).sum(axis=1), 0.0)
        whole = beyond[0][np.minimum(panel + 1, len(self.high))] - t * beyond[1][np.minimum(panel + 1, len(self.high))]
        return np.clip(np.where(inside, own + whole, 0.0), 0.0, 1.0).reshape(lag.shape)

    @cached_property
    def _tails(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.masses, self.masses / self.nodes

    def transform(self, frequency: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2/ω²) E (1 − cos Rω)/R: nodes where a panel has less than a wave, else Filon's rule on polynomials.

        ∫ P_n(x) e^{ikx} dx from −1 to 1 is 2 iⁿ j_n(k) [Filon 1928].
        """
        from scipy.special import spherical_jn

        centre, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        coefficients = (self.values / self.nodes) @ _TO_COEFFICIENTS
        turns = 2.0 * np.array([1, 1j, -1, -1j])[np.arange(_NODES) % 4]
        still = self._tails[1].sum(axis=1)
        found = np.empty(frequency.size)
        for i, omega in enumerate(np.abs(frequency.ravel()).tolist()):
            slow = half * omega < 1
            angle = self.nodes[slow] * (omega / 2)
            total = (self.masses[slow] * self.nodes[slow] * np.square(np.sinc(angle / np.pi))).sum()
            if not slow.all():
                waves = spherical_jn(np.arange(_NODES), (half[~slow] * omega)[:, None]) * turns
                parts = half[~slow] * np.exp(1j * omega * centre[~slow]) * (coefficients[~slow] * waves).sum(axis=1)
                total += 2 / omega**2 * (still[~slow] - parts.real).sum()
            found[i] = total
        return found.reshape(frequency.shape)

    def quantile(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """The distribution function of each panel, a polynomial, inverted by bisection."""
        ends = np.cumsum(self.masses.sum(axis=1))
        wanted = np.clip(np.asarray(probability, dtype=float).ravel(), 0.0, 1.0) * ends[-1]
        panel = np.minimum(np.searchsorted(ends, wanted), len(ends) - 1)
        half = (self.high - self.low) / 2
        inside = legendre.legint((self.values * half[:, None]) @ _TO_COEFFICIENTS, axis=1, lbnd=-1)[panel]
        wanted = wanted - np.append(0.0, ends)[panel]
        low, high = np.full(len(wanted), -1.0), np.ones(len(wanted))
        slope, at = legendre.legder(inside, axis=1).T, np.zeros(len(wanted))
        for _ in range(60):  # Newton's steps, bisection where these leave the bracket
            short = legendre.legval(at, inside.T, tensor=False) - wanted
            low, high = np.where(short < 0, at, low), np.where(short < 0, high, at)
            with np.errstate(divide="ignore", invalid="ignore"):
                moved = at - short / legendre.legval(at, slope, tensor=False)
            moved = np.where((moved > low) & (moved < high), moved, (low + high) / 2)
            settled = np.abs(short) <= _ROUNDING
            if settled.all():
                break
            at = np.where(settled, at, moved)  # no number depends on how many are drawn with it
        found = (self.low + half)[panel] + half[panel] * at
        return np.asarray(found.reshape(np.shape(probability)))


def _nodes(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    return ((low + high) / 2)[:, None] + ((high - low) / 2)[:, None] * _POINTS


@lru_cache(maxsize=32)
def _panels_of(law: FromDensity) -> Panels:
    """Panels that are halved until their halves agree with the whole. Raises RangeError unless the mass is 1."""
    start, end = (float(bound) for bound in law.support())

    def density(r: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(all="ignore"):
            return np.where((r >= start) & (r <= end), np.nan_to_num(np.asarray(law.density(r), dtype=float)), 0.0)

    grid = np.arange(-_FURTHEST, _FURTHEST, 0.25)
    per_logarithm = density(np.exp(grid)) * np.exp(grid)
    kept, divergent = np.zeros(len(grid), dtype=bool), set()
    for power in (0, 1, -1):
        with np.errstate(over="ignore"):
            weighted = per_logarithm * np.exp(power * grid)
        least = _NEGLIGIBLE * weighted.max(initial=0.0)
        last = np.flatnonzero(per_logarithm > 0)[-1 if power > 0 else 0] if per_logarithm.any() else 0
        reaches = end == math.inf if power > 0 else start == 0
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
        rough = (doubt > 1e-13 * np.abs(sums) + 1e-17) & (high - low > 1e-12 * high)
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
    for power in (1, -1):
        moment = float((panels.masses * panels.nodes**power).sum())
        panels.moments[power] = math.inf if power in divergent else moment
    return panels
