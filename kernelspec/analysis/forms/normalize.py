"""A kernel divided by its size, so that k(x, x) = 1."""

from __future__ import annotations

from functools import partial
from operator import truediv
from typing import TYPE_CHECKING

from kernelspec.analysis.canonical import weighted_sum
from kernelspec.analysis.forms.form import Form, arguments_of
from kernelspec.analysis.scope import Columns, Definitions
from kernelspec.errors import RangeError

if TYPE_CHECKING:
    from kernelspec.analysis.elaborate import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["NORMALIZE"]


def _normalize(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    (inner,) = arguments_of(node, "kernel")
    kernel = elaborator.kernel(inner, columns, scope)
    size = kernel.diagonal()
    known = elaborator.arithmetic.known(size)
    if known is not None and known <= 0:
        raise RangeError(f"normalize() divides by k(x, x), which is {known:g} here: it must be positive", inner.span)
    share = elaborator.compute(partial(truediv, elaborator.constant(1), size), node)
    return weighted_sum([(share, kernel)], columns, node.span)


NORMALIZE = Form("normalize(k)", "k(x, y) / √(k(x, x) k(y, y))", _normalize)
