"""The numbers of a spec, three ways: exact values, SymPy expressions, or "not known yet" while checking."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Protocol

from kernelspec.kernels.arguments import Scalar

__all__ = ["FUNCTIONS", "Arithmetic", "NumberArithmetic", "SymbolicArithmetic"]

FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "abs")
"""Functions of one number that a spec may use."""

_LARGEST_EXACT_EXPONENT = 64


class Arithmetic(Protocol):
    """What evaluation needs to know about numbers."""

    def literal(self, value: Fraction) -> Scalar:
        """A number written in the spec."""

    def pi(self) -> Scalar:
        """π."""

    def power(self, base: Scalar, exponent: Scalar) -> Scalar:
        """base ** exponent."""

    def function(self, name: str, argument: Scalar) -> Scalar:
        """One of FUNCTIONS."""

    def known(self, value: Scalar) -> float | None:
        """The value as a float where it is a number already; None for a symbol."""

    def argument(self, value: Scalar) -> Scalar:
        """The value as a kernel stores it."""


class NumberArithmetic:
    """Exact rationals as long as possible, then floats; NaN stands for a number that is not known yet."""

    _functions: Mapping[str, Callable[[float], float]] = {
        "sqrt": math.sqrt,
        "exp": math.exp,
        "log": math.log,
        "sin": math.sin,
        "cos": math.cos,
    }

    def literal(self, value: Fraction) -> Scalar:
        return value

    def pi(self) -> float:
        return math.pi

    def power(self, base: Scalar, exponent: Scalar) -> Scalar:
        if isinstance(exponent, Fraction) and exponent.denominator == 1 and abs(exponent) <= _LARGEST_EXACT_EXPONENT:
            return base ** int(exponent)
        result = float(base) ** float(exponent)
        if isinstance(result, complex):
            raise ValueError("a fractional power of a negative number")
        return result

    def function(self, name: str, argument: Scalar) -> Scalar:
        if name == "abs":
            return abs(argument)
        return argument if math.isnan(argument) else self._functions[name](argument)

    def known(self, value: Scalar) -> float | None:
        return None if math.isnan(value) else float(value)

    def argument(self, value: Scalar) -> float:
        return float(value)


class SymbolicArithmetic:
    """SymPy expressions; rationals stay exact."""

    def literal(self, value: Fraction) -> Any:
        import sympy

        return sympy.Rational(value.numerator, value.denominator)

    def pi(self) -> Any:
        import sympy

        return sympy.pi

    def power(self, base: Scalar, exponent: Scalar) -> Any:
        import sympy

        size = abs(exponent) if exponent.is_number else 0
        if size > _LARGEST_EXACT_EXPONENT:  # an exact huge power would fill the memory
            return sympy.Float(float(base)) ** sympy.Float(float(exponent))
        return base**exponent

    def function(self, name: str, argument: Scalar) -> Any:
        import sympy

        functions = {
            "sqrt": sympy.sqrt,
            "exp": sympy.exp,
            "log": sympy.log,
            "sin": sympy.sin,
            "cos": sympy.cos,
            "abs": sympy.Abs,
        }
        return functions[name](argument)

    def known(self, value: Scalar) -> float | None:
        return float(value) if value.is_number else None

    def argument(self, value: Scalar) -> Any:
        return value
