"""Kernels from formulas: product(t -> …) and radial(r -> …)."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from kernelspec.elaboration.arithmetic import exact_number
from kernelspec.elaboration.forms.form import Form
from kernelspec.elaboration.formulas import Written, check_line, formula_argument, normalized
from kernelspec.elaboration.operators import derived, factor_count, weighted_sum
from kernelspec.elaboration.recognition import radial_catalogue_terms, recognized, recognized_radial
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import DimensionError, RangeError
from kernelspec.expressions.evaluation import values
from kernelspec.expressions.limits import limit
from kernelspec.expressions.polya_criterion import polya_criterion
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.language import nodes
from kernelspec.limits import MAX_FACTORS

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Elaborator
    from kernelspec.kernels.kernel import Kernel

__all__ = ["PRODUCT", "RADIAL"]

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
