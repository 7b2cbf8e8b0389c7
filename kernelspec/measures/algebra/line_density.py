"""The closed density on a line: in SymPy, and in floats with a proved error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoDensityError
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import (
    density_of_member,
    gathered_terms,
    is_even,
    line_members,
    require_closed,
    transforms_of_member,
)
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers, PlainNumbers
from kernelspec.measures.algebra.pieces import NotClosed, Piece, function_of
from kernelspec.measures.algebra.series import TailSeries, ZeroSeries, tail_series, zero_series
from kernelspec.measures.algebra.tracked_numbers import Tracked, TrackedNumbers, good_enough
from kernelspec.measures.algebra.transforms import transform
from kernelspec.measures.measure import Measure
from kernelspec.special.quadrature import spend

__all__ = ["NODES", "LineNumbers", "Panel", "line_expression", "line_parts", "panel_number", "panel_through"]

NODES = 32
"""Of a panel: it pays where half as many values are asked for, and again wherever more are."""

_LAST = 4


@dataclass(frozen=True)
class Panel:
    """Σ c_n T_n on [low, high]."""

    low: float
    high: float
    coefficients: NDArray[np.complex128]

    def at(self, frequencies: NDArray[np.float64]) -> tuple[NDArray[np.complex128], NDArray[np.float64]]:
        """(values, errors) at frequencies (n,): ten times the last coefficients, and rounding.

        Of a function that is analytic near the panel the coefficients fall geometrically [Trefethen 2013, theorem 8.2];
        where they do not, the error says so.
        """
        place = (2 * frequencies - self.low - self.high) / (self.high - self.low)
        sizes = np.abs(self.coefficients)
        error = 10 * sizes[-_LAST:].sum() + 1e-15 * sizes.sum()
        found = np.asarray(np.polynomial.chebyshev.chebval(place, self.coefficients), dtype=complex)
        return found, np.full(len(frequencies), error)


def panel_number(frequencies: NDArray[np.float64], unit: float) -> NDArray[np.int64]:
    """In which panel each frequency lies: ±1 within the unit, then each twice as far out as the one before."""
    with np.errstate(divide="ignore"):
        out = np.maximum(np.floor(np.log2(np.abs(frequencies) / unit)) + 1, 0)
    return np.asarray(np.where(frequencies < 0, -1, 1) * (1 + out.astype(np.int64)))


def panel_through(number: int, unit: float, value: Callable[[float], complex]) -> Panel:
    """The panel of a number through the values at Chebyshev's points of it."""
    ends = (0.0, unit) if abs(number) == 1 else (unit * 2.0 ** (abs(number) - 2), unit * 2.0 ** (abs(number) - 1))
    low, high = ends if number > 0 else (-ends[1], -ends[0])
    angles = (np.arange(NODES) + 0.5) * np.pi / NODES
    places = (low + high) / 2 + (high - low) / 2 * np.cos(angles)
    values = np.array([value(float(place)) for place in places])
    coefficients = 2 / NODES * np.cos(np.outer(np.arange(NODES), angles)) @ values
    coefficients[0] /= 2
    return Panel(low, high, coefficients)


def line_expression(measure: Measure, omega: Any) -> Any:
    """μ(ω): in real form for an even member, in complex numbers for others. Raises NotClosed where there is no form."""
    import sympy

    members = line_members(measure, ExactNumbers())
    for member in members:
        require_closed(member)
    return sympy.Add(*[_of_member(member, omega) for member in members])


def line_parts(measure: Measure, omega: Any) -> tuple[Any, Any]:
    """(Re μ, Im μ) at ω, each in real form. Raises NotClosed where there is none."""
    import sympy

    numbers = ExactNumbers()
    total = numbers.real(0)
    for member in line_members(measure, numbers):
        if is_even(member) or member.lag is None:
            total = total + numbers.real(_of_member(member, omega))
        elif _singular_points(member):
            whole = _of_member(member, omega)
            total = total + numbers.complex(sympy.re(whole), sympy.im(whole))
        else:
            total = total + density_of_member(member, numbers.frequency(omega), numbers)
    return total.re, total.im


def _of_member(member: Member, omega: Any) -> Any:
    import sympy

    if member.lag is None:
        if member.frequency is None or any(piece.wave != 0 for piece in member.frequency.pieces):
            raise NotClosed("a density with waves is stated by its parts")
        return function_of(member.frequency, omega)
    even = is_even(member)
    numbers = ExactNumbers() if even else PlainNumbers()

    def value(at: Any) -> Any:
        found = density_of_member(member, numbers.frequency(at), numbers)
        return found.re if even else found

    other = _in_complex_numbers(member, omega) if even else _by_parity(member, omega)
    whole = gathered_terms(_shorter(value(omega), other))
    special = [
        (value(point) if member.frequency is None else _by_integral(member, point), sympy.Eq(omega, point))
        for point in _singular_points(member)
    ]
    return sympy.Piecewise(*special, (whole, True)) if special else whole


def _in_complex_numbers(member: Member, omega: Any) -> Any | None:
    """The density of an even member as a real part, where special functions need one; None where none do.

    The real part is left alone: SymPy would multiply it out.
    """
    import sympy

    whole, right, _ = transforms_of_member(member, omega, PlainNumbers())
    if right is None or not right.has(sympy.erf, sympy.erfc, sympy.expint, sympy.Ei):
        return None
    if whole.has(sympy.I):
        whole, right = sympy.S.Zero, right + whole / 2
    content, right = right.as_content_primitive() if right.is_Add else (sympy.S.One, right)
    return (whole / 2 + content * sympy.re(right, evaluate=False)) / sympy.pi


def _by_parity(member: Member, omega: Any) -> Any | None:
    """The density of the even part of k plus that of the odd part, where both have fewer pieces than k has."""
    import sympy

    lag = member.lag
    if lag is None or (member.frequency is not None and not member.frequency.is_even):
        return None
    half, back = sympy.S.Half, lag.mirrored()
    even, odd = (lag + back).scaled(half), (lag + back.scaled(-1)).scaled(half)
    sides = [len(part.restricted(sympy.S.Zero, None).pieces) for part in (even, odd, lag, back)]
    if not even.pieces or not odd.pieces or sides[0] + sides[1] >= sides[2] + sides[3]:
        return None
    whole, right, _ = transforms_of_member(Member(odd, member.frequency), omega, PlainNumbers())
    imaginary = sympy.S.Zero if right is None else sympy.im(right, evaluate=False)  # the left is minus its conjugate
    return _of_member(Member(even, member.frequency), omega) + (whole / 2 + sympy.I * imaginary) / sympy.pi


def _shorter(first: Any, second: Any | None) -> Any:
    """The second where it saves a third of the operations."""
    return first if second is None or 2 * first.count_ops() <= 3 * second.count_ops() else second


def _singular_points(member: Member) -> list[Any]:
    """Frequencies at which single terms of the form have poles that cancel: those of pieces that do not decay."""
    found: list[Any] = []
    for piece in member.lag.pieces if member.lag is not None else ():
        if piece.rate != 0 or piece.curvature != 0 or piece.is_whole_line:
            continue
        if member.frequency is None:
            candidates = [piece.wave]
        else:
            ends = [end for part in member.frequency.pieces for end in (part.low, part.high) if end is not None]
            candidates = [piece.wave + end for end in ends]
        found += [point for point in candidates if point not in found]
    return found


def _by_integral(member: Member, point: Any) -> Any:
    """The density at one frequency as an integral over the lags, which are bounded where this is asked for."""
    import sympy

    numbers = ExactNumbers()
    if member.lag is None or member.frequency is None:
        raise NotClosed("no product")
    t = sympy.Symbol("t", positive=True)
    smooth = transform(member.frequency.pieces, numbers.frequency(-t), numbers, numbers).re
    even, total = is_even(member), sympy.S.Zero
    for side, sign in ((member.lag, -1), (member.lag.mirrored(), 1)):
        for piece in side.restricted(sympy.S.Zero, None).pieces:
            level = piece.level - piece.rate * t - piece.curvature * t**2
            size = sympy.Add(*[c * t**n for n, c in enumerate(piece.weights)]) * sympy.exp(level) * smooth
            angle = piece.phase + piece.wave * t + sign * point * t
            wave = sympy.cos(angle) if even else sympy.exp(sympy.I * angle)
            high = sympy.oo if piece.high is None else piece.high
            total += sympy.Integral(size * wave, (t, piece.low, high)) / (2 * sympy.pi)
    return total


_DIGITS = (60, 120, 240, 480)

_OPERATIONS, _OPERATIONS_OF_SERIES, _OPERATIONS_EXACTLY = 1000, 10_000, 4_000_000
"""For a value of a member, in floats, by the series at zero and far out, and with more digits."""

_LARGEST = 1e300
"""A density beyond is refused where it is met: every value of it would take all the digits, and none be a float."""


@dataclass(frozen=True)
class LineNumbers:
    """The density of a measure on one column, at any frequencies.

    In turn: the closed form in floats with a bound on its rounding, the series at zero, the series far out, and the
    closed form with as many digits as it takes, at each frequency or, where there are many, at the nodes of
    polynomials. Raises NotClosed where there is none.
    """

    measure: Measure

    def __post_init__(self) -> None:
        for member in self._members(_DIGITS[0]):
            require_closed(member)

    def __call__(self, frequencies: NDArray[np.float64]) -> NDArray[Any]:
        """The density at frequencies (n,), complex for a complex measure."""
        omega = np.asarray(frequencies, dtype=float)
        spend(_OPERATIONS * len(self._base) * len(omega))
        value, error = self._in_floats(omega)
        size = np.abs(value)
        poor = ~good_enough(error, size)
        spend(_OPERATIONS_OF_SERIES * len(self._base) * float(poor.sum()))
        if poor.any() and self._zero is not None:
            found, found_error = self._zero.at(omega[poor])
            good = good_enough(found_error, np.abs(found))
            _put(value, poor, good, found)
        if poor.any() and self._tail is not None:
            found, found_error, envelope = self._tail.at(omega[poor])
            bell, bell_error = self._bells(omega[poor])
            good = good_enough(found_error + bell_error, envelope + np.abs(bell))
            _put(value, poor, good, found + bell)
        spend(_OPERATIONS_EXACTLY * len(self._base) * float(self._taken_exactly(omega, poor)))
        if poor.sum() >= NODES // 2:
            self._through_panels(omega, value, poor, error)
        for i in np.flatnonzero(poor):
            value[i] = self._exactly(float(omega[i]), float(error[i]))
        return value if self.measure.is_complex else np.asarray(value.real)

    def _taken_exactly(self, omega: NDArray[np.float64], poor: NDArray[np.bool_]) -> int:
        """How many values take more digits where no panel was met before."""
        if poor.sum() < NODES // 2 or self._may_have_corners:
            return int(poor.sum())
        _, counts = np.unique(panel_number(omega[poor], self._smoothness), return_counts=True)
        return int(np.where(counts < NODES // 2, counts, np.minimum(counts, NODES)).sum())

    @property
    def _may_have_corners(self) -> bool:
        return any(member.lag is None or not member.lag.decays for member in self._base)

    def _through_panels(
        self, omega: NDArray[np.float64], value: NDArray[Any], poor: NDArray[np.bool_], error: NDArray[np.float64]
    ) -> None:
        """Values of the poor ones, where many lie in a panel, by a polynomial: it costs as much as a few exact ones."""
        if self._may_have_corners:
            return
        numbers = panel_number(omega, self._smoothness)
        doubt = float(np.max(error[poor]))
        for number in np.unique(numbers[poor]):
            here = poor & (numbers == number)
            if here.sum() < NODES // 2 and number not in self._panels:
                continue
            if number not in self._panels:
                self._panels[number] = panel_through(int(number), self._smoothness, partial(self._exactly, error=doubt))
            found, found_error = self._panels[number].at(omega[here])
            taken = here.copy()
            _put(value, taken, good_enough(found_error, np.abs(found)), found)
            poor &= ~here | taken

    @cached_property
    def _panels(self) -> dict[int, Panel]:
        return {}

    @cached_property
    def _smoothness(self) -> float:
        """A distance in which the density changes little: the rate at which k falls, or 1 over where it ends."""
        found = [1.0 / self._unit]
        for piece in (piece for member in self._base if member.lag is not None for piece in member.lag.pieces):
            if piece.low is None or piece.high is None:
                found.append(1 / max(abs(float(piece.rate)), float(piece.curvature) ** 0.5))
            else:
                found.append(max(abs(float(piece.low)), abs(float(piece.high))))
        return 1 / max(found)

    def _members(self, digits: int) -> tuple[Member, ...]:
        if digits not in self._by_digits:
            self._by_digits[digits] = line_members(self.measure, MultiprecisionNumbers(digits))
        return self._by_digits[digits]

    @cached_property
    def _by_digits(self) -> dict[int, tuple[Member, ...]]:
        return {}

    @cached_property
    def _base(self) -> tuple[Member, ...]:
        return self._members(_DIGITS[0])

    @cached_property
    def _tail(self) -> TailSeries | None:
        return tail_series(self._base, MultiprecisionNumbers(_DIGITS[0]))

    @cached_property
    def _zero(self) -> ZeroSeries | None:
        return zero_series(self._members(_DIGITS[-1]), MultiprecisionNumbers(_DIGITS[-1]))

    def _in_floats(self, omega: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        return _tracked(self._base, omega)

    def _bells(self, omega: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """What the series far out leaves to the closed form: Gaussians on the whole line, and densities."""
        numbers = MultiprecisionNumbers(_DIGITS[0])
        kept = []
        for member in self._base:
            if member.frequency is None and member.lag is not None:
                whole = tuple(piece for piece in member.lag.pieces if piece.is_whole_line)
                if whole:
                    kept.append(Member(type(member.lag)(whole, numbers)))
        return _tracked(tuple(kept), omega)

    def _exactly(self, omega: float, error: float) -> complex:
        """The closed form with more and more digits, until what rounding can do is below the value's own."""
        size = error / 2.0**-52 if np.isfinite(error) and error > 0 else None
        before = None
        found: Any = 0
        for digits in _DIGITS:
            numbers = MultiprecisionNumbers(digits)
            try:
                found = self._value(omega, numbers)
            except ZeroDivisionError:  # at a point where single terms are infinite; the density is continuous there
                nudge = numbers.context.mpf(10) ** (-digits // 3)
                found = self._value(numbers.context.mpf(omega) + nudge * (abs(omega) or self._unit), numbers)
                digits //= 3  # noqa: PLW2901
            left = abs(found)
            if size is not None and left > numbers.context.mpf(size) * numbers.context.mpf(10) ** (17 - digits):
                break
            if size is None and before is not None and abs(found - before) <= 1e-14 * left:
                break
            before = found
        if numbers.context.isfinite(found) and abs(found) > _LARGEST:
            raise NoDensityError(f"the values of the density are beyond {_LARGEST:.0e}")
        return complex(found)

    @property
    def _unit(self) -> float:
        return self._tail.scale if self._tail is not None else 1.0

    def _value(self, omega: Any, numbers: MultiprecisionNumbers) -> Any:
        total = numbers.context.mpc(0)
        for member in self._members(numbers.digits):
            if member.lag is None:
                total += _density_value(member, omega, numbers)
                continue
            total += density_of_member(member, numbers.frequency(omega), numbers)
        return total


def _put(value: NDArray[Any], poor: NDArray[np.bool_], good: NDArray[np.bool_], found: NDArray[Any]) -> None:
    """Take the good ones of what was found for the poor ones, and call them poor no longer."""
    places = np.flatnonzero(poor)[good]
    value[places] = found[good]
    poor[places] = False


def _tracked(members: tuple[Member, ...], omega: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    numbers = TrackedNumbers()
    value, error = np.zeros(len(omega), dtype=complex), np.zeros(len(omega))
    with np.errstate(all="ignore"):
        for member in members:
            if member.lag is None:
                found = _density_in_floats(member, omega)
            else:
                found = density_of_member(member, numbers.frequency(omega), numbers)
            value, error = value + found.value, error + found.error
    return value, np.where(np.isfinite(value), error, np.inf)


def _density_in_floats(member: Member, omega: NDArray[np.float64]) -> Tracked:
    """Pieces of the frequency at the frequencies themselves."""
    total = Tracked(np.zeros(len(omega), dtype=complex), np.zeros(len(omega)))
    numbers = TrackedNumbers()
    place = numbers.frequency(omega)
    for piece in member.frequency.pieces if member.frequency is not None else ():
        inside = _inside(piece, omega)
        exponent = numbers.complex(piece.level, piece.phase) - numbers.complex(piece.rate, -piece.wave) * place
        found = numbers.polynomial(piece.weights, place) * numbers.exp(exponent)
        total = total + Tracked(np.where(inside, found.value, 0), np.where(inside, found.error, 0))
    return total


def _density_value(member: Member, omega: Any, numbers: MultiprecisionNumbers) -> Any:
    total = numbers.context.mpc(0)
    for piece in member.frequency.pieces if member.frequency is not None else ():
        if _inside(piece, omega):
            exponent = numbers.context.mpc(piece.level - piece.rate * omega, piece.phase + piece.wave * omega)
            total += numbers.polynomial(piece.weights, omega) * numbers.context.exp(exponent)
    return total


def _inside(piece: Piece, omega: Any) -> Any:
    """Whether ω lies in the piece: the left end belongs to it on the right side of zero, else the right one."""
    low = -np.inf if piece.low is None else float(piece.low)
    high = np.inf if piece.high is None else float(piece.high)
    return (omega >= low) & (omega < high)
