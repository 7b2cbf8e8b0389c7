"""The sign of a closed spectral density on a line, at all frequencies at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from math import comb
from typing import Any, Literal

from kernelspec.measures.algebra.exact_numbers import ClosedCoefficients
from kernelspec.measures.algebra.kernel_series import vanishing_jumps
from kernelspec.measures.algebra.line import density_of_member, is_even, line_members, require_closed
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed, Piece, transform_of_piece
from kernelspec.measures.algebra.series import jump_series
from kernelspec.measures.measure import Measure
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided

__all__ = ["LagBounds", "LineSign", "sign_on_line"]

_SMALL = 1e-30  # a jump this much smaller than the adjacent derivatives may be 0


@dataclass(frozen=True)
class LagBounds:
    """∫_0^∞ t^s k(t) e^{−iωt} dt by parts, s = `power`; for an even k its real part is π times that derivative of μ.

    It is Σ_p e^{−iωp} Σ_{j<m} J_j(p)/(iω)^{j+1} + R, |R| ≤ ω^{−m} ∫ |(t^s k)^{(m)}| dt, J_j(p) the jump of the j-th
    derivative at p, or its value at 0. Every member is a function of the lag, possibly times the transform of a
    density.
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
        """The J_j(p), j < `count`, by p, and whether each is known to be nonzero; others may be rounded zeros."""
        context = self.numbers.context
        parts = [(pieces, member.frequency) for pieces, member in self._halves]
        return {
            end: [
                (t.real * context.factorial(j), bool(abs(t) > _SMALL * s))
                for j, (t, s) in enumerate(zip(*rows, strict=True))
            ]
            for end, rows in jump_series(parts, count, self.numbers).items()
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


_DIGITS = (60, 120)
_MOST_VALUES, _MOST_EVALUATED = 400, 400
_MOST_OCTAVES = 40
_ORDERS = 9
_SAME = 1e-50  # two breakpoints closer than this share of their size are one

_CURVED = 4  # derivatives of t²k used to bound the decay of μ″

_ROOM = 1e-12  # the share of a bound reserved for rounding; values with 60 and 120 digits agree to a thousandth of it


@dataclass(frozen=True)
class LineSign:
    """Whether μ(ω) ≥ 0 for all ω, with the number of values and the tail bound that proved it; or
    where μ is negative.
    """

    answer: Literal["proved", "disproved", "unknown"]
    count: int = 0
    edge: float = 0.0
    at: float = 0.0
    density: float = 0.0


def sign_on_line(measure: Measure) -> LineSign:
    """The sign of the density of an even measure on one column that has a closed form.

    Beyond some Ω the first term of the series in 1/ω outweighs the others and their remainder, which is bounded by the
    integral of a derivative of k. On [0, Ω] μ lies below its chords by at most sup |μ″| h²/8, and intervals are halved
    until all of them are positive. Raises NotClosed.
    """
    density = _Density(measure)
    numbers = MultiprecisionNumbers(_DIGITS[0])
    members = _members(measure, _DIGITS[0])
    if not all(map(is_even, members)):
        raise NotClosed("a density that is complex")
    unit = _unit(members, numbers)
    pieces = sum(len(part.pieces) for member in members for part in (member.lag, member.frequency) if part)
    octaves = range(-16, 41)  # in halves
    octaves = octaves[:: 1 + pieces * len(octaves) // _MOST_EVALUATED]
    found = density.most_negative([unit * numbers.context.mpf(2) ** (numbers.context.mpf(n) / 2) for n in octaves])
    if found is not None:
        return found
    if any(member.lag is None for member in members):
        return LineSign("unknown")
    try:
        edge = _edge(LagBounds(members, numbers), unit, partial(_vanishing, measure))
        if edge is None:
            return LineSign("unknown")
        return _up_to(edge, density, LagBounds(members, numbers, 2), numbers)
    except NotClosed:
        return LineSign("unknown")


@lru_cache(maxsize=8)
def _members(measure: Measure, digits: int) -> tuple[Member, ...]:
    """The members of a measure, in multiprecision numbers. Raises NotClosed."""
    found = line_members(measure, MultiprecisionNumbers(digits))
    for member in found:
        require_closed(member)
    return found


@dataclass(frozen=True)
class _Density:
    """π μ(ω), to the digits on which 60-digit and 120-digit arithmetic agree."""

    measure: Measure

    def at(self, omega: Any) -> Any:
        """The value, with at least 15 digits. Raises NotClosed if they cancel."""
        first, second = (self._with(omega, digits) for digits in _DIGITS)
        if not abs(first - second) <= 1e-3 * _ROOM * abs(second):
            raise NotClosed("the digits of the closed form cancel")
        return second

    def _with(self, omega: Any, digits: int) -> Any:
        numbers = MultiprecisionNumbers(digits)
        try:
            return sum(_value(member, omega, numbers) for member in _members(self.measure, digits)) * numbers.pi()
        except ZeroDivisionError:
            raise NotClosed("single terms of the closed form have a pole here") from None

    def most_negative(self, frequencies: Sequence[Any]) -> LineSign | None:
        """A disproof at the given frequency with most negative mass nearby."""
        found = [sign for omega in frequencies if (sign := self.negative(omega)) is not None]
        return min(found, key=lambda sign: sign.density * sign.at, default=None)

    def negative(self, omega: Any) -> LineSign | None:
        """A disproof if the density is negative."""
        try:
            if self._with(omega, _DIGITS[0]) >= 0:
                return None
            value = self.at(omega) / MultiprecisionNumbers(_DIGITS[1]).pi()
        except NotClosed:
            return None
        return LineSign("disproved", at=float(omega), density=float(value)) if value < 0 else None


def _value(member: Member, omega: Any, numbers: MultiprecisionNumbers) -> Any:
    if member.lag is not None:
        return density_of_member(member, numbers.frequency(omega), numbers).real
    total = numbers.number(0)
    for piece in member.frequency.pieces if member.frequency is not None else ():
        if (piece.low is None or piece.low <= omega) and (piece.high is None or omega < piece.high):
            total += numbers.polynomial(piece.weights, omega).real * numbers.exponential(
                piece.level - piece.rate * omega
            )
    return total


def _unit(members: tuple[Member, ...], numbers: MultiprecisionNumbers) -> Any:
    """A frequency of the size of those at which the pieces change."""
    found = [numbers.number(1)] if not members else []
    for member in members:
        for piece in member.lag.pieces if member.lag is not None else ():
            found += [abs(piece.rate), numbers.root(piece.curvature), abs(piece.wave)]
            found += [1 / abs(end) for end in (piece.low, piece.high) if end]
        for piece in member.frequency.pieces if member.frequency is not None else ():
            found += [1 / abs(piece.rate)] if piece.rate else [abs(end) for end in (piece.low, piece.high) if end]
    return min((value for value in found if value), default=numbers.number(1))


def _edge(bounds: LagBounds, unit: Any, vanishing: Callable[[], dict[ClosedNumber, list[bool]]]) -> Any | None:
    """An Ω beyond which the density is positive by its first term; None if none is found.

    `vanishing` tells which jumps are proved to be 0: the first term is the first other one.
    """
    jumps = bounds.jumps(_ORDERS)
    at_zero = next((row for end, row in jumps.items() if end == 0), [(0, False)] * _ORDERS)
    # the real part: of the terms at 0 those with odd j, (−1)^{(j+1)/2} J_j/ω^{j+1}
    signed = [(-1) ** ((j + 1) // 2) * value if j % 2 else 0 for j, (value, _) in enumerate(at_zero)]
    first = next((j for j in range(1, _ORDERS, 2) if at_zero[j][1]), None)
    if first is None or signed[first] < 0 or first + 2 > _ORDERS:
        return None
    others = {end: row for end, row in jumps.items() if end != 0}
    if any(row[j][1] for row in others.values() for j in range(first)):
        return None
    if first > 1 or others:
        proved = vanishing()
        if not all(_is_proved(proved, 0, j) for j in range(1, first, 2)):
            return None
        if not all(_is_proved(proved, end, j) for end in others for j in range(first)):
            return None
    best = None
    for order in range(first + 2, _ORDERS + 1):
        rest = bounds.rest(order)
        omega = unit
        for _ in range(_MOST_OCTAVES):
            lost = sum(abs(signed[j]) / omega ** (j + 1) for j in range(first + 1, order)) + rest / omega**order
            lost += sum(abs(row[j][0]) / omega ** (j + 1) for row in others.values() for j in range(first, order))
            if lost < (1 - _ROOM) * signed[first] / omega ** (first + 1):
                best = omega if best is None else min(best, omega)
                break
            omega = 2 * omega
    return best


def _is_proved(vanishing: dict[ClosedNumber, list[bool]], end: Any, order: int) -> bool:
    """Whether the jump at a breakpoint is 0; breakpoints not listed have none."""
    found = True
    for place, row in vanishing.items():
        value, error = place.enclosed(_DIGITS[0])
        if abs(value - end) <= error + abs(end) * _SAME:
            found = row[order]
    return found


def _vanishing(measure: Measure) -> dict[ClosedNumber, list[bool]]:
    """The jumps of the kernel on t > 0, cut off at 0, that are proved to be 0. Raises NotClosed."""
    numbers = ClosedCoefficients()
    try:
        halves = [
            replace(member, lag=None if member.lag is None else member.lag.after_zero)
            for member in line_members(measure, numbers)
        ]
        return vanishing_jumps(halves, _ORDERS)
    except NotDecided as error:
        raise NotClosed(f"it is not known whether a derivative jumps: {error}") from None


def _up_to(edge: Any, density: _Density, curved: LagBounds, numbers: MultiprecisionNumbers) -> LineSign:
    context = numbers.context
    whole, rest = curved.rest(0), curved.rest(_CURVED)
    terms = [
        sum(abs(row[j][0]) for end, row in curved.jumps(_CURVED).items() if end != 0 or j % 2) for j in range(_CURVED)
    ]

    def bend(start: Any) -> Any:
        """A bound on π|μ″| from `start` on."""
        if start == 0:
            return whole
        return min(whole, sum(c / start ** (j + 1) for j, c in enumerate(terms)) + rest / start**_CURVED)

    zero = context.mpf(0)
    values = {zero: density.at(zero), edge: density.at(edge)}
    pending = [(zero, edge)]
    while pending:
        a, b = pending.pop()
        least = min(values[a], values[b])
        if least < 0:
            return density.negative(a if values[a] < 0 else b) or LineSign("unknown")
        if least * (1 - _ROOM) > bend(a) * (b - a) ** 2 / 8:
            continue
        if len(values) > _MOST_VALUES:
            return LineSign("unknown")
        middle = context.sqrt(a * b) if b > 4 * a > 0 else (a + b) / 2 if a > 0 else b / 4
        values[middle] = density.at(middle)
        pending += [(a, middle), (middle, b)]
    return LineSign("proved", len(values), float(edge))
