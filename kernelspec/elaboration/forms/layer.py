"""A layer of a network: the dual of an activation over the average of kernels."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from kernelspec.elaboration.canonical import weighted_sum
from kernelspec.elaboration.forms.dual import dual_of, max_degree_of
from kernelspec.elaboration.forms.form import Form
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ArgumentError
from kernelspec.suggestion import suggest

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["LAYER"]

_SHOWN = "layer(activation, k1, k2, …)"


def _layer(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    cut = None
    for keyword in node.keywords:
        if keyword.name != "max_degree":
            hint = suggest(keyword.name, ["max_degree"]) or f": {_SHOWN}"
            raise ArgumentError(f"layer() has no argument '{keyword.name}'{hint}", keyword.name_span)
        cut = max_degree_of(elaborator, keyword.value, columns, scope)
    if len(node.positional) < 2:
        raise ArgumentError(f"layer() takes an activation and one or more kernels: {_SHOWN}", node.span)
    first, *parts = node.positional
    activation = elaborator.activation(first, columns, scope)
    share = elaborator.constant(Fraction(1, len(parts)))
    terms = [(share, elaborator.kernel(part, columns, scope)) for part in parts]
    return dual_of(elaborator, activation, weighted_sum(terms, columns, node.span), columns, node, cut)


LAYER = Form(_SHOWN, "σ̂ of the average of kernels", _layer)
