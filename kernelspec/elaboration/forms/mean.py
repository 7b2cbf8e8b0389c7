"""The average of kernels, and of grids of kernels."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from kernelspec.elaboration.canonical import weighted_sum
from kernelspec.elaboration.forms.form import Form
from kernelspec.elaboration.grid import Grid, grid_of, mean_of, mean_size
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ArgumentError, DimensionError

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["MEAN"]


def _mean(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel | Grid:
    if node.keywords or not node.positional:
        raise ArgumentError("mean() takes kernels, one or more: mean(k1, k2, …)", node.span)
    written, *others = node.positional
    first = elaborator.value(written, columns, scope)
    if isinstance(first, Grid):
        grids = [first, *(grid_of(elaborator, part, columns, scope, "this part of the mean") for part in others)]
        elaborator.counts.count_kernels(mean_size(grids), node)
        try:
            return mean_of(grids)
        except ValueError as error:
            raise DimensionError(f"grids of one shape over one image have a mean: {error}", node.span) from None
    kernels = [elaborator.as_kernel(first, written), *(elaborator.kernel(part, columns, scope) for part in others)]
    share = elaborator.constant(Fraction(1, len(kernels)))
    return weighted_sum([(share, kernel) for kernel in kernels], columns, node.span)


MEAN = Form("mean(k1, k2, …)", "average of kernels, or of grids of one shape: a grid again", _mean)
