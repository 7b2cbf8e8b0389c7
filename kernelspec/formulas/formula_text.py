"""Formulas back to the text of the language: what is printed parses to the same formula."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from kernelspec.formulas.formula import Constant, Formula, Operation, Pi, Term, Variable
from kernelspec.language import nodes
from kernelspec.language.printer import print_node
from kernelspec.source import Source, Span

__all__ = ["formula_text"]

_NOWHERE = Span(Source(""), 0, 0)


def formula_text(formula: Formula) -> str:
    """`t -> exp(-t)`. A number that is a symbol or not known yet prints as a name, which parses as another formula."""
    variable = "t" if formula.variable == "pi" else formula.variable
    return print_node(nodes.Lambda(variable, _node(formula.body, variable), span=_NOWHERE))


def _node(term: Term, variable: str) -> nodes.Expression:
    if isinstance(term, Variable):
        return nodes.Name(variable, span=_NOWHERE)
    if isinstance(term, Pi):
        return nodes.Name("pi", span=_NOWHERE)
    if isinstance(term, Constant):
        return _number(term.value)
    match term.name:
        case "sum":
            return _sum(term, variable)
        case "product" | "quotient":
            factors, operators = _chain(term, variable)
            return nodes.Product(factors, operators, span=_NOWHERE)
        case "negation":
            return nodes.Negation(_node(term.operands[0], variable), span=_NOWHERE)
        case "power":
            base, exponent = (_node(operand, variable) for operand in term.operands)
            return nodes.Power(base, exponent, span=_NOWHERE)
    arguments = tuple(_node(operand, variable) for operand in term.operands)
    return nodes.Call(term.name, arguments, (), span=_NOWHERE, function_span=_NOWHERE)


def _number(value: object) -> nodes.Expression:
    if not isinstance(value, Fraction):
        text = str(value)
        return nodes.Name(text if text.isidentifier() else "unknown", span=_NOWHERE)
    if value < 0:
        return nodes.Negation(_number(-value), span=_NOWHERE)
    if _is_decimal(value):
        return nodes.Number(value, span=_NOWHERE)
    parts = (_number(Fraction(value.numerator)), _number(Fraction(value.denominator)))
    return nodes.Product(parts, ("/",), span=_NOWHERE)


def _is_decimal(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def _sum(term: Operation, variable: str) -> nodes.Sum:
    """`a - b` for a sum with a negated or a negative term; only the first keeps its sign."""
    first, *rest = term.operands
    parts: list[nodes.Expression] = [_node(first, variable)]
    operators: list[Literal["+", "-"]] = []
    for operand in rest:
        if isinstance(operand, Operation) and operand.name == "negation":
            shown, sign = _node(operand.operands[0], variable), "-"
        elif isinstance(operand, Constant) and isinstance(operand.value, Fraction) and operand.value < 0:
            shown, sign = _number(-operand.value), "-"
        else:
            shown, sign = _node(operand, variable), "+"
        parts.append(shown)
        operators.append("-" if sign == "-" else "+")
    return nodes.Sum(tuple(parts), tuple(operators), span=_NOWHERE)


def _chain(term: Operation, variable: str) -> tuple[tuple[nodes.Expression, ...], tuple[Literal["*", "/"], ...]]:
    """The factors of `a*b/c*d` and the signs between them."""
    first, *rest = term.operands
    factors: tuple[nodes.Expression, ...]
    operators: tuple[Literal["*", "/"], ...]
    if isinstance(first, Operation) and first.name in ("product", "quotient"):
        factors, operators = _chain(first, variable)
    else:
        factors, operators = (_node(first, variable),), ()
    sign: Literal["*", "/"] = "*" if term.name == "product" else "/"
    return (*factors, *(_node(operand, variable) for operand in rest)), (*operators, *(sign for _ in rest))
