"""Formulas on arrays of floats, and estimates of their rounding errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.formula import Formula, Operation, Operations, divides, evaluate, terms_of
from kernelspec.loading import special
from kernelspec.special.elementary import floats

__all__ = ["FLOATS", "LONG_FLOATS", "Array", "Floats", "estimated_error", "may_cancel"]

Array = NDArray[np.float64]

_LONGEST = 10**100
"""Largest integers that become long floats."""


class Floats(Operations[Any]):
    """Arrays of floats: NaN without a real value, infinities for poles and overflow."""

    def constant(self, value: Any) -> Array:
        return np.asarray(float(value))

    def pi(self) -> Array:
        return np.asarray(math.pi)

    def power(self, base: Array, exponent: Array) -> Array:
        return np.power(base, exponent)

    def function(self, name: str, arguments: Sequence[Array]) -> Array:
        if name in _SPECIAL:
            return np.asarray(getattr(special, _SPECIAL[name])(*arguments))
        return floats(_elementary(name, arguments))


_SPECIAL = {"erf": "erf", "gamma": "gamma", "besselj": "jv", "besselk": "kv"}
"""Functions missing in NumPy, by their SciPy names."""

_NUMPY = {"asin": "arcsin", "acos": "arccos", "max": "maximum", "min": "minimum"}
"""Functions with other names in NumPy."""


def _elementary(name: str, arguments: Sequence[Any]) -> Any:
    return getattr(np, _NUMPY.get(name, name))(*arguments)


FLOATS = Floats()


class _LongFloats(Floats):
    """The same with the processor's long floats, if it has them; they overflow at 1e4932."""

    def constant(self, value: Any) -> Any:
        if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) < _LONGEST:
            return np.longdouble(value.numerator) / np.longdouble(value.denominator)
        return np.longdouble(float(value))

    def pi(self) -> Any:
        return 4 * np.arctan(np.longdouble(1))

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        if name in _SPECIAL:
            return np.full(np.broadcast_shapes(*(np.shape(part) for part in arguments)), np.longdouble("nan"))
        return _elementary(name, arguments)


LONG_FLOATS = _LongFloats()


_EPSILON = 2.0**-52
_GROWING = frozenset({"sinh", "cosh", "gamma", "tan"})


@lru_cache(maxsize=256)
def may_cancel(formula: Formula) -> bool:
    """Whether the formula has a sum, and something that may amplify its rounding error."""
    names = {part.name for part in terms_of(formula.body) if isinstance(part, Operation)}
    return "sum" in names and (bool(names & _GROWING) or divides(formula))


def estimated_error(formula: Formula, points: Array) -> Array:
    """First-order estimates of the rounding error of the formula at these points, in their shape."""
    start = _Rounded(points, np.zeros_like(points))
    return np.broadcast_to(evaluate(formula, start, _RoundedFloats()).error, points.shape)


class _Rounded(NamedTuple):
    """Floats with first-order estimates of their rounding errors.

    An infinite value with error 0 is so large that no other factor of a formula brings it back to a float; a value that
    merely overflowed has an infinite error.
    """

    value: Any
    error: Any

    @property
    def is_beyond(self) -> Any:
        return np.isinf(self.value) & (self.error == 0)


_BEYOND = 1e6
"""For larger x, no other factor of a formula brings e^x back to a float."""


class _RoundedFloats(Operations[_Rounded]):
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
        # an exact zero stays zero: beyond the end of max(0, 1 − t)^a
        sure = (base.error + exponent.error == 0) | ((base.value == 0) & (base.error == 0) & (exponent.value > 0))
        return self._result(value, np.where(sure, 0.0, np.abs(value) * relative))

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
        """The value with its own rounding error; infinite values count as out of range if an operand does."""
        beyond = np.isinf(value) & reduce(np.logical_or, (operand.is_beyond for operand in operands), False)
        return _Rounded(value, np.where(beyond, 0.0, error + _EPSILON * np.abs(value)))


def _slope(name: str, x: Any, value: Any) -> Any:
    """The derivative of a function in its last argument, or a bound."""
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
