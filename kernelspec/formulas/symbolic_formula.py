"""Formulas as SymPy expressions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kernelspec.formulas.formula import Formula
from kernelspec.formulas.operations import evaluate
from kernelspec.special.symbolic_orders import as_exponent, gamma_function

__all__ = ["formula_expression"]

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
