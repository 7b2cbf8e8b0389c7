"""Numbers of a closed density on a line: floats where they are proved good enough, more digits elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoDensityError
from kernelspec.measures.algebra.chebyshev_panels import NODES, Panel, panel_number, panel_through
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.line_transform import density_of_member, require_closed
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.multiprecision_numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.piece import Piece
from kernelspec.measures.algebra.tail_series import TailSeries, tail_series
from kernelspec.measures.algebra.tracked_numbers import Tracked, TrackedNumbers, good_enough
from kernelspec.measures.algebra.zero_series import ZeroSeries, zero_series
from kernelspec.measures.measure import Measure
from kernelspec.special.counted_work import spend

__all__ = ["LineNumbers"]

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
