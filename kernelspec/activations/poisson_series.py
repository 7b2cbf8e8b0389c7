"""Activations whose degrees are Poisson numbers, all of them or the even or odd ones."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.errors import RangeError
from kernelspec.notation.infinity import infinity

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar
    from kernelspec.random.streams import Stream

__all__ = ["PoissonSeries"]

_LARGEST_RATE = 1e10
_LOG_SMALLEST = 750.0
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


@dataclass(frozen=True, kw_only=True)
class PoissonSeries(Activation):
    """a_l ∝ c^l/l! for l = f, f + h, f + 2h, …: e^{cρ} for f = 0, h = 1, cosh cρ and sinh cρ for h = 2.

    At the weight m the degrees have the rate cm. The radius of convergence is ∞.
    """

    first: ClassVar[int] = 0
    step: ClassVar[int] = 1

    @abstractmethod
    def rate(self) -> Scalar:
        """c > 0."""

    @abstractmethod
    def share(self, weight: float = 1.0) -> float:
        """The probability that a Poisson number of rate cm is one of the degrees."""

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        return self.law(degree)

    def law(self, degree: np.ndarray, weight: float = 1.0) -> np.ndarray:
        """Of the rate cm: Σ a_l m^l itself may be too large or too small for a float."""
        degree = np.asarray(degree, dtype=float)
        allowed = (degree >= self.first) & (degree % self.step == self.first % self.step)
        found = _probability(np.maximum(degree, 0), float(self.rate()) * weight)
        return np.where(allowed, found / self.share(weight), 0.0)

    def radius(self) -> Scalar:
        return infinity(self.rate())

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        """By inversion of a table of probabilities. Raises RangeError beyond a rate of 1e10."""
        rate = float(self.rate()) * weight
        if rate > _LARGEST_RATE:
            raise RangeError(
                f"{self} has degrees of about {rate:g} factors; up to {_LARGEST_RATE:g} are drawn", self.span
            )
        lowest, edges = _edges(rate, self.first, self.step)
        return lowest + self.step * np.searchsorted(edges, stream.uniforms("degrees", (n,))).astype(np.int64)


def _probability(degree: np.ndarray, rate: float) -> np.ndarray:
    """e^{−c} c^l/l! = exp(−D − r)/√(2πl), D = l log(l/c) + c − l, r the remainder of Stirling's formula.

    No difference of large logarithms is taken. Reference: Loader 2000.
    """
    safe = np.maximum(degree, 1.0)
    excess = (rate - safe) / safe
    near = safe * (excess - np.log1p(np.maximum(excess, -0.5)))
    deviance = np.where(excess > -0.5, near, safe * (np.log(safe) - np.log(rate)) + rate - safe)
    remainder = np.zeros_like(safe)
    large = np.maximum(safe, 16.0)
    for coefficient in reversed(_STIRLING):
        remainder = remainder / large**2 + coefficient
    remainder = np.where(safe < 16, _small_remainders()[np.minimum(safe, 15).astype(np.intp)], remainder / large)
    found = np.exp(-deviance - remainder) / np.sqrt(2 * np.pi * safe)
    return np.where(degree == 0, math.exp(-rate), found)


@lru_cache(maxsize=1)
def _small_remainders() -> np.ndarray:
    """ln l! − [(l + ½) ln l − l + ½ ln 2π] for l = 0 (not used), 1, …, 15."""
    exact = [math.log(math.factorial(k) * math.exp(k) / (k**k * math.sqrt(2 * math.pi * k))) for k in range(1, 16)]
    return np.array([0.0, *exact])


@lru_cache(maxsize=16)
def _edges(rate: float, first: int, step: int) -> tuple[int, np.ndarray]:
    """The lowest degree that matters, and P(l ≤ n) from there on, without the last.

    From the mode outwards by ratios until they are too small for a float, then normalised.
    """
    mode = max(first, math.floor(rate) - (math.floor(rate) - first) % step)
    spread = math.sqrt(2 * _LOG_SMALLEST * rate)
    lowest = max(first, mode - step * math.ceil(spread / step))
    end = spread + _LOG_SMALLEST / max(1.0, math.log(_LOG_SMALLEST) - math.log(rate)) + 20
    up, down = (np.arange(mode, mode + end, step, dtype=float), np.arange(mode, lowest, -step, dtype=float))
    rising = np.cumprod(np.prod([rate / (up + i) for i in range(1, step + 1)], axis=0))
    falling = np.cumprod(np.prod([(down - i) / rate for i in range(step)], axis=0))[::-1]
    relative = np.concatenate([falling, [1.0], rising])
    relative = relative[: np.flatnonzero(relative > 0)[-1] + 1]
    edges = np.cumsum(relative)[:-1] / relative.sum()
    edges.flags.writeable = False
    return lowest, edges
