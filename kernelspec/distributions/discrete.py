"""Finitely many values with weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.positive import Positive
from kernelspec.errors import NoDensityError, RangeError
from kernelspec.notation.arguments import Scalar, numbers
from kernelspec.notation.elementary import holds
from kernelspec.notation.infinity import infinity
from kernelspec.special.sinc import sinc

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["Discrete"]


@dataclass(frozen=True, kw_only=True)
class Discrete(Positive):
    """R = v_i with probability w_i / Σ w, v = `values`, w = `weights` ≥ 0.

    φ(t) = E max(0, 1 − t/R) is a mixture of triangles, straight between the values; φ̂(ω) = E[R (sin(Rω/2)/(Rω/2))²].
    Polya kernels need all values positive: φ, φ̂ and draws of other laws leave the values ≤ 0 out or keep them as they
    are, and polya() refuses them. Raises RangeError for lists of different lengths, for negative weights and weights
    whose sum is zero. Reference: Feller 1971, section XV.3.
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
        """The weights over their sum."""
        total = sum(self.weights)
        if all(isinstance(number, int | float) for number in (*self.values, *self.weights)):
            return tuple(weight / total for weight in self.weights)
        import sympy

        return tuple(sympy.S(weight) / total for weight in self.weights)  # whole numbers stay exact

    def support(self) -> tuple[Scalar, Scalar]:
        possible = [v for v, w in zip(self.values, self.weights, strict=True) if not _is_zero(w)]
        if all(isinstance(value, int | float) for value in possible):
            return min(possible), max(possible)
        import sympy

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
        import sympy

        pairs = zip(self.probabilities(), self.values, strict=True)
        return sympy.Add(*(p * sympy.DiracDelta(x - v) for p, v in pairs))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        lag = np.asarray(lag, dtype=float)
        values, chances = self._positive_atoms()
        if not len(values):
            return np.zeros_like(lag)
        # minus the slope between two values, and φ at the upper one: sums of positive numbers from the far end
        slopes = np.cumsum((chances / values)[::-1])[::-1]
        knots = np.concatenate([np.cumsum((np.diff(values) * slopes[1:])[::-1])[::-1], [0.0]])
        piece = np.minimum(np.searchsorted(values, lag, side="right"), len(values) - 1)
        phi = knots[piece] + np.maximum(values[piece] - lag, 0.0) * slopes[piece]
        return np.asarray(np.where(lag == 0, chances.sum(), phi))

    def polya_kernel_expression(self, lag: Any) -> Any:
        import sympy

        pairs = zip(self.probabilities(), self.values, strict=True)
        return sympy.Add(*(p * sympy.Max(0, 1 - lag / sympy.S(v)) for p, v in pairs if not _is_zero(v)))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        frequency = np.asarray(frequency, dtype=float)
        total = np.zeros_like(frequency)
        for value, chance in zip(*self._positive_atoms(), strict=True):
            total += chance * value * np.square(sinc(frequency * (value / 2)))
        return total

    def polya_transform_expression(self, frequency: Any) -> Any:
        import sympy

        pairs = zip(self.probabilities(), self.values, strict=True)
        return sympy.Add(*(p * v * sympy.sinc(frequency * sympy.S(v) / 2) ** 2 for p, v in pairs))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        edges = np.cumsum(np.array(self.probabilities(), dtype=float))
        possible = np.flatnonzero(np.array(self.weights, dtype=float) > 0)
        which = np.searchsorted(edges[possible][:-1], stream.uniforms("pitch", shape), side="right")
        return np.asarray(np.array(self.values, dtype=float)[possible][which])

    def _positive_atoms(self) -> tuple[np.ndarray, np.ndarray]:
        """The different positive values in order, with their probabilities."""
        values, chances = np.array(self.values, dtype=float), np.array(self.probabilities(), dtype=float)
        kept = (values > 0) & (chances > 0)
        unique, place = np.unique(values[kept], return_inverse=True)
        return unique, np.bincount(place, chances[kept], minlength=len(unique))


def _is_zero(value: Scalar) -> bool:
    """Whether a number is known to be zero; SymPy's 0.0 does not equal 0."""
    return bool(value == 0 if isinstance(value, int | float) else value.is_zero)
