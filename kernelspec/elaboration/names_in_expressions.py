"""What a name in an expression stands for: a parameter, a let, or a constant of the language."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.forms.catalogue import FORMS
from kernelspec.elaboration.parameters import check_bound, free_symbol
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.elaboration.vocabulary import CONSTANTS, UPCOMING
from kernelspec.errors import TypeMismatchError, UnknownNameError
from kernelspec.kernels.catalogue import KERNELS
from kernelspec.notation.arguments import Scalar
from kernelspec.suggestion import suggest

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborate import Elaborator
    from kernelspec.language.nodes import Name, Param

__all__ = ["value_of_name"]


def value_of_name(elaborator: Elaborator, node: Name, columns: Columns, scope: Definitions) -> Any:
    """A Kernel, a number, a vector, or a Grid. Raises UnknownNameError, or TypeMismatchError for a kernel's name."""
    name = node.identifier
    if name in scope.params:
        return _parameter(elaborator, scope.params[name], node, columns, scope)
    if name in scope.lets:
        return elaborator.let(*scope.lets[name], columns)
    if name == "pi":
        return elaborator.arithmetic.pi()
    if name == "d":
        return _dimension(elaborator, columns)
    if name == "ones":
        one = elaborator.arithmetic.literal(Fraction(1))
        # where d is a symbol the vector cannot be written out, but a number means the constant vector
        return one if columns.count is None and not elaborator.checking else (one,) * (columns.count or 1)
    if name in KERNELS or name in UPCOMING or name in FORMS:
        raise TypeMismatchError(f"'{name}' is a kernel: write {name}(…)", node.span)
    hint = suggest(name, [*scope.names(), *CONSTANTS, *KERNELS]) or "; a column is selected as in k[age]"
    raise UnknownNameError(f"unknown name '{name}'{hint}", node.span)


def _dimension(elaborator: Elaborator, columns: Columns) -> Scalar:
    if columns.count is not None:
        return elaborator.arithmetic.literal(Fraction(columns.count))
    return math.nan if columns.dim is None else columns.dim


def _parameter(elaborator: Elaborator, param: Param, node: Name, columns: Columns, scope: Definitions) -> Scalar:
    value = scope.value_of(param)
    if isinstance(value, Fraction):
        check_bound(elaborator, param, value, scope)
        return elaborator.arithmetic.literal(value)
    if value is not None:
        default = elaborator.value(value, columns, scope)
        return elaborator.number(default, value, f"the default of '{param.name}'")
    if elaborator.checking:
        return math.nan
    return free_symbol(elaborator.arithmetic, param, node)
