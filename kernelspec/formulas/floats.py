"""Formulas on NumPy arrays, and with many digits where floats do not reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.formulas.formula import Formula, Term
from kernelspec.formulas.operations import evaluate
from kernelspec.special.counted_work import spend
from kernelspec.special.floats import floats, is_stand_in

__all__ = ["FLOATS", "Floats", "number_value", "values"]

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


def values(formula: Formula, x: ArrayLike) -> Array:
    """The formula at an array of floats, in its shape; NaN where it has no real value, ∞ at a pole.

    Where floats give no finite number, 0·∞ in particular, the value is computed again with long floats, and where these
    give none with mpmath, which does not overflow; near a removable 0/0 at zero it is that of the Taylor series. What
    stands in for an array has floats alone, and raises TypeError where these do not do near zero.
    """
    from kernelspec.formulas.multiprecision import value_at
    from kernelspec.formulas.removable import expansion

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
    lost = np.flatnonzero(~np.isfinite(found))
    if len(lost):
        with np.errstate(all="ignore"):
            long = evaluate(formula, points.ravel()[lost].astype(np.longdouble), _LONG_FLOATS)
            found[lost] = long  # of those beyond floats the sign
            lost = lost[~np.isfinite(np.broadcast_to(long, lost.shape))]
        places, same = np.unique(points.ravel()[lost], return_inverse=True)
        spend(_OPERATIONS_EXACTLY * float(len(places)))
        found[lost] = np.array([float(value_at(formula, float(at))) for at in places])[same]
    return found.reshape(points.shape)
