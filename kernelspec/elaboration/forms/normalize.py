"""A kernel divided by its size, so that k(x, x) = 1."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import truediv
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.canonical import weighted_sum
from kernelspec.elaboration.forms.form import Form, arguments_of
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import RangeError
from kernelspec.kernels.families.cosine_similarity import CosineSimilarity
from kernelspec.kernels.leaves.linear import Linear
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.notation.elementary import is_integral, known_number

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes
    from kernelspec.notation.arguments import Scalar

__all__ = ["NORMALIZE"]


def _normalize(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    (inner,) = arguments_of(node, "kernel")
    kernel = elaborator.kernel(inner, columns, scope)
    if not kernel.has_constant_diagonal:
        return _normalized(kernel, node)
    size = _size(kernel)
    known = elaborator.arithmetic.known(size)
    if known is not None and known <= 0:
        raise RangeError(f"normalize() divides by k(x, x), which is {known:g} here: it must be positive", inner.span)
    share = elaborator.compute(partial(truediv, elaborator.constant(1), size), node)
    share = elaborator.argument(share, node, "1/k(x, x)")
    return weighted_sum([(share, kernel)], columns, node.span)


def _size(kernel: Kernel) -> Scalar:
    """k(x, x); in symbols a function by its name where it is an integral, of which SymPy may compute digits forever."""
    size = kernel.diagonal()
    if not is_integral(size):
        return size
    import sympy

    return sympy.Function(f"size_of_{kernel}", real=True)(0)


def _normalized(kernel: Kernel, node: nodes.Call) -> Kernel:
    """The kernel divided by the root of its diagonal, which depends on x: factor by factor, linear() by directions.

    Raises RangeError for sums, and for what is made of sums.
    """
    if kernel.has_constant_diagonal:
        size = _size(kernel)
        known = known_number(size)
        if known is not None and known <= 0:
            raise RangeError(
                f"normalize() divides by k(x, x), and that of a factor is {known:g} here: it must be above 0", node.span
            )
        return kernel if size == 1 else _times(kernel, 1 / size)
    match kernel:
        case Linear():
            return CosineSimilarity(dim=kernel.dim, span=kernel.span)
        case Product():
            return replace(kernel, factors=tuple(_normalized(factor, node) for factor in kernel.factors))
        case Power() | Select():
            return replace(kernel, base=_normalized(kernel.base, node))
        case Sum(weights=(weight,)) if (known_number(weight) or 0) > 0:
            return _normalized(kernel.terms[0], node)
    raise RangeError(
        "normalize() of a kernel whose k(x, x) depends on x is available for linear(), its products and powers, and "
        "not for sums or other functions of it: normalize the parts, as in normalize(linear()) + …",
        node.span,
    )


def _times(kernel: Kernel, weight: Any) -> Kernel:
    """The kernel times a number."""
    return Sum(terms=(kernel,), weights=(weight,), dim=kernel.dim, span=kernel.span)


NORMALIZE = Form("normalize(k)", "k(x, y) / √(k(x, x) k(y, y))", _normalize)
