"""Formulas on arrays of floats, and estimates of what rounding has done to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.formula import Constant, Formula, Operation, Operations, depends_on_variable, evaluate
from kernelspec.special.elementary import floats

__all__ = ["FLOATS", "LONG_FLOATS", "Array", "Floats", "estimated_error", "may_cancel"]

Array = NDArray[np.float64]

_LONGEST = 10**100
"""Of whole numbers that become long floats."""


class Floats(Operations[Any]):
    """Arrays of floats: NaN where there is no real value, infinities for poles and overflow."""

    def constant(self, value: Any) -> Array:
        return np.asarray(float(value))

    def pi(self) -> Array:
        return np.asarray(math.pi)

    def power(self, base: Array, exponent: Array) -> Array:
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


LONG_FLOATS = _LongFloats()


_EPSILON = 2.0**-52
_GROWING = frozenset({"sinh", "cosh", "gamma", "tan"})


@lru_cache(maxsize=256)
def may_cancel(formula: Formula) -> bool:
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


def estimated_error(formula: Formula, points: Array) -> Array:
    """What rounding may have done to the formula in floats at these points, in their shape, to first order."""
    start = _Rounded(points, np.zeros_like(points))
    return np.broadcast_to(evaluate(formula, start, _RoundedFloats()).error, points.shape)


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
        # a zero that is exact stays zero: beyond the end of max(0, 1 − t)^a
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
