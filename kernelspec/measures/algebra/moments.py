"""Moments of pieces in many digits: ∫ tⁿ e^{it·place} f(t) dt for n = 0, 1, 2, …"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import comb
from operator import mul
from typing import Any

from kernelspec.measures.algebra.lag_transform import transform_of_piece
from kernelspec.measures.algebra.multiprecision_numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.piece import Piece, derivatives_at

__all__ = ["majorant_series", "moments", "series_product", "taylor_series"]

_NARROW = 20
_TERMS = 150


def moments(pieces: Iterable[Piece], place: Any, count: int, numbers: MultiprecisionNumbers) -> list[Any]:
    """∫ tⁿ e^{it·place} Σ pieces(t) dt for n < count.

    By the recurrence of integration by parts; over intervals on which the exponent hardly changes, where that cancels,
    by its power series.
    """
    context = numbers.context
    total = [context.mpc(0)] * count
    for piece in pieces:
        moved = replace(piece, wave=piece.wave + place)
        total = [a + b for a, b in zip(total, _of_piece(moved, count, numbers), strict=True)]
    return total


def _of_piece(piece: Piece, count: int, numbers: MultiprecisionNumbers) -> list[Any]:
    context = numbers.context
    if piece.low is not None and piece.high is not None:
        width = piece.high - piece.low
        slope = abs(context.mpc(piece.rate + 2 * piece.curvature * piece.low, -piece.wave))
        if slope * width + piece.curvature * width**2 < _NARROW:
            return _by_series(piece, width, count, numbers)
    if piece.low is None and piece.high is not None:
        mirrored = _of_piece(piece.mirrored(), count, numbers)
        return [-value if n % 2 else value for n, value in enumerate(mirrored)]
    bare = _bare(piece, count + len(piece.weights), numbers)
    return [sum(c * bare[n + k] for k, c in enumerate(piece.weights)) for n in range(count)]


def _bare(piece: Piece, count: int, numbers: MultiprecisionNumbers) -> list[Any]:
    """The moments without the polynomial."""
    context = numbers.context
    slope, b = context.mpc(piece.rate, -piece.wave), piece.curvature
    edges = []
    for end, sign in ((piece.low, 1), (piece.high, -1)):
        if end is not None:
            exponent = context.mpc(piece.level - piece.rate * end - b * end * end, piece.phase + piece.wave * end)
            edges.append((end, sign * context.exp(exponent)))
    if b == 0:
        found: list[Any] = []
        for n in range(count):
            jump = sum(size * end**n for end, size in edges)
            found.append((jump + (n * found[n - 1] if n else 0)) / slope)
        return found
    first = Piece(piece.low, piece.high, (numbers.number(1),), *piece.shape[2:])
    found = [transform_of_piece(first, context.mpc(0), numbers, numbers)]
    for n in range(count - 1):
        jump = sum(size * end**n for end, size in edges)
        found.append((jump - slope * found[n] + (n * found[n - 1] if n else 0)) / (2 * b))
    return found


def _by_series(piece: Piece, width: Any, count: int, numbers: MultiprecisionNumbers) -> list[Any]:
    context = numbers.context
    scaled = list(map(mul, taylor_series(piece, piece.low, _TERMS, numbers), _powers(width, _TERMS, numbers)))
    unit = (max(map(abs, scaled)) or context.mpf(1)) * context.ldexp(1, -context.prec)
    # ∫₀¹ uⁿ Σ a_j u^j du = Σ a_j/(n + j + 1), as fractions of the largest term in whole numbers
    real, imaginary = ([int(part(a) / unit) for a in scaled] for part in (context.re, context.im))
    power, local = unit, []
    for n in range(count):
        power = power * width
        parts = (sum(a // (n + j) for j, a in enumerate(own, 1)) for own in (real, imaginary))
        local.append(context.mpc(*parts) * power)
    if piece.low == 0:
        return local
    powers = _powers(piece.low, count, numbers)
    return [sum(comb(n, k) * powers[n - k] * local[k] for k in range(n + 1)) for n in range(count)]


def _powers(base: Any, count: int, numbers: MultiprecisionNumbers) -> list[Any]:
    """1, b, b², …, up to the power `count`."""
    found = [numbers.number(1)]
    for _ in range(count):
        found.append(found[-1] * base)
    return found


def taylor_series(piece: Piece, place: Any, count: int, numbers: MultiprecisionNumbers) -> list[Any]:
    """The coefficients of τⁿ, n < count, in the piece at place + τ."""
    context, b = numbers.context, piece.curvature
    slope = context.mpc(piece.rate + 2 * b * place, -piece.wave)
    level = context.mpc(piece.level - piece.rate * place - b * place * place, piece.phase + piece.wave * place)
    series = [context.exp(level)]
    for n in range(count - 1):
        before = series[n - 1] if n else 0
        series.append((-slope * series[n] - 2 * b * before) / (n + 1))
    polynomial, factorial = [], 1
    for n, d in enumerate(derivatives_at(piece.weights, place)):
        factorial *= max(n, 1)
        polynomial.append(d / factorial)
    return series_product(series, polynomial)


def majorant_series(piece: Piece, place: Any, count: int, numbers: MultiprecisionNumbers) -> list[Any]:
    """The same coefficients with every term counted by its modulus: what their rounding is measured by."""
    context, b = numbers.context, abs(piece.curvature)
    slope = abs(piece.rate) + abs(piece.wave) + 2 * b * abs(place)
    level = piece.level - piece.rate * place - b * place * place
    series = [context.exp(level)]
    for n in range(count - 1):
        before = series[n - 1] if n else 0
        series.append((slope * series[n] + 2 * b * before) / (n + 1))
    polynomial, factorial = [], 1
    for n, d in enumerate(derivatives_at([abs(c) for c in piece.weights], abs(place))):
        factorial *= max(n, 1)
        polynomial.append(d / factorial)
    return series_product(series, polynomial)


def series_product(left: list[Any], right: list[Any]) -> list[Any]:
    """The product of two power series, to the length of the first."""
    return [sum((left[n - k] * right[k] for k in range(min(n + 1, len(right)))), 0 * left[0]) for n in range(len(left))]
