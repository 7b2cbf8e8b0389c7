"""Convolutions on the frequency axis: of pieces with each other, and with functions of the lag."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import pairwise, product
from math import comb, factorial
from typing import Any

from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients
from kernelspec.measures.algebra.pieces import (
    NotClosed,
    Piece,
    Piecewise,
    derivatives_at,
    gaussian_integral,
    translated_polynomial,
)

__all__ = ["convolved", "fraction_integral", "on_disjoint_intervals", "require_convolved", "smoothed"]

_MOST_WORK = 4_000
"""Cap on coefficients when pieces are moved to another origin or added on all intervals: the tenth power of sinc."""


@dataclass(frozen=True)
class _Ray:
    """Σ c_n y^n e^{−ay} for y > 0, y = ν − start, or y = start − ν if it `falls` away to the left."""

    start: Any
    weights: tuple[Any, ...]
    rate: Any
    falls: bool


def convolved(left: Piecewise, right: Piecewise) -> Piecewise:
    """The convolution of two sums of pieces without curvature and waves.

    Raises NotClosed for other pieces, and if it is too much work.
    """
    numbers = left.numbers
    rays = [[ray for piece in whole.pieces for ray in _rays(piece, numbers)] for whole in (left, right)]
    pairs = list(product(*rays))
    if sum((len(a.weights) + len(b.weights)) ** 2 for a, b in pairs) > _MOST_WORK:
        raise NotClosed("too many pieces")
    return on_disjoint_intervals([piece for a, b in pairs for piece in _pair(a, b, numbers)], numbers)


def require_convolved(factors: Sequence[Piecewise]) -> None:
    """Raise NotClosed early if the convolution of all factors is bound to be too much work.

    For n + 1 splines on bounded intervals, the first n give a spline of degree D with n − 2 continuous derivatives,
    which needs at least (D + 2)/(D − n + 2) knots [Curry and Schoenberg 1966].
    """
    bounded = [
        whole for whole in factors if all(_is_bounded_polynomial(piece, whole.numbers) for piece in whole.pieces)
    ]
    if len(bounded) < 3:
        return
    *first, last = sorted(max(len(piece.weights) for piece in whole.pieces) for whole in bounded)
    count, degree = len(first), sum(first) - 1
    knots = -(-(degree + 2) // (degree - count + 2))
    if 4 * (knots - 1) * (degree + 1 + last) ** 2 > _MOST_WORK:
        raise NotClosed("too many pieces")


def _is_bounded_polynomial(piece: Piece, numbers: Coefficients) -> bool:
    extra = (piece.rate, piece.curvature, piece.wave, piece.phase)
    return piece.low is not None and piece.high is not None and all(numbers.is_zero(entry, entry) for entry in extra)


def on_disjoint_intervals(pieces: Sequence[Piece], numbers: Coefficients) -> Piecewise:
    """The same sum on intervals that do not overlap; parts that cancel beyond the support are dropped.

    Raises NotClosed if the order of the ends depends on symbols, or if it is too much work.
    """
    ends: list[Any] = []
    size = sum(len(piece.weights) for piece in pieces)
    for piece in pieces:
        for end in (piece.low, piece.high):
            if end is not None and not any(numbers.is_zero(end - other, abs(end) + abs(other)) for other in ends):
                ends.append(end)
                if len(ends) * size > _MOST_WORK:
                    raise NotClosed("too many pieces")
    ends.sort(key=cmp_to_key(lambda a, b: -1 if numbers.before(a, b) else 1))
    found = []
    for low, high in pairwise([None, *ends, None]):
        groups: dict[Any, list[Piece]] = {}
        for piece in pieces:
            if _covers(piece, low, high, numbers):
                same = next(
                    (rate for rate in groups if numbers.is_zero(rate - piece.rate, abs(rate) + abs(piece.rate))),
                    piece.rate,
                )
                size, zero = numbers.exponential(piece.level), 0 * same
                weights = tuple(size * w for w in piece.weights)
                groups.setdefault(same, []).append(Piece(low, high, weights, zero, same, zero, zero, zero))
        found += [piece for group in groups.values() for piece in Piecewise.of(group, numbers).pieces]
    return Piecewise.of(found, numbers)


def _covers(piece: Piece, low: Any, high: Any, numbers: Coefficients) -> bool:
    """Whether an interval between neighboring breakpoints lies in the piece."""
    starts = piece.low is None or (low is not None and not _strictly(low, piece.low, numbers))
    ends = piece.high is None or (high is not None and not _strictly(piece.high, high, numbers))
    return starts and ends


def _strictly(a: Any, b: Any, numbers: Coefficients) -> bool:
    return not numbers.is_zero(a - b, abs(a) + abs(b)) and numbers.before(a, b)


def _rays(piece: Piece, numbers: Coefficients) -> list[_Ray]:
    """The piece as a difference of functions that start at its ends."""
    extra = (piece.curvature, piece.wave, piece.phase)
    if any(not numbers.is_zero(entry, entry) for entry in extra) or piece.is_whole_line:
        raise NotClosed("a convolution of pieces with curvature or waves")
    if piece.low is None:
        turned = piece.mirrored()
        return [_Ray(-ray.start, ray.weights, ray.rate, True) for ray in _rays(turned, numbers)]
    rays = []
    for end, sign in ((piece.low, 1), (piece.high, -1)):
        if end is None:
            continue
        size = sign * numbers.exponential(piece.level - piece.rate * end)
        weights = tuple(numbers.simplified(size * w) for w in translated_polynomial(piece.weights, end))
        rays.append(_Ray(end, weights, piece.rate, False))
    return rays


def _pair(a: _Ray, b: _Ray, numbers: Coefficients) -> list[Piece]:
    start = numbers.simplified(a.start + b.start)
    if a.falls == b.falls:
        parts = _same_side(a, b, numbers)
        pieces = [_from(start, weights, rate, numbers) for weights, rate in parts]
        return [_turned(piece, start) for piece in pieces] if a.falls else pieces
    rising, falling = (b, a) if a.falls else (a, b)
    up = _from(start, _across(rising, falling, numbers), rising.rate, numbers)
    down = _turned(_from(start, _across(falling, rising, numbers), falling.rate, numbers), start)
    return [up, down]


def _from(start: Any, weights: tuple[Any, ...], rate: Any, numbers: Coefficients) -> Piece:
    """Σ c_n (ν − start)ⁿ e^{−a(ν − start)} for ν > start."""
    zero = 0 * start
    moved = tuple(map(numbers.simplified, translated_polynomial(weights, -start)))
    return Piece(start, None, moved, numbers.simplified(rate * start), rate, zero, zero, zero)


def _turned(piece: Piece, about: Any) -> Piece:
    """The piece mirrored to the left: f(2·about − ν)."""
    mirrored = piece.mirrored()
    high = about
    weights = tuple(translated_polynomial(mirrored.weights, -2 * about))
    return Piece(None, high, weights, mirrored.level + 2 * mirrored.rate * about, mirrored.rate, *piece.shape[4:])


def _same_side(a: _Ray, b: _Ray, numbers: Coefficients) -> list[tuple[tuple[Any, ...], Any]]:
    """The convolution of y^m e^{−ay} and y^n e^{−cy} on y > 0, by partial fractions of m! n!/(s+a)^{m+1}(s+c)^{n+1}."""
    zero = 0 * a.rate
    gap = b.rate - a.rate
    if numbers.is_zero(gap, abs(a.rate) + abs(b.rate)):
        weights = [zero] * (len(a.weights) + len(b.weights))
        for m, x in enumerate(a.weights):
            for n, y in enumerate(b.weights):
                weights[m + n + 1] += x * y * factorial(m) * factorial(n) / factorial(m + n + 1)
        return [(tuple(weights), a.rate)]
    first, second = [zero] * len(a.weights), [zero] * len(b.weights)
    for m, x in enumerate(a.weights):
        for n, y in enumerate(b.weights):
            size = x * y * factorial(m) * factorial(n)
            for j in range(m + 1):
                first[m - j] += size * (-1) ** j * comb(n + j, j) / gap ** (n + 1 + j) / factorial(m - j)
            for j in range(n + 1):
                second[n - j] += size * (-1) ** j * comb(m + j, j) / (-gap) ** (m + 1 + j) / factorial(n - j)
    return [(tuple(map(numbers.simplified, first)), a.rate), (tuple(map(numbers.simplified, second)), b.rate)]


def _across(own: _Ray, other: _Ray, numbers: Coefficients) -> tuple[Any, ...]:
    """On the side to which `own` extends: e^{−ay} ∫_0^∞ (μ + y)^m μ^n e^{−(a+c)μ} dμ."""
    total = own.rate + other.rate
    if numbers.less(0 * total, total) is False:
        raise NotClosed("a convolution that diverges")
    weights = [0 * total] * len(own.weights)
    for m, x in enumerate(own.weights):
        for n, y in enumerate(other.weights):
            for j in range(m + 1):
                weights[m - j] += x * y * comb(m, j) * factorial(n + j) / total ** (n + j + 1)
    return tuple(map(numbers.simplified, weights))


def smoothed(
    whole: Iterable[Piece], density: Iterable[Piece], frequency: Any, numbers: Coefficients, arithmetic: Arithmetic
) -> Any:
    """∫ f(ν) T(ω − ν) dν for Gaussians on the whole lag axis, c e^{g − at − bt² + iφ + iwt}, T = c√(π/b) e^{s²/4b + …}.

    As a function of ν the integrand is again Gaussian, of curvature 1/4b.
    """
    pairs = product(whole, density)
    values = (_smoothed_piece(bell, piece, frequency, numbers, arithmetic) for bell, piece in pairs)
    return sum(values, arithmetic.real(numbers.number(0)))


def _smoothed_piece(bell: Piece, piece: Piece, frequency: Any, numbers: Coefficients, arithmetic: Arithmetic) -> Any:
    beta = 1 / (4 * bell.curvature)
    moved = frequency - arithmetic.real(bell.wave)
    level = arithmetic.complex(piece.level + bell.level, piece.phase + bell.phase)
    rate = arithmetic.complex(piece.rate, -piece.wave)
    shifted = arithmetic.real(bell.rate) + arithmetic.turned(moved)
    slope = rate + arithmetic.turned(shifted) * arithmetic.real(2 * beta)
    size = bell.weights[0] * numbers.root(numbers.pi() / bell.curvature)

    def exponent_at(end: Any) -> Any:
        at = arithmetic.real(bell.rate) + arithmetic.turned(moved - arithmetic.real(end))
        return level + at * at * arithmetic.real(beta) - rate * arithmetic.real(end)

    whole = level + rate * rate / arithmetic.real(4 * beta) + arithmetic.turned(rate * shifted)
    weights = [size * weight for weight in piece.weights]
    return gaussian_integral(weights, beta, slope, (piece.low, piece.high), exponent_at, whole, numbers, arithmetic)


def fraction_integral(
    pieces: Iterable[Piece], density: Iterable[Piece], frequency: Any, numbers: Coefficients, arithmetic: Arithmetic
) -> Any:
    """∫ f(ν) H(ω − ν) dν, H(ω) = ∫_0^∞ e^{−iωt} Σ pieces(t) dt, for pieces without curvature on t > 0, f even.

    H(ω − ν) is a sum of e^{−i(ω−ν)p}/(ν − z)^k with z = ω − w − ia and p ≥ 0. With x = ν − z the antiderivative of x^q
    e^{−cx} is elementary or −E₁(cx). For a ≥ 0, x is in the upper half-plane, and cx never meets the cut; on a bounded
    piece a may be negative, and E₁ is continued across the cut.
    """
    total = arithmetic.real(numbers.number(0))
    pairs = list(density)
    for piece in pieces:
        moved = frequency - arithmetic.real(piece.wave)
        for end, sign in ((piece.low, 1), (piece.high, -1)):
            if end is None:
                continue
            poles = [sign * d for d in derivatives_at(piece.weights, end)]
            level = arithmetic.complex(piece.level - piece.rate * end, piece.phase)
            factor = arithmetic.exp(level - arithmetic.turned(moved * arithmetic.real(end)))
            for part in pairs:
                value = _fractions(poles, piece.rate, end, part, moved, numbers, arithmetic)
                total = total + factor * value
    return total


def _fractions(
    poles: list[Any], rate: Any, point: Any, part: Piece, moved: Any, numbers: Coefficients, arithmetic: Arithmetic
) -> Any:
    """∫ Σ_k D_k/(a + i(Ω − ν))^{k+1} · Σ f_m ν^m e^{γ − ρν + ipν} dν over the ends of one piece of the density."""
    pole = moved - arithmetic.turned(arithmetic.real(rate))
    flat = numbers.is_zero(part.rate, part.rate) and numbers.is_zero(point, point)
    decay = arithmetic.complex(part.rate, -point)
    powers = _expanded(poles, part.weights, pole, numbers, arithmetic)
    residue, regular, singular = _antiderivative(powers, decay, flat, numbers, arithmetic)
    from_below = numbers.less(part.rate, 0 * part.rate) is True
    crosses = residue is not None and not flat and _crosses(rate, point, numbers)

    def tail(level: Any, place: Any) -> Any:
        found = arithmetic.exponential_tail(level, place, from_below)
        if not crosses:
            return found
        full = arithmetic.turned(arithmetic.real((-2 if from_below else 2) * numbers.pi()))
        return found + full * arithmetic.crossed(level, place, from_below)

    total = arithmetic.real(numbers.number(0))
    for end, sign in ((part.high, 1), (part.low, -1)):
        if end is None:
            continue
        x = arithmetic.real(end) - pole
        level = arithmetic.complex(part.level - part.rate * end, point * end)
        value = arithmetic.exp(level) * (_horner(regular, x, arithmetic) + _inverse(singular, x, arithmetic))
        if residue is not None:
            if flat:
                value = value + arithmetic.exp(level) * residue * arithmetic.logarithm(x)
            else:
                value = value - residue * tail(level, decay * x)
        total = total + value if sign == 1 else total - value
    return total


def _crosses(rate: Any, point: Any, numbers: Coefficients) -> bool:
    """Whether cx may cross the cut of E₁: for a < 0 and p > 0. Raises NotClosed if that depends on symbols."""
    if numbers.is_zero(point, point):
        return False
    rises = numbers.less(rate, 0 * rate)
    if rises is None:
        raise NotClosed("the sign of a rate depends on symbols")
    return rises


def _expanded(
    poles: list[Any], weights: tuple[Any, ...], pole: Any, numbers: Coefficients, arithmetic: Arithmetic
) -> dict[int, Any]:
    """Σ_k D_k i^{k+1} x^{−k−1} · Σ_m f_m (z + x)^m by powers of x."""
    found: dict[int, Any] = {}
    shifted = []
    for j in range(len(weights)):
        coefficients = [comb(m, j) * weights[m] for m in range(j, len(weights))]
        shifted.append(arithmetic.polynomial(coefficients, pole))
    for k, d in enumerate(poles):
        if numbers.is_zero(d, d):
            continue
        turn = arithmetic.real(d)
        for _ in range(k + 1):
            turn = arithmetic.turned(turn)
        for j, value in enumerate(shifted):
            q = j - k - 1
            term = turn * value
            found[q] = found[q] + term if q in found else term
    return found


def _antiderivative(
    powers: dict[int, Any], decay: Any, flat: bool, numbers: Coefficients, arithmetic: Arithmetic
) -> tuple[Any, list[Any], list[Any]]:
    """(λ, R, S): e^{cx} times the antiderivative of Σ G_q x^q e^{−cx} is Σ R_j x^j + Σ S_j x^{−j−1} − λ e^{cx} E₁(cx).

    With c = 0 (`flat`) the last term is λ log x.
    """
    zero = arithmetic.real(numbers.number(0))
    rest = dict(powers)
    singular: dict[int, Any] = {}
    for q in range(min(rest, default=0), -1):
        value = rest.pop(q, None)
        if value is None:
            continue
        ratio = value / arithmetic.real(numbers.number(q + 1))
        singular[-q - 2] = singular.get(-q - 2, zero) + ratio
        if not flat:
            rest[q + 1] = rest.get(q + 1, zero) + ratio * decay
    residue = rest.pop(-1, None)
    top = max((q for q in rest if q >= 0), default=-1)
    regular = [zero] * (top + 2 if flat else top + 1)
    if flat:
        for q in range(top + 1):
            if q in rest:
                regular[q + 1] = rest[q] / arithmetic.real(numbers.number(q + 1))
    else:
        carried = zero
        for q in range(top, -1, -1):
            # ∫ x^q e^{−cx} = −x^q e^{−cx}/c + (q/c) ∫ x^{q−1} e^{−cx}
            now = (rest.get(q, zero) + carried) / decay
            regular[q] = -now
            carried = now * arithmetic.real(numbers.number(q))
    return residue, regular, [singular.get(j, zero) for j in range(max(singular, default=-1) + 1)]


def _horner(values: list[Any], x: Any, arithmetic: Arithmetic) -> Any:
    total = arithmetic.real(0)
    for value in reversed(values):
        total = total * x + value
    return total


def _inverse(values: list[Any], x: Any, arithmetic: Arithmetic) -> Any:
    total = arithmetic.real(0)
    for value in reversed(values):
        total = (total + value) / x
    return total
