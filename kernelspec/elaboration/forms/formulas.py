"""Kernels from formulas, product(t -> …) and radial(r -> …), and from functions of rows, such as basis(t -> …)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.arithmetic import exact_number
from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.column_functions import Function, pulled_back
from kernelspec.elaboration.forms.form import FORMS, Form, positive, require_given_columns, whole_number
from kernelspec.elaboration.formulas import (
    Written,
    column_term,
    formula_argument,
    normalized,
    number_term,
    real_on_line,
)
from kernelspec.elaboration.operators import derived, factor_count, is_zero, require_few_factors, scaled, weighted_sum
from kernelspec.elaboration.recognition import on_each_column, radial_catalogue_terms, recognized, recognized_radial
from kernelspec.elaboration.scope import MEDIAN, Columns, Definitions, Learned, by_position, position_of_name
from kernelspec.errors import ArgumentError, ColumnError, DimensionError, RangeError, TypeMismatchError
from kernelspec.expressions.columns import Limits
from kernelspec.expressions.evaluation import number_value, values
from kernelspec.expressions.formula import (
    Column,
    Formula,
    Operation,
    Term,
    Variable,
    depends_on_variable,
    operation,
    terms_of,
)
from kernelspec.expressions.formula import Constant as ExactNumber
from kernelspec.expressions.limits import limit
from kernelspec.expressions.polya_criterion import polya_criterion
from kernelspec.expressions.symbolic import limit_of_formula
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.leaves.discrete import Constant
from kernelspec.kernels.leaves.of_rows import Gibbs, Linear
from kernelspec.kernels.nodes.sums_and_products import Power, Product
from kernelspec.language import nodes
from kernelspec.limits import MAX_FACTORS

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Elaborator
    from kernelspec.expressions.arguments import Scalar
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.loading import Span

__all__ = ["BASIS", "CHANGEPOINT", "GIBBS", "POLYNOMIAL", "PRODUCT", "RADIAL", "selected"]

_PRODUCT_SHOWN = "product(t -> f(t))"
_ROUNDING = 1e-12


def _product(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    written = formula_argument(
        elaborator, node, columns, scope, _PRODUCT_SHOWN, "multiply kernels with '*', as in k1 * k2"
    )
    _check_product_start(written)
    formula = real_on_line(written).formula
    if elaborator.checking:
        return FormulaProduct(shape=formula, dim=columns.dim, span=node.span)
    arithmetic, found = elaborator.arithmetic, normalized(formula)
    line = None
    if found is None:
        line = derived(lambda: recognized_radial(formula, Columns(1), arithmetic, node.span), arithmetic, node.span)
    if line is not None:  # no rule gives the limit of t*besselk(1, t), but it is a Matérn kernel
        start, base = scaled(line)
        kernel = on_each_column(base, columns.dim, node.span)
        if kernel is None:
            few = f"a number of columns below {MAX_FACTORS // factor_count(base) + 1}"
            raise DimensionError(f"product() of this formula needs {few}: set dim= or columns=", node.span)
    else:
        size, shape = found or (Fraction(1), formula)
        start = exact_number(size, arithmetic)
        named = derived(lambda: recognized(shape, columns.dim, arithmetic, node.span), arithmetic, node.span)
        if named is not None and factor_count(named) > MAX_FACTORS:
            named = None  # a single formula for the same kernel
        kernel = named or FormulaProduct(shape=shape, dim=columns.dim, span=node.span)
    elaborator.counts.count_kernels(factor_count(kernel) - 1, node)
    if start == 1:
        return kernel
    # every column has the factor f(0)
    if columns.dim is None:
        raise DimensionError("product() needs the number of columns for f(0) ≠ 1: set dim= or columns=", node.span)
    count = columns.dim if columns.count is None else arithmetic.literal(Fraction(columns.count))
    weight = elaborator.compute(partial(arithmetic.power, start, count), node)
    elaborator.argument(weight, node, "k(x, x)")
    return weighted_sum([(weight, kernel)], columns, node.span)


def _check_product_start(written: Written) -> None:
    """Raise RangeError if f(0) is not a positive number, or only known up to rounding."""
    formula = written.formula
    exact = limit(formula, Fraction(0))
    is_exact = isinstance(exact, Fraction)
    if formula.unknowns() and not is_exact:
        return
    start = float(exact) if isinstance(exact, Fraction) else float(values(formula, 0.0))
    if math.isnan(start):
        if (found := normalized(formula)) is not None:
            start = float(found[0])
        elif (terms := radial_catalogue_terms(formula, True)) is not None:
            start = float(sum(weight for weight, _ in terms))
    elif not is_exact and 0 < start < math.inf and abs(start - 1) > _ROUNDING and normalized(formula) is None:
        message = (
            f"product() needs an exact f(0), or 1, but f(0) = {start:g} up to rounding: divide f by its value at 0"
        )
        raise RangeError(message, written.node.body.span)
    if not 0 < start < math.inf:
        raise RangeError(f"product() needs f(0) > 0, but f(0) {_fault(start, formula)}", written.node.body.span)


def _fault(start: float, formula: Formula) -> str:
    if not math.isnan(start):
        return f"= {start:g}" if math.isfinite(start) else "is not a real number"
    known = limit_of_formula(formula, 0)
    if known is not None and known.is_finite:
        return "is not known: multiply f by a number, so that its limit is 1"
    return "is not known, since no rule gives the limit of f at 0"


PRODUCT = Form(_PRODUCT_SHOWN, "∏ f(|Δ_i|) for a formula f with f(0) > 0", _product)


_RADIAL_SHOWN = "radial(r -> f(r))"


def _radial(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    written = formula_argument(
        elaborator, node, columns, scope, _RADIAL_SHOWN, "write a catalogue kernel alone, as in gaussian()"
    )
    written = real_on_line(written)
    formula = written.formula
    if elaborator.checking:
        if not formula.unknowns():
            _check_radial_start(written)
        return FormulaRadial(shape=formula, dim=columns.dim, span=node.span)
    arithmetic = elaborator.arithmetic
    named = derived(lambda: recognized_radial(formula, columns, arithmetic, node.span), arithmetic, node.span)
    if named is not None:
        return named
    found = normalized(formula)
    if found is None:
        raise _no_radial_start(written)
    size, shape = found
    on_line = columns.count == 1 and polya_criterion(shape).is_proved
    family = FormulaProduct if on_line else FormulaRadial
    kernel = family(shape=shape, dim=columns.dim, span=node.span)
    return weighted_sum([(exact_number(size, arithmetic), kernel)], columns, node.span)


def _check_radial_start(written: Written) -> None:
    """Raise RangeError if f(0) is infinite, or if it is 0 and f is not a sum of known kernels."""
    start = limit(written.formula, Fraction(0))
    if start is None and not written.formula.unknowns() and math.isinf(float(values(written.formula, 0.0))):
        raise _no_radial_start(written)
    if start is None or (start != 0 and not isinstance(start, float)):
        return
    if all(radial_catalogue_terms(written.formula, on_line) is None for on_line in (True, False)):
        raise _no_radial_start(written)


def _no_radial_start(written: Written) -> RangeError:
    start = limit(written.formula, Fraction(0))
    if start is None and not written.formula.unknowns() and math.isinf(float(values(written.formula, 0.0))):
        start = math.inf
    if start == 0:
        fault = "it is 0 here"
    elif isinstance(start, float):
        fault = "it is infinite here"
    else:
        fault = "no rule gives its exact value here; if its limit is a number, divide by it"
    message = f"radial() needs a formula with f(0) ≠ 0, since k(x, x) = f(0): {fault}"
    return RangeError(message, written.node.body.span)


RADIAL = Form(_RADIAL_SHOWN, "f(‖Δ‖₂) for a formula f of the Euclidean distance", _radial)


def _function_kernel(elaborator: Elaborator, function: Function, columns: Columns, span: Span) -> Kernel:
    """f(x) f(y): linear() on one function of the columns."""
    return pulled_back(elaborator, Linear(dim=1, span=span), (function,), columns, span)


def _basis(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    instead = "kernels are not functions of one column"
    formula = formula_argument(elaborator, node, columns, scope, "basis(t -> f(t))", instead).formula
    body = _on_one_column(formula, columns, node)
    if not depends_on_variable(formula.body):
        raise TypeMismatchError("this function is a number: for a constant kernel, write 4*constant()", node.span)
    return _function_kernel(elaborator, Function(body), columns, node.span)


def _on_one_column(formula: Formula, columns: Columns, node: nodes.Call) -> Term:
    """The formula applied to the only column. Raises DimensionError."""
    if columns.count not in (None, 1):
        raise DimensionError(
            f"{node.function}() is a function of one column, not {columns.count}: select it, as in "
            f"{node.span.text}[{columns.names[0] if columns.names else 0}]",
            node.span,
        )

    def on_column(term: Term) -> Term:
        if isinstance(term, Variable):
            return Column(0)
        return Operation(term.name, tuple(map(on_column, term.operands))) if isinstance(term, Operation) else term

    return on_column(formula.body)


def _gibbs(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    given = match_arguments(node, ["f", "typical"], GIBBS.signature)
    typical = elaborator.arithmetic.argument(positive(elaborator, node, given, "typical", columns, scope))
    alone = replace(node, positional=node.positional[:1], keywords=tuple(k for k in node.keywords if k.name == "f"))
    instead = "the length scale must be a function of the column, as in gibbs(t -> 0.1 + t/10)"
    formula = formula_argument(elaborator, alone, columns, scope, "gibbs(t -> f(t))", instead).formula
    body = _on_one_column(formula, columns, node)
    if not depends_on_variable(formula.body):
        raise TypeMismatchError("this length scale is a number: write gaussian(scale=…)", node.span)
    length = Function(body, (Limits(body, 1e-99, 1e99, "length scale of gibbs()"),), ("gibbs", (Column(0),), 1))
    base = Gibbs(typical=typical, dim=2, span=node.span)
    return pulled_back(elaborator, base, (0, length), columns, node.span)


GIBBS = Form(
    "gibbs(t -> f(t), typical=1)",
    "a Gaussian kernel with the length scale f(t) of one column; `typical` is the length that features are drawn for",
    _gibbs,
    maps_columns=True,
)


BASIS = Form("basis(t -> f(t))", "f(x) f(y) for a function of one column: one exact feature", _basis, maps_columns=True)


_CHANGEPOINT = ("before", "after", "on", "at", "width")


def _changepoint(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    shown = CHANGEPOINT.signature
    given = match_arguments(node, list(_CHANGEPOINT), shown)
    require_arguments(node, given, _CHANGEPOINT, shown)
    if len(node.positional) > 2:
        raise ArgumentError(
            "write 'on', 'at' and 'width' of changepoint() as keywords: on=time", node.positional[2].span
        )
    place = selected(elaborator, given["on"], columns, scope, "'on' of changepoint()")
    at: Term
    if isinstance(given["at"], nodes.Name) and given["at"].identifier == MEDIAN and scope.find(MEDIAN) is None:
        elaborator.learned.setdefault(id(node), Learned(node)).terms[place, columns] = None
        at = Operation("fill", (place,))
    else:
        at = number_term(elaborator, given["at"], columns, scope)
    width = number_term(elaborator, given["width"], columns, scope)
    if not Formula(width).unknowns() and not number_value(width) > 0:
        raise RangeError("'width' of changepoint() must be greater than 0", given["width"].span)
    steps = operation("quotient", (operation("sum", (place, operation("negation", (at,)))), width))
    one = ExactNumber(Fraction(1))
    terms: list[tuple[Scalar, Kernel]] = []
    read = _read_by(place)
    rest = [i for i in range(columns.count or 0) if i not in read]
    for i, (name, exponent) in enumerate((("before", steps), ("after", operation("negation", (steps,))))):
        share = Operation("quotient", (one, Operation("sum", (one, Operation("exp", (exponent,))))))
        function = Function(share, call=("changepoint", (place, at, width), i))
        kernel = elaborator.kernel(_on_the_rest(elaborator, given[name], rest, columns, scope), columns, scope)
        weight, base = scaled(kernel)
        if is_zero(base):
            continue
        factors: list[Kernel] = [_function_kernel(elaborator, function, columns, node.span)]
        if not isinstance(base, Constant):
            factors += base.factors if isinstance(base, Product) else (base,)
        require_few_factors(factors, 1, node)
        made = factors[0] if len(factors) == 1 else Product(factors=tuple(factors), dim=columns.dim, span=node.span)
        terms.append((weight, made))
    return weighted_sum(terms, columns, node.span)


def selected(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions, what: str) -> Term:
    """The term of an argument that selects a column by name or position, or a function. Raises ColumnError."""
    if isinstance(node, nodes.Name | nodes.Text):
        name = node.identifier if isinstance(node, nodes.Name) else node.value
        return Column(position_of_name(nodes.Name(name, span=node.span), columns, elaborator.checking))
    if (number := nodes.signed_number(node)) is not None:
        if number.value.denominator != 1:
            raise ColumnError("a column's position is a whole number, such as 0 or -1", node.span)
        checking = elaborator.checking and columns.count is None
        return Column(0 if checking else by_position(number, columns)[0])
    term = column_term(elaborator, node, columns, scope)
    if not depends_on_variable(term):
        raise ColumnError(f"{what} reads no column: use a column name, as in on=time", node.span)
    return term


def _on_the_rest(
    elaborator: Elaborator, node: nodes.Expression, rest: Sequence[int], columns: Columns, scope: Definitions
) -> nodes.Expression:
    """The expression, with a selection of the other columns after every kernel that has none."""

    def inner(part: nodes.Expression) -> nodes.Expression:
        return _on_the_rest(elaborator, part, rest, columns, scope)

    match node:
        case nodes.Sum():
            return replace(node, terms=tuple(map(inner, node.terms)))
        case nodes.Product():
            return replace(node, factors=tuple(map(inner, node.factors)))
        case nodes.Power():
            return replace(node, base=inner(node.base))
        case nodes.Negation():
            return replace(node, operand=inner(node.operand))
        case nodes.Name() if (found := scope.let(node.identifier)) is not None:
            value = found[0].value
            if _is_plain(value, scope):
                return _behind(node, rest, columns)
            made = inner(value)
            return node if made == value else made
        case nodes.Call(function="changepoint"):
            place = next((own.value for own in node.keywords if own.name == "on"), None)
            if place is not None:  # kernels inside read the columns but both `on`
                read = _read_by(selected(elaborator, place, columns, scope, "'on' of changepoint()"))
                rest = [i for i in rest if i not in read]
        case nodes.Call() if (node.function in FORMS or KERNELS.knows(node.function)) and (
            node.function in _OF_SINGLE_COLUMNS or _is_plain(node, scope)
        ):
            return _behind(node, rest, columns)
    if isinstance(node, nodes.Call) and node.function in _OF_KERNELS:
        given = [
            own if own.name in ("on", "at", "width") else replace(own, value=inner(own.value)) for own in node.keywords
        ]
        return replace(node, positional=tuple(map(inner, node.positional)), keywords=tuple(given))
    return node


_OF_SINGLE_COLUMNS = ("additive", "each")
_OF_KERNELS = ("changepoint", "dual", "layer", "mean", "modulate", "normalize", "shift", "stretch", "tilt")
"""Forms whose kernels see the same columns as the form."""


def _read_by(place: Term) -> set[int]:
    return {part.position for part in terms_of(place) if isinstance(part, Column)}


def _is_plain(node: nodes.Expression, scope: Definitions) -> bool:
    """Whether an expression, with the lets in it, contains a kernel and selects nothing."""
    pending: list[nodes.Node] = [node]
    parts: list[nodes.Node] = []
    seen: set[str] = set()
    while pending:
        for part in pending.pop().parts():
            parts.append(part)
            if isinstance(part, nodes.Name) and part.identifier not in seen:
                seen.add(part.identifier)
                found = scope.let(part.identifier)
                pending += [] if found is None else [found[0].value]
    calls = {part.function for part in parts if isinstance(part, nodes.Call)}
    selects = any(isinstance(part, nodes.Select) for part in parts) or not calls.isdisjoint(("changepoint", "constant"))
    return not selects and any(name in FORMS or KERNELS.knows(name) for name in calls)


def _behind(node: nodes.Expression, rest: Sequence[int], columns: Columns) -> nodes.Expression:
    if columns.count is None:
        return node
    if not rest:
        raise ColumnError(
            "no column besides 'on' is left for this kernel: select one, as in gaussian()[time]", node.span
        )
    selectors = tuple(nodes.Number(Fraction(i), span=node.span) for i in rest)
    return nodes.Select(node, selectors, span=node.span)


CHANGEPOINT = Form(
    "changepoint(before, after, on, at, width)",
    "(1 − σ)(x) (1 − σ)(y) k₁ + σ(x) σ(y) k₂, σ the logistic function of (t − at)/width, t the column `on`",
    _changepoint,
    maps_columns=True,
)


def _polynomial(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(2, node)
    given = match_arguments(node, ["degree", "offset"], POLYNOMIAL.signature)
    require_given_columns(node, columns)
    degree, offset = 2, elaborator.constant(1)
    if "degree" in given:
        what = "'degree' of polynomial()"
        degree = whole_number(elaborator, given["degree"], columns, scope, what, 1, Power.largest) or 1
    if "offset" in given:
        written, what = given["offset"], "'offset' of polynomial()"
        number = elaborator.number(elaborator.value(written, columns, scope), written, what)
        known = elaborator.arithmetic.known(number)
        if known is not None and known < 0:
            raise RangeError(f"{what} must be at least 0, not {known:g}", written.span)
        offset = elaborator.argument(number, written, what)
    one = elaborator.constant(1)
    line, flat = Linear(dim=columns.dim, span=node.span), Constant(dim=columns.dim, span=node.span)
    base = weighted_sum([(one, line), (offset, flat)], columns, node.span)
    require_few_factors([base], degree, node)
    return base if degree == 1 else Power(base=base, exponent=degree, dim=columns.dim, span=node.span)


POLYNOMIAL = Form("polynomial(degree=2, offset=1)", "(x·y + offset)^degree: exact monomials if they fit", _polynomial)
