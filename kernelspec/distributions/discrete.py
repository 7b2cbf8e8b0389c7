"""Finitely many weighted values, and one plus a Poisson number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import Positive
from kernelspec.errors import NoDensityError, RangeError
from kernelspec.expressions.arguments import Scalar, numbers, real
from kernelspec.expressions.elementary import holds, infinity
from kernelspec.limits import MAX_SHAPE
from kernelspec.loading import special, sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Line
from kernelspec.special.elementary import gamma_function, lower_gamma, sinc
from kernelspec.special.exact_draws import poisson_shares

__all__ = ["Discrete", "ShiftedPoisson"]


@dataclass(frozen=True, kw_only=True)
class Discrete(Positive):
    """R = v_i with probability w_i / Σ w, v = `values`, w = `weights` ≥ 0.

    φ(t) = E max(0, 1 − t/R) is a mixture of triangles, linear between values; φ̂(ω) = E[R (sin(Rω/2)/(Rω/2))²]. polya()
    rejects values ≤ 0, which φ and φ̂ skip and draws keep. Raises RangeError if the lists have different lengths, a
    weight is negative, or the weights sum to zero. Reference: Feller 1971, section XV.3.
    """

    name: ClassVar[str] = "discrete"
    formula: ClassVar[str] = "Σ w_i δ(r − v_i) / Σ w_i"
    reference: ClassVar[str] = "Feller 1971, section XV.3"

    values: tuple[Scalar, ...] = numbers()
    weights: tuple[Scalar, ...] = numbers()

    def __post_init__(self) -> None:
        if len(self.values) != len(self.weights) or not self.values:
            raise RangeError(
                f"discrete() needs one weight for each value, not {len(self.values)} values and "
                f"{len(self.weights)} weights",
                self.span,
            )
        for weight in self.weights:
            if holds(weight < 0):
                raise RangeError(f"the weights of discrete() must not be negative: there is {weight}", self.span)
        if _is_zero(sum(self.weights)):
            raise RangeError("the weights of discrete() must not all be zero: their sum is 0", self.span)

    def probabilities(self) -> tuple[Scalar, ...]:
        """The weights divided by their sum."""
        total = sum(self.weights)
        if all(isinstance(number, int | float) for number in (*self.values, *self.weights)):
            return tuple(weight / total for weight in self.weights)
        return tuple(sympy.S(weight) / total for weight in self.weights)  # whole numbers stay exact

    def polya_pieces(self, line: Line) -> Any:
        pairs = zip(self.values, self.probabilities(), strict=True)
        return line.tents([(line.number(value), line.number(share)) for value, share in pairs])

    def support(self) -> tuple[Scalar, Scalar]:
        possible = [v for v, w in zip(self.values, self.weights, strict=True) if not _is_zero(w)]
        if all(isinstance(value, int | float) for value in possible):
            return min(possible), max(possible)
        return sympy.Min(*possible), sympy.Max(*possible)

    def mean(self) -> Scalar:
        return sum(p * v for p, v in zip(self.probabilities(), self.values, strict=True))

    def inverse_mean(self) -> Scalar:
        if not _is_zero(self.mass_at_zero()):
            return infinity(*self.values, *self.weights)
        return sum(p / v for p, v in zip(self.probabilities(), self.values, strict=True) if not _is_zero(p))

    def mass_at_zero(self) -> Scalar:
        return sum(p for p, v in zip(self.probabilities(), self.values, strict=True) if _is_zero(v))

    def density(self, x: np.ndarray) -> np.ndarray:
        raise NoDensityError(f"{self} has atoms and no density")

    def density_expression(self, x: Any) -> Any:
        pairs = zip(self.probabilities(), self.values, strict=True)
        return sympy.Add(*(p * sympy.DiracDelta(x - v) for p, v in pairs))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        lag = np.asarray(lag, dtype=float)
        values, chances = self._positive_atoms()
        if not len(values):
            return np.zeros_like(lag)
        # minus the slope between two values, and φ at the upper one: sums of positive terms from the far end
        slopes = np.cumsum((chances / values)[::-1])[::-1]
        knots = np.concatenate([np.cumsum((np.diff(values) * slopes[1:])[::-1])[::-1], [0.0]])
        piece = np.minimum(np.searchsorted(values, lag, side="right"), len(values) - 1)
        phi = knots[piece] + np.maximum(values[piece] - lag, 0.0) * slopes[piece]
        return np.asarray(np.where(lag == 0, chances.sum(), phi))

    def polya_kernel_expression(self, lag: Any) -> Any:
        pairs = zip(self.probabilities(), self.values, strict=True)
        return sympy.Add(*(p * sympy.Max(0, 1 - lag / sympy.S(v)) for p, v in pairs if not _is_zero(v)))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        frequency = np.asarray(frequency, dtype=float)
        total = np.zeros_like(frequency)
        for value, chance in zip(*self._positive_atoms(), strict=True):
            total += chance * value * np.square(sinc(frequency * (value / 2)))
        return total

    def polya_transform_expression(self, frequency: Any) -> Any:
        pairs = zip(self.probabilities(), self.values, strict=True)
        return sympy.Add(*(p * v * sympy.sinc(frequency * sympy.S(v) / 2) ** 2 for p, v in pairs))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        edges = np.cumsum(np.array(self.probabilities(), dtype=float))
        possible = np.flatnonzero(np.array(self.weights, dtype=float) > 0)
        which = np.searchsorted(edges[possible][:-1], stream.uniforms("pitch", shape), side="right")
        return np.asarray(np.array(self.values, dtype=float)[possible][which])

    def _positive_atoms(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct positive values in order, with their probabilities."""
        values, chances = np.array(self.values, dtype=float), np.array(self.probabilities(), dtype=float)
        kept = (values > 0) & (chances > 0)
        unique, place = np.unique(values[kept], return_inverse=True)
        return unique, np.bincount(place, chances[kept], minlength=len(unique))


def _is_zero(value: Scalar) -> bool:
    """Whether a number is known to be zero; SymPy's 0.0 does not equal 0."""
    return bool(value == 0 if isinstance(value, int | float) else value.is_zero)


@dataclass(frozen=True, kw_only=True)
class ShiftedPoisson(Positive):
    """R = 1 + N, N ~ Poisson(λ), λ = `rate` > 0.

    φ(t) = P(N ≥ ⌊t⌋) − (t/λ) P(N > ⌊t⌋), linear between integers; φ̂(ω) = (2/λω²)(1 − e^{λ(cos ω − 1)} cos(λ sin ω)).
    Mean 1 + λ, E[1/R] = (1 − e^{−λ})/λ. Reference: Johnson, Kemp and Kotz 2005.
    """

    name: ClassVar[str] = "shifted_poisson"
    formula: ClassVar[str] = "Σ e^{−λ} λ^{n−1} / (n−1)! · δ(r − n), n ≥ 1"
    reference: ClassVar[str] = "Johnson, Kemp and Kotz 2005"

    rate: Scalar = real(above=0, at_most=MAX_SHAPE)

    def support(self) -> tuple[Scalar, Scalar]:
        return 1, infinity(self.rate)

    def decay_rate(self) -> Scalar:
        return infinity(self.rate)

    def mean(self) -> Scalar:
        return 1 + self.rate

    def inverse_mean(self) -> Scalar:
        if isinstance(self.rate, int | float):
            return float(-np.expm1(-self.rate) / self.rate)
        return (1 - sympy.exp(-self.rate)) / self.rate

    def density(self, x: np.ndarray) -> np.ndarray:
        raise NoDensityError(f"{self} has atoms and no density")

    def density_expression(self, x: Any) -> Any:
        n, rate = sympy.Symbol("n", integer=True, positive=True), sympy.S(self.rate)
        chance = sympy.exp(-rate) * rate ** (n - 1) / sympy.factorial(n - 1)
        return sympy.Sum(chance * sympy.DiracDelta(x - n), (n, 1, sympy.oo))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        lag = np.asarray(lag, dtype=float)
        first, chances = self._chances()
        # minus the slope up to each integer, and φ there: sums of positive terms from the far end
        slopes = np.cumsum((chances / (first + np.arange(len(chances))))[::-1])[::-1]
        knots = np.append(np.cumsum(slopes[::-1])[::-1][1:], 0.0)
        piece = np.clip(np.floor(np.minimum(lag, 2.0**60)) + 1 - first, 0, len(chances) - 1).astype(np.intp)
        phi = knots[piece] + np.maximum(first + piece - lag, 0.0) * slopes[piece]
        return np.asarray(np.where(lag == 0, 1.0, np.minimum(phi, 1.0)))

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        lag, rate = np.asarray(lag, dtype=float), float(self.rate)
        whole, beyond = np.floor(lag)[:, None], np.arange(1, 200)
        n = whole + beyond  # this far out every probability is a fraction of the one before
        left = (beyond - (lag[:, None] - whole)) / n  # 1 − lag/n, exact for integer lags
        return np.asarray(special.logsumexp(np.log(left) + (n - 1) * np.log(rate) - special.gammaln(n) - rate, axis=1))

    def polya_kernel_expression(self, lag: Any) -> Any:
        rate, whole = sympy.S(self.rate), sympy.floor(lag)
        more = lower_gamma(whole + 1, rate) / gamma_function(whole + 1)
        beyond = lower_gamma(whole, rate) / gamma_function(whole) - lag / rate * more
        return sympy.Piecewise((1 - lag * (1 - sympy.exp(-rate)) / rate, lag < 1), (beyond, True))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        frequency = np.asarray(frequency, dtype=float)
        rate = float(self.rate)
        safe = np.where(np.abs(frequency) < 1e-150, 1.0, frequency)
        damped, turned = 2 * rate * np.square(np.sin(safe / 2)), rate * np.sin(safe)
        # 1 − e^{−u} cos v as a sum of two positive numbers
        gap = -np.expm1(-damped) + 2 * np.exp(-damped) * np.square(np.sin(turned / 2))
        return np.asarray(np.where(np.abs(frequency) < 1e-150, 1 + rate, 2 / (rate * safe) * (gap / safe)))

    def polya_transform_expression(self, frequency: Any) -> Any:
        rate = sympy.S(self.rate)
        gap = 1 - sympy.exp(rate * (sympy.cos(frequency) - 1)) * sympy.cos(rate * sympy.sin(frequency))
        return 2 * gap / (rate * frequency**2)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        first, chances = self._chances()
        return np.asarray(first + np.searchsorted(np.cumsum(chances)[:-1], stream.uniforms("pitch", shape)), float)

    def _chances(self) -> tuple[int, np.ndarray]:
        """The first integer that matters, and P(R = n) from there until underflow."""
        lowest, shares = poisson_shares(float(self.rate))
        return lowest + 1, shares
