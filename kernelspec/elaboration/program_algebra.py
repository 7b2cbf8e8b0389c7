"""Sums, differences, products and powers of programs, as the text that a reader would write."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal, TypeVar

from kernelspec.elaboration.joined import joined
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.elaboration.written_numbers import number_expression
from kernelspec.language.nodes import Expression, Let, Negation, Param, Power, Product, Program, Sum
from kernelspec.language.printer import print_node

__all__ = ["added", "multiplied", "negated", "raised", "weighed"]

P = TypeVar("P", bound=ValuedProgram)
Lines = tuple[Param | Let, ...]
Values = tuple[tuple[str, Fraction], ...]


def added(left: P, right: P, sign: Literal["+", "-"]) -> P:
    """k1 + k2 or k1 − k2. Raises ParameterError where parameters of one name differ, SpecError for too long a text."""
    lines, first, second, values = joined(left, right)
    terms, signs = (first.terms, first.operators) if isinstance(first, Sum) else ((first,), ())
    if isinstance(second, Sum) and sign == "+":
        body = Sum((*terms, *second.terms), (*signs, sign, *second.operators), span=first.span)
    else:
        body = Sum((*terms, second), (*signs, sign), span=first.span)
    return _made(left, lines, body, values)


def multiplied(left: P, right: P) -> P:
    """k1 k2. Raises ParameterError where parameters of one name differ, SpecError for too long a text."""
    lines, first, second, values = joined(left, right)
    return _made(left, lines, _product(first, second), values)


def weighed(program: P, weight: Fraction, operator: Literal["*", "/"]) -> P:
    """The kernel times a number, or divided by it. Raises SpecError for a number that cannot be written, or a zero."""
    body = program.program.body
    size = number_expression(weight, body.span)
    return _made(
        program,
        program.program.statements,
        _product(size, body) if operator == "*" else _product(body, size, "/"),
        program.values,
    )


def negated(program: P) -> P:
    """−k."""
    body = program.program.body
    if isinstance(body, Product):
        first, *others = body.factors
        found: Expression = replace(body, factors=(Negation(first, span=first.span), *others))
    else:
        found = Negation(body, span=body.span)
    return _made(program, program.program.statements, found, program.values)


def raised(program: P, exponent: Fraction) -> P:
    """k ** n. Raises RangeError for a power that this kernel does not have."""
    body = program.program.body
    found = Power(body, number_expression(exponent, body.span), span=body.span)
    return _made(program, program.program.statements, found, program.values)


def _product(left: Expression, right: Expression, operator: Literal["*", "/"] = "*") -> Product:
    """Flat where that means the same: a*(b/2) is a*b/2, and a/(b*2) is left as it is."""
    factors, operators = (left.factors, left.operators) if isinstance(left, Product) else ((left,), ())
    if isinstance(right, Product) and operator == "*":
        return Product((*factors, *right.factors), (*operators, operator, *right.operators), span=left.span)
    return Product((*factors, right), (*operators, operator), span=left.span)


def _made(like: P, statements: Lines, body: Expression, values: Values) -> P:
    """The program, read from its own text, so that errors show a place in it; checked."""
    text = print_node(Program(statements, body, span=body.span))
    program = type(like).parsed(text, values)
    program.check()
    return program
