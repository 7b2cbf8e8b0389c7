"""A kernel times a cosine of the lag: its measure moved by ±w."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.elaboration.canonical import is_zero, scaled, weighted_sum
from kernelspec.elaboration.forms.form import Form, kernel_and_vector
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.kernels.leaves.constant import Constant
from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.nodes.product import Product

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["MODULATE"]


def _modulate(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    kernel, by = kernel_and_vector(elaborator, node, columns, scope)
    weight, base = scaled(kernel)
    if is_zero(base):
        return kernel
    wave = Cosine(by=by, dim=columns.dim, span=node.span)
    if isinstance(base, Constant):
        return weighted_sum([(weight, wave)], columns, node.span)
    factors = base.factors if isinstance(base, Product) else (base,)
    product = Product(factors=(*factors, wave), dim=columns.dim, span=node.span)
    return weighted_sum([(weight, product)], columns, node.span)


MODULATE = Form("modulate(k, by)", "k(Δ) cos(w·Δ)", _modulate)
