"""Formulas in numbers: on NumPy arrays, with scaled floats, and with as many digits as needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import count
from operator import add, mul
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.errors import RangeError
from kernelspec.expressions.formula import Constant, Formula, Operation, Term, Variable, depends_on_variable, evaluate
from kernelspec.expressions.symbolic import VALUE_CALLS, charge, within
from kernelspec.limits import spend
from kernelspec.special.elementary import Scaled, floats, is_stand_in

__all__ = ["FLOATS", "Floats", "Multiprecision", "degree", "number_value", "scaled_values", "value_at", "values"]

T = TypeVar("T")

_LARGEST_EXPONENT = 100_000
"""exp() of more is taken for ∞, of less than its negative for 0: the numbers between are far beyond any float."""

_LARGEST_FACTORIAL = 12_000
"""Γ(x) of more is beyond that range, too, and 1/Γ of as much below 0, unless x is closer to a pole than floats are."""

_LARGEST_ANGLE = 1_000
"""Waves of numbers beyond e to this power, far beyond floats, need as many digits as the number has: refused."""

_LARGEST_SERIES = 20
"""Orders up to which mpmath's series are faster than an integral."""

_CALLS_OF_A_TERM = 100
"""Of a series of mpmath's with thousands of digits."""


class Multiprecision:
    """mpmath's real numbers; NaN where there is no real value."""

    def constant(self, value: Any) -> Any:
        import mpmath

        if isinstance(value, Fraction):
            return mpmath.mpf(value.numerator) / value.denominator
        return mpmath.mpf(value)

    def pi(self) -> Any:
        import mpmath

        return +mpmath.pi

    def sum(self, terms: Sequence[Any]) -> Any:
        return sum(terms[1:], terms[0])

    def negation(self, operand: Any) -> Any:
        return -operand

    def product(self, factors: Sequence[Any]) -> Any:
        result = factors[0]
        for factor in factors[1:]:
            result = result * factor
        return result

    def quotient(self, numerator: Any, denominator: Any) -> Any:
        import mpmath

        if denominator == 0:
            return mpmath.nan if numerator == 0 else mpmath.sign(numerator) * mpmath.inf
        return numerator / denominator

    def power(self, base: Any, exponent: Any) -> Any:
        return self.constant_power(base, exponent)

    def constant_power(self, base: Any, exponent: Any) -> Any:
        import mpmath

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
        import mpmath

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
    import mpmath

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
    raise TypeError(f"there is no function {name!r}")


def _bessel(name: str, order: Any, x: Any) -> Any:
    import mpmath

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
    """K_ν(x) = ∫₀^∞ exp(−x cosh t) cosh(νt) dt, x > 0, by the trapezoidal rule until two steps agree.

    All terms are positive, so that nothing cancels; the error falls exponentially in 1/h [Trefethen and Weideman 2014].
    mpmath's series take minutes for whole orders near 100.
    """
    import mpmath

    order, digits = abs(order), mpmath.mp.dps
    with mpmath.workdps(digits + 10):
        size = mpmath.hypot(order, x)
        peak, width = mpmath.asinh(order / x), 1 / mpmath.sqrt(1 + size)
        top = order * peak - size  # the exponent there
        small = mpmath.mpf(10) ** (-digits - 5)

        def term(t: Any) -> Any:
            found = mpmath.exp(order * t - x * mpmath.cosh(t) - top)
            return found * (1 + mpmath.exp(-2 * order * t)) / 2

        def terms(start: Any, step: Any) -> Any:
            """Of start + k·step, from the one below the peak outwards; on the left down to 0."""
            first = mpmath.floor((peak - start) / step)
            total = mpmath.mpf(0)
            for begin, direction in ((first, -1), (first + 1, 1)):
                for k in count(begin, direction):
                    t = start + k * step
                    found = term(t) if t >= 0 else mpmath.mpf(0)
                    if found <= small * total:
                        break
                    total += found / 2 if t == 0 else found
            return total

        step = width / 2
        total = terms(mpmath.mpf(0), step)
        while True:
            total, before = total + terms(step / 2, step), total
            step = step / 2
            if abs(total - 2 * before) <= small * total:
                return +(total * step * mpmath.exp(top))


def _is_angle(name: str, x: Any) -> bool:
    """Whether x is a number of which a wave has a value; raises RangeError if that value needs too many digits."""
    import mpmath

    if not mpmath.isfinite(x):
        return False
    if mpmath.mag(x) > _LARGEST_ANGLE / math.log(2):
        raise RangeError(f"{name}() is computed of numbers up to e^{_LARGEST_ANGLE:,}, and here is a larger one")
    return True


def _exp(x: Any) -> Any:
    import mpmath

    if x > _LARGEST_EXPONENT:
        return mpmath.inf
    return mpmath.mpf(0) if x < -_LARGEST_EXPONENT else mpmath.exp(x)


def value_at(formula: Formula, x: Any) -> Any:
    """The formula at one number, an mpf with the digits of mpmath's context."""
    import mpmath

    return mpmath.mpf(evaluate(formula, mpmath.mpf(x), Multiprecision()))


def _in_digits(formula: Formula, step: Callable[[], T]) -> T:
    """The result of a step that computes values with mpmath; RangeError if it needs more than `VALUE_CALLS`."""

    def refused() -> NoReturn:
        raise RangeError(
            f"the values of {formula} need more than {VALUE_CALLS:,} operations with many digits, which is the limit"
        )

    return within(VALUE_CALLS, step, refused)


_SMALLEST, _LARGEST = 1e-290, 1e290
_FAR = 600.0


def scaled_values(formula: Formula, x: ArrayLike) -> Scaled:
    """The formula at an array of floats, in its shape, as m·e^s; of floats as they are wherever those suffice."""
    points = np.asarray(x, dtype=float)
    found = Scaled.of(values(formula, points))
    size = np.abs(values(formula, points))
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


class _ScaledFloats:
    """Exponents are added before anything is raised to them."""

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
        return self.constant_power(base, exponent)

    def constant_power(self, base: Scaled, exponent: Scaled) -> Scaled:
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


Array = NDArray[np.float64]

_LONGEST = 10**100
"""Of whole numbers that become long floats."""

_OPERATIONS_EXACTLY = 100_000
"""For a value with mpmath."""


class Floats:
    """Arrays of floats: NaN where there is no real value, infinities for poles and overflow."""

    def constant(self, value: Any) -> Array:
        return np.asarray(float(value))

    def pi(self) -> Array:
        return np.asarray(math.pi)

    def sum(self, terms: Sequence[Array]) -> Array:
        return reduce(add, terms)

    def negation(self, operand: Array) -> Array:
        return np.negative(operand)

    def product(self, factors: Sequence[Array]) -> Array:
        return reduce(mul, factors)

    def quotient(self, numerator: Array, denominator: Array) -> Array:
        return np.divide(numerator, denominator)

    def power(self, base: Array, exponent: Array) -> Array:
        return np.power(base, exponent)

    def constant_power(self, base: Array, exponent: Array) -> Array:
        return np.power(base, exponent)

    def function(self, name: str, arguments: Sequence[Array]) -> Array:
        if name in _SPECIAL:
            import scipy.special

            return np.asarray(getattr(scipy.special, _SPECIAL[name])(*arguments))
        return floats(_FUNCTIONS[name](*arguments))


_SPECIAL = {"erf": "erf", "gamma": "gamma", "besselj": "jv", "besselk": "kv"}
"""Functions that NumPy has not, by their names in SciPy."""

_FUNCTIONS = {
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "abs": np.abs,
    "max": np.maximum,
    "min": np.minimum,
}

FLOATS = Floats()


class _LongFloats(Floats):
    """The same with the processor's long floats, where it has some, which do not overflow before 1e4932."""

    def constant(self, value: Any) -> Any:
        if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) < _LONGEST:
            return np.longdouble(value.numerator) / np.longdouble(value.denominator)
        return np.longdouble(float(value))

    def pi(self) -> Any:
        return 4 * np.arctan(np.longdouble(1))

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        if name in _SPECIAL:
            return np.full(np.broadcast_shapes(*(np.shape(part) for part in arguments)), np.longdouble("nan"))
        return _FUNCTIONS[name](*arguments)


_LONG_FLOATS = _LongFloats()


def number_value(term: Term) -> float:
    """A term without the variable as a float: infinite or 0 where it is too large or too small, NaN where not real."""
    with np.errstate(all="ignore"):
        return float(evaluate(Formula(term), np.zeros(()), FLOATS))


def degree(term: Term) -> float:
    """The largest exponent of the variable if all powers were multiplied out; symbols in exponents count as 1."""
    if isinstance(term, Variable):
        return 1.0
    if not isinstance(term, Operation):
        return 0.0
    degrees = [degree(operand) for operand in term.operands]
    if term.name == "power" and degrees[0] and not degrees[1]:
        return degrees[0] * (1.0 if Formula(term).unknowns() else abs(number_value(term.operands[1])))
    return sum(degrees) if term.name in ("product", "quotient", "power") else max(degrees)


def values(formula: Formula, x: ArrayLike) -> Array:
    """The formula at an array of floats, in its shape; NaN where it has no real value, ∞ at a pole.

    Where floats give no finite number, 0·∞ in particular, the value is computed again with long floats, and where these
    give none with mpmath, which does not overflow; near a removable 0/0 at zero it is that of the Taylor series. Where
    rounding is estimated to cost more than 1e-12, mpmath takes as many digits as make two values agree. What
    stands in for an array has floats alone, and raises TypeError where these do not do near zero.
    """
    from kernelspec.expressions.enclosure import expansion

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
    elif _may_cancel(formula):
        _settle(formula, points.ravel(), found)
    lost = np.flatnonzero(~np.isfinite(found))
    if len(lost):
        with np.errstate(all="ignore"):
            long = evaluate(formula, points.ravel()[lost].astype(np.longdouble), _LONG_FLOATS)
            found[lost] = long  # of those beyond floats the sign
            lost = lost[~np.isfinite(np.broadcast_to(long, lost.shape))]
        places, same = np.unique(points.ravel()[lost], return_inverse=True)
        spend(_OPERATIONS_EXACTLY * float(len(places)))
        exact = _in_digits(formula, lambda: [float(value_at(formula, float(at))) for at in places])
        found[lost] = np.array(exact)[same]
    return found.reshape(points.shape)


_LARGEST_ERROR = 1e-12
"""Beside 1 + |f|: floats that have lost more are computed again."""

_DIGITS = (30, 60, 120, 240)
_EPSILON = 2.0**-52
_GROWING = frozenset({"sinh", "cosh", "gamma", "tan"})


@lru_cache(maxsize=256)
def _may_cancel(formula: Formula) -> bool:
    """Whether there is a sum in the formula, and something that may make its rounding large."""
    names, pending = set(), [formula.body]
    while pending:
        part = pending.pop()
        if isinstance(part, Operation):
            pending.extend(part.operands)
            exponent = part.operands[-1]
            inverts = part.name == "power" and (not isinstance(exponent, Constant) or exponent.value < 0)
            inverts = inverts or (part.name == "quotient" and depends_on_variable(exponent))
            names |= {part.name, "inverse"} if inverts else {part.name}
    return "sum" in names and bool(names & (_GROWING | {"inverse"}))


def _settle(formula: Formula, points: Array, found: Array) -> None:
    """Compute again what rounding has damaged."""
    with np.errstate(all="ignore"):
        start = _Rounded(points, np.zeros_like(points))
        error = np.broadcast_to(evaluate(formula, start, _RoundedFloats()).error, points.shape)
        damaged = np.flatnonzero(np.isfinite(found) & ~(error <= _LARGEST_ERROR * (1 + np.abs(found))))
    places, same = np.unique(points[damaged], return_inverse=True)
    if len(places):
        found[damaged] = np.array(_in_digits(formula, lambda: [_settled(formula, float(at)) for at in places]))[same]


def _settled(formula: Formula, place: float) -> float:
    """The value with as many digits as make two values agree."""
    import mpmath

    before = None
    for digits in _DIGITS:
        spend(_OPERATIONS_EXACTLY * digits / 30)
        with mpmath.workdps(digits):
            value = value_at(formula, place)
        if before is not None and abs(value - before) <= 1e-16 * abs(value) + 1e-20:
            break
        before = value
    return float(value)


class _Rounded(NamedTuple):
    """Floats with estimates of what rounding has done to them, to first order.

    An infinite value with an error of 0 is too large for any other factor of a formula to bring back to a float.
    A value that merely overflowed has an infinite error.
    """

    value: Any
    error: Any

    @property
    def is_beyond(self) -> Any:
        return np.isinf(self.value) & (self.error == 0)


_BEYOND = 1e6
"""For larger x, no other factor of a formula brings e^x back to a float."""


class _RoundedFloats:
    """The operations of `Floats`, with those estimates."""

    def constant(self, value: Any) -> _Rounded:
        found = FLOATS.constant(value)
        is_exact = isinstance(value, Fraction) and math.isfinite(found) and Fraction(float(found)) == value
        return _Rounded(found, 0.0) if is_exact else self._result(found, 0.0)

    def pi(self) -> _Rounded:
        return self._result(FLOATS.pi(), 0.0)

    def sum(self, terms: Sequence[_Rounded]) -> _Rounded:
        return reduce(lambda a, b: self._result(a.value + b.value, a.error + b.error, a, b), terms)

    def negation(self, operand: _Rounded) -> _Rounded:
        return _Rounded(-operand.value, operand.error)

    def product(self, factors: Sequence[_Rounded]) -> _Rounded:
        def times(a: _Rounded, b: _Rounded) -> _Rounded:
            return self._result(a.value * b.value, np.abs(a.value) * b.error + np.abs(b.value) * a.error, a, b)

        return reduce(times, factors)

    def quotient(self, numerator: _Rounded, denominator: _Rounded) -> _Rounded:
        value = numerator.value / denominator.value
        error = (numerator.error + np.abs(value) * denominator.error) / np.abs(denominator.value)
        return self._result(value, np.where(denominator.is_beyond & np.isfinite(numerator.value), 0.0, error))

    def power(self, base: _Rounded, exponent: _Rounded) -> _Rounded:
        value, log = np.power(base.value, exponent.value), np.log(np.abs(base.value))
        relative = np.abs(exponent.value) * base.error / np.abs(base.value) + np.abs(log) * exponent.error
        # a zero that is exact stays zero: beyond the end of max(0, 1 − t)^a
        sure = (base.error + exponent.error == 0) | ((base.value == 0) & (base.error == 0) & (exponent.value > 0))
        return self._result(value, np.where(sure, 0.0, np.abs(value) * relative))

    constant_power = power

    def function(self, name: str, arguments: Sequence[_Rounded]) -> _Rounded:
        value = FLOATS.function(name, [part.value for part in arguments])
        x, error = arguments[-1]
        if name in ("max", "min"):
            first = arguments[0]
            apart = np.abs(first.value - x) > first.error + error
            return _Rounded(
                value, np.where(apart, np.where(value == x, error, first.error), np.maximum(first.error, error))
            )
        if name == "exp":
            return _Rounded(value, np.where(x - 2 * error > _BEYOND, 0.0, np.abs(value) * (error + 11 * _EPSILON)))
        own = 10 * _EPSILON * (np.abs(value) + (name == "besselj"))
        return self._result(value, np.where(error > 0, np.abs(_slope(name, x, value)) * error, 0.0) + own)

    def _result(self, value: Any, error: Any, *operands: _Rounded) -> _Rounded:
        """The value with its own rounding; what is infinite is beyond floats if an operand is."""
        beyond = np.isinf(value) & reduce(np.logical_or, (operand.is_beyond for operand in operands), False)
        return _Rounded(value, np.where(beyond, 0.0, error + _EPSILON * np.abs(value)))


def _slope(name: str, x: Any, value: Any) -> Any:
    """A function's derivative in its last argument, or what bounds it."""
    match name:
        case "sqrt":
            return 0.5 / value
        case "log":
            return 1 / x
        case "tan":
            return 1 + value**2
        case "asin" | "acos":
            return 1 / np.sqrt(1 - x * x)
        case "sinh" | "cosh":
            return np.cosh(x)
        case "gamma":
            return value * np.log(np.abs(x) + 2) * 4
        case "besselk":
            return value * (2 + 20 / x)
    return 1.2
