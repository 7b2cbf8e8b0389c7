"""Evaluate formulas: on NumPy arrays, with scaled floats, and with as many digits as needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.errors import RangeError
from kernelspec.expressions.enclosure import expansion
from kernelspec.expressions.formula import Formula, Operation, Operations, Term, Variable, evaluate
from kernelspec.expressions.rounding import FLOATS, LONG_FLOATS, Array, estimated_error, may_cancel
from kernelspec.expressions.symbolic import VALUE_CALLS, charge, within
from kernelspec.limits import spend
from kernelspec.loading import mpmath
from kernelspec.special.elementary import Scaled, floats, is_stand_in

__all__ = ["Multiprecision", "degree", "number_value", "scaled_values", "value_at", "values"]

T = TypeVar("T")

_LARGEST_EXPONENT = 100_000
"""exp() of a larger number counts as ∞, of less than its negative as 0: far beyond any float."""

_LARGEST_FACTORIAL = 12_000
"""Γ(x) above this is out of range too, and so is 1/Γ below its negative, unless x is closer to a pole than floats are.
"""

_LARGEST_ANGLE = 1_000
"""Waves of numbers beyond e to this power are rejected: they need as many digits as the number has."""

_LARGEST_SERIES = 20
"""Up to this order, mpmath's series are fast."""

_CALLS_OF_A_TERM = 100
"""Calls charged for an mpmath series with thousands of digits."""


class Multiprecision(Operations[Any]):
    """mpmath's real numbers; NaN without a real value."""

    def constant(self, value: Any) -> Any:
        if isinstance(value, Fraction):
            return mpmath.mpf(value.numerator) / value.denominator
        return mpmath.mpf(value)

    def pi(self) -> Any:
        return +mpmath.pi

    def quotient(self, numerator: Any, denominator: Any) -> Any:
        if denominator == 0:
            return mpmath.nan if numerator == 0 else mpmath.sign(numerator) * mpmath.inf
        return numerator / denominator

    def power(self, base: Any, exponent: Any) -> Any:
        if exponent == 0:
            return mpmath.mpf(1)
        if mpmath.isnan(base) or mpmath.isnan(exponent):
            return mpmath.nan
        if base == 0:
            return mpmath.mpf(0) if exponent > 0 else mpmath.inf
        if base < 0 and not mpmath.isint(exponent):
            return mpmath.nan
        size = exponent * mpmath.log(abs(base))
        if abs(size) < _LARGEST_EXPONENT:
            return mpmath.power(base, exponent)
        return -_exp(size) if base < 0 and int(exponent) % 2 else _exp(size)

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        x = arguments[0]
        match name:
            case "max" | "min":
                other = arguments[1]
                if mpmath.isnan(x) or mpmath.isnan(other):
                    return mpmath.nan
                return max(x, other) if name == "max" else min(x, other)
            case "abs":
                return abs(x)
            case "exp":
                return _exp(x)
            case "sqrt":
                return mpmath.sqrt(x) if x >= 0 else mpmath.nan
            case "log":
                return mpmath.nan if not x >= 0 else mpmath.log(x) if x > 0 else -mpmath.inf
            case "besselj" | "besselk":
                return _bessel(name, x, arguments[1])
        return _of_one_number(name, x)


def _of_one_number(name: str, x: Any) -> Any:
    match name:
        case "sin" | "cos" | "tan":
            return getattr(mpmath, name)(x) if _is_angle(name, x) else mpmath.nan
        case "asin" | "acos":
            return getattr(mpmath, name)(x) if abs(x) <= 1 else mpmath.nan
        case "sinh":
            return (_exp(x) - _exp(-x)) / 2 if abs(x) > 1 else mpmath.sinh(x)
        case "cosh":
            return (_exp(x) + _exp(-x)) / 2
        case "tanh" | "erf":
            return getattr(mpmath, name)(x) if abs(x) < _LARGEST_EXPONENT else mpmath.sign(x)
        case "gamma":
            if abs(x) > _LARGEST_FACTORIAL and not mpmath.isint(x):
                return mpmath.inf if x > 0 else mpmath.mpf(0)
            if x > _LARGEST_FACTORIAL:
                return mpmath.inf
            return mpmath.nan if x <= 0 and mpmath.isint(x) else mpmath.gamma(x)
    raise TypeError(f"unknown function {name!r}")


def _bessel(name: str, order: Any, x: Any) -> Any:
    if not x >= 0:
        return mpmath.nan
    if x == mpmath.inf or (name == "besselk" and x > _LARGEST_EXPONENT):
        return mpmath.mpf(0)
    if name == "besselk":
        if x == 0:
            return mpmath.inf
        return mpmath.besselk(order, x) if abs(order) <= _LARGEST_SERIES else _decaying_bessel(order, x)
    if not _is_angle(name, x):
        return mpmath.nan
    charge(_CALLS_OF_A_TERM * min(x, order**2 + mpmath.mp.dps))
    try:
        return mpmath.besselj(order, x)
    except (ArithmeticError, ValueError, mpmath.libmp.NoConvergence):  # its series cancel for large orders
        return mpmath.nan


def _decaying_bessel(order: Any, x: Any) -> Any:
    """K_ν(x), |ν| ≥ 1 and x > 0, by K_{ν+1} = K_{ν−1} + 2ν/x K_ν from orders below 2, where nothing cancels.

    mpmath's series take minutes for integer orders near 100. Reference: DLMF 10.29.1.
    """
    order = abs(order)
    with mpmath.workdps(mpmath.mp.dps + 10):
        start = order - int(order) + 1
        below, here = mpmath.besselk(start - 1, x), mpmath.besselk(start, x)
        for n in range(int(order) - 1):
            below, here = here, below + 2 * (start + n) / x * here
    return +here


def _is_angle(name: str, x: Any) -> bool:
    """Whether a wave has a value at x; raises RangeError if that value needs too many digits."""
    if not mpmath.isfinite(x):
        return False
    if mpmath.mag(x) > _LARGEST_ANGLE / math.log(2):
        raise RangeError(f"{name}() only works for numbers up to e^{_LARGEST_ANGLE:,}")
    return True


def _exp(x: Any) -> Any:
    if x > _LARGEST_EXPONENT:
        return mpmath.inf
    return mpmath.mpf(0) if x < -_LARGEST_EXPONENT else mpmath.exp(x)


def value_at(formula: Formula, x: Any) -> Any:
    """The formula at one number, an mpf in mpmath's context."""
    return mpmath.mpf(evaluate(formula, mpmath.mpf(x), Multiprecision()))


def _in_digits(formula: Formula, step: Callable[[], T]) -> T:
    """The result of a step that uses mpmath; RangeError if it needs more than `VALUE_CALLS`."""

    def refused() -> NoReturn:
        raise RangeError(
            f"the values of {formula} need more than {VALUE_CALLS:,} operations with many digits, the limit"
        )

    return within(VALUE_CALLS, step, refused)


_SMALLEST, _LARGEST = 1e-290, 1e290
_FAR = 600.0


def scaled_values(formula: Formula, x: ArrayLike) -> Scaled:
    """The formula at an array of floats, in its shape, as m·e^s; plain floats wherever they suffice."""
    points = np.asarray(x, dtype=float)
    plain = values(formula, points)
    found, size = Scaled.of(plain), np.abs(plain)
    beyond = ~((size > _SMALLEST) & (size < _LARGEST))
    if not beyond.any():
        return found
    mantissa, exponent = np.array(found.mantissa), np.array(found.exponent)
    with np.errstate(all="ignore"):
        walked = evaluate(formula, Scaled.of(points[beyond]), _ScaledFloats())
        far = Scaled(*(np.broadcast_to(part, beyond.sum()) for part in walked))
    good = np.isfinite(far.mantissa) & np.isfinite(far.exponent)
    mantissa[beyond] = np.where(good, far.mantissa, mantissa[beyond])
    exponent[beyond] = np.where(good, far.exponent, exponent[beyond])
    return Scaled(mantissa, exponent)


class _ScaledFloats(Operations[Scaled]):
    """Adds exponents before exponentiating."""

    def constant(self, value: Any) -> Scaled:
        return Scaled.of(FLOATS.constant(value))

    def pi(self) -> Scaled:
        return Scaled.of(FLOATS.pi())

    def sum(self, terms: Sequence[Scaled]) -> Scaled:
        return reduce(lambda a, b: a.plus(b, 1.0), terms)

    def negation(self, operand: Scaled) -> Scaled:
        return Scaled(-operand.mantissa, operand.exponent)

    def product(self, factors: Sequence[Scaled]) -> Scaled:
        return reduce(Scaled.times, factors)

    def quotient(self, numerator: Scaled, denominator: Scaled) -> Scaled:
        return numerator.times(Scaled(1 / denominator.mantissa, -denominator.exponent))

    def power(self, base: Scaled, exponent: Scaled) -> Scaled:
        p = exponent.value()
        size = p * np.log(np.abs(base.mantissa))
        far = (base.mantissa > 0) & (np.abs(size) > _FAR)
        return Scaled(np.where(far, 1.0, np.power(base.mantissa, p)), base.exponent * p + np.where(far, size, 0.0))

    def function(self, name: str, arguments: Sequence[Scaled]) -> Scaled:
        x = arguments[0]
        match name:
            case "exp":
                size = x.value()
                return Scaled(np.ones(size.shape), size)
            case "log":
                return Scaled.of(np.log(x.mantissa) + x.exponent)
            case "sqrt":
                return Scaled(np.sqrt(x.mantissa), x.exponent / 2)
            case "abs":
                return Scaled(np.abs(x.mantissa), x.exponent)
            case "max" | "min":
                other = arguments[1]
                first = (x.plus(other, -1.0).mantissa >= 0) == (name == "max")
                return Scaled(*(np.where(first, a, b) for a, b in zip(x, other, strict=True)))
        return Scaled.of(FLOATS.function(name, [part.value() for part in arguments]))


def number_value(term: Term) -> float:
    """A term without the variable as a float: infinite or 0 if it is too large or too small, NaN if not real."""
    with np.errstate(all="ignore"):
        return float(evaluate(Formula(term), np.zeros(()), FLOATS))


def degree(term: Term) -> float:
    """The largest exponent of the variable after expanding all powers; symbols in exponents count as 1."""
    if isinstance(term, Variable):
        return 1.0
    if not isinstance(term, Operation):
        return 0.0
    degrees = [degree(operand) for operand in term.operands]
    if term.name == "power" and degrees[0] and not degrees[1]:
        return degrees[0] * (1.0 if Formula(term).unknowns() else abs(number_value(term.operands[1])))
    return sum(degrees) if term.name in ("product", "quotient", "power") else max(degrees)


def values(formula: Formula, x: ArrayLike) -> Array:
    """The formula at an array of floats, in its shape; NaN if it has no real value, ∞ at a pole.

    Values that are not finite in floats, 0·∞ in particular, are recomputed with long floats, and if necessary with
    mpmath, which does not overflow; near a removable 0/0 at zero, by the Taylor series. Where rounding is estimated to
    cost more than 1e-12, mpmath increases its precision until two values agree. Array stand-ins have only floats, and
    raise TypeError if these do not suffice near zero.
    """
    points = floats(x)
    if is_stand_in(points):
        if expansion(formula) is not None:
            raise TypeError(f"near zero {formula} is a Taylor series")
        return floats(evaluate(formula, points, FLOATS))
    with np.errstate(all="ignore"):
        found = np.array(np.broadcast_to(evaluate(formula, points, FLOATS), points.shape), dtype=float).ravel()
    mended = expansion(formula)
    if mended is not None:
        near = np.abs(points.ravel()) <= mended.reach
        found[near] = mended.derivatives(points.ravel()[near])[0]
    elif may_cancel(formula):
        _settle(formula, points.ravel(), found)
    lost = np.flatnonzero(~np.isfinite(found))
    if len(lost):
        with np.errstate(all="ignore"):
            long = evaluate(formula, points.ravel()[lost].astype(np.longdouble), LONG_FLOATS)
            found[lost] = long  # of those beyond floats the sign
            lost = lost[~np.isfinite(np.broadcast_to(long, lost.shape))]
        places, same = np.unique(points.ravel()[lost], return_inverse=True)
        spend(_OPERATIONS_EXACTLY * float(len(places)))
        exact = _in_digits(formula, lambda: [float(value_at(formula, float(at))) for at in places])
        found[lost] = np.array(exact)[same]
    return found.reshape(points.shape)


_LARGEST_ERROR = 1e-12
"""Floats that lost more than this, relative to 1 + |f|, are recomputed."""

_OPERATIONS_EXACTLY = 100_000
"""Digits of a value by mpmath."""

_DIGITS = (30, 60, 120, 240)


def _settle(formula: Formula, points: Array, found: Array) -> None:
    """Recompute values damaged by rounding."""
    with np.errstate(all="ignore"):
        error = estimated_error(formula, points)
        damaged = np.flatnonzero(np.isfinite(found) & ~(error <= _LARGEST_ERROR * (1 + np.abs(found))))
    places, same = np.unique(points[damaged], return_inverse=True)
    if len(places):
        found[damaged] = np.array(_in_digits(formula, lambda: [_settled(formula, float(at)) for at in places]))[same]


def _settled(formula: Formula, place: float) -> float:
    """The value with increasing precision until two results agree."""
    before = None
    for digits in _DIGITS:
        spend(_OPERATIONS_EXACTLY * digits / 30)
        with mpmath.workdps(digits):
            value = value_at(formula, place)
        if before is not None and abs(value - before) <= 1e-16 * abs(value) + 1e-20:
            break
        before = value
    return float(value)
