"""Closed densities in floats, with a proved error: on a line, and for radial products."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import lgamma, log, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoDensityError
from kernelspec.limits import spend
from kernelspec.measures.algebra.line import density_of_member, line_members, require_closed
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers, Tracked, TrackedNumbers, good_enough
from kernelspec.measures.algebra.pieces import Piece, Piecewise
from kernelspec.measures.algebra.radial import (
    RadialTerm,
    derivatives_of_line,
    fractions,
    has_curvature,
    radial_terms,
    require_radial,
)
from kernelspec.measures.algebra.series import TailSeries, ZeroSeries, tail_series, zero_series
from kernelspec.measures.measure import Measure

__all__ = ["LineNumbers", "RadialNumbers", "panel_number", "panel_through"]

NODES = 32
"""Nodes of a panel: it pays off if half as many values are needed, and again for later ones."""

_LAST = 4


@dataclass(frozen=True)
class Panel:
    """Σ c_n T_n on [low, high]."""

    low: float
    high: float
    coefficients: NDArray[np.complex128]

    def at(self, frequencies: NDArray[np.float64]) -> tuple[NDArray[np.complex128], NDArray[np.float64]]:
        """(values, errors) at frequencies (n,): the error is ten times the last coefficients, plus rounding.

        For a function analytic near the panel, coefficients fall geometrically [Trefethen 2013, theorem 8.2]; otherwise
        the error shows it.
        """
        place = (2 * frequencies - self.low - self.high) / (self.high - self.low)
        sizes = np.abs(self.coefficients)
        error = 10 * sizes[-_LAST:].sum() + 1e-15 * sizes.sum()
        found = np.asarray(np.polynomial.chebyshev.chebval(place, self.coefficients), dtype=complex)
        return found, np.full(len(frequencies), error)


def panel_number(frequencies: NDArray[np.float64], unit: float) -> NDArray[np.int64]:
    """The panel of each frequency: ±1 within the unit, then each twice as far out as the one before."""
    with np.errstate(divide="ignore"):
        out = np.maximum(np.floor(np.log2(np.abs(frequencies) / unit)) + 1, 0)
    return np.asarray(np.where(frequencies < 0, -1, 1) * (1 + out.astype(np.int64)))


def panel_through(number: int, unit: float, value: Callable[[float], complex]) -> Panel:
    """The panel with this number, through the values at its Chebyshev points."""
    ends = (0.0, unit) if abs(number) == 1 else (unit * 2.0 ** (abs(number) - 2), unit * 2.0 ** (abs(number) - 1))
    low, high = ends if number > 0 else (-ends[1], -ends[0])
    angles = (np.arange(NODES) + 0.5) * np.pi / NODES
    places = (low + high) / 2 + (high - low) / 2 * np.cos(angles)
    values = np.array([value(float(place)) for place in places])
    coefficients = 2 / NODES * np.cos(np.outer(np.arange(NODES), angles)) @ values
    coefficients[0] /= 2
    return Panel(low, high, coefficients)


_DIGITS = (60, 120, 240, 480)

_OPERATIONS, _OPERATIONS_OF_SERIES, _OPERATIONS_EXACTLY = 1000, 10_000, 4_000_000
"""Cost of a value of a member: in floats, by the series at zero and far out, and with more digits."""

_LARGEST = 1e300  # larger densities are refused: every value would need all the digits, and none would be a float


class _Values(ABC):
    """A function of the frequency, or of its modulus, given by members: its values to the accuracy of floats.

    In turn: the closed form in floats with a bound on its rounding, the series at zero, the series far out, and the
    closed form with as many digits as needed, at each frequency or, for many frequencies, at the nodes of polynomials.
    """

    raised: int = 0
    """The m in (−d/2πρ dρ)^m applied to the density on a line."""

    @abstractmethod
    def _members(self, digits: int) -> tuple[Member, ...]: ...

    @abstractmethod
    def _in_floats(self, members: tuple[Member, ...], omega: NDArray[Any]) -> Tracked: ...

    @abstractmethod
    def _value(self, members: tuple[Member, ...], omega: Any, numbers: MultiprecisionNumbers) -> Any: ...

    def _has_series(self) -> bool:
        """Whether it is smooth enough for series and polynomials."""
        return True

    def _known(self, members: tuple[Member, ...], omega: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        with np.errstate(all="ignore"):
            found = self._in_floats(members, omega)
            value, error = np.array(found.value, dtype=complex), np.asarray(found.error)
        return value, np.where(np.isfinite(value), error, np.inf)

    def values(self, omega: NDArray[Any]) -> NDArray[np.complex128]:
        """The values at frequencies or moduli (n,), possibly complex for a tilted radial density."""
        spend(_OPERATIONS * len(self._base) * len(omega))
        value, error = self._known(self._base, omega)
        poor = ~good_enough(error, np.abs(value))
        spend(_OPERATIONS_OF_SERIES * len(self._base) * float(poor.sum()))
        if poor.any() and self._zero is not None:
            found, found_error = self._zero.at(omega[poor])
            _put(value, poor, good_enough(found_error, np.abs(found)), found)
        if poor.any() and self._tail is not None and not np.iscomplexobj(omega):
            found, found_error, envelope = self._tail.at(omega[poor])
            bell, bell_error = self._known(self._bells, omega[poor])
            good = good_enough(found_error + bell_error, envelope + np.abs(bell))
            _put(value, poor, good, found + bell)
        spend(_OPERATIONS_EXACTLY * len(self._base) * float(self._taken_exactly(omega, poor)))
        if poor.sum() >= NODES // 2:
            self._through_panels(omega, value, poor, error)
        for i in np.flatnonzero(poor):
            value[i] = self._exactly(omega[i].item(), float(error[i]))
        return value

    def _taken_exactly(self, omega: NDArray[Any], poor: NDArray[np.bool_]) -> int:
        """The number of values that need more digits as long as no panel is known."""
        if poor.sum() < NODES // 2 or not self._has_panels(omega):
            return int(poor.sum())
        _, counts = np.unique(panel_number(omega[poor], self._smoothness), return_counts=True)
        return int(np.where(counts < NODES // 2, counts, np.minimum(counts, NODES)).sum())

    def _has_panels(self, omega: NDArray[Any]) -> bool:
        corners = any(member.lag is None or not member.lag.decays for member in self._base)
        return self._has_series() and not corners and not np.iscomplexobj(omega)

    def _through_panels(
        self, omega: NDArray[Any], value: NDArray[Any], poor: NDArray[np.bool_], error: NDArray[np.float64]
    ) -> None:
        """Inaccurate values by a polynomial, if many lie in one panel: it costs as much as a few exact ones."""
        if not self._has_panels(omega):
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
        """A distance over which the density changes little: the decay rate of k, or the reciprocal of its support."""
        found = [1.0 / self._unit]
        for piece in (piece for member in self._base if member.lag is not None for piece in member.lag.pieces):
            if piece.low is None or piece.high is None:
                found.append(1 / max(abs(float(piece.rate)), float(piece.curvature) ** 0.5))
            else:
                found.append(max(abs(float(piece.low)), abs(float(piece.high))))
        return 1 / max(found)

    def _with_digits(self, digits: int) -> tuple[Member, ...]:
        if digits not in self._by_digits:
            self._by_digits[digits] = self._members(digits)
        return self._by_digits[digits]

    @cached_property
    def _by_digits(self) -> dict[int, tuple[Member, ...]]:
        return {}

    @cached_property
    def _base(self) -> tuple[Member, ...]:
        return self._with_digits(_DIGITS[0])

    @cached_property
    def _tail(self) -> TailSeries | None:
        found = tail_series(self._base, MultiprecisionNumbers(_DIGITS[0])) if self._has_series() else None
        return None if found is None else found.raised(self.raised)

    @cached_property
    def _zero(self) -> ZeroSeries | None:
        digits = _DIGITS[-1]
        found = zero_series(self._with_digits(digits), MultiprecisionNumbers(digits)) if self._has_series() else None
        return None if found is None else found.raised(self.raised)

    @cached_property
    def _bells(self) -> tuple[Member, ...]:
        """The part that the series far out leaves to the closed form: Gaussians on the whole line, and densities."""
        lags = [member.lag for member in self._base if member.frequency is None and member.lag is not None]
        return tuple(Member(lag.whole_line) for lag in lags if lag.whole_line.pieces)

    def _exactly(self, omega: Any, error: float) -> complex:
        """The closed form with increasing digits, until rounding is below the value's own."""
        size = error / 2.0**-52 if np.isfinite(error) and error > 0 else None
        before = None
        found: Any = 0
        for digits in _DIGITS:
            numbers, members = MultiprecisionNumbers(digits), self._with_digits(digits)
            try:
                found = self._value(members, omega, numbers)
            except ZeroDivisionError:  # single terms are infinite here, but the density is continuous
                digits //= 3  # noqa: PLW2901
                nudge = numbers.context.mpf(10) ** (-digits // max(2 * self.raised, 1))
                found = self._value(
                    members, numbers.context.mpmathify(omega) + nudge * (abs(omega) or self._unit), numbers
                )
            left = abs(found)
            if size is not None and left > numbers.context.mpf(size) * numbers.context.mpf(10) ** (17 - digits):
                break
            if size is None and before is not None and abs(found - before) <= 1e-14 * left:
                break
            before = found
        if numbers.context.isfinite(found) and abs(found) > _LARGEST:
            raise NoDensityError(f"the density exceeds {_LARGEST:.0e}")
        return complex(found)

    @property
    def _unit(self) -> float:
        return self._tail.scale if self._tail is not None else 1.0


def _put(value: NDArray[Any], poor: NDArray[np.bool_], good: NDArray[np.bool_], found: NDArray[Any]) -> None:
    """Replace inaccurate values by the good ones among those found, and unmark them."""
    places = np.flatnonzero(poor)[good]
    value[places] = found[good]
    poor[places] = False


@dataclass(frozen=True)
class LineNumbers(_Values):
    """The density of a measure on one column, at any frequencies. Raises NotClosed without a closed form."""

    measure: Measure

    def __post_init__(self) -> None:
        for member in self._base:
            require_closed(member)

    def __call__(self, frequencies: NDArray[np.float64]) -> NDArray[Any]:
        """The density at frequencies (n,), complex for a complex measure."""
        value = self.values(np.asarray(frequencies, dtype=float))
        return value if self.measure.is_complex else np.asarray(value.real)

    def _members(self, digits: int) -> tuple[Member, ...]:
        return line_members(self.measure, MultiprecisionNumbers(digits))

    def _in_floats(self, members: tuple[Member, ...], omega: NDArray[Any]) -> Tracked:
        numbers = TrackedNumbers()
        total = Tracked(np.zeros(len(omega), dtype=complex), np.zeros(len(omega)))
        for member in members:
            if member.lag is None:
                total = total + _density_in_floats(member, omega)
            else:
                total = total + density_of_member(member, numbers.frequency(omega), numbers)
        return total

    def _value(self, members: tuple[Member, ...], omega: Any, numbers: MultiprecisionNumbers) -> Any:
        at = numbers.frequency(omega)
        terms = (_density_value if m.lag is None else density_of_member for m in members)
        return sum(term(m, at, numbers) for term, m in zip(terms, members, strict=True))


def _density_in_floats(member: Member, omega: NDArray[np.float64]) -> Tracked:
    """Pieces of the frequency, evaluated at the frequencies themselves."""
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
    total, omega = numbers.context.mpc(0), omega.real
    for piece in member.frequency.pieces if member.frequency is not None else ():
        if _inside(piece, omega):
            exponent = numbers.context.mpc(piece.level - piece.rate * omega, piece.phase + piece.wave * omega)
            total += numbers.polynomial(piece.weights, omega) * numbers.context.exp(exponent)
    return total


def _inside(piece: Piece, omega: Any) -> Any:
    """Whether ω lies in the piece: including its left end for positive ω, else its right end."""
    low = -np.inf if piece.low is None else float(piece.low)
    high = np.inf if piece.high is None else float(piece.high)
    return (omega >= low) & (omega < high)


@dataclass(frozen=True)
class RadialNumbers:
    """The density of products of radial kernels, tilted or not, in `dim` columns. Raises NotClosed without a form."""

    measure: Measure
    dim: int

    def __post_init__(self) -> None:
        for term in self._terms:
            require_radial(term.profile, self.dim, term.frequency)

    @cached_property
    def _terms(self) -> tuple[RadialTerm, ...]:
        return radial_terms(self.measure, MultiprecisionNumbers(_DIGITS[0]), densities=True)

    @cached_property
    def _values(self) -> tuple[_RadialValues, ...]:
        return tuple(_RadialValues(self.measure, self.dim, i) for i in range(len(self._terms)))

    def __call__(self, frequencies: NDArray[np.float64]) -> NDArray[Any]:
        """The density at frequencies (n, d) → (n,), complex for a complex measure."""
        total = np.zeros(len(frequencies), dtype=complex)
        for term, values in zip(self._terms, self._values, strict=True):
            moved = frequencies + 1j * np.array([float(b) for b in term.tilt]) if term.tilt else frequencies
            total += values.values(np.sqrt((moved**2).sum(axis=1)))
        return total if self.measure.is_complex else np.asarray(total.real)


@dataclass(frozen=True)
class _RadialValues(_Values):
    """One of the radial terms of a measure, as a function of ρ = √Σω², complex if the term is tilted.

    With curvature, in odd d, a derivative of the density on the line; otherwise a sum of powers of c² + ρ².
    """

    measure: Measure
    dim: int
    index: int

    @property
    def raised(self) -> int:  # type: ignore[override]
        return (self.dim - 1) // 2

    def _has_series(self) -> bool:
        return self._is_from_line(self._base)

    @staticmethod
    def _is_from_line(members: tuple[Member, ...]) -> bool:
        return members[0].frequency is not None or has_curvature(_RadialValues._profile(members))

    @staticmethod
    def _profile(members: tuple[Member, ...]) -> Piecewise:
        (member,) = members
        assert member.lag is not None
        return member.lag

    def _members(self, digits: int) -> tuple[Member, ...]:
        term = radial_terms(self.measure, MultiprecisionNumbers(digits), densities=True)[self.index]
        return (Member(term.profile, term.frequency),)

    def _in_floats(self, members: tuple[Member, ...], omega: NDArray[Any]) -> Tracked:
        numbers = TrackedNumbers()
        total = Tracked(np.zeros(len(omega), dtype=complex), np.zeros(len(omega)))
        if not members:
            return total
        profile = self._profile(members)
        if self._is_from_line(members):
            radius = Tracked(omega + 0j, 2.0**-52 * np.abs(omega))
            found: Tracked = derivatives_of_line(profile, self.dim, radius, numbers, members[0].frequency)
            return found
        h = (self.dim + 1) / 2
        for c, weights in fractions(profile, self.dim):
            rate = float(c)
            q = Tracked(rate**2 + omega**2 + 0j, 2.0**-51 * (rate**2 + np.abs(omega) ** 2))
            exponent = lgamma(h) - h * log(pi) - h * np.log(q.value)
            lost = 2.0**-52 * np.abs(exponent) + h * q.error / np.abs(q.value)
            size = Tracked(np.exp(exponent), np.abs(np.exp(exponent)) * lost)
            total = total + size * numbers.polynomial(weights, numbers.real(rate * rate) / q)
        return total

    def _value(self, members: tuple[Member, ...], omega: Any, numbers: MultiprecisionNumbers) -> Any:
        context, profile = numbers.context, self._profile(members)
        radius = context.mpc(omega)
        if self._is_from_line(members):
            return derivatives_of_line(profile, self.dim, radius, numbers, members[0].frequency)
        h, total = context.mpf(self.dim + 1) / 2, context.mpc(0)
        for c, weights in fractions(profile, self.dim):
            q = c**2 + radius**2
            total += context.gamma(h) / (context.pi * q) ** h * numbers.polynomial(weights, c**2 / q)
        return total
