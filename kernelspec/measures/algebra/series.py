"""Power series of densities at zero and far out, and moments of pieces in many digits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil, comb, log, pi
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import Piece, Piecewise, derivatives_at, transform_of_piece

__all__ = ["TailSeries", "ZeroSeries", "curved_series", "jump_series", "series_product", "tail_series", "zero_series"]

_NARROW = 20
_TERMS = 150


def moments(pieces: Iterable[Piece], place: Any, count: int, numbers: MultiprecisionNumbers) -> list[Any]:
    """∫ tⁿ e^{it·place} Σ pieces(t) dt for n < count.

    By the recurrence of integration by parts, or, if that cancels because the exponent hardly changes on the interval,
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
    # ∫₀¹ uⁿ Σ a_j u^j du = Σ a_j/(n + j + 1), in integers relative to the largest term
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
    return curved_series(context.exp(level), -slope, -b, derivatives_at(piece.weights, place), count)


def majorant_series(piece: Piece, place: Any, count: int, numbers: MultiprecisionNumbers) -> list[Any]:
    """`taylor_series` with every term replaced by its modulus: the scale of rounding errors."""
    b = abs(piece.curvature)
    slope = abs(piece.rate) + abs(piece.wave) + 2 * b * abs(place)
    size = numbers.context.exp(piece.level - piece.rate * place - b * place * place)
    return curved_series(size, slope, b, derivatives_at([abs(c) for c in piece.weights], abs(place)), count)


def curved_series(value: Any, slope: Any, curvature: Any, derivatives: Iterable[Any], count: int) -> list[Any]:
    """c e^{aτ + bτ²} q(τ), c = `value`, a = `slope`, b = `curvature`, by the `derivatives` of q at 0."""
    series = [value]
    for n in range(count - 1):
        before = series[n - 1] if n else 0
        series.append((slope * series[n] + 2 * curvature * before) / (n + 1))
    polynomial, factorial = [], 1
    for n, d in enumerate(derivatives):
        factorial *= max(n, 1)
        polynomial.append(d / factorial)
    return series_product(series, polynomial)


def jump_series(
    parts: Iterable[tuple[Iterable[Piece], Piecewise | None]], count: int, numbers: MultiprecisionNumbers
) -> dict[Any, tuple[list[Any], list[Any]]]:
    """For each end, the coefficients of τⁿ, n < `count`, that jump there, and the scale of their rounding errors.

    Of Σ pieces, times the transform of a density if there is one.
    """
    zero, found = numbers.context.mpc(0), dict[Any, tuple[list[Any], list[Any]]]()
    for pieces, density in parts:
        smooth: dict[Any, tuple[list[Any], list[Any]]] = {}
        for piece in pieces:
            for end, sign in ((piece.low, 1), (piece.high, -1)):
                if end is None:
                    continue
                row = [make(piece, end, count, numbers) for make in (taylor_series, majorant_series)]
                if density is not None:
                    if end not in smooth:
                        smooth[end] = taylor_of_density(density, end, count, numbers)
                    row = [series_product(own, other) for own, other in zip(row, smooth[end], strict=True)]
                jump, size = found.setdefault(end, ([zero] * count, [zero.real] * count))
                found[end] = (
                    [a + sign * b for a, b in zip(jump, row[0], strict=True)],
                    [a + b for a, b in zip(size, row[1], strict=True)],
                )
    return found


def series_product(left: list[Any], right: list[Any]) -> list[Any]:
    """The product of two power series, truncated to the length of the first."""
    return [sum((left[n - k] * right[k] for k in range(min(n + 1, len(right)))), 0 * left[0]) for n in range(len(left))]


_ZERO_ORDERS = 60


@dataclass(frozen=True)
class ZeroSeries:
    """μ(ω) = (2π)^{−1} Σ_k (−iω)^k/k! ∫ t^k k(t) dt, with the coefficients in units of `scale`^k."""

    coefficients: NDArray[np.complex128]
    scale: float

    def raised(self, times: int) -> ZeroSeries:
        """The series of (−d/2πω dω)^times μ for an even μ."""
        found = self.coefficients
        for _ in range(times):
            found = (found * np.arange(len(found)))[2:] * (-(self.scale**2) / (2 * np.pi))
        return ZeroSeries(found, self.scale)

    def at(self, frequencies: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """(values, errors) at frequencies (n,), which may be complex."""
        n, last = len(self.coefficients), np.zeros(len(frequencies))
        value, error, largest = np.zeros(len(frequencies), dtype=complex), last.copy(), last.copy()
        with np.errstate(all="ignore"):
            place, power = frequencies * self.scale, np.ones_like(frequencies)
            for k, coefficient in enumerate(self.coefficients):
                value += coefficient * power
                size = abs(coefficient) * np.abs(power)
                error += (k + 4) * 1.2e-16 * size  # including that of the power
                largest = np.maximum(largest, size)
                last += size if k >= n - 4 else 0.0
                power *= place
            error += 100 * last
        # if terms still grow at the end, the remainder is unknown
        shrinks = last <= 1e-3 * largest
        return value, np.where(np.isfinite(error) & shrinks, error, np.inf)


def zero_series(members: tuple[Member, ...], numbers: MultiprecisionNumbers) -> ZeroSeries | None:
    """The series of a sum of functions of the lag; None if one is multiplied by a density in closed form only."""
    if any(member.frequency is not None or member.lag is None for member in members):
        return None
    context = numbers.context
    pieces = [piece for member in members if member.lag is not None for piece in member.lag.pieces]
    found, turn = [], context.mpc(1) / (2 * context.pi)
    for n, value in enumerate(moments(pieces, numbers.number(0), _ZERO_ORDERS, numbers)):
        turn = turn * context.mpc(0, -1) / n if n else turn
        found.append(value * turn)
    size, first = context.mag, found[0]
    ratios = [(size(value) - size(first)) / n for n, value in enumerate(found) if n and value != 0 and first != 0]
    scale = context.ldexp(1, ceil(max(ratios, default=0)))
    return ZeroSeries(np.array([complex(v / scale**n) for n, v in enumerate(found)]), float(scale))


_ORDERS = 64
_AHEAD = 8
_BLOCK = 2048
_SMALL = 1e-25  # a jump this much smaller than the derivatives on both sides counts as zero


@dataclass(frozen=True)
class TailSeries:
    """μ(ω) ~ (2π)^{−1} Σ_p e^{−iωp} Σ_k J_k(p)/(iω)^{k+1}, J_k(p) the jump of k^{(k)} at p.

    `points` are the p, `jumps` the J_k in powers of `scale`: J_k = jumps[p, k]·scale^{k+1}. Exponentially decaying
    parts are left out: `bells`, (log of the size, center, 1/4b), and `slopes`, (log of the size, rate). Values below ω
    = `start` are unknown.
    """

    points: NDArray[np.float64]
    jumps: NDArray[np.complex128]
    scale: float
    bells: tuple[tuple[float, float, float], ...]
    slopes: tuple[tuple[float, float], ...]
    start: float = 0.0

    def raised(self, times: int) -> TailSeries:
        """The series of (−d/2πω dω)^times μ for an even μ with the single breakpoint 0.

        On e^{−sω²} times a polynomial of degree below 20, each step is a factor of at most 20s/π from sω² = 1 on.
        """
        jumps, slow = self.jumps, min((spread for _, _, spread in self.bells), default=np.inf)
        for _ in range(times):
            factors = -(np.arange(jumps.shape[1]) + 1) / (2 * np.pi * self.scale**2)
            jumps = np.hstack([np.zeros((len(jumps), 2)), jumps * factors])
        bells = tuple((level + times * log(20 * spread / pi), c, spread) for level, c, spread in self.bells)
        return TailSeries(
            self.points, jumps, self.scale, bells, self.slopes, max(self.start, slow**-0.5 if times else 0)
        )

    @property
    def leading(self) -> int:
        """The order of the lowest derivative seen to jump; the number of orders if none does."""
        orders = np.flatnonzero(np.any(self.jumps != 0, axis=0))
        return int(orders[0]) if len(orders) else self.jumps.shape[1]

    def at(self, frequencies: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """(values, errors, envelope) at frequencies (n,), truncated at the smallest terms."""
        blocks = [self._at(frequencies[i : i + _BLOCK]) for i in range(0, max(len(frequencies), 1), _BLOCK)]
        values, errors, envelopes = map(np.concatenate, zip(*blocks, strict=True))
        return values, errors, envelopes

    def _at(self, frequencies: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        total = np.zeros(len(frequencies), dtype=complex)
        error, envelope = np.zeros(len(frequencies)), np.zeros(len(frequencies))
        with np.errstate(all="ignore"):
            ratio = self.scale / (1j * frequencies)
            orders = np.arange(self.jumps.shape[1])
            powers = np.multiply.accumulate(np.repeat(ratio[:, None], len(orders), axis=1), axis=1)
            for point, jumps in zip(self.points, self.jumps, strict=True):
                terms = powers * jumps
                sizes = np.abs(terms)
                # single terms may vanish: the truncation error is estimated from several that follow
                following = sum(sizes[:, i : sizes.shape[1] - _AHEAD + 1 + i] for i in range(_AHEAD))
                seen = np.flatnonzero(jumps)
                if len(seen):  # derivatives below the first jump say nothing about the remainder
                    following[:, : int(seen[0]) + 1] = np.inf
                last = np.argmin(following, axis=1)
                kept = np.arange(terms.shape[1]) < last[:, None]
                value = np.where(kept, terms, 0).sum(axis=1)
                total += np.exp(-1j * frequencies * point) * value
                error += 10 * following[np.arange(len(last)), last] + np.where(kept, sizes, 0) @ (4e-16 * (orders + 1))
                envelope += np.abs(value)
            size = np.abs(frequencies)
            for level, centre, spread in self.bells:
                error += np.exp(np.minimum(level - spread * (size - centre) ** 2, 300) * np.where(size > centre, 1, 0))
            for level, rate in self.slopes:
                error += np.exp(np.minimum(level - rate * size, 300))
        bad = ~np.isfinite(error) | (size < self.start)
        return total / (2 * np.pi), np.where(bad, np.inf, error / (2 * np.pi)), envelope / (2 * np.pi)


def tail_series(members: tuple[Member, ...], numbers: MultiprecisionNumbers, count: int = _ORDERS) -> TailSeries | None:
    """The series of a sum of members without their Gaussians on the whole line; None if no derivative jumps.

    Uses `count` derivatives, starting with k itself.
    """
    parts = []
    bells: list[tuple[float, float, float]] = []
    slopes: list[tuple[float, float]] = []
    for member in members:
        if member.frequency is not None:
            slopes += _slopes(member, numbers)
        if member.lag is None:
            continue
        cut = [piece for piece in member.lag.pieces if member.frequency is not None or not piece.is_whole_line]
        parts.append((cut, member.frequency))
        bells += [_bell(piece, numbers) for piece in cut if not numbers.is_zero(piece.curvature, piece.curvature)]
    jumps = jump_series(parts, count, numbers)
    if not jumps:
        return None
    factorials = [numbers.context.factorial(k) for k in range(count)]
    kept = {
        end: [0 if abs(t) <= _SMALL * s else t * f for t, s, f in zip(*rows, factorials, strict=True)]
        for end, rows in jumps.items()
    }
    scale = _scale(list(kept.values()), numbers)
    rows = [[complex(value / scale ** (k + 1)) for k, value in enumerate(row)] for row in kept.values()]
    points = np.array([float(end) for end in kept])
    return TailSeries(points, np.array(rows), float(scale), tuple(bells), tuple(slopes))


def _scale(rows: list[list[Any]], numbers: MultiprecisionNumbers) -> Any:
    """A frequency unit in which the jumps are neither huge nor tiny: the largest ratio of
    neighbors, to a power of 2.
    """
    size = numbers.context.mag
    found = [
        (size(later) - size(first)) / (j - i)
        for row in rows
        for i, first in enumerate(row)
        if first != 0
        for j, later in enumerate(row[i + 1 : i + 6], i + 1)
        if later != 0
    ]
    return numbers.context.ldexp(1, ceil(max(found, default=0)))


def taylor_of_density(
    density: Piecewise, place: Any, count: int, numbers: MultiprecisionNumbers
) -> tuple[list[Any], list[Any]]:
    """The coefficients of τⁿ, n < count, in ∫ f(ν) e^{iν(place + τ)} dν, and a majorant of them."""
    context = numbers.context
    parts = [moments([piece], place, count, numbers) for piece in density.pieces]
    turn, found, majorant = context.mpc(1), [], []
    for n, values in enumerate(zip(*parts, strict=True)):
        turn = turn * context.mpc(0, 1) / n if n else turn
        found.append(turn * sum(values))
        majorant.append(abs(turn) * sum(map(abs, values)))
    return found, majorant


def _bell(piece: Piece, numbers: MultiprecisionNumbers) -> tuple[float, float, float]:
    """The size of e^{s²/4b} times the polynomial: the part of a Gaussian beyond all orders of the series."""
    b = piece.curvature
    spread = numbers.context.sqrt(numbers.context.pi / b)
    reach = (abs(piece.rate) + 1) / b
    size = (
        2 * spread * sum(abs(w) * (reach + 2 * n / numbers.context.sqrt(b)) ** n for n, w in enumerate(piece.weights))
    )
    level = piece.level + piece.rate**2 / (4 * b) + numbers.context.log(size or 1)
    return float(level), float(abs(piece.wave)), float(1 / (4 * b)) * 0.99


def _slopes(member: Member, numbers: MultiprecisionNumbers) -> list[tuple[float, float]]:
    """The exponentially decaying parts of a density; empty for a density on an interval."""
    found = []
    waves = [abs(p.wave) for p in member.lag.pieces] if member.lag is not None else [0]
    for piece in member.frequency.pieces if member.frequency is not None else ():
        if piece.low is not None and piece.high is not None:
            continue
        rate = abs(piece.rate)
        size = sum(abs(w) * numbers.context.factorial(n) * (4 / rate) ** n for n, w in enumerate(piece.weights))
        level = numbers.context.log(size) + piece.level + rate * max(waves) + 7
        found.append((float(level), float(rate) * 0.9))
    return found
