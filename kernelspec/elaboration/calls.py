"""What a call stands for: a function of a number, a form, or a kernel of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.activations.catalogue import ACTIVATIONS
from kernelspec.distributions.catalogue import DISTRIBUTIONS, load_distribution
from kernelspec.distributions.positive import Positive
from kernelspec.elaboration.arithmetic import FUNCTIONS
from kernelspec.elaboration.call_arguments import bind
from kernelspec.elaboration.forms.catalogue import FORMS, load_form
from kernelspec.elaboration.forms.form import require_given_columns
from kernelspec.elaboration.names_elsewhere import written_here
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ArgumentError, DimensionError, UnknownNameError
from kernelspec.kernels.catalogue import KERNELS, load_kernel
from kernelspec.notation.arguments import Scalar
from kernelspec.suggestion import suggest

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language.nodes import Call

__all__ = ["value_of_call"]


def value_of_call(elaborator: Elaborator, node: Call, columns: Columns, scope: Definitions) -> Any:
    """A Kernel, a number, or a Grid. Raises UnknownNameError, and what the arguments of the call raise."""
    name = node.function
    if name in FUNCTIONS:
        return _function(elaborator, node, columns, scope)
    if name in FORMS:
        return load_form(name).rule(elaborator, node, columns, scope)
    if name not in KERNELS:
        hint = written_here(name) or suggest(name, [*KERNELS, *FORMS, *FUNCTIONS])
        if not hint and name in DISTRIBUTIONS:
            form = "polya" if issubclass(load_distribution(name), Positive) else "bochner"
            hint = f"; as a distribution it goes inside {form}({name}(…))"
        if name in ACTIVATIONS or name == "activation":
            hint = f"; as an activation it goes inside dual({name}, …)"
        raise UnknownNameError(f"there is no kernel '{name}'{hint}", node.function_span)
    return _kernel(elaborator, node, columns, scope)


def _function(elaborator: Elaborator, node: Call, columns: Columns, scope: Definitions) -> Scalar:
    name = node.function
    if len(node.positional) != 1 or node.keywords:
        raise ArgumentError(f"{name}() takes one number", node.span)
    (inner,) = node.positional
    argument = elaborator.number(elaborator.value(inner, columns, scope), inner, f"{name}()'s argument")
    return elaborator.compute(lambda: elaborator.arithmetic.function(name, argument), node)


def _kernel(elaborator: Elaborator, node: Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    cls = load_kernel(node.function)
    if cls.compares_categories or cls.reads_numbers:
        require_given_columns(node, columns)
    fields = bind(elaborator, node, cls, columns, scope)
    try:
        return cls(**fields, dim=columns.dim, span=node.span)
    except DimensionError as error:
        raise DimensionError(error.message, node.span) from None
