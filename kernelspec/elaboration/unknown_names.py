"""Names that nothing defines, and what their author may have meant: a number to be given, a column, a point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kernelspec.elaboration.names_elsewhere import written_here
from kernelspec.elaboration.vocabulary import CONSTANTS
from kernelspec.errors import UnknownNameError
from kernelspec.kernels.catalogue import KERNELS
from kernelspec.kernels.kernel import Kernel
from kernelspec.language.nodes import Name
from kernelspec.suggestion import suggest

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Definitions
    from kernelspec.language.nodes import Call
    from kernelspec.notation.arguments import Argument

__all__ = ["columns_behind", "unknown_argument", "unknown_name"]

_POINTS = frozenset({"x", "y", "r", "t", "delta", "tau"})
"""What papers call the points of a kernel, and the difference between them."""


def unknown_name(node: Name, scope: Definitions) -> UnknownNameError:
    """The error for a name in an expression, with the nearest one there is or what the name may stand for."""
    if node.identifier in _POINTS:
        return _error(
            node,
            scope,
            "; a spec names kernels and not their points: exp(-(x - y)**2) is gaussian(scale=sqrt(1/2)), and a formula "
            "of your own is radial(r -> f(r)) or product(t -> f(t))",
        )
    return _error(
        node,
        scope,
        f"; a column is selected as in k[{node.identifier}], and a number to be given later has a line of its own, "
        f"'param {node.identifier} > 0'",
    )


def unknown_argument(node: Name, argument: Argument, call: Call, cls: type, scope: Definitions) -> UnknownNameError:
    """The error for an argument of a kernel or distribution that is such a name and nothing else."""
    name = node.identifier
    line = f"param {name} = 1"
    if argument.low > -math.inf:
        line = f"param {name} {'>' if argument.low_open else '>='} {argument.low:g}"
    behind = "" if any(keyword.value is node for keyword in call.keywords) else columns_behind(call, cls, scope)
    column = f"; for a column write {behind}" if behind else ""
    return _error(node, scope, f"; for a number to be given later add the line '{line}' above{column}")


def columns_behind(call: Call, cls: type, scope: Definitions) -> str:
    """How the kernel is written on the columns that a call has as arguments, `match()[city]`; empty without any."""
    columns = [
        value.identifier for value in call.positional if isinstance(value, Name) and not scope.find(value.identifier)
    ]
    if not columns or not issubclass(cls, Kernel):
        return ""
    others = "…" if len(columns) < len(call.positional) or call.keywords else ""
    return f"{call.function}({others})[{', '.join(columns)}]"


def _error(node: Name, scope: Definitions, otherwise: str) -> UnknownNameError:
    name = node.identifier
    # a single letter is near to many names, and meant none of them
    near = suggest(name, [*scope.names(), *(CONSTANTS if len(name) > 1 else ()), *KERNELS])
    return UnknownNameError(f"unknown name '{name}'{near or written_here(name) or otherwise}", node.span)
