"""A kernel from a formula: the product of one function over the columns."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from kernelspec.elaboration.canonical import weighted_sum
from kernelspec.elaboration.derived_arguments import derived
from kernelspec.elaboration.factor_count import factor_count
from kernelspec.elaboration.forms.form import Form
from kernelspec.elaboration.formula_argument import Written, check_line, formula_argument, normalized
from kernelspec.elaboration.recognition import recognized
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.elaboration.written_numbers import exact_number
from kernelspec.errors import DimensionError, RangeError
from kernelspec.formulas.floats import values
from kernelspec.formulas.limits import limit
from kernelspec.kernels.families.formula_product import FormulaProduct
from kernelspec.language import nodes
from kernelspec.limits import MAX_FACTORS

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel

__all__ = ["PRODUCT"]

_SHOWN = "product(t -> f(t))"
_ROUNDING = 1e-12


def _product(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    written = formula_argument(elaborator, node, columns, scope, _SHOWN, "kernels are multiplied by '*', as in k1 * k2")
    formula = written.formula
    _check_start(written)
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


def _check_start(written: Written) -> None:
    """Raise RangeError where f(0) is not a number above 0, or is not exactly what it is to rounding."""
    formula = written.formula
    exact = limit(formula, Fraction(0))
    if isinstance(exact, Fraction) and exact <= 0:
        raise RangeError(_no_start(float(exact)), written.node.body.span)
    if formula.unknowns():
        return
    start = float(values(formula, 0.0))
    if not math.isfinite(start) or start <= 0:
        raise RangeError(_no_start(start), written.node.body.span)
    if not isinstance(exact, Fraction) and normalized(formula) is None and abs(start - 1) > _ROUNDING:
        raise RangeError(f"product() needs f(0) = 1, and here f(0) = {start:g}", written.node.body.span)


def _no_start(start: float) -> str:
    if not math.isfinite(start):
        return "product() needs a number f(0) above 0, and here f(0) is not a real number"
    return f"product() needs a number f(0) above 0, and here f(0) = {start:g}"


PRODUCT = Form(_SHOWN, "∏ f(|Δ_i|) for a formula f with f(0) > 0", _product)
