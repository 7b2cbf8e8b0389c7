"""The last layer of a skeleton: one node over a whole grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.elaboration.forms.form import Form, arguments_of
from kernelspec.elaboration.grid import grid_of
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.unavailable import Unavailable

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["FULL"]


def _full(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    written, below = arguments_of(node, "activation", "input")
    activation = elaborator.activation(written, columns, scope)
    grid = grid_of(elaborator, below, columns, scope, "'input' of full()").under(activation, None)
    if grid.image is None:  # the spec is being checked, and its parameters have no values
        return Unavailable(dim=columns.dim, span=node.span, form="full")
    return Skeleton(image=grid.image, layers=grid.layers, dim=columns.dim, span=node.span)


FULL = Form("full(activation, input=…)", "σ̂ of the average over a whole grid, image(…) or conv(…): a kernel", _full)
