"""The algebra in numbers with a normal form: equal numbers are seen to be equal, and signs are never rounded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any

from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, derivatives_at
from kernelspec.measures.algebra.series import series_product
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided, exponential

__all__ = ["ClosedCoefficients", "vanishing_jumps"]


@dataclass(frozen=True)
class ClosedCoefficients:
    """Coefficients alone. Their operations raise NotDecided where a normal form or a sign is not known."""

    def number(self, value: Any) -> ClosedNumber:
        return ClosedNumber.of(value)

    def root(self, value: ClosedNumber) -> ClosedNumber:
        return value.root(Fraction(1, 2))

    def pi(self) -> ClosedNumber:
        import sympy

        return ClosedNumber.of(sympy.pi)

    def exponential(self, value: ClosedNumber) -> ClosedNumber:
        return exponential(value)

    def is_zero(self, value: ClosedNumber, size: ClosedNumber) -> bool:
        return ClosedNumber.of(value).sign() == 0

    def less(self, left: ClosedNumber, right: ClosedNumber) -> bool | None:
        try:
            return (ClosedNumber.of(right) - left).sign() > 0
        except NotDecided:
            return None

    def smaller(self, left: ClosedNumber, right: ClosedNumber) -> ClosedNumber:
        return left if self._is_less(left, right) else right

    def larger(self, left: ClosedNumber, right: ClosedNumber) -> ClosedNumber:
        return right if self._is_less(left, right) else left

    def simplified(self, value: ClosedNumber) -> ClosedNumber:
        return value

    def _is_less(self, left: ClosedNumber, right: ClosedNumber) -> bool:
        found = self.less(left, right)
        if found is None:
            raise NotClosed("the order of two numbers is not known")
        return found


_Row = list[tuple[ClosedNumber, ClosedNumber]]
"""Real and imaginary parts of the coefficients of a power series."""


def vanishing_jumps(members: Iterable[Member], count: int) -> dict[ClosedNumber, list[bool]]:
    """For each breakpoint of Σ members, which of its first `count` derivatives are proved not to jump there.

    Members have closed coefficients. A breakpoint that is not listed has no jumps. At 0 the transform of an even
    density has its moments as derivatives; elsewhere it is only known to be smooth, so that its product with a lag does
    not jump in an order up to which the lag does not. Raises NotDecided.
    """
    rows: dict[tuple[ClosedNumber, int], _Row] = {}
    for number, member in enumerate(members, 1):
        jumps: dict[ClosedNumber, _Row] = {}
        for piece in () if member.lag is None else member.lag.pieces:
            for end, sign in ((piece.low, 1), (piece.high, -1)):
                if end is not None:
                    series = [(sign * re, sign * im) for re, im in _taylor(piece, end, count)]
                    jumps[end] = _added(jumps[end], series) if end in jumps else series
        for end, row in jumps.items():
            smooth = None if member.frequency is None else _smooth_series(member.frequency, end, count)
            if smooth is not None:
                parts = (series_product([term[i] for term in row], smooth) for i in (0, 1))
                row = list(zip(*parts, strict=True))  # noqa: PLW2901
            key = (end, 0 if member.frequency is None or smooth is not None else number)
            rows[key] = _added(rows[key], row) if key in rows else row
    found: dict[ClosedNumber, list[bool]] = {}
    for (end, number), row in rows.items():
        zero = [re == 0 and im == 0 for re, im in row]
        if number:
            zero = [all(zero[: j + 1]) for j in range(count)]
        found[end] = [a and b for a, b in zip(found.get(end, [True] * count), zero, strict=True)]
    return found


def _added(left: _Row, right: _Row) -> _Row:
    return [(a + x, b + y) for (a, b), (x, y) in zip(left, right, strict=True)]


def _smooth_series(density: Piecewise, place: ClosedNumber, count: int) -> list[ClosedNumber] | None:
    """The coefficients of τⁿ, n < `count`, in ∫ f(ν) e^{iντ} dν for an even f of exponentials, at 0; None elsewhere."""
    if place != 0 or not density.is_even or density.pieces != density.with_ends.pieces:
        return None
    found = [ClosedNumber.of(0)] * count
    for piece in density.after_zero.pieces:
        if piece.low != 0 or piece.high is not None or piece.curvature != 0 or piece.wave != 0 or piece.phase != 0:
            return None
        for k in range(0, count, 2):
            moment = ClosedNumber.of(0)
            for n, weight in enumerate(piece.weights):
                moment = moment + weight * factorial(n + k) / piece.rate ** (n + k + 1)
            found[k] = found[k] + moment * exponential(piece.level) * Fraction(2 * (-1) ** (k // 2), factorial(k))
    return found


def _taylor(piece: Piece, place: ClosedNumber, count: int) -> _Row:
    """Real and imaginary parts of the coefficients of τⁿ, n < `count`, in the piece at place + τ."""
    import sympy

    b = piece.curvature
    slope = (piece.rate + 2 * b * place, -piece.wave)
    size = exponential(piece.level - piece.rate * place - b * place * place)
    angle = (piece.phase + piece.wave * place).expression()
    series = [(size * ClosedNumber.of(sympy.cos(angle)), size * ClosedNumber.of(sympy.sin(angle)))]
    for n in range(count - 1):
        re, im = series[n]
        before = series[n - 1] if n else (ClosedNumber.of(0), ClosedNumber.of(0))
        series.append(
            (
                (-slope[0] * re + slope[1] * im - 2 * b * before[0]) * Fraction(1, n + 1),
                (-slope[0] * im - slope[1] * re - 2 * b * before[1]) * Fraction(1, n + 1),
            )
        )
    weights = [d * Fraction(1, factorial(n)) for n, d in enumerate(derivatives_at(piece.weights, place))]
    parts = (series_product([term[i] for term in series], weights) for i in (0, 1))
    return list(zip(*parts, strict=True))
