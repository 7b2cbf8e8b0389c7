"""The law of R behind a Polya kernel given by its formula."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from kernelspec.distributions.discrete import Discrete
from kernelspec.distributions.distribution import Positive
from kernelspec.errors import NoDensityError
from kernelspec.expressions.enclosure import Undecided, enclose
from kernelspec.expressions.evaluation import scaled_values, values
from kernelspec.expressions.formula import Formula
from kernelspec.expressions.integrals import SineTransform, half_line_integral, tail_integral
from kernelspec.expressions.jets import breakpoints, jet, kinks
from kernelspec.expressions.symbolic import formula_expression
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream

__all__ = ["PolyaConverse"]

_LARGEST_BITS = int(np.array(np.finfo(float).max).view(np.int64))
_CELLS, _BLOCK = 4096, 8192
_ROUNDING = 4 * float(np.finfo(float).eps)


@lru_cache(maxsize=8)
def _transform_of_slopes(shape: Formula) -> SineTransform:
    """ω ↦ ∫₀^∞ f′(t) sin(ωt) dt."""
    return SineTransform(lambda t: jet(shape, t).first, lambda t: jet(shape, t).second, breakpoints(shape))


@dataclass(frozen=True, kw_only=True)
class PolyaConverse(Positive):
    """P(R > r) = f(r) − r f′(r+) for f convex on r ≥ 0 with f(0) = 1 and f(∞) = 0: the only R with f(t) = E(1 − t/R)₊.

    Density r f″(r), with an atom of mass r (f′(r+) − f′(r−)) at every kink. Mean 2∫₀^∞ f, E[1/R] = −f′(0+).
    Reference: Polya 1949, converse.
    """

    name: ClassVar[str] = "converse"
    formula: ClassVar[str] = "r f''(r), and atoms r (f'(r+) − f'(r−)) at kinks"
    reference: ClassVar[str] = "Polya 1949"

    shape: Formula
    """f, proved to satisfy Polya's criterion (kernelspec.expressions.polya_criterion)."""

    def __str__(self) -> str:
        return f"the law with P(R > r) = f(r) - r f'(r), f = {self.shape}"

    def survival(self, r: np.ndarray) -> np.ndarray:
        """P(R > r) for r ≥ 0."""
        f = jet(self.shape, r)
        with np.errstate(all="ignore"):
            loss = np.where(np.asarray(r) == 0, 0.0, np.asarray(r) * f.first)
            return np.clip(np.nan_to_num(f.value - loss, nan=0.0), 0.0, 1.0)

    def support(self) -> tuple[float, float]:
        return self._support

    @cached_property
    def _support(self) -> tuple[float, float]:
        """f is linear below the smallest R and 0 above the largest; both ends are breakpoints, 0 or ∞."""
        points = breakpoints(self.shape)
        low = 0.0
        for stop in points:
            if np.any(jet(self.shape, np.linspace(low, stop, 11)[1:-1]).second != 0):
                break
            low = stop
            if any(place == stop for place, _ in kinks(self.shape)):
                break
        else:
            low = low if points and not jet(self.shape, 2 * points[-1]).value > 0 else 0.0
        last = points[-1] if points else 0.0
        ends = last > 0 and float(values(self.shape, np.nextafter(last, np.inf))) == 0
        return low, last if ends else math.inf

    def decay_rate(self) -> float:
        """∞ for a bounded support; otherwise a proved rate of decay of f, from an enclosure of (log f)′ far out."""
        return self._decay_rate

    @cached_property
    def _decay_rate(self) -> float:
        if self.support()[1] < math.inf:
            return math.inf
        found = 0.0
        for start in (1e2, 1e4, 1e6):
            with suppress(Undecided):
                tail = enclose(self.shape, start, math.inf)
                found = max(found, -tail.log_slope.high) if tail.is_positive else found
        return found

    def mean(self) -> float:
        return self._mean

    @cached_property
    def _mean(self) -> float:
        tail = tail_integral(lambda t: values(self.shape, t))
        inner = half_line_integral(lambda t: jet(self.shape, t).value, breakpoints(self.shape))
        return tail if tail == math.inf else 2 * (inner + tail)

    def inverse_mean(self) -> float:
        return -float(jet(self.shape, 0.0).first)

    def density(self, x: np.ndarray) -> np.ndarray:
        found = kinks(self.shape)
        if found:
            shown = ", ".join(f"{place * jump:.4g} at {place:.6g}" for place, jump in found[:3])
            dots = ", …" if len(found) > 3 else ""
            raise NoDensityError(f"the law of R has atoms where f has kinks: {shown}{dots}")
        r = np.asarray(x, dtype=float)
        inside = r > 0
        return np.where(inside, r * jet(self.shape, np.where(inside, r, 1.0)).second, 0.0)

    def density_expression(self, x: Any) -> Any:
        r = sympy.Dummy("r", positive=True)
        return (r * formula_expression(self.shape, r).diff(r, 2)).subs(r, x) * sympy.Heaviside(x)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        """By inversion: the smallest float r with P(R > r) ≤ U, by bisection over the floats."""
        chances = stream.uniforms("pitch", shape).ravel()
        blocks = [self.quantile(chances[i : i + _BLOCK]) for i in range(0, len(chances), _BLOCK)]
        return np.concatenate(blocks).reshape(shape) if blocks else np.empty(shape)

    def quantile(self, survival: np.ndarray) -> np.ndarray:
        """The smallest float r > 0 with P(R > r) ≤ u; the largest float if none qualifies."""
        edges, at_edges = self._table
        cell = np.searchsorted(-at_edges, -survival)  # the first edge with P(R > r) ≤ u
        cell = np.clip(cell, 1, len(edges) - 1)
        low, high = edges[cell - 1].copy(), edges[cell].copy()
        while (high - low > 1).any():
            middle = low + (high - low) // 2
            below = self.survival(middle.view(float)) <= survival
            high = np.where(below, middle, high)
            low = np.where(below, low, middle)
        return high.view(float)

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        """Floats evenly spaced by their bits, from 0 to the largest, with P(R > r) made monotone."""
        edges = np.linspace(0, _LARGEST_BITS, _CELLS + 1).astype(np.int64)
        edges[-1] = _LARGEST_BITS
        return edges, np.minimum.accumulate(self.survival(edges.view(float)))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        return values(self.shape, lag)

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        mantissa, exponent = scaled_values(self.shape, lag)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(mantissa) + exponent)

    def polya_kernel_expression(self, lag: Any) -> Any:
        return formula_expression(self.shape, lag)

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        """φ̂(ω) = −(2/ω) ∫₀^∞ sin(ωt) f′(t) dt, a few milliseconds per frequency; closed form for atoms."""
        atoms = self._atoms
        if atoms is not None:
            return atoms.polya_transform(frequency)
        frequencies = np.abs(np.asarray(frequency, dtype=float))
        sizes, places = np.unique(frequencies, return_inverse=True)
        slopes = _transform_of_slopes(self.shape)
        found = [max(0.0, -2 * slopes(size) / size) if size else self._mean for size in map(float, sizes)]
        return np.array(found)[places].reshape(frequencies.shape)

    @property
    def _atoms(self) -> Discrete | None:
        """The law as atoms, if f is linear between its kinks."""
        places, jumps = np.array(kinks(self.shape)).reshape(-1, 2).T
        masses = places * jumps
        if not abs(masses.sum() - 1) <= _ROUNDING * len(masses):
            return None
        return Discrete(values=tuple(places.tolist()), weights=tuple(masses.tolist()))

    def polya_transform_expression(self, frequency: Any) -> Any:
        t = sympy.Symbol("t", positive=True)
        return 2 * sympy.Integral(sympy.cos(frequency * t) * formula_expression(self.shape, t), (t, 0, sympy.oo))
