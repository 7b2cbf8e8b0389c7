"""Formulas on NumPy arrays, and with many digits where floats do not reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.formulas.formula import Formula, Term
from kernelspec.formulas.operations import evaluate
from kernelspec.special.floats import floats, is_stand_in

__all__ = ["FLOATS", "Floats", "number_value", "values"]

Array = NDArray[np.float64]


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


def number_value(term: Term) -> float:
    """A term without the variable as a float: infinite or 0 where it is too large or too small, NaN where not real."""
    with np.errstate(all="ignore"):
        return float(evaluate(Formula(term), np.zeros(()), FLOATS))


def values(formula: Formula, x: ArrayLike) -> Array:
    """The formula at an array of floats, in its shape; NaN where it has no real value, ∞ at a pole.

    Where floats give no finite number, 0·∞ in particular, the value is computed again with mpmath, which does not
    overflow; near a removable 0/0 at zero it is that of the Taylor series. What stands in for an array has floats
    alone, and raises TypeError where these do not do near zero.
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
    for place in np.flatnonzero(~np.isfinite(found)):
        found[place] = float(value_at(formula, float(points.ravel()[place])))
    return found.reshape(points.shape)
