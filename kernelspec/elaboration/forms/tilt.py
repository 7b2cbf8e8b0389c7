"""A kernel times an exponential of the lag."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.call_arguments import vector_entries
from kernelspec.elaboration.canonical import is_zero, weighted_sum, weighted_terms
from kernelspec.elaboration.forms.form import Form, arguments_of, refuse_categories, refuse_functions_of_rows
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.leaf_columns import leaf_columns
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.tilt import Tilt
from kernelspec.notation.elementary import vector_sum

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes
    from kernelspec.source import Span

__all__ = ["TILT"]


def _tilt(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    inner, written = arguments_of(node, "kernel", "by")
    kernel = elaborator.kernel(inner, columns, scope)
    value = elaborator.value(written, columns, scope)
    by = vector_entries(elaborator, value, written, columns, "'by' of tilt()")
    _refuse_positions(kernel, by, columns, node)
    if is_zero(kernel) or all(entry == 0 for entry in by):
        return kernel
    terms = [(w, _tilted(term, by, columns, node.span)) for w, term in weighted_terms(kernel)]
    return weighted_sum(terms, columns, node.span)


def _refuse_positions(kernel: Kernel, by: tuple[Any, ...], columns: Columns, node: nodes.Call) -> None:
    """Raise TypeMismatchError where the exponential grows in a column of categories, or k takes no differences.

    Where the columns are not known yet, a vector may have its zeros in the columns of categories.
    """
    refuse_functions_of_rows(kernel, node)
    known = columns.count is not None
    compared = leaf_columns(kernel, lambda leaf: leaf.compares_categories) if known else None
    if all(rate != 0 for rate in by) if compared is None else any(by[i] != 0 for i in compared):
        refuse_categories(kernel, node)


def _tilted(kernel: Kernel, by: tuple[Any, ...], columns: Columns, span: Span) -> Kernel:
    """One factor of a product takes the exponential: the first that stays a kernel of the catalogue with it."""
    if isinstance(kernel, Tilt):
        total = vector_sum(kernel.by, by)
        if all(entry == 0 for entry in total):
            return kernel.base
        return Tilt(base=kernel.base, by=total, dim=columns.dim, span=span)
    if isinstance(kernel, Product):
        for i, factor in enumerate(kernel.factors):
            named = factor.tilted(by) if isinstance(factor, Stationary) else None
            if named is not None:
                return replace(kernel, factors=(*kernel.factors[:i], named, *kernel.factors[i + 1 :]))
    named = kernel.tilted(by) if isinstance(kernel, Stationary) else None
    return named if named is not None else Tilt(base=kernel, by=by, dim=columns.dim, span=span)


TILT = Form("tilt(k, by)", "k(Δ) e^(β·Δ) for a vector β, or a number for the constant vector", _tilt)
