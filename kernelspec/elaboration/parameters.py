"""Parameters: their values, their ranges, and their symbols while they are free."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.arithmetic import Arithmetic, NumberArithmetic
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ParameterError
from kernelspec.language.nodes import Name, Number, Param
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator

__all__ = ["check_bound", "parameter"]

_HOLDS = {
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
}


def parameter(elaborator: Elaborator, param: Param, columns: Columns, scope: Definitions, node: Name) -> Scalar:
    """The number a parameter stands for; `scope` is what its line sees, `node` where it is used.

    Its value if one was given, else its default, else a symbol, or NaN while a spec is checked. Raises ParameterError
    where a number is needed, and what the default raises.
    """
    value = scope.value_of(param)
    if isinstance(value, Fraction):
        check_bound(elaborator, param, value, scope)
        return elaborator.arithmetic.literal(value)
    if value is not None:
        default = elaborator.value(value, columns, scope)
        return elaborator.number(default, value, f"the default of '{param.name}'")
    if elaborator.checking:
        return math.nan
    return _free_symbol(elaborator.arithmetic, param, node)


def check_bound(elaborator: Elaborator, param: Param, value: Fraction, scope: Definitions) -> None:
    """Raise ParameterError if a value breaks the bound that the `param` line states."""
    if param.relation is None or param.bound is None:
        return
    bound = elaborator.arithmetic.known(elaborator.value(param.bound, Columns(None), scope))
    if bound is not None and not _HOLDS[param.relation](value, bound):
        raise ParameterError(
            f"parameter '{param.name}' must be {param.relation} {bound:g}, not {float(value):g}", param.span
        )


def _free_symbol(arithmetic: Arithmetic, param: Param, node: Name) -> Any:
    """The SymPy symbol of a parameter without a value, with the sign its bound implies.

    Raises ParameterError where a number is needed.
    """
    if isinstance(arithmetic, NumberArithmetic):
        raise ParameterError(
            f"parameter '{param.name}' has no value: give one, as in spec.with_params({{'{param.name}': 1}}) "
            f"or -p {param.name}=1",
            node.span,
        )
    import sympy

    if re.fullmatch("(x|y|omega)(_.*)?", param.name):
        raise ParameterError(
            f"parameter '{param.name}' has no value, and its name is that of a coordinate in the formulas: "
            "give it a value or another name",
            node.span,
        )
    if isinstance(param.bound, Number) and param.bound.value >= 0 and param.relation in (">", ">="):
        positive = param.relation == ">" or param.bound.value > 0
        return sympy.Symbol(param.name, positive=True) if positive else sympy.Symbol(param.name, nonnegative=True)
    return sympy.Symbol(param.name, real=True)
