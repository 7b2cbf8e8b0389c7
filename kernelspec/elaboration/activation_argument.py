"""The activation that an argument stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.activations.catalogue import ACTIVATIONS, load_activation
from kernelspec.elaboration.bare_names import call_meant
from kernelspec.elaboration.call_arguments import bind
from kernelspec.errors import ArgumentError, RangeError, TypeMismatchError, UnknownNameError
from kernelspec.language import nodes
from kernelspec.suggestion import suggest

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.elaboration.scope import Columns, Definitions

__all__ = ["activation_of"]


def activation_of(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> Activation:
    """An activation of the catalogue, or activation(x -> f(x)).

    Raises TypeMismatchError, UnknownNameError, ArgumentError, RangeError, and what `bind` and `build_formula` do.
    """
    node, scope = call_meant(node, scope)
    if not isinstance(node, nodes.Call):
        shown = "; write a formula as in activation(x -> …)" if isinstance(node, nodes.Lambda) else ""
        raise TypeMismatchError(f"an activation is needed here, such as relu{shown}", node.span)
    if node.function == "activation":
        return _formula_activation(elaborator, node, columns, scope)
    if node.function not in ACTIVATIONS:
        hint = suggest(node.function, [*ACTIVATIONS, "activation"]) or (
            f"; there are {', '.join(ACTIVATIONS)}, and formulas, as in activation(x -> x**2)"
        )
        raise UnknownNameError(f"there is no activation '{node.function}'{hint}", node.function_span)
    cls = load_activation(node.function)
    fields = bind(elaborator, node, cls, columns, scope)
    try:
        return cls(**fields, span=node.span)
    except ValueError as error:
        raise RangeError(getattr(error, "message", str(error)), node.span) from None


def _formula_activation(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Activation:
    from kernelspec.activations.formula import FormulaActivation
    from kernelspec.elaboration.written_formulas import build_formula

    if len(node.positional) != 1 or node.keywords or not isinstance(node.positional[0], nodes.Lambda):
        raise ArgumentError("activation() takes one formula: activation(x -> f(x))", node.span)
    formula = build_formula(elaborator, node.positional[0], columns, scope)
    return FormulaActivation(function=formula, span=node.span)
