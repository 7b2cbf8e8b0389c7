"""Exact numbers as expressions and from SymPy, and programs with the values of their parameters written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kernelspec.errors import SpecError
from kernelspec.language.literals import number_text
from kernelspec.language.nodes import Expression, Negation, Number, Param, Product, Program
from kernelspec.source import Span

if TYPE_CHECKING:
    from kernelspec.elaboration.arithmetic import Arithmetic
    from kernelspec.notation.arguments import Scalar

__all__ = ["exact_number", "number_expression", "with_written_values"]


def number_expression(value: Fraction, span: Span) -> Expression:
    """The expression of a number, exactly: a literal, or a quotient of two where decimals never end.

    Raises SpecError for a number that has too many digits to be written, or is no float.
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


def with_written_values(program: Program, values: Mapping[str, Fraction]) -> Program:
    """The program whose `param` lines have these values as defaults, instead of a bound or the default they had."""
    statements = tuple(
        replace(
            line,
            relation=None,
            bound=None,
            default=number_expression(values[line.name], line.span),
        )
        if isinstance(line, Param) and line.name in values
        else line
        for line in program.statements
    )
    return replace(program, statements=statements)


def exact_number(value: Any, arithmetic: Arithmetic) -> Scalar:
    """A Fraction or a number of SymPy as the arithmetic has it: exact where it is rational."""
    if isinstance(value, Fraction):
        return arithmetic.literal(value)
    if value.is_Rational:
        return arithmetic.literal(Fraction(int(value.p), int(value.q)))
    return arithmetic.argument(value)
