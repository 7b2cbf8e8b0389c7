"""Forms that change the lag: modulate, shift, stretch and tilt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kernelspec.elaboration.call_arguments import vector_entries
from kernelspec.elaboration.forms.form import (
    Form,
    arguments_of,
    kernel_and_vector,
    refuse_categories,
    refuse_functions_of_rows,
)
from kernelspec.elaboration.operators import is_zero, scaled, weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns, Definitions, Elaborator
from kernelspec.errors import DimensionError, RangeError, TypeMismatchError
from kernelspec.expressions.elementary import vector_sum
from kernelspec.kernels.kernel import Kernel, all_parts
from kernelspec.kernels.leaf import Leaf, Stationary, is_one
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.kernels.nodes.columns_and_lags import Shift, Stretch, Tilt
from kernelspec.kernels.nodes.sums_and_products import Product
from kernelspec.kernels.parts import leaf_columns
from kernelspec.language import nodes
from kernelspec.loading import Span

__all__ = ["MODULATE", "SHIFT", "STRETCH", "TILT"]


def _modulate(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    kernel, by = kernel_and_vector(elaborator, node, columns, scope)
    weight, base = scaled(kernel)
    if is_zero(base):
        return kernel
    wave = Cosine(by=by, dim=columns.dim, span=node.span)
    if is_one(base):
        return weighted_sum([(weight, wave)], columns, node.span)
    factors = base.factors if isinstance(base, Product) else (base,)
    product = Product(factors=(*factors, wave), dim=columns.dim, span=node.span)
    return weighted_sum([(weight, product)], columns, node.span)


MODULATE = Form("modulate(k, by)", "k(Δ) cos(w·Δ)", _modulate)


def _shift(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    kernel, by = kernel_and_vector(elaborator, node, columns, scope)
    for part in all_parts(kernel):
        if isinstance(part, Leaf) and not part.is_stationary:
            raise TypeMismatchError(
                f"shift() acts on differences, but {part} is not a function of x − y: apply it to the other factors",
                node.span,
            )
    if is_zero(kernel) or all(entry == 0 for entry in by):
        return kernel
    terms = [(w, _moved(term, by, columns, node.span)) for w, term in weighted_terms(kernel)]
    return weighted_sum(terms, columns, node.span)


def _moved(kernel: Kernel, by: tuple[Any, ...], columns: Columns, span: Span) -> Kernel:
    named = kernel.shifted(by) if isinstance(kernel, Leaf) else None
    return named if named is not None else _joined(Shift, kernel, by, columns, span)


def _joined(node: type[Shift | Tilt], kernel: Kernel, by: tuple[Any, ...], columns: Columns, span: Span) -> Kernel:
    """The node over a kernel; two such nodes become one, or none."""
    if isinstance(kernel, node):
        by, kernel = vector_sum(kernel.by, by), kernel.base
        if all(entry == 0 for entry in by):
            return kernel
    return node(base=kernel, by=by, dim=columns.dim, span=span)


SHIFT = Form("shift(k, by)", "k(Δ + r) for a vector r, or a number for the constant vector", _shift)


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
    if is_one(base):
        base = replace(base, dim=columns.dim)
    fixed = is_zero(base) or is_one(base)
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
        raise DimensionError("stretch() by a matrix needs the number of columns: set dim= or columns=", node.span)
    return tuple(elaborator.arguments(row, node, "an entry of the matrix") for row in value)


STRETCH = Form("stretch(k, by)", "k(Δ/s) for a number s or one per column; k(AΔ) for a matrix A", _stretch)


def _tilt(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    inner, written = arguments_of(node, "kernel", "by")
    kernel = elaborator.kernel(inner, columns, scope)
    value = elaborator.value(written, columns, scope)
    by = vector_entries(elaborator, value, written, columns, "'by' of tilt()")
    _refuse_tilt_of_positions(kernel, by, columns, node)
    if is_zero(kernel) or all(entry == 0 for entry in by):
        return kernel
    terms = [(w, _tilted(term, by, columns, node.span)) for w, term in weighted_terms(kernel)]
    return weighted_sum(terms, columns, node.span)


def _refuse_tilt_of_positions(kernel: Kernel, by: tuple[Any, ...], columns: Columns, node: nodes.Call) -> None:
    """Raise TypeMismatchError if the exponential grows in a category column, or k is not a function of differences.

    While the columns are unknown, the zeros of a vector may be in category columns.
    """
    refuse_functions_of_rows(kernel, node)
    known = columns.count is not None
    compared = leaf_columns(kernel, lambda leaf: leaf.compares_categories) if known else None
    if all(rate != 0 for rate in by) if compared is None else any(by[i] != 0 for i in compared):
        refuse_categories(kernel, node)


def _tilted(kernel: Kernel, by: tuple[Any, ...], columns: Columns, span: Span) -> Kernel:
    """Tilt one factor of a product: the first one that stays in the catalogue."""
    if isinstance(kernel, Product):
        for i, factor in enumerate(kernel.factors):
            named = factor.tilted(by) if isinstance(factor, Stationary) else None
            if named is not None:
                return replace(kernel, factors=(*kernel.factors[:i], named, *kernel.factors[i + 1 :]))
    named = kernel.tilted(by) if isinstance(kernel, Stationary) else None
    return named if named is not None else _joined(Tilt, kernel, by, columns, span)


TILT = Form("tilt(k, by)", "k(Δ) e^(β·Δ) for a vector β, or a number for the constant vector", _tilt)
