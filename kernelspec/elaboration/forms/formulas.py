"""Kernels from formulas, product(t -> …) and radial(r -> …), and of functions of rows, such as basis(t -> …)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import sub as minus
from operator import truediv as over
from typing import TYPE_CHECKING, Any

from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.arithmetic import exact_number
from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.column_functions import Function, pulled_back
from kernelspec.elaboration.forms.form import FORMS, Form, require_given_columns
from kernelspec.elaboration.formulas import Written, check_line, column_term, formula_argument, normalized, number_term
from kernelspec.elaboration.operators import derived, factor_count, is_zero, require_few_factors, scaled, weighted_sum
from kernelspec.elaboration.recognition import radial_catalogue_terms, recognized, recognized_radial
from kernelspec.elaboration.scope import Columns, Definitions, by_position, position_of_name
from kernelspec.errors import ArgumentError, ColumnError, DimensionError, RangeError, TypeMismatchError
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
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.leaves.discrete import Constant
from kernelspec.kernels.leaves.of_rows import Linear, Match
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.language import nodes
from kernelspec.limits import MAX_FACTORS

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Elaborator
    from kernelspec.expressions.arguments import Scalar
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.loading import Span

__all__ = ["BASIS", "CHANGEPOINT", "HAMMING", "POLYNOMIAL", "PRODUCT", "RADIAL"]

_PRODUCT_SHOWN = "product(t -> f(t))"
_ROUNDING = 1e-12


def _product(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    written = formula_argument(
        elaborator, node, columns, scope, _PRODUCT_SHOWN, "kernels are multiplied by '*', as in k1 * k2"
    )
    formula = written.formula
    _check_product_start(written)
    check_line(written)
    if elaborator.checking:
        return FormulaProduct(shape=formula, dim=columns.dim, span=node.span)
    size, shape = normalized(formula) or (None, formula)
    arithmetic = elaborator.arithmetic
    named = derived(lambda: recognized(shape, columns.dim, arithmetic, node.span), arithmetic, node.span)
    if named is not None and factor_count(named) > MAX_FACTORS:
        named = None  # the formula is the same kernel in one piece
    kernel = named or FormulaProduct(shape=shape, dim=columns.dim, span=node.span)
    elaborator.counts.count_kernels(factor_count(kernel) - 1, node)
    if size is None or size == 1:
        return kernel
    # every column has the factor f(0)
    if columns.dim is None:
        raise DimensionError("every column has the factor f(0): product() needs the number of columns", node.span)
    count = columns.dim if columns.count is None else arithmetic.literal(Fraction(columns.count))
    start = exact_number(size, arithmetic)
    weight = elaborator.compute(partial(arithmetic.power, start, count), node)
    elaborator.argument(weight, node, "k(x, x)")
    return weighted_sum([(weight, kernel)], columns, node.span)


def _check_product_start(written: Written) -> None:
    """Raise RangeError where f(0) is not a number above 0, or is not exactly what it is to rounding."""
    formula = written.formula
    exact = limit(formula, Fraction(0))
    if isinstance(exact, Fraction) and exact <= 0:
        raise RangeError(_no_product_start(float(exact)), written.node.body.span)
    if formula.unknowns():
        return
    start = float(values(formula, 0.0))
    if not math.isfinite(start) or start <= 0:
        raise RangeError(_no_product_start(start), written.node.body.span)
    if not isinstance(exact, Fraction) and normalized(formula) is None and abs(start - 1) > _ROUNDING:
        raise RangeError(f"product() needs f(0) = 1, and here f(0) = {start:g}", written.node.body.span)


def _no_product_start(start: float) -> str:
    if not math.isfinite(start):
        return "product() needs a number f(0) above 0, and here f(0) is not a real number"
    return f"product() needs a number f(0) above 0, and here f(0) = {start:g}"


PRODUCT = Form(_PRODUCT_SHOWN, "∏ f(|Δ_i|) for a formula f with f(0) > 0", _product)


_RADIAL_SHOWN = "radial(r -> f(r))"


def _radial(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    written = formula_argument(
        elaborator, node, columns, scope, _RADIAL_SHOWN, "a kernel of the catalogue stands by itself, as in gaussian()"
    )
    check_line(written)
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
    """Raise RangeError where f(0) is known to be infinite, or 0 and f no sum of known kernels."""
    start = limit(written.formula, Fraction(0))
    if start is None and math.isinf(float(values(written.formula, 0.0))):
        raise _no_radial_start(written)
    if start is None or (start != 0 and not isinstance(start, float)):
        return
    if all(radial_catalogue_terms(written.formula, on_line) is None for on_line in (True, False)):
        raise _no_radial_start(written)


def _no_radial_start(written: Written) -> RangeError:
    name = written.formula.variable
    return RangeError(
        f"radial() needs a formula with a value other than 0 at {name} = 0, as k(x, x) = f(0): "
        f"f({name}) has none there that can be told exactly",
        written.node.body.span,
    )


RADIAL = Form(_RADIAL_SHOWN, "f(‖Δ‖₂) for a formula f of the Euclidean distance", _radial)


def _function_kernel(elaborator: Elaborator, function: Function, columns: Columns, span: Span) -> Kernel:
    """f(x) f(y): the kernel linear() on one function of the columns."""
    return pulled_back(elaborator, Linear(dim=1, span=span), (function,), columns, span)


def _basis(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    instead = "kernels are not functions of one column"
    formula = formula_argument(elaborator, node, columns, scope, "basis(t -> f(t))", instead).formula
    if columns.count not in (None, 1):
        raise DimensionError(
            f"basis() is a function of one column, and here are {columns.count}: select it, as in "
            f"{node.span.text}[{columns.names[0] if columns.names else 0}]",
            node.span,
        )
    if not depends_on_variable(formula.body):
        raise TypeMismatchError("this function is a number: for a constant kernel write 4*constant()", node.span)

    def on_column(term: Term) -> Term:
        if isinstance(term, Variable):
            return Column(0)
        return Operation(term.name, tuple(map(on_column, term.operands))) if isinstance(term, Operation) else term

    return _function_kernel(elaborator, Function(on_column(formula.body)), columns, node.span)


BASIS = Form("basis(t -> f(t))", "f(x) f(y) for a function of one column: one exact feature", _basis, maps_columns=True)


_CHANGEPOINT = ("before", "after", "on", "at", "width")


def _changepoint(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    shown = CHANGEPOINT.signature
    given = match_arguments(node, list(_CHANGEPOINT), shown)
    require_arguments(node, given, _CHANGEPOINT, shown)
    if len(node.positional) > 2:
        raise ArgumentError(
            "'on', 'at' and 'width' of changepoint() are given by name: on=time", node.positional[2].span
        )
    place = _selected(elaborator, given["on"], columns, scope)
    at, width = (number_term(elaborator, given[name], columns, scope) for name in ("at", "width"))
    if not Formula(width).unknowns() and not number_value(width) > 0:
        raise RangeError("'width' of changepoint() must be greater than 0", given["width"].span)
    steps = operation("quotient", (operation("sum", (place, operation("negation", (at,)))), width))
    one = ExactNumber(Fraction(1))
    terms: list[tuple[Scalar, Kernel]] = []
    read = {part.position for part in terms_of(place) if isinstance(part, Column)}
    rest = [i for i in range(columns.count or 0) if i not in read]
    for i, (name, exponent) in enumerate((("before", steps), ("after", operation("negation", (steps,))))):
        share = Operation("quotient", (one, Operation("sum", (one, Operation("exp", (exponent,))))))
        function = Function(share, call=("changepoint", (place, at, width), i))
        kernel = elaborator.kernel(_on_the_rest(given[name], rest, columns, scope), columns, scope)
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


def _selected(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> Term:
    """The term of `on`: a column by name or position, or a function of columns. Raises ColumnError for a number."""
    number = node.operand if isinstance(node, nodes.Negation) else node
    if isinstance(node, nodes.Name | nodes.Text):
        name = node.identifier if isinstance(node, nodes.Name) else node.value
        return Column(position_of_name(nodes.Name(name, span=node.span), columns, elaborator.checking))
    if isinstance(number, nodes.Number):
        if number.value.denominator != 1:
            raise ColumnError("a column's position is a whole number, such as 0 or -1", node.span)
        position = replace(number, value=number.value if number is node else -number.value, span=node.span)
        checking = elaborator.checking and columns.count is None
        return Column(0 if checking else by_position(position, columns)[0])
    term = column_term(elaborator, node, columns, scope)
    if not depends_on_variable(term):
        raise ColumnError("'on' of changepoint() reads no column: give its name, as in on=time", node.span)
    return term


def _on_the_rest(node: nodes.Expression, rest: Sequence[int], columns: Columns, scope: Definitions) -> nodes.Expression:
    """The expression with a selection of the other columns behind every kernel that has none."""

    def inner(part: nodes.Expression) -> nodes.Expression:
        return _on_the_rest(part, rest, columns, scope)

    match node:
        case nodes.Sum():
            return replace(node, terms=tuple(map(inner, node.terms)))
        case nodes.Product():
            return replace(node, factors=tuple(map(inner, node.factors)))
        case nodes.Power():
            return replace(node, base=inner(node.base))
        case nodes.Negation():
            return replace(node, operand=inner(node.operand))
        case nodes.Name() if (found := scope.let(node.identifier)) is not None and _is_plain(found[0].value):
            return _behind(node, rest, columns)
        case nodes.Call() if (node.function in FORMS or KERNELS.knows(node.function)) and _is_plain(node):
            return _behind(node, rest, columns)
    return node


def _is_plain(node: nodes.Expression) -> bool:
    """Whether an expression has a kernel in it, and selects nothing."""
    parts = list(node.parts())
    kernels = (part for part in parts if isinstance(part, nodes.Call))
    return any(call.function in FORMS or KERNELS.knows(call.function) for call in kernels) and not any(
        isinstance(part, nodes.Select) or (isinstance(part, nodes.Call) and part.function == "constant")
        for part in parts
    )


def _behind(node: nodes.Expression, rest: Sequence[int], columns: Columns) -> nodes.Expression:
    if columns.count is None:
        return node
    if not rest:
        raise ColumnError(
            "no column is left for this kernel beside 'on': select one, as in gaussian()[time]", node.span
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
    numbers: dict[str, Any] = {"degree": elaborator.constant(2), "offset": elaborator.constant(1)}
    for name, written in given.items():
        number = elaborator.number(elaborator.value(written, columns, scope), written, f"'{name}' of polynomial()")
        known = elaborator.arithmetic.known(number)
        if name == "degree" and known is None and not elaborator.checking:
            raise RangeError("'degree' of polynomial() must be a number", written.span)
        if name == "degree" and known is not None and (known != int(known) or not 1 <= known <= Power.largest):
            message = f"'degree' of polynomial() must be a whole number from 1 to {Power.largest}, not {known:g}"
            raise RangeError(message, written.span)
        if name == "offset" and known is not None and known < 0:
            raise RangeError(f"'offset' of polynomial() must be at least 0, not {known:g}", written.span)
        numbers[name] = elaborator.argument(number, written, f"'{name}' of polynomial()")
    one = elaborator.constant(1)
    line, flat = Linear(dim=columns.dim, span=node.span), Constant(dim=columns.dim, span=node.span)
    base = weighted_sum([(one, line), (numbers["offset"], flat)], columns, node.span)
    degree = int(elaborator.arithmetic.known(numbers["degree"]) or 1)
    require_few_factors([base], degree, node)
    return base if degree == 1 else Power(base=base, exponent=degree, dim=columns.dim, span=node.span)


POLYNOMIAL = Form("polynomial(degree=2, offset=1)", "(x·y + offset)^degree: exact monomials if they fit", _polynomial)


def _hamming(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    given = match_arguments(node, ["scale"], HAMMING.signature)
    require_given_columns(node, columns)
    count = columns.count or 1
    elaborator.counts.count_kernels(2 * count, node)
    scale: Scalar = elaborator.arithmetic.literal(Fraction(1))
    if "scale" in given:
        written = given["scale"]
        scale = elaborator.number(elaborator.value(written, columns, scope), written, "'scale' of hamming()")
        known = elaborator.arithmetic.known(scale)
        if known is not None and not known > 0:
            raise RangeError(f"'scale' of hamming() must be greater than 0, not {known:g}", written.span)
    if columns.count is None and not elaborator.checking:
        raise DimensionError("hamming() needs the number of columns: give dim= or columns=", node.span)
    arithmetic = elaborator.arithmetic
    share = elaborator.compute(partial(over, arithmetic.literal(Fraction(-1, count)), scale), node)
    floor = elaborator.compute(lambda: arithmetic.function("exp", share), node)
    rest = elaborator.compute(partial(minus, arithmetic.literal(Fraction(1)), floor), node)
    weights = tuple(elaborator.argument(weight, node, "a weight of hamming()") for weight in (floor, rest))
    flat = Constant(dim=columns.dim, span=node.span)
    factors = tuple(
        Sum(terms=(flat, _match(j, columns, node.span)), weights=weights, dim=columns.dim, span=node.span)
        for j in range(count)
    )
    require_few_factors(factors, 1, node)
    return factors[0] if count == 1 else Product(factors=factors, dim=columns.dim, span=node.span)


def _match(position: int, columns: Columns, span: Span) -> Kernel:
    if columns.count in (None, 1):
        return Match(dim=columns.dim, span=span)
    return Select(base=Match(dim=1, span=span), positions=(position,), dim=columns.dim, span=span)


HAMMING = Form(
    "hamming(scale=1)", "exp(−share of unequal columns / scale), of categories: ∏ (a + (1 − a) 1[x_j = y_j])", _hamming
)
