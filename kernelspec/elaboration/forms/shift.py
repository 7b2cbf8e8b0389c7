"""A kernel at a translated lag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.canonical import is_zero, weighted_sum, weighted_terms
from kernelspec.elaboration.forms.form import Form, kernel_and_vector
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import TypeMismatchError
from kernelspec.kernels.all_parts import all_parts
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.leaves.shift_gaussian import ShiftGaussian
from kernelspec.kernels.nodes.shift import Shift
from kernelspec.notation.elementary import vector_sum

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes
    from kernelspec.source import Span

__all__ = ["SHIFT"]


def _shift(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    kernel, by = kernel_and_vector(elaborator, node, columns, scope)
    _refuse_positions(kernel, node)
    if is_zero(kernel) or all(entry == 0 for entry in by):
        return kernel
    terms = [(w, _moved(term, by, columns, node.span)) for w, term in weighted_terms(kernel)]
    return weighted_sum(terms, columns, node.span)


def _refuse_positions(kernel: Kernel, node: nodes.Call) -> None:
    for part in all_parts(kernel):
        if isinstance(part, Leaf) and not part.is_stationary:
            raise TypeMismatchError(
                f"shift() acts on differences, and {part} is no function of x − y: apply it to the other factors",
                node.span,
            )


def _moved(kernel: Kernel, by: tuple[Any, ...], columns: Columns, span: Span) -> Kernel:
    if isinstance(kernel, Shift):
        total = vector_sum(kernel.by, by)
        if all(entry == 0 for entry in total):
            return kernel.base
        return Shift(base=kernel.base, by=total, dim=columns.dim, span=span)
    named = kernel.shifted(by) if isinstance(kernel, Stationary | ShiftGaussian) else None
    return named if named is not None else Shift(base=kernel, by=by, dim=columns.dim, span=span)


SHIFT = Form("shift(k, by)", "k(Δ + r) for a vector r, or a number for the constant vector", _shift)
