"""SymPy's simplification, where its work is bounded."""

from __future__ import annotations

from typing import Any

__all__ = ["simplified"]

_LARGEST_FACTOR = 1000
"""Of the variable inside a function: e^{nr} and cos nr are written as polynomials of degree n."""

_LARGEST_NUMBER = 10**20
"""Of numerators and denominators beside functions of the variable."""

_MOST_FACTORS = 6


def simplified(expression: Any) -> Any:
    """The expression simplified; only multiplied out where functions have factors that SymPy takes too long over.

    It is left as it is where even that may never end.
    """
    import sympy

    functions = [part for part in expression.atoms(sympy.Function) if part.free_symbols]
    numbers = expression.atoms(sympy.Number) if functions else ()
    factors = (number for part in functions for number in part.atoms(sympy.Number))
    if all(abs(factor) <= _LARGEST_FACTOR for factor in factors) and not any(map(_is_long, numbers)):
        return sympy.simplify(expression)
    whole = (power.exp for power in expression.atoms(sympy.Pow) if power.exp.is_Integer)
    return sympy.expand_mul(expression) if all(abs(exponent) <= _MOST_FACTORS for exponent in whole) else expression


def _is_long(number: Any) -> bool:
    return number.is_Rational and max(abs(number.p), number.q) > _LARGEST_NUMBER
