"""The numbers of a spec: exact values, SymPy expressions and text, within the range of floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from kernelspec.errors import RangeError, SpecError
from kernelspec.expressions.arguments import Scalar
from kernelspec.language.literals import number_text
from kernelspec.language.nodes import Expression, Negation, Number, Param, Product, Program, Vector
from kernelspec.limits import MAX_EXPONENT, MAX_SIZE
from kernelspec.loading import Span

__all__ = [
    "FUNCTIONS",
    "Arithmetic",
    "NumberArithmetic",
    "Numbers",
    "SymbolicArithmetic",
    "compute",
    "dimension_symbol",
    "exact_number",
    "number_expression",
    "with_written_values",
    "written",
]

_LARGEST = 10.0**MAX_EXPONENT


def compute(arithmetic: Arithmetic, operation: Callable[[], Scalar], node: Expression) -> Scalar:
    """The result of an operation. Raises RangeError, at the node, if it is not a finite float."""
    try:
        result = operation()
        known = arithmetic.known(result)
    except ZeroDivisionError:
        raise RangeError("division by zero", node.span) from None
    except ValueError:
        raise RangeError("this is not a real number", node.span) from None
    except OverflowError:
        known, result = math.inf, math.inf
    except FloatingPointError:
        known, result = 0.0, math.nan
    if known is None or result == 0:
        return result
    if abs(known) > _LARGEST:
        raise RangeError(f"this number is too large: it must be below 1e{MAX_EXPONENT}", node.span)
    if abs(known) < 1 / _LARGEST:
        raise RangeError(f"this number is too small: it must be above 1e-{MAX_EXPONENT}, or 0", node.span)
    return arithmetic.rounded(result)


def number_expression(value: Fraction, span: Span) -> Expression:
    """The exact expression of a number: a literal, or a quotient of two if its decimals never end.

    Raises SpecError for a number that has too many digits, or is not a float.
    """
    size = abs(value)
    try:
        number_text(size)
        numerator, denominator = size, None
    except SpecError:
        numerator, denominator = Fraction(size.numerator), Fraction(size.denominator)
        number_text(numerator)
        number_text(denominator)
    first: Expression = Number(numerator, span=span)
    if value < 0:
        first = Negation(first, span=span)
    return first if denominator is None else Product((first, Number(denominator, span=span)), ("/",), span=span)


Numbers: TypeAlias = Fraction | tuple[Fraction, ...]
"""The value of a parameter: a number, or one per entry of a vector."""


def with_written_values(program: Program, values: Mapping[str, Numbers]) -> Program:
    """The program whose `param` lines have these values as defaults; they keep their ranges."""
    statements = tuple(
        replace(line, default=written(values[line.name], line.span))
        if isinstance(line, Param) and line.name in values
        else line
        for line in program.statements
    )
    return replace(program, statements=statements)


def written(value: Numbers, span: Span) -> Expression:
    """The expression of a parameter's value. Raises SpecError like `number_expression`."""
    if isinstance(value, tuple):
        return Vector(tuple(number_expression(entry, span) for entry in value), span=span)
    return number_expression(value, span)


def exact_number(value: Any, arithmetic: Arithmetic) -> Scalar:
    """Convert a Fraction or a SymPy number to the arithmetic, exactly if it is rational."""
    if isinstance(value, Fraction):
        return arithmetic.literal(value)
    if value.is_Rational:
        return arithmetic.literal(Fraction(int(value.p), int(value.q)))
    return arithmetic.argument(value)


FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "abs")
"""Functions of one number that a spec may use."""

_LARGEST_EXACT_EXPONENT = 64
_MOST_BITS = 4096
"""Digits of an exact rational; a longer one is rounded to a float, so that powers of powers stay small."""

_LARGEST_IN_EXPONENTS = 10**5
"""Numerators and denominators of shapes up to this size stay exact; others become decimals."""


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
        """The value as a float, or None for a symbol.

        Raises ValueError, ZeroDivisionError or OverflowError if it is not a real number, or too large for a float.
        """

    def rounded(self, value: Scalar) -> Scalar:
        """The value, or the nearest float for a rational that is too long."""

    def argument(self, value: Scalar) -> Scalar:
        """The value as a kernel stores it."""

    def shape(self, value: Scalar) -> Scalar:
        """The same for a number that may appear in exponents."""


class NumberArithmetic:
    """Exact rationals as long as possible, then floats; NaN stands for an unknown number."""

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
        result = argument if math.isnan(argument) else self._functions[name](argument)
        if name == "exp" and result == 0:
            raise FloatingPointError("exp() of a number far below zero")
        return result

    def known(self, value: Scalar) -> float | None:
        return None if math.isnan(value) else float(value)

    def rounded(self, value: Scalar) -> Scalar:
        long = isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length())
        return float(value) if long > _MOST_BITS else value

    def argument(self, value: Scalar) -> float:
        return float(value)

    def shape(self, value: Scalar) -> float:
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
        import sympy

        value = sympy.S(value)
        if not value.is_number:
            return None
        if value.is_infinite or value.is_extended_real is False or value.has(sympy.nan):
            raise ValueError("not a real number")
        return float(value)

    def rounded(self, value: Scalar) -> Any:
        import sympy

        long = value.is_Rational and max(int(value.p).bit_length(), int(value.q).bit_length())
        return sympy.Float(float(value)) if long > _MOST_BITS else value

    def argument(self, value: Scalar) -> Any:
        return value

    def shape(self, value: Scalar) -> Any:
        """Rationals of more than five digits as decimals, since exact SymPy powers of them may never finish.

        The decimals are long enough to tell such rationals apart.
        """
        import sympy

        is_long = value.is_Rational and max(abs(value.p), value.q) > _LARGEST_IN_EXPONENTS
        return sympy.Float(value, max(17, 2 * len(str(value.q)) + len(str(value.p)))) if is_long else value


def dimension_symbol() -> Any:
    """The symbol d, for an unknown number of columns."""
    import sympy

    return sympy.Symbol("d", integer=True, positive=True)


def range_text(where: str, known: float) -> str:
    """The message for a number that is too large or too small."""
    return (
        f"{where} is {known:g}, but the numbers of a kernel must lie between {1 / MAX_SIZE:g} and {MAX_SIZE:g} "
        "in size, or be 0"
    )
