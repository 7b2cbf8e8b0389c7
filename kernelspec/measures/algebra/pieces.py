"""Piecewise exponential polynomials: pieces, their ring, and both as SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

from kernelspec.errors import NotAvailableYet
from kernelspec.measures.algebra.numbers import Coefficients

__all__ = ["NotClosed", "Piece", "Piecewise", "complex_value", "derivatives_at", "function_of", "translated_polynomial"]


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


_MOST_PIECES = 400


@dataclass(frozen=True)
class Piecewise:
    """Σ of pieces, in one system of numbers; no two pieces have the same ends and exponent."""

    pieces: tuple[Piece, ...]
    numbers: Coefficients

    @classmethod
    def of(cls, pieces: Iterable[Piece], numbers: Coefficients) -> Piecewise:
        """The sum of pieces; those of one shape are added, and what cancels is left out."""
        groups: dict[tuple[Any, ...], list[Piece]] = {}
        for piece in pieces:
            groups.setdefault(piece.shape, []).append(piece)
            if len(groups) > _MOST_PIECES:
                raise NotClosed(f"more than {_MOST_PIECES} pieces")
        found = []
        for group in groups.values():
            weights = _sum([piece.weights for piece in group], numbers)
            if weights:
                found.append(replace(group[0], weights=weights))
        return cls(tuple(found), numbers)

    def __add__(self, other: Piecewise) -> Piecewise:
        return Piecewise.of((*self.pieces, *other.pieces), self.numbers)

    def __mul__(self, other: Piecewise) -> Piecewise:
        pairs = (p.times(q, self.numbers) for p in self.pieces for q in other.pieces)
        return Piecewise.of((piece for piece in pairs if piece is not None), self.numbers)

    def scaled(self, factor: Any) -> Piecewise:
        return Piecewise.of((piece.scaled(factor) for piece in self.pieces), self.numbers)

    def shifted(self, by: Any) -> Piecewise:
        return Piecewise.of((piece.shifted(by, self.numbers) for piece in self.pieces), self.numbers)

    def mirrored(self) -> Piecewise:
        return Piecewise.of((piece.mirrored() for piece in self.pieces), self.numbers)

    def stretched(self, factor: Any) -> Piecewise:
        """f(factor·t)."""
        sign = self.numbers.less(factor * 0, factor)
        if sign is None:
            raise NotClosed("the sign of a stretch depends on symbols")
        whole = self if sign else self.mirrored()
        size = factor if sign else -factor
        return Piecewise.of((piece.stretched(size, self.numbers) for piece in whole.pieces), self.numbers)

    def tilted(self, by: Any) -> Piecewise:
        return Piecewise.of((piece.tilted(by, self.numbers) for piece in self.pieces), self.numbers)

    def restricted(self, low: Any, high: Any) -> Piecewise:
        cut = (piece.restricted(low, high, self.numbers) for piece in self.pieces)
        return Piecewise.of((piece for piece in cut if piece is not None), self.numbers)

    @cached_property
    def with_ends(self) -> Piecewise:
        """Without the pieces on the whole line."""
        return Piecewise(tuple(piece for piece in self.pieces if not piece.is_whole_line), self.numbers)

    @cached_property
    def after_zero(self) -> Piecewise:
        """f(t) for t > 0."""
        return self.restricted(self.numbers.number(0), None)

    @cached_property
    def before_zero(self) -> Piecewise:
        """f(−t) for t > 0."""
        return self.mirrored().after_zero

    @cached_property
    def is_even(self) -> bool:
        """Whether f(−t) = f(t), seen from the pieces."""
        return not (self + self.mirrored().scaled(-1)).pieces

    @property
    def decays(self) -> bool:
        """Whether no piece is known to stay or grow at an infinite end."""
        zero = self.numbers.number(0)
        for piece in self.pieces:
            if self.numbers.less(zero, piece.curvature):
                continue
            if piece.high is None and self.numbers.less(zero, piece.rate) is False:
                return False
            if piece.low is None and self.numbers.less(piece.rate, zero) is False:
                return False
        return True


def _sum(polynomials: list[tuple[Any, ...]], numbers: Coefficients) -> tuple[Any, ...]:
    if len(polynomials) == 1:
        found = list(polynomials[0])
        while found and numbers.is_zero(found[-1], found[-1] * 0):
            found.pop()
        return tuple(found)
    found = []
    for n in range(max(map(len, polynomials))):
        terms = [weights[n] for weights in polynomials if n < len(weights)]
        total, size = sum(terms[1:], terms[0]), sum(map(abs, terms[1:]), abs(terms[0]))
        found.append(terms[0] * 0 if numbers.is_zero(total, size) else numbers.simplified(total))
    while found and numbers.is_zero(found[-1], found[-1] * 0):
        found.pop()
    return tuple(found)


_Interval = tuple[Any, Any]


def function_of(whole: Piecewise, at: Any) -> Any:
    """A real function at a real symbol: an expression, by cases where there are ends; of an even one in |at|."""
    import sympy

    pieces, place = whole.pieces, at
    if whole.is_even and not all(piece.is_whole_line for piece in pieces):
        pieces, place = whole.restricted(whole.numbers.number(0), None).pieces, sympy.Abs(at)
    found: dict[_Interval, Any] = {}
    for piece in pieces:
        found[piece.low, piece.high] = found.get((piece.low, piece.high), sympy.S.Zero) + _real_value(piece, place)
    cases = [(value, _inside(interval, place, place is not at)) for interval, value in found.items()]
    if all(_apart(a, b, whole.numbers) for a, b in combinations(found, 2)):
        return sympy.Piecewise(*cases, (0, True))
    return sympy.Add(*[sympy.Piecewise(case, (0, True)) for case in cases])


def complex_value(piece: Piece, at: Any) -> Any:
    """Σ c_n tⁿ e^{g − at − bt²} e^{i(φ + wt)} inside the piece."""
    import sympy

    return _size(piece, at) * sympy.exp(sympy.I * (piece.phase + piece.wave * at))


def _real_value(piece: Piece, at: Any) -> Any:
    """The real part: pieces with a wave come in conjugate pairs."""
    import sympy

    return sympy.factor_terms(_size(piece, at) * sympy.cos(piece.phase + piece.wave * at))


def _size(piece: Piece, at: Any) -> Any:
    import sympy

    polynomial = sympy.Add(*[c * at**n for n, c in enumerate(piece.weights)])
    return polynomial * sympy.exp(piece.level - piece.rate * at - piece.curvature * at**2)


def _inside(interval: _Interval, at: Any, from_zero: bool) -> Any:
    import sympy

    low, high = interval
    starts = sympy.true if low is None or (from_zero and low == 0) else sympy.Ge(at, low)
    return starts if high is None else sympy.And(starts, sympy.Lt(at, high))


def _apart(a: _Interval, b: _Interval, numbers: Coefficients) -> bool:
    """Whether two intervals are known not to overlap."""
    return _ends_before(a, b, numbers) or _ends_before(b, a, numbers)


def _ends_before(a: _Interval, b: _Interval, numbers: Coefficients) -> bool:
    if a[1] is None or b[0] is None:
        return False
    return a[1] == b[0] or numbers.less(a[1], b[0]) is True
