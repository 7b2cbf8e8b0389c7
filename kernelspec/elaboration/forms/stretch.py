"""A kernel of a linear map of the lag."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.call_arguments import vector_entries
from kernelspec.elaboration.canonical import is_zero, scaled, weighted_sum
from kernelspec.elaboration.forms.form import Form, arguments_of, refuse_categories
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import DimensionError, RangeError
from kernelspec.kernels.leaves.constant import Constant
from kernelspec.kernels.nodes.stretch import Stretch

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["STRETCH"]


def _stretch(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    inner, by = arguments_of(node, "kernel", "by")
    where = "'by' of stretch()"
    value = elaborator.value(by, columns, scope)
    if isinstance(value, tuple) and any(isinstance(entry, tuple) for entry in value):
        matrix, seen = _matrix(elaborator, value, by, columns), Columns(len(value))
        kernel = elaborator.kernel(inner, seen, scope)
    else:
        kernel = elaborator.kernel(inner, columns, scope)
        scales = value if isinstance(value, tuple) else (elaborator.number(value, by, where),)
        for scale in scales:
            known = elaborator.arithmetic.known(scale)
            if known is not None and known <= 0:
                raise RangeError(f"{where} must be greater than 0, not {known:g}", by.span)
        one = elaborator.constant(1)
        if isinstance(value, tuple):
            matrix = tuple(one / s for s in vector_entries(elaborator, value, by, columns, where))
        else:
            matrix = one / elaborator.argument(value, by, where)
    refuse_categories(kernel, node)
    weight, base = scaled(kernel)
    if isinstance(base, Constant):
        base = replace(base, dim=columns.dim)
    fixed = is_zero(base) or isinstance(base, Constant)
    stretched = base if fixed else Stretch(base=base, matrix=matrix, dim=columns.dim, span=node.span)
    return weighted_sum([(weight, stretched)], columns, node.span)


def _matrix(elaborator: Elaborator, value: Any, node: nodes.Expression, columns: Columns) -> tuple[Any, ...]:
    widths = {len(row) if isinstance(row, tuple) else None for row in value}
    if len(widths) > 1 or None in widths:
        raise DimensionError("the rows of the matrix differ in length", node.span)
    (width,) = widths
    if columns.count is not None and width != columns.count:
        raise DimensionError(f"the matrix of stretch() has {width} columns for {columns.counted()} of data", node.span)
    if columns.count is None and not elaborator.checking:
        raise DimensionError("stretch() by a matrix needs the number of columns: give dim= or columns=", node.span)
    return tuple(elaborator.arguments(row, node, "an entry of the matrix") for row in value)


STRETCH = Form("stretch(k, by)", "k(Δ/s) for a number s or one per column; k(AΔ) for a matrix A", _stretch)
