"""The density far out: a series in 1/ω from the derivatives of k that jump at its breakpoints."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.moments import majorant_series, moments, series_product, taylor_series
from kernelspec.measures.algebra.multiprecision_numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.piece import Piece
from kernelspec.measures.algebra.piecewise import Piecewise

__all__ = ["TailSeries", "tail_series", "taylor_of_density"]

_ORDERS = 64
_AHEAD = 8
_BLOCK = 2048
_SMALL = 1e-25
"""A jump this much smaller than the derivatives on both sides is none."""


@dataclass(frozen=True)
class TailSeries:
    """μ(ω) ~ (2π)^{−1} Σ_p e^{−iωp} Σ_k J_k(p)/(iω)^{k+1}, J_k(p) the jump of k^{(k)} at p.

    `points` are the p, `jumps` the J_k in powers of `scale`: J_k = jumps[p, k]·scale^{k+1}. Left out, because it
    decays exponentially, are `bells`, (log of the size, centre, 1/4b), and `slopes`, (log of the size, rate).
    """

    points: NDArray[np.float64]
    jumps: NDArray[np.complex128]
    scale: float
    bells: tuple[tuple[float, float, float], ...]
    slopes: tuple[tuple[float, float], ...]

    @property
    def leading(self) -> int:
        """The order of the lowest derivative that is seen to jump; the number of orders if none is."""
        orders = np.flatnonzero(np.any(self.jumps != 0, axis=0))
        return int(orders[0]) if len(orders) else self.jumps.shape[1]

    def at(self, frequencies: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """(values, errors, envelope) at frequencies (n,): cut where the terms are smallest."""
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
                # single terms may vanish: what is left out is judged by several that follow
                following = sum(sizes[:, i : sizes.shape[1] - _AHEAD + 1 + i] for i in range(_AHEAD))
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
        bad = ~np.isfinite(error)
        return total / (2 * np.pi), np.where(bad, np.inf, error / (2 * np.pi)), envelope / (2 * np.pi)


def tail_series(members: tuple[Member, ...], numbers: MultiprecisionNumbers, count: int = _ORDERS) -> TailSeries | None:
    """The series of a sum of members without their Gaussians on the whole line; None where no derivative jumps.

    `count` derivatives of it, from k itself on.
    """
    jumps: dict[Any, list[Any]] = {}
    sizes: dict[Any, list[Any]] = {}
    bells: list[tuple[float, float, float]] = []
    slopes: list[tuple[float, float]] = []
    for member in members:
        if member.lag is None:
            slopes += _slopes(member, numbers)
            continue
        smooth: dict[Any, tuple[list[Any], list[Any]]] = {}
        for piece in member.lag.pieces:
            if piece.is_whole_line and member.frequency is None:
                continue
            for end, sign in ((piece.low, 1), (piece.high, -1)):
                if end is None:
                    continue
                taylor = taylor_series(piece, end, count, numbers)
                majorant = majorant_series(piece, end, count, numbers)
                if member.frequency is not None:
                    if end not in smooth:
                        smooth[end] = taylor_of_density(member.frequency, end, count, numbers)
                    taylor = series_product(taylor, smooth[end][0])
                    majorant = series_product(majorant, smooth[end][1])
                old = jumps.setdefault(end, [numbers.context.mpc(0)] * count)
                size = sizes.setdefault(end, [numbers.context.mpf(0)] * count)
                jumps[end] = [a + sign * b for a, b in zip(old, taylor, strict=True)]
                sizes[end] = [a + b for a, b in zip(size, majorant, strict=True)]
            if not numbers.is_zero(piece.curvature, piece.curvature):
                bells.append(_bell(piece, numbers))
        if member.frequency is not None:
            slopes += _slopes(member, numbers)
    if not jumps:
        return None
    factorials = [numbers.context.factorial(k) for k in range(count)]
    kept = {
        end: [0 if abs(t) <= _SMALL * s else t * f for t, s, f in zip(row, sizes[end], factorials, strict=True)]
        for end, row in jumps.items()
    }
    scale = _scale(list(kept.values()), numbers)
    rows = [[complex(value / scale ** (k + 1)) for k, value in enumerate(row)] for row in kept.values()]
    points = np.array([float(end) for end in kept])
    return TailSeries(points, np.array(rows), float(scale), tuple(bells), tuple(slopes))


def _scale(rows: list[list[Any]], numbers: MultiprecisionNumbers) -> Any:
    """A frequency in units of which the jumps are neither huge nor tiny: the largest ratio of neighbours, as a power
    of two."""
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
    """The size of e^{s²/4b} times the polynomial: what a Gaussian leaves beyond all orders of the series."""
    b = piece.curvature
    spread = numbers.context.sqrt(numbers.context.pi / b)
    reach = (abs(piece.rate) + 1) / b
    size = (
        2 * spread * sum(abs(w) * (reach + 2 * n / numbers.context.sqrt(b)) ** n for n, w in enumerate(piece.weights))
    )
    level = piece.level + piece.rate**2 / (4 * b) + numbers.context.log(size or 1)
    return float(level), float(abs(piece.wave)), float(1 / (4 * b)) * 0.99


def _slopes(member: Member, numbers: MultiprecisionNumbers) -> list[tuple[float, float]]:
    """What a density that decays exponentially leaves; nothing for one on an interval."""
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
