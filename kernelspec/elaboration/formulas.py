"""From `x -> …` in a spec to a formula: names, checks, and the argument of product() and radial()."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.call_arguments import match_arguments
from kernelspec.elaboration.forms.form import FORMS, require_given_columns
from kernelspec.elaboration.scope import (
    CONSTANTS,
    MEDIAN,
    Columns,
    Definitions,
    Elaborator,
    Learned,
    by_position,
    position_of_name,
)
from kernelspec.errors import ArgumentError, ColumnError, RangeError, TypeMismatchError, UnknownNameError
from kernelspec.expressions.criteria.families import wave_of
from kernelspec.expressions.evaluation import degree, number_value, values
from kernelspec.expressions.formula import (
    ARITIES,
    COLUMN_FUNCTIONS,
    LEARNED,
    Column,
    Constant,
    Formula,
    Operation,
    Pi,
    Term,
    Variable,
    depends_on_variable,
    operation,
)
from kernelspec.expressions.limits import limit
from kernelspec.expressions.symbolic import formula_expression, limit_of_formula, multiplied_out, simplified
from kernelspec.language import nodes
from kernelspec.limits import MAX_SHAPE
from kernelspec.loading import Span, suggest, sympy

__all__ = [
    "SEVERAL_RESULTS",
    "Written",
    "build_formula",
    "column_term",
    "formula_argument",
    "normalized",
    "number_term",
    "real_on_line",
]

SEVERAL_RESULTS = {"cycle": "cycle(hour, 24)", "unit_vector": "unit_vector(lat, lon)"}
"""Functions of columns with several results, with an example of each."""


_BESSEL = ("besselj", "besselk")
_MOST_QUANTILES = 101
_MOST_TERMS = 2000
_DEEPEST = 60
"""Bounds that keep printed text within the language, and walks within Python's stack."""


def build_formula(elaborator: Elaborator, node: nodes.Lambda, columns: Columns, scope: Definitions) -> Formula:
    """The formula of a lambda; parameters and lets are inlined, so that its numbers stay exact.

    Inside, the variable hides other meanings of its name. Free parameters become SymPy symbols, or NaN while a spec is
    checked. Raises UnknownNameError, TypeMismatchError for kernels and vectors, ArgumentError for a wrong number of
    arguments, RangeError for a formula that is too long, each with its span.
    """
    builder = _Builder(elaborator, columns, node.span)
    formula = Formula(builder.term(node.body, scope, node.variable, 0), node.variable)
    if degree(formula.body) > MAX_SHAPE:
        raise RangeError(
            f"this formula has degree {degree(formula.body):.6g} in '{formula.variable}', more than "
            f"{MAX_SHAPE:g}: exponents of powers multiply, and those of products add up",
            node.body.span,
        )
    return formula


_COLUMNS = ""
"""Used instead of a variable's name: here names and strings are columns."""


def column_term(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> Term:
    """The term of a function of columns, such as `log(income)`, or of a number alone.

    Raises ColumnError for a column that is missing or named like a parameter, and the errors of `build_formula`.
    """
    return _Builder(elaborator, columns, node.span).term(node, scope, _COLUMNS, 0)


def number_term(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> Term:
    """The term of a number, without columns. Raises the errors of `build_formula`."""
    return _Builder(elaborator, columns, node.span).term(node, scope, None, 0)


class _Builder:
    def __init__(self, elaborator: Elaborator, columns: Columns, span: Span) -> None:
        self._elaborator = elaborator
        self._columns = columns
        self._span = span
        self._made = 0

    def term(self, node: nodes.Expression, scope: Definitions, variable: str | None, depth: int) -> Term:
        """The term of an expression; `variable` is None inside a let or default, which cannot see it."""
        self._made += 1
        if self._made > _MOST_TERMS:
            raise RangeError(
                f"this formula has more than {_MOST_TERMS:,} terms, counting every use of a let", self._span
            )
        if depth > _DEEPEST:
            raise RangeError(
                f"this formula is nested more than {_DEEPEST} levels deep, counting through lets", self._span
            )

        def inner(part: nodes.Expression) -> Term:
            return self.term(part, scope, variable, depth + 1)

        match node:
            case nodes.Number():
                return Constant(node.value)
            case nodes.Name():
                return self._name(node, scope, variable, depth)
            case nodes.Negation():
                return operation("negation", (inner(node.operand),))
            case nodes.Power():
                return _within_floats(operation("power", (inner(node.base), inner(node.exponent))), node)
            case nodes.Sum():
                terms = [inner(term) for term in node.terms]
                signs = zip(terms[1:], node.operators, strict=True)
                rest = [term if sign == "+" else operation("negation", (term,)) for term, sign in signs]
                return operation("sum", (terms[0], *rest))
            case nodes.Product():
                return _within_floats(self._product([inner(factor) for factor in node.factors], node), node)
            case nodes.Text() if variable == _COLUMNS:
                return self._column(nodes.Name(node.value, span=node.span))
            case nodes.Call() if variable == _COLUMNS and node.function == "column":
                return self._column_at(node)
            case nodes.Call():
                return _within_floats(self._call(node, scope, variable, depth), node)
        if variable == _COLUMNS:
            raise TypeMismatchError("a function of columns can only use numbers and columns", node.span)
        raise TypeMismatchError(f"a formula can only use numbers and '{variable or 'x'}', not this", node.span)

    def _product(self, factors: list[Term], node: nodes.Product) -> Term:
        result = factors[0]
        for factor, sign in zip(factors[1:], node.operators, strict=True):
            if sign == "/" and factor == Constant(Fraction(0)):
                raise RangeError("division by zero", node.span)
            result = operation("product" if sign == "*" else "quotient", (result, factor))
        return result

    def _name(self, node: nodes.Name, scope: Definitions, variable: str | None, depth: int) -> Term:
        name = node.identifier
        if name == variable:
            return Variable()
        found = scope.find(name)
        if variable == _COLUMNS and found is None and name != "pi":
            return self._column(node)
        if variable == _COLUMNS and (own := self._columns.spelled(name)) is not None:
            what = "a constant" if found is None else "a parameter" if isinstance(found[0], nodes.Param) else "a let"
            raise ColumnError(f"'{name}' is both {what} and a column: for the column, write \"{own}\"", node.span)
        if found is not None:
            line, above = found
            if isinstance(line, nodes.Let):
                return self.term(line.value, above, None, depth + 1)
            return self._parameter(line, node, scope, above, depth)
        if name == "pi":
            return Pi()
        if name == "d" and self._columns.count is not None:
            return Constant(Fraction(self._columns.count))
        if name in ("d", MEDIAN):
            return Constant(self._elaborator.value(node, self._columns, scope))
        if name in ARITIES:
            raise TypeMismatchError(f"'{name}' is a function: write {name}(…)", node.span)
        known = [*scope.names(), *CONSTANTS, *ARITIES, *([variable] if variable else [])]
        hint = suggest(name, known) or (f"; the variable is '{variable}'" if variable else "")
        raise UnknownNameError(f"unknown name '{name}' in a formula{hint}", node.span)

    def _column(self, node: nodes.Name) -> Column:
        return Column(position_of_name(node, self._columns, self._elaborator.checking))

    def _column_at(self, node: nodes.Call) -> Column:
        position = nodes.signed_number(node.positional[0]) if len(node.positional) == 1 and not node.keywords else None
        if position is None or position.value.denominator != 1:
            raise ArgumentError("column() needs the position of a column, such as column(0)", node.span)
        checking = self._elaborator.checking and self._columns.count is None
        return Column(0 if checking else by_position(replace(position, span=node.span), self._columns)[0])

    def _parameter(
        self, param: nodes.Param, node: nodes.Name, scope: Definitions, above: Definitions, depth: int
    ) -> Term:
        value = scope.value_of(param)
        if isinstance(value, nodes.Expression):
            return self.term(value, above, None, depth + 1)
        found = self._elaborator.value(node, self._columns, scope)  # its range is checked there
        return Constant(value if isinstance(value, Fraction) else found)

    def _call(self, node: nodes.Call, scope: Definitions, variable: str | None, depth: int) -> Term:
        name = node.function
        if variable == _COLUMNS and name in (*COLUMN_FUNCTIONS, "days"):
            return self._column_function(node, scope, depth)
        if name in FORMS or KERNELS.knows(name):
            raise TypeMismatchError(f"a formula can only use numbers, but {name}() is a kernel", node.span)
        if variable == _COLUMNS and name in SEVERAL_RESULTS:
            raise TypeMismatchError(
                f"{name}() has several results: use it alone in a selection, as in k[{SEVERAL_RESULTS[name]}]",
                node.span,
            )
        if name not in ARITIES:
            where, known = "in formulas", sorted(ARITIES)
            if variable == _COLUMNS:
                where = "of columns"
                known = sorted(({*ARITIES, *COLUMN_FUNCTIONS, *SEVERAL_RESULTS, "column", "days"}) - set(_BESSEL))
            hint = suggest(name, known) or f"; use {', '.join(known)}"
            raise UnknownNameError(f"unknown function '{name}' {where}{hint}", node.function_span)
        if len(node.positional) != ARITIES[name] or node.keywords:
            count = "one number" if ARITIES[name] == 1 else "two numbers"
            raise ArgumentError(f"{name}() needs {count}", node.span)
        if name in ("besselj", "besselk"):
            self._check_order(node, variable)
        operands = tuple(self.term(part, scope, variable, depth + 1) for part in node.positional)
        is_known = name in ("besselj", "besselk") and not Formula(operands[0]).unknowns()
        if is_known and abs(number_value(operands[0])) > MAX_SHAPE:
            order = node.positional[0].span
            raise RangeError(f"the order of {name}() must be between -{MAX_SHAPE:g} and {MAX_SHAPE:g}", order)
        return operation(name, operands)

    def _column_function(self, node: nodes.Call, scope: Definitions, depth: int) -> Term:
        """A function that only columns have: of dates, of missing values, or learned from data."""
        name = node.function
        second = {"fill": ["value"], "rank": ["quantiles"]}.get(name, [])
        given = match_arguments(node, ["x", *second], f"{name}({', '.join(['x', *second])})")
        if "x" not in given:
            raise ArgumentError(f"{name}() needs a column, as in {name}(x)", node.span)
        x = self.term(given["x"], scope, _COLUMNS, depth + 1)
        if not depends_on_variable(x):
            raise ColumnError(f"{name}() needs a column, but this reads none", given["x"].span)
        if name == "days":
            return x
        rest = [given[key] for key in second if key in given]
        if name == "rank" and rest:
            if not isinstance(rest[0], nodes.Vector) or len(rest[0].items) < 2:
                raise TypeMismatchError("the quantiles of rank() must be a vector of increasing numbers", rest[0].span)
            rest = list(rest[0].items)
        terms = [self.term(part, scope, _COLUMNS, depth + 1) for part in rest]
        if name == "rank" and (len(terms) > _MOST_QUANTILES or not _rising(terms)):
            raise RangeError(f"the quantiles of rank() must be at most {_MOST_QUANTILES} increasing numbers", node.span)
        if name == "rank":  # maps store numbers
            terms = [
                own if isinstance(own, Constant) else Constant(Fraction(repr(float(number_value(own)))))
                for own in terms
            ]
        if name in LEARNED and not terms:
            own = self._elaborator.learned.setdefault(id(node), Learned(node))
            own.terms[x, self._columns] = None
        return operation(name, (x, *terms))

    def _check_order(self, node: nodes.Call, variable: str | None) -> None:
        """Raise TypeMismatchError if the order of a Bessel function depends on the variable."""
        order = node.positional[0]
        if variable == _COLUMNS:
            raise TypeMismatchError(f"{node.function}() is not a function of columns", node.span)
        if any(isinstance(part, nodes.Name) and part.identifier == variable for part in order.parts()):
            raise TypeMismatchError(
                f"the order of {node.function}(order, {variable}) must not depend on '{variable}'", order.span
            )


def _within_floats(term: Term, node: nodes.Expression) -> Term:
    """The term. Raises RangeError for a number that is too large or too small for floats."""
    if not isinstance(term, Operation) or depends_on_variable(term) or Formula(term).unknowns():
        return term
    value = number_value(term)
    is_large = bool(np.isinf(value))
    if is_large or (value == 0 and _vanishes_by_rounding(term)):
        if is_large and term.name == "log":
            raise RangeError("the logarithm of 0 is not a number; a column is written log(column(0))", node.span)
        raise RangeError(f"this number is too {'large' if is_large else 'small'} for a formula", node.span)
    return term


def _vanishes_by_rounding(term: Operation) -> bool:
    """Whether a float 0 comes from underflow: in an exponential, a power, or a product of nonzero factors."""
    if term.name == "exp":
        return True
    zeros = [number_value(operand) == 0 for operand in term.operands]
    return not any(zeros) if term.name == "product" else not zeros[0] if term.name in ("power", "quotient") else False


def _rising(terms: list[Term]) -> bool:
    """Whether the terms are numbers in nondecreasing order."""
    known = [
        term.value if isinstance(term, Constant) and isinstance(term.value, Fraction) else number_value(term)
        for term in terms
        if not depends_on_variable(term) and not Formula(term).unknowns()
    ]
    return len(known) == len(terms) and all(low <= high for low, high in pairwise(known))


_TRIED = np.concatenate([np.linspace(0, 10, 1001)[1:], np.geomspace(1e-12, 1e12, 481)])


@dataclass(frozen=True)
class Written:
    """A formula and its place in the text."""

    formula: Formula
    node: nodes.Lambda


def formula_argument(
    elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions, shown: str, instead: str
) -> Written:
    """The formula argument of a call, inline or from a let; `instead` suggests a fix for other values.

    Raises ArgumentError, TypeMismatchError, DimensionError, and the errors of the formula.
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
        raise TypeMismatchError(f"{name}() needs a formula, {shown}; {instead}", written.span)
    require_given_columns(node, columns)
    return Written(build_formula(elaborator, written, columns, scope), written)


def real_on_line(written: Written) -> Written:
    """The formula, multiplied out if its exponentials overflow otherwise. Raises RangeError if f is not real at some
    t > 0, or if bounded work cannot decide it."""
    formula = written.formula
    if formula.unknowns():
        return written
    bad = np.flatnonzero(~np.isfinite(values(formula, _TRIED)))
    if not len(bad):
        return written
    far_out = len(bad) == len(_TRIED) - bad[0]  # a pole is at one place
    other = multiplied_out(formula) if far_out else None
    if other is not None and np.isfinite(values(other, _TRIED)).all():
        return Written(other, written.node)
    t, name = float(_TRIED[bad].min()), formula.variable
    beyond = ", or a part of it is beyond floats" if far_out and t > 1 else ""
    raise RangeError(f"f({name}) is not a real number at {name} = {t:.6g}{beyond}", written.node.body.span)


def normalized(formula: Formula) -> tuple[Any, Formula] | None:
    """f(0), as a Fraction or SymPy number, and f/f(0), or f itself if f(0) = 1; None if f(0) is 0 or unknown."""
    exact = _limit(formula)
    if isinstance(exact, Fraction):
        if exact in (0, 1):
            return (exact, formula) if exact else None
        return exact, Formula(_divided(formula.body, Constant(exact)), formula.variable)
    if isinstance(exact, float):
        return None
    start = _at_zero(formula.body)
    value = formula_expression(Formula(start), sympy.S.Zero)
    if value.has(sympy.nan, sympy.zoo) or value.is_finite is False or value.is_zero or not value.is_real:
        return None
    value = simplified(value)
    return value, formula if value == 1 else Formula(_divided(formula.body, start), formula.variable)


def _limit(formula: Formula) -> Any:
    """The limit at 0 by the rules for formulas; by SymPy's for waves and short formulas."""
    found = limit(formula, Fraction(0))
    if found is not None or formula.unknowns():
        return found
    if wave_of(formula) is not None:
        return Fraction(1)
    exact = limit_of_formula(formula, 0)
    return Fraction(int(exact.p), int(exact.q)) if exact is not None and exact.is_Rational else None


def _divided(body: Term, start: Term) -> Term:
    """f/f(0); if f begins with the factor f(0), drops it."""
    if isinstance(body, Operation) and body.name == "product" and body.operands[0] == start:
        rest = body.operands[1:]
        return operation("product", rest) if len(rest) > 1 else rest[0]
    return operation("quotient", (body, start))


def _at_zero(term: Term) -> Term:
    """The term at 0."""
    if not depends_on_variable(term):
        return term
    if isinstance(term, Variable):
        return Constant(Fraction(0))
    assert isinstance(term, Operation)
    return operation(term.name, tuple(_at_zero(part) for part in term.operands))
