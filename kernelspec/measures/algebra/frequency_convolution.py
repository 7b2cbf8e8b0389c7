"""Convolutions of piecewise exponential polynomials on the frequency axis: they are such functions again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import pairwise
from math import comb, factorial
from typing import Any

from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.piece import NotClosed, Piece, translated_polynomial
from kernelspec.measures.algebra.piecewise import Piecewise

__all__ = ["convolved", "on_disjoint_intervals"]

_MOST_WORK = 4_000
"""Coefficients that may be moved from one origin to another, or added on all intervals: the tenth power of sinc."""


@dataclass(frozen=True)
class _Ray:
    """Σ c_n y^n e^{−ay} for y > 0, y = ν − start, or y = start − ν where it `falls` away to the left."""

    start: Any
    weights: tuple[Any, ...]
    rate: Any
    falls: bool


def convolved(left: Piecewise, right: Piecewise) -> Piecewise:
    """The convolution of two sums of pieces without curvature and waves.

    Raises NotClosed for others, and where it is too much work.
    """
    numbers = left.numbers
    rays = [[ray for piece in whole.pieces for ray in _rays(piece, numbers)] for whole in (left, right)]
    pairs = [(a, b) for a in rays[0] for b in rays[1]]
    if sum((len(a.weights) + len(b.weights)) ** 2 for a, b in pairs) > _MOST_WORK:
        raise NotClosed("too many pieces")
    return on_disjoint_intervals([piece for a, b in pairs for piece in _pair(a, b, numbers)], numbers)


def on_disjoint_intervals(pieces: Sequence[Piece], numbers: Coefficients) -> Piecewise:
    """The same sum on intervals that do not overlap: what cancels beyond the support of the sum is left out.

    Raises NotClosed where the order of the ends depends on symbols, and where it is too much work.
    """
    ends: list[Any] = []
    size = sum(len(piece.weights) for piece in pieces)
    for piece in pieces:
        for end in (piece.low, piece.high):
            if end is not None and not any(numbers.is_zero(end - other, abs(end) + abs(other)) for other in ends):
                ends.append(end)
                if len(ends) * size > _MOST_WORK:
                    raise NotClosed("too many pieces")
    ends.sort(key=cmp_to_key(lambda a, b: -1 if _before(a, b, numbers) else 1))
    found = []
    for low, high in pairwise([None, *ends, None]):
        groups: dict[Any, list[Piece]] = {}
        for piece in pieces:
            if _covers(piece, low, high, numbers):
                same = next(
                    (rate for rate in groups if numbers.is_zero(rate - piece.rate, abs(rate) + abs(piece.rate))),
                    piece.rate,
                )
                size = numbers.exponential(piece.level)
                flat = Piece(
                    low, high, tuple(size * w for w in piece.weights), 0 * same, same, 0 * same, 0 * same, 0 * same
                )
                groups.setdefault(same, []).append(flat)
        found += [piece for group in groups.values() for piece in Piecewise.of(group, numbers).pieces]
    return Piecewise.of(found, numbers)


def _before(a: Any, b: Any, numbers: Coefficients) -> bool:
    order = numbers.less(a, b)
    if order is None:
        raise NotClosed("the order of two breakpoints depends on symbols")
    return order


def _covers(piece: Piece, low: Any, high: Any, numbers: Coefficients) -> bool:
    """Whether an interval between neighbouring breakpoints lies in the piece."""
    starts = piece.low is None or (low is not None and not _strictly(low, piece.low, numbers))
    ends = piece.high is None or (high is not None and not _strictly(piece.high, high, numbers))
    return starts and ends


def _strictly(a: Any, b: Any, numbers: Coefficients) -> bool:
    return not numbers.is_zero(a - b, abs(a) + abs(b)) and _before(a, b, numbers)


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
    """The piece from the left: f(2·about − ν)."""
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
    """On the side where `own` goes: e^{−ay} ∫_0^∞ (μ + y)^m μ^n e^{−(a+c)μ} dμ."""
    total = own.rate + other.rate
    if numbers.less(0 * total, total) is False:
        raise NotClosed("a convolution that diverges")
    weights = [0 * total] * len(own.weights)
    for m, x in enumerate(own.weights):
        for n, y in enumerate(other.weights):
            for j in range(m + 1):
                weights[m - j] += x * y * comb(m, j) * factorial(n + j) / total ** (n + j + 1)
    return tuple(map(numbers.simplified, weights))
