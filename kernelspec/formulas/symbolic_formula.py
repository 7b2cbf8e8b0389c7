"""Formulas as SymPy expressions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kernelspec.formulas.formula import Formula
from kernelspec.formulas.operations import evaluate
from kernelspec.special.symbolic_orders import as_exponent

__all__ = ["formula_expression"]


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
        return base ** as_exponent(exponent)

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        import sympy

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
            "gamma": sympy.gamma,
            "besselj": sympy.besselj,
            "besselk": sympy.besselk,
            "abs": sympy.Abs,
            "max": sympy.Max,
            "min": sympy.Min,
        }
        return functions[name](*arguments)
