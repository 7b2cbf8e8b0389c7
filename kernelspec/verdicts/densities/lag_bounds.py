"""Bounds on a closed spectral density on a line from the derivatives of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import Any

from kernelspec.measures.algebra.lag_transform import transform_of_piece
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.moments import majorant_series, series_product, taylor_series
from kernelspec.measures.algebra.multiprecision_numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.piece import Piece
from kernelspec.measures.algebra.tail_series import taylor_of_density

__all__ = ["LagBounds"]

_SMALL = 1e-30
"""A jump this much smaller than the derivatives beside it may be 0."""


@dataclass(frozen=True)
class LagBounds:
    """∫_0^∞ t^s k(t) e^{−iωt} dt by parts, s = `power`; for an even k its real part is π times that derivative of μ.

    It is Σ_p e^{−iωp} Σ_{j<m} J_j(p)/(iω)^{j+1} + R, |R| ≤ ω^{−m} ∫ |(t^s k)^{(m)}| dt, J_j(p) the jump of the j-th
    derivative at p, at 0 its value. Every member is a function of the lag, times the transform of a density or not.
    """

    members: tuple[Member, ...]
    numbers: MultiprecisionNumbers
    power: int = 0

    @cached_property
    def _halves(self) -> list[tuple[list[Piece], Member]]:
        zero = self.numbers.number(0)
        found = []
        for member in self.members:
            assert member.lag is not None
            pieces = member.lag.restricted(zero, None).pieces
            found.append(([replace(p, weights=(zero,) * self.power + p.weights) for p in pieces], member))
        return found

    def jumps(self, count: int) -> dict[Any, list[tuple[Any, bool]]]:
        """The J_j(p), j < `count`, by p, and whether each is seen not to be 0; the others may be what was rounded."""
        context = self.numbers.context
        total: dict[Any, list[Any]] = {}
        sizes: dict[Any, list[Any]] = {}
        for pieces, member in self._halves:
            for piece in pieces:
                for end, sign in ((piece.low, 1), (piece.high, -1)):
                    if end is None:
                        continue
                    taylor = taylor_series(piece, end, count, self.numbers)
                    majorant = majorant_series(piece, end, count, self.numbers)
                    if member.frequency is not None:
                        smooth, above = taylor_of_density(member.frequency, end, count, self.numbers)
                        taylor = series_product(taylor, smooth)
                        majorant = series_product(majorant, above)
                    old = total.setdefault(end, [context.mpc(0)] * count)
                    size = sizes.setdefault(end, [context.mpf(0)] * count)
                    total[end] = [a + sign * b for a, b in zip(old, taylor, strict=True)]
                    sizes[end] = [a + b for a, b in zip(size, majorant, strict=True)]
        return {
            end: [
                (t.real * context.factorial(j), bool(abs(t) > _SMALL * s))
                for j, (t, s) in enumerate(zip(row, sizes[end], strict=True))
            ]
            for end, row in total.items()
        }

    def rest(self, order: int) -> Any:
        """A bound on ∫_0^∞ |(t^s k)^{(m)}| dt, m = `order`."""
        return sum(
            comb(order, j) * self._size(pieces, order - j) * _moment(member, j, self.numbers)
            for pieces, member in self._halves
            for j in range(order + 1 if member.frequency is not None else 1)
        )

    def _size(self, pieces: Sequence[Piece], order: int) -> Any:
        total = self.numbers.number(0)
        for piece in pieces:
            weights: list[Any] = list(piece.weights)
            for _ in range(order):
                weights = _derivative(weights, piece, self.numbers)
            total += _integral(piece, weights, self.numbers)
        return total


def _derivative(weights: list[Any], piece: Piece, numbers: MultiprecisionNumbers) -> list[Any]:
    """q′ + (−a + iw − 2bt) q."""
    slope = numbers.context.mpc(-piece.rate, piece.wave)
    found = [slope * c for c in weights] + [numbers.number(0)]
    for n, c in enumerate(weights):
        found[n + 1] = found[n + 1] - 2 * piece.curvature * c
        if n:
            found[n - 1] = found[n - 1] + n * c
    return found


def _integral(piece: Piece, weights: Sequence[Any], numbers: MultiprecisionNumbers) -> Any:
    """∫ Σ |c_n| tⁿ e^{g − at − bt²} dt over a piece with t ≥ 0."""
    sizes = tuple(abs(c) for c in weights)
    zero = numbers.number(0)
    bare = Piece(piece.low, piece.high, sizes, piece.level, piece.rate, piece.curvature, zero, zero)
    return transform_of_piece(bare, numbers.frequency(0), numbers, numbers).real


def _moment(member: Member, order: int, numbers: MultiprecisionNumbers) -> Any:
    """A bound on ∫ |ν|^j p(ν) dν, which bounds the j-th derivative of the transform of an even density p."""
    if member.frequency is None:
        return numbers.number(1)
    pieces = member.frequency.restricted(numbers.number(0), None).pieces
    zero = numbers.number(0)
    return 2 * sum((_integral(p, (zero,) * order + p.weights, numbers) for p in pieces), zero)
