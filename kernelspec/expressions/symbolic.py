"""Formulas as SymPy expressions, and simplification with bounded work."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kernelspec.expressions.formula import Formula, evaluate
from kernelspec.special.elementary import as_exponent, gamma_function

__all__ = ["formula_expression", "matern_size", "power_of", "simplified"]

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


_LARGEST_ROOT = 10**40
"""Of a rational number other than 1, which SymPy takes exactly, if ever."""

_MOST_BITS = 10**6
"""Of the size of a decimal: functions of larger ones take SymPy as many digits."""


def formula_expression(formula: Formula, x: Any) -> Any:
    """The formula at a SymPy expression."""
    return evaluate(formula, x, _Expressions())


class _Expressions:
    def constant(self, value: Any) -> Any:
        import sympy

        return sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else sympy.S(value)

    def pi(self) -> Any:
        import sympy

        return sympy.pi

    def sum(self, terms: Sequence[Any]) -> Any:
        import sympy

        return sympy.Add(*terms)

    def negation(self, operand: Any) -> Any:
        return -operand

    def product(self, factors: Sequence[Any]) -> Any:
        import sympy

        return sympy.Mul(*factors)

    def quotient(self, numerator: Any, denominator: Any) -> Any:
        return numerator / denominator

    def power(self, base: Any, exponent: Any) -> Any:
        return base**exponent

    def constant_power(self, base: Any, exponent: Any) -> Any:
        order = as_exponent(exponent)
        factor, rest = base.as_coeff_Mul()
        if order.is_Rational and order.q > _LARGEST_ROOT and factor.is_Rational and 0 < factor != 1:
            import sympy

            return sympy.Float(factor, 17) ** order * rest**order
        return _within_reach(base**order)

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        import sympy

        if any(argument.has(sympy.zoo, sympy.nan) for argument in arguments):
            return sympy.nan  # a quotient by 0, which SymPy does not compare
        functions = {
            "sqrt": sympy.sqrt,
            "exp": sympy.exp,
            "log": sympy.log,
            "sin": sympy.sin,
            "cos": sympy.cos,
            "tan": sympy.tan,
            "asin": sympy.asin,
            "acos": sympy.acos,
            "sinh": sympy.sinh,
            "cosh": sympy.cosh,
            "tanh": sympy.tanh,
            "erf": sympy.erf,
            "gamma": gamma_function,
            "besselj": sympy.besselj,
            "besselk": sympy.besselk,
            "abs": sympy.Abs,
            "max": sympy.Max,
            "min": sympy.Min,
        }
        return functions[name](*arguments)


def _within_reach(value: Any) -> Any:
    """The value; ∞ and 0 for decimals too large or too small to reckon with, such as 2^(1e99)."""
    import sympy

    if not value.is_Float or not value:
        return value
    sign, _, power, bits = value._mpf_
    if abs(power + bits) <= _MOST_BITS:
        return value
    return sympy.S.Zero if power < 0 else sympy.S.NegativeInfinity if sign else sympy.S.Infinity
