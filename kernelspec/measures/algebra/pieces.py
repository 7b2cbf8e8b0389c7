"""Piecewise exponential polynomials: pieces, their ring, and their transforms ∫ q(t) e^{−st−bt²} dt in closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import comb, prod
from typing import Any

from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients, NotClosed

__all__ = [
    "NotClosed",
    "Piece",
    "Piecewise",
    "derivatives_at",
    "gaussian_integral",
    "polynomial_product",
    "polynomial_sum",
    "transform",
    "transform_of_piece",
    "translated_polynomial",
]


@dataclass(frozen=True)
class Piece:
    """Σ c_n tⁿ · e^{g − at − bt²} · e^{i(φ + wt)} for low < t < high, 0 elsewhere; all numbers real.

    `weights` are the c_n, `level` is g, `rate` a, `curvature` b, `phase` φ and `wave` w; None is an infinite end.
    Pieces of a real function that have waves come in conjugate pairs.
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
        """q, q′, q″, … of the polynomial at both ends; empty at an infinite end."""
        low, high = ([] if end is None else derivatives_at(self.weights, end) for end in (self.low, self.high))
        return low, high

    @property
    def is_whole_line(self) -> bool:
        return self.low is None and self.high is None

    def times(self, other: Piece, numbers: Coefficients) -> Piece | None:
        """The product of two pieces; None if they are disjoint. Raises NotClosed for ends of unknown order."""
        low = _end(self.low, other.low, numbers.larger)
        high = _end(self.high, other.high, numbers.smaller)
        if low is not None and high is not None and not numbers.before(low, high):
            return None
        weights = tuple(map(numbers.simplified, polynomial_product(self.weights, other.weights)))
        exponents = (numbers.simplified(a + b) for a, b in zip(self.shape[2:], other.shape[2:], strict=True))
        return Piece(low, high, weights, *exponents)

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


def polynomial_product(left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    """The product of two polynomials, by increasing powers."""
    if not left or not right:
        return []
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


_MOST_PIECES, _MOST_WORK = 400, 20_000


@dataclass(frozen=True)
class Piecewise:
    """A sum of pieces in one number system; no two pieces have the same ends and exponent."""

    pieces: tuple[Piece, ...]
    numbers: Coefficients

    @classmethod
    def of(cls, pieces: Iterable[Piece], numbers: Coefficients) -> Piecewise:
        """The sum of pieces; those of one shape are added, and zeros dropped."""
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
        """Raises NotClosed if it is too much work."""
        if prod(sum(len(piece.weights) for piece in side.pieces) for side in (self, other)) > _MOST_WORK:
            raise NotClosed("a product of too many terms")
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
    def whole_line(self) -> Piecewise:
        """The pieces on the whole line, Gaussians and waves, which need no cut at zero."""
        return Piecewise(tuple(piece for piece in self.pieces if piece.is_whole_line), self.numbers)

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
        """Whether the pieces show that f(−t) = f(t)."""
        return not (self + self.mirrored().scaled(-1)).pieces

    @property
    def decays(self) -> bool:
        """Whether no piece is known to be constant or grow at an infinite end."""
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
    found = list(polynomials[0]) if len(polynomials) == 1 else []
    for n in range(0 if found else max(map(len, polynomials))):
        terms = [weights[n] for weights in polynomials if n < len(weights)]
        total, size = sum(terms[1:], terms[0]), sum(map(abs, terms[1:]), abs(terms[0]))
        found.append(terms[0] * 0 if numbers.is_zero(total, size) else numbers.simplified(total))
    while found and numbers.is_zero(found[-1], found[-1] * 0):
        found.pop()
    return tuple(found)


def gaussian_integral(
    weights: Sequence[Any],
    curvature: Any,
    slope: Any,
    ends: tuple[Any, Any],
    exponent_at: Callable[[Any], Any],
    whole: Any,
    numbers: Coefficients,
    arithmetic: Arithmetic,
) -> Any:
    """∫_u^v Σ c_n tⁿ e^{K − st − bt²} dt for complex s = `slope` and b = `curvature` > 0, u or v None for infinity.

    With z = s/2√b + √b t this is ½√(π/b) e^{K + s²/4b} [erfc z]_v^u A(s) plus two boundary terms. K + s²/4b is `whole`
    and K − st − bt² is `exponent_at(t)`, given because the caller computes them without cancellation.
    """
    low, high = ends
    b = curvature
    main, lower, upper = moment_polynomials(weights, b, 0 * b if low is None else low, 0 * b if high is None else high)
    width = arithmetic.real(numbers.root(numbers.pi() / b) / 2)
    head = width * arithmetic.polynomial(main, slope)
    if low is None and high is None:
        return head * arithmetic.exp(whole) * arithmetic.real(numbers.number(2))
    root = numbers.root(b)

    def place(end: Any) -> Any:
        return slope / arithmetic.real(2 * root) + arithmetic.real(root * end)

    if low is None:
        total = head * arithmetic.gaussian_tail(exponent_at(high), -place(high), whole)
    elif high is None:
        total = head * arithmetic.gaussian_tail(exponent_at(low), place(low), whole)
    else:
        exponents, places = (exponent_at(low), exponent_at(high)), (place(low), place(high))
        total = head * arithmetic.gaussian_difference(exponents, places, whole)
    for end, polynomial, sign in ((low, lower, 1), (high, upper, -1)):
        if end is not None and any(not numbers.is_zero(weight, weight) for weight in polynomial):
            edge = arithmetic.polynomial([sign * weight for weight in polynomial], slope)
            total = total + edge * arithmetic.exp(exponent_at(end))
    return total


def moment_polynomials(
    weights: Sequence[Any], curvature: Any, low: Any, high: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """A, U, V with ∫_u^v q(t) e^{−st−bt²} dt = A(s) I_0 + U(s) e^{−su−bu²} − V(s) e^{−sv−bv²}, by increasing powers.

    From 2b I_{m+1} = m I_{m−1} − s I_m + u^m e^{−su−bu²} − v^m e^{−sv−bv²}.
    """
    zero = 0 * curvature
    found = [[zero], [zero], [zero]]
    before, now = [[zero], [zero], [zero]], [[zero + 1], [zero], [zero]]
    for m, weight in enumerate(weights):
        found = [
            polynomial_sum(total, [weight * c for c in current]) for total, current in zip(found, now, strict=True)
        ]
        following = []
        for last, current, edge in zip(before, now, (zero, low**m, high**m), strict=True):
            terms = polynomial_sum(polynomial_sum([m * c for c in last], [zero, *(-c for c in current)]), [edge])
            following.append([c / (2 * curvature) for c in terms])
        before, now = now, following
    return found[0], found[1], found[2]


def polynomial_sum(left: list[Any], right: list[Any]) -> list[Any]:
    """The sum of two polynomials, by increasing powers."""
    long, short = (left, right) if len(left) >= len(right) else (right, left)
    return [*(a + b for a, b in zip(long, short, strict=False)), *long[len(short) :]]


def transform(pieces: Iterable[Piece], frequency: Any, numbers: Coefficients, arithmetic: Arithmetic) -> Any:
    """∫ e^{−iωt} Σ pieces(t) dt, ω = `frequency`, a number of the arithmetic."""
    values = (transform_of_piece(piece, frequency, numbers, arithmetic) for piece in pieces)
    return sum(values, arithmetic.real(numbers.number(0)))


def transform_of_piece(piece: Piece, frequency: Any, numbers: Coefficients, arithmetic: Arithmetic) -> Any:
    """∫_u^v Σ c_n tⁿ e^{g − at − bt² + iφ + iwt − iωt} dt, with s = a + i(ω − w).

    Without b the antiderivative −e^{−st} Σ q^{(k)}(t)/s^{k+1}; with b the function e^{z²} erfc(z) at
    z = s/2√b + √b u, the transform of a Gaussian on the whole line.
    """
    if piece.low is None and piece.high is not None:
        return transform_of_piece(piece.mirrored(), -frequency, numbers, arithmetic)
    s, b = arithmetic.real(piece.rate) + arithmetic.turned(frequency - arithmetic.real(piece.wave)), piece.curvature
    if numbers.is_zero(b, b):
        return _without_curvature(piece, frequency, s, arithmetic)
    whole = arithmetic.complex(piece.level, piece.phase) + s * s / arithmetic.real(4 * b)
    at = partial(_edge, piece, frequency=frequency, arithmetic=arithmetic)
    return gaussian_integral(piece.weights, b, s, (piece.low, piece.high), at, whole, numbers, arithmetic)


def _edge(piece: Piece, end: Any, frequency: Any, arithmetic: Arithmetic) -> Any:
    """The exponent at an end: g − ap − bp² + i(φ + wp − ωp)."""
    level = piece.level - piece.rate * end - piece.curvature * end * end
    wave = arithmetic.turned(frequency * arithmetic.real(end))
    return arithmetic.complex(level, piece.phase + piece.wave * end) - wave


def _without_curvature(piece: Piece, frequency: Any, s: Any, arithmetic: Arithmetic) -> Any:
    total = arithmetic.real(piece.weights[0] * 0)
    if arithmetic.vanishes(s):
        return total + _integral(piece, arithmetic)
    for end, sign, derivatives in zip((piece.low, piece.high), (1, -1), piece.at_ends, strict=True):
        if end is None:
            continue
        series = arithmetic.inverse_powers([sign * d for d in derivatives], s)
        total = total + arithmetic.exp(_edge(piece, end, frequency, arithmetic)) * series
    return total


def _integral(piece: Piece, arithmetic: Arithmetic) -> Any:
    """∫_u^v Σ c_n tⁿ dt, for an exponent that does not depend on t."""
    areas = (c * (piece.high ** (n + 1) - piece.low ** (n + 1)) / (n + 1) for n, c in enumerate(piece.weights))
    return arithmetic.real(sum(areas)) * arithmetic.exp(arithmetic.complex(piece.level, piece.phase))
