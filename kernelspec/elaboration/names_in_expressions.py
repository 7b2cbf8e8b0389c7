"""What a name in an expression stands for: a parameter, a let, or a constant of the language."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.forms.catalogue import FORMS
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.elaboration.unknown_names import unknown_name
from kernelspec.errors import TypeMismatchError, UnknownNameError
from kernelspec.kernels.catalogue import KERNELS
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.language.nodes import Name

__all__ = ["value_of_name"]


def value_of_name(elaborator: Elaborator, node: Name, columns: Columns, scope: Definitions) -> Any:
    """A Kernel, a number, a vector, or a Grid. Raises UnknownNameError, or TypeMismatchError for a kernel's name."""
    name = node.identifier
    found = scope.find(name)
    if found is not None:
        return elaborator.defined(*found, columns, node)
    if name == "pi":
        return elaborator.arithmetic.pi()
    if name == "d":
        return _dimension(elaborator, columns)
    if name == "ones":
        one = elaborator.arithmetic.literal(Fraction(1))
        if columns.count is None and not elaborator.checking:
            return one  # where d is a symbol the vector cannot be written out, but a number means the constant vector
        elaborator.counts.count_columns(columns.count or 1, node)
        return (one,) * (columns.count or 1)
    if name in KERNELS or name in FORMS:
        raise TypeMismatchError(f"'{name}' is a kernel: write {name}(…)", node.span)
    if name in scope.lines:
        raise UnknownNameError(
            f"unknown name '{name}': it is defined below, and a line sees only the lines above it", node.span
        )
    raise unknown_name(node, scope)


def _dimension(elaborator: Elaborator, columns: Columns) -> Scalar:
    if columns.count is not None:
        return elaborator.arithmetic.literal(Fraction(columns.count))
    return math.nan if columns.dim is None else columns.dim
