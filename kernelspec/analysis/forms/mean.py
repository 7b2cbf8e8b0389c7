"""The average of kernels."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from kernelspec.analysis.canonical import weighted_sum
from kernelspec.analysis.forms.form import Form
from kernelspec.analysis.scope import Columns, Definitions
from kernelspec.errors import ArgumentError

if TYPE_CHECKING:
    from kernelspec.analysis.elaborate import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["MEAN"]


def _mean(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    if node.keywords or not node.positional:
        raise ArgumentError("mean() takes kernels, one or more: mean(k1, k2, …)", node.span)
    share = elaborator.arithmetic.argument(elaborator.arithmetic.literal(Fraction(1, len(node.positional))))
    terms = [(share, elaborator.kernel(part, columns, scope)) for part in node.positional]
    return weighted_sum(terms, columns, node.span)


MEAN = Form("mean(k1, k2, …)", "average of kernels", _mean)
