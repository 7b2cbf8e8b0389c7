"""Programs joined, and combined by algebra."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Literal, NamedTuple, TypeVar

from kernelspec.elaboration.arithmetic import Numbers, number_expression
from kernelspec.elaboration.valued_program import ValuedProgram, mentioned, renamed, words, written_value
from kernelspec.errors import ParameterError
from kernelspec.language.nodes import Expression, Let, Negation, Param, Power, Product, Program, Sum
from kernelspec.language.printer import print_node
from kernelspec.limits import MAX_NAME

__all__ = ["Joined", "added", "joined", "multiplied", "negated", "raised", "weighed"]

_NamedLines = Mapping[str, Param | Let]
Lines = tuple[Param | Let, ...]
Values = tuple[tuple[str, Numbers], ...]


class Joined(NamedTuple):
    """The lines of two programs, the two kernel expressions below them, and the values of all parameters."""

    statements: tuple[Param | Let, ...]
    left: Expression
    right: Expression
    values: Values


def joined(left: ValuedProgram, right: ValuedProgram) -> Joined:
    """Both programs, with every name meaning what it meant.

    A parameter is known by its name, like a symbol of SymPy: one that both programs have is one parameter, and has to
    have the same line and the same value in both. A let is an abbreviation: where both define the same name, or one
    means something else by it, the let gets a new name, `close_2` for `close`. Raises ParameterError.
    """
    lines_left, lines_right = _lines(left.program), _lines(right.program)
    shared = _shared(lines_left, lines_right)
    foreign_left, foreign_right = mentioned(left.program) - set(lines_left), mentioned(right.program) - set(lines_right)
    unlike = (set(lines_left) & set(lines_right)) - shared
    taken = words(left.program) | words(right.program)
    names_left: dict[str, str] = {}
    names_right: dict[str, str] = {}
    for name in sorted(unlike | (set(lines_left) & foreign_right) | (set(lines_right) & foreign_left)):
        if isinstance(lines_right.get(name), Let):
            names_right[name] = _new_name(name, taken)
        elif isinstance(lines_left.get(name), Let):
            names_left[name] = _new_name(name, taken)
        elif name in unlike:
            raise ParameterError(
                f"both specs have a parameter '{name}', declared differently: rename "
                f"one of them with spec.with_names({{'{name}': '{_new_name(name, taken)}'}})"
            )
        else:
            raise ParameterError(
                f"one spec has a parameter '{name}', which means something else in the other: rename the "
                f"parameter with spec.with_names({{'{name}': '{_new_name(name, taken)}'}})"
            )
    for name in sorted(shared):
        _check_value(name, left, right)
    first, second = renamed(left.program, names_left), renamed(right.program, names_right)
    kept = tuple(line for line in second.statements if line.name not in shared)
    values = tuple(sorted({**dict(left.values), **dict(right.values)}.items()))
    return Joined((*first.statements, *kept), first.body, second.body, values)


def _lines(program: Program) -> _NamedLines:
    return {line.name: line for line in program.statements}


def _shared(left: _NamedLines, right: _NamedLines) -> set[str]:
    """The names that both programs define alike, in words that mean the same in both."""
    shared: set[str] = set()
    for name, line in right.items():
        if left.get(name) == line and all(word in shared or word not in {*left, *right} for word in mentioned(line)):
            shared.add(name)
    return shared


def _new_name(name: str, taken: set[str]) -> str:
    """`name_2`, or the next number that is free; taken from now on."""
    number = 2
    while (new := f"{name[: MAX_NAME - 10]}_{number}") in taken:
        number += 1
    taken.add(new)
    return new


def _check_value(name: str, left: ValuedProgram, right: ValuedProgram) -> None:
    line = _lines(left.program)[name]
    if isinstance(line, Let):
        return
    first, second = (dict(program.values).get(name, written_value(line)) for program in (left, right))
    if first != second:
        absent = "none" if line.default is None else "that of its line"
        shown = [absent if value is None else _shown(value) for value in (first, second)]
        raise ParameterError(
            f"both specs have the parameter '{name}', with values {shown[0]} and {shown[1]}: "
            f"set the same value in both, or rename one with "
            f"spec.with_names({{'{name}': '{_new_name(name, words(left.program) | words(right.program))}'}})"
        )


def _shown(value: Numbers) -> str:
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else f"{float(value):g}"


P = TypeVar("P", bound=ValuedProgram)


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
