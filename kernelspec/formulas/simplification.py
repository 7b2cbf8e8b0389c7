"""SymPy's simplification and its exact numbers, where the work is bounded."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kernelspec.special.symbolic_orders import as_exponent, gamma_function

__all__ = ["matern_size", "power_of", "simplified"]

_LARGEST_FACTOR = 1000
"""Of the variable inside a function: e^{nr} and cos nr are written as polynomials of degree n."""

_LARGEST_NUMBER = 10**20
"""Of numerators and denominators beside functions of the variable."""

_MOST_FACTORS = 6


@lru_cache(maxsize=256)
def simplified(expression: Any) -> Any:
    """The expression simplified; only multiplied out where functions have factors that SymPy takes too long over.

    It is left as it is where even that may never end. A report asks for the same expressions many times, as its kernel
    is made again for each set of columns.
    """
    import sympy

    functions = [part for part in expression.atoms(sympy.Function) if part.free_symbols]
    numbers = expression.atoms(sympy.Number) if functions else ()
    factors = (number for part in functions for number in part.atoms(sympy.Number))
    if all(abs(factor) <= _LARGEST_FACTOR for factor in factors) and not any(map(_is_long, numbers)):
        return sympy.simplify(expression)
    whole = (power.exp for power in expression.atoms(sympy.Pow) if power.exp.is_Integer)
    return sympy.expand_mul(expression) if all(abs(exponent) <= _MOST_FACTORS for exponent in whole) else expression


def power_of(base: Any, exponent: Any) -> Any:
    """base ** exponent, in decimals where the exact power may never end."""
    return base ** as_exponent(exponent)


def matern_size(order: Any, rate: Any) -> Any:
    """2^{ν−1} Γ(ν) c^{−ν}, the value at 0 of r^ν K_ν(cr)."""
    return power_of(2, order - 1) * gamma_function(order) / power_of(rate, order)


def _is_long(number: Any) -> bool:
    return bool(number.is_Rational and max(abs(number.p), number.q) > _LARGEST_NUMBER)
