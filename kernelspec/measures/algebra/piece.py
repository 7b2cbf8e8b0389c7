"""One piece of a function on the line: a polynomial times an exponential of a quadratic, on an interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import Any

from kernelspec.errors import NotAvailableYet
from kernelspec.measures.algebra.arithmetic import Coefficients

__all__ = ["NotClosed", "Piece", "derivatives_at", "translated_polynomial"]


class NotClosed(NotAvailableYet):
    """The algebra has no closed form, or cannot tell without knowing more of the symbols."""


@dataclass(frozen=True)
class Piece:
    """Σ c_n tⁿ · e^{g − at − bt²} · e^{i(φ + wt)} for low < t < high, 0 elsewhere; all numbers real.

    `weights` are the c_n, `level` is g, `rate` a, `curvature` b, `phase` φ and `wave` w; None is an infinite end.
    A real function has its pieces with a wave in conjugate pairs.
    """

    low: Any
    high: Any
    weights: tuple[Any, ...]
    level: Any = 0
    rate: Any = 0
    curvature: Any = 0
    phase: Any = 0
    wave: Any = 0

    @property
    def shape(self) -> tuple[Any, ...]:
        """Everything but the polynomial: pieces of one shape add."""
        return (self.low, self.high, self.level, self.rate, self.curvature, self.phase, self.wave)

    @cached_property
    def at_ends(self) -> tuple[list[Any], list[Any]]:
        """q, q′, q″, … of the polynomial at both ends; nothing at an infinite one."""
        low, high = ([] if end is None else derivatives_at(self.weights, end) for end in (self.low, self.high))
        return low, high

    @property
    def is_whole_line(self) -> bool:
        return self.low is None and self.high is None

    def times(self, other: Piece, numbers: Coefficients) -> Piece | None:
        """The product of two pieces; None where they do not meet. Raises NotClosed for ends of unknown order."""
        low = _end(self.low, other.low, numbers.larger)
        high = _end(self.high, other.high, numbers.smaller)
        if low is not None and high is not None:
            order = numbers.less(low, high)
            if order is None:
                raise NotClosed("the order of two breakpoints depends on symbols")
            if not order:
                return None
        return Piece(
            low,
            high,
            tuple(map(numbers.simplified, _polynomial_product(self.weights, other.weights))),
            *(
                numbers.simplified(a + b)
                for a, b in zip(self.shape[2:], other.shape[2:], strict=True)  # exponents add
            ),
        )

    def scaled(self, factor: Any) -> Piece:
        """The piece times a number."""
        return replace(self, weights=tuple(factor * weight for weight in self.weights))

    def shifted(self, by: Any, numbers: Coefficients) -> Piece:
        """The piece at t + by."""
        s = numbers.simplified
        return Piece(
            None if self.low is None else s(self.low - by),
            None if self.high is None else s(self.high - by),
            tuple(map(s, translated_polynomial(self.weights, by))),
            s(self.level - self.rate * by - self.curvature * by * by),
            s(self.rate + 2 * self.curvature * by),
            self.curvature,
            s(self.phase + self.wave * by),
            self.wave,
        )

    def mirrored(self) -> Piece:
        """The piece at −t."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        weights = tuple(-weight if n % 2 else weight for n, weight in enumerate(self.weights))
        return Piece(low, high, weights, self.level, -self.rate, self.curvature, self.phase, -self.wave)

    def stretched(self, factor: Any, numbers: Coefficients) -> Piece:
        """The piece at factor·t, factor > 0."""
        s = numbers.simplified
        return Piece(
            None if self.low is None else s(self.low / factor),
            None if self.high is None else s(self.high / factor),
            tuple(s(weight * factor**n) for n, weight in enumerate(self.weights)),
            self.level,
            s(self.rate * factor),
            s(self.curvature * factor * factor),
            self.phase,
            s(self.wave * factor),
        )

    def tilted(self, by: Any, numbers: Coefficients) -> Piece:
        """The piece times e^{by·t}."""
        return replace(self, rate=numbers.simplified(self.rate - by))

    def restricted(self, low: Any, high: Any, numbers: Coefficients) -> Piece | None:
        """The piece between two ends."""
        return self.times(Piece(low, high, (1,)), numbers)


def _end(left: Any, right: Any, choose: Callable[[Any, Any], Any]) -> Any:
    if left is None or right is None:
        return right if left is None else left
    return choose(left, right)


def _polynomial_product(left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    found = [0 * left[0] * right[0]] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            found[i + j] = found[i + j] + a * b
    return found


def translated_polynomial(weights: Sequence[Any], by: Any) -> list[Any]:
    """The coefficients of Σ c_n (t + by)ⁿ."""
    if by == 0:
        return list(weights)
    powers = [by**n for n in range(len(weights))]
    return [
        sum((comb(n, k) * weights[n] * powers[n - k] for n in range(k + 1, len(weights))), weights[k])
        for k in range(len(weights))
    ]


def derivatives_at(weights: Sequence[Any], place: Any) -> list[Any]:
    """q(p), q′(p), q″(p), … of the polynomial."""
    found, factorial = [], 1
    for k, weight in enumerate(translated_polynomial(weights, place)):
        factorial *= max(k, 1)
        found.append(weight * factorial)
    return found
