"""The formula that product() and radial() take: read, checked, and divided by its value at 0."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.elaboration.call_arguments import match_arguments
from kernelspec.elaboration.forms.form import require_given_columns
from kernelspec.elaboration.written_formulas import build_formula
from kernelspec.errors import ArgumentError, RangeError, TypeMismatchError
from kernelspec.formulas.criteria.bessel_waves import wave_of
from kernelspec.formulas.floats import values
from kernelspec.formulas.formula import Constant, Formula, Operation, Term, Variable, depends_on_variable, operation
from kernelspec.formulas.limits import limit
from kernelspec.formulas.symbolic_formula import formula_expression
from kernelspec.language import nodes

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.elaboration.scope import Columns, Definitions

__all__ = ["Written", "check_line", "formula_argument", "normalized"]

_MOST_TERMS = 30
_TRIED = np.concatenate([np.linspace(0, 10, 1001)[1:], np.geomspace(1e-12, 1e12, 481)])


@dataclass(frozen=True)
class Written:
    """A formula, and where it stands."""

    formula: Formula
    node: nodes.Lambda


def formula_argument(
    elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions, shown: str, instead: str
) -> Written:
    """The formula that a call takes, written there or in a let; `instead` says what may be meant by another value.

    Raises ArgumentError, TypeMismatchError, DimensionError, and what the formula raises.
    """
    given = match_arguments(node, ["f"], shown)
    name = node.function
    if "f" not in given:
        example = shown.split("->", maxsplit=1)[0] + f"-> exp(-{shown.split('(')[1][0]}))"
        raise ArgumentError(f"{name}() needs a formula: {shown}, such as {example}", node.span)
    written = given["f"]
    if isinstance(written, nodes.Name) and (found := scope.let(written.identifier)) is not None:
        let, scope = found
        written = let.value
    if not isinstance(written, nodes.Lambda):
        raise TypeMismatchError(f"{name}() takes a formula, {shown}; {instead}", written.span)
    require_given_columns(node, columns)
    return Written(build_formula(elaborator, written, columns, scope), written)


def check_line(written: Written) -> None:
    """Raise RangeError where f is no real number at some t > 0, or tends to no number as t tends to 0."""
    formula = written.formula
    if formula.unknowns():
        return
    found = values(formula, _TRIED)
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        t = float(_TRIED[bad].min())
        raise RangeError(
            f"f({formula.variable}) is not a real number at {formula.variable} = {t:.6g}", written.node.body.span
        )


def normalized(formula: Formula) -> tuple[Any, Formula] | None:
    """f(0), a Fraction or a number of SymPy, and f divided by it; f itself for 1. None where it is 0 or not known."""
    exact = _limit(formula)
    if isinstance(exact, Fraction):
        if exact in (0, 1):
            return (exact, formula) if exact else None
        return exact, Formula(_divided(formula.body, Constant(exact)), formula.variable)
    if isinstance(exact, float):
        return None
    import sympy

    start = _at_zero(formula.body)
    value = formula_expression(Formula(start), sympy.S.Zero)
    if value.has(sympy.nan, sympy.zoo) or value.is_finite is False or value.is_zero or not value.is_real:
        return None
    value = sympy.simplify(value)
    return value, formula if value == 1 else Formula(_divided(formula.body, start), formula.variable)


def _limit(formula: Formula) -> Any:
    """The limit at 0 by the rules for formulas, and for waves and short formulas by SymPy's."""
    found = limit(formula, Fraction(0))
    if found is not None or formula.unknowns():
        return found
    import sympy

    if wave_of(formula) is not None:
        return Fraction(1)
    r = sympy.Symbol("r", positive=True)
    f = formula_expression(formula, r)
    if formula.size() > _MOST_TERMS or f.has(sympy.besselk, sympy.gamma, sympy.Max, sympy.Min):
        return None
    exact = sympy.limit(f, r, 0)
    return Fraction(int(exact.p), int(exact.q)) if exact.is_Rational else None


def _divided(body: Term, start: Term) -> Term:
    """f/f(0); where f begins with the factor f(0), without it."""
    if isinstance(body, Operation) and body.name == "product" and body.operands[0] == start:
        rest = body.operands[1:]
        return operation("product", rest) if len(rest) > 1 else rest[0]
    return operation("quotient", (body, start))


def _at_zero(term: Term) -> Term:
    """The term with 0 for the variable."""
    if not depends_on_variable(term):
        return term
    if isinstance(term, Variable):
        return Constant(Fraction(0))
    assert isinstance(term, Operation)
    return operation(term.name, tuple(_at_zero(part) for part in term.operands))
