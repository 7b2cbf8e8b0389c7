"""The distribution that an argument stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.distributions.catalogue import DISTRIBUTIONS, load_distribution
from kernelspec.elaboration.bare_names import call_meant
from kernelspec.elaboration.call_arguments import bind
from kernelspec.errors import RangeError, TypeMismatchError, UnknownNameError
from kernelspec.language import nodes
from kernelspec.suggestion import suggest

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.elaboration.scope import Columns, Definitions

__all__ = ["distribution_of"]


def distribution_of(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
    """A distribution of the catalogue. Raises TypeMismatchError, UnknownNameError, RangeError, and what `bind` does."""
    node, scope = call_meant(node, scope)
    if not isinstance(node, nodes.Call):
        raise TypeMismatchError("a distribution is needed here, such as student_t(dof=3)", node.span)
    if node.function not in DISTRIBUTIONS:
        known = ", ".join(sorted(DISTRIBUTIONS))
        hint = suggest(node.function, DISTRIBUTIONS) or f"; there are {known}"
        raise UnknownNameError(f"there is no distribution '{node.function}'{hint}", node.function_span)
    cls = load_distribution(node.function)
    fields = bind(elaborator, node, cls, columns, scope)
    try:
        return cls(**fields)
    except ValueError as error:
        raise RangeError(str(error), node.span) from None
