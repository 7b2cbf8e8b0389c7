"""A kernel from a formula: the product of one function over the columns."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.elaboration.call_arguments import match_arguments
from kernelspec.elaboration.forms.form import Form, require_given_columns
from kernelspec.elaboration.recognition import recognized
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.elaboration.written_formulas import build_formula
from kernelspec.errors import ArgumentError, RangeError, TypeMismatchError
from kernelspec.formulas.floats import values
from kernelspec.formulas.limits import limit
from kernelspec.kernels.families.formula_product import FormulaProduct
from kernelspec.language import nodes

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborate import Elaborator
    from kernelspec.formulas.formula import Formula
    from kernelspec.kernels.kernel import Kernel

__all__ = ["PRODUCT"]

_SHOWN = "product(t -> f(t))"
_ROUNDING = 1e-12
_TRIED = np.concatenate([np.linspace(0, 10, 1001)[1:], np.geomspace(1e-12, 1e12, 481)])


def _product(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    given = match_arguments(node, ["f"], _SHOWN)
    if "f" not in given:
        raise ArgumentError(f"product() needs a formula: {_SHOWN}, such as product(t -> exp(-t))", node.span)
    written = given["f"]
    if isinstance(written, nodes.Name) and (found := scope.let(written.identifier)) is not None:
        let, scope = found
        written = let.value
    if not isinstance(written, nodes.Lambda):
        raise TypeMismatchError(
            f"product() takes a formula, {_SHOWN}; kernels are multiplied by '*', as in k1 * k2", written.span
        )
    require_given_columns(node, columns)
    formula = build_formula(elaborator, written, columns, scope)
    _check(formula, written)
    named = None if elaborator.checking else recognized(formula, columns.dim, elaborator.arithmetic, node.span)
    return named or FormulaProduct(shape=formula, dim=columns.dim, span=node.span)


def _check(formula: Formula, written: nodes.Lambda) -> None:
    """Raise RangeError where f(0) is not 1, or f is no real number at some t > 0."""
    exact = limit(formula, Fraction(0))
    if isinstance(exact, Fraction) and exact != 1:
        raise RangeError(_not_one(float(exact), formula), written.body.span)
    if formula.unknowns():
        return
    start = float(values(formula, 0.0))
    if not abs(start - 1) <= _ROUNDING:
        raise RangeError(_not_one(start, formula), written.body.span)
    found = values(formula, _TRIED)
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        t = float(_TRIED[bad].min())
        raise RangeError(
            f"f({formula.variable}) is not a real number at {formula.variable} = {t:.6g}", written.body.span
        )


def _not_one(start: float, formula: Formula) -> str:
    if not math.isfinite(start):
        return "product() needs f(0) = 1, and here f(0) is not a real number"
    hint = f": divide f by it, and put the size in front, as in {start:g} * product({formula.variable} -> …)"
    return f"product() needs f(0) = 1, and here f(0) = {start:g}{hint if start > 0 else ''}"


PRODUCT = Form(_SHOWN, "∏ f(|Δ_i|) for a formula f with f(0) = 1", _product)
