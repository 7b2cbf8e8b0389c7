"""From the arguments of a call to the fields of a class, and names that nothing defines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING
from typing import Any

from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.names_elsewhere import argument_here, kernel_here
from kernelspec.elaboration.scope import CONSTANTS, GIVE_DATA, Columns, Definitions, Elaborator
from kernelspec.errors import (
    ArgumentError,
    DimensionError,
    ParameterError,
    RangeError,
    TypeMismatchError,
    UnknownNameError,
)
from kernelspec.expressions.arguments import Argument, declared, signature
from kernelspec.kernels.kernel import Kernel
from kernelspec.language.nodes import Call, Expression, Name
from kernelspec.loading import suggest

__all__ = ["bind", "match_arguments", "require_arguments", "unknown_argument", "unknown_name", "vector_entries"]

_POINTS = frozenset({"x", "y", "r", "t", "delta", "tau"})
"""Names that papers use for the points of a kernel, and for their difference."""


def unknown_name(node: Name, scope: Definitions) -> UnknownNameError:
    """The error for an unknown name in an expression, with the nearest name or a likely meaning."""
    if node.identifier in _POINTS:
        return _error(
            node,
            scope,
            "; a spec names kernels, not their points: write exp(-(x - y)**2) as gaussian(scale=sqrt(1/2)), or your "
            "own formula as radial(r -> f(r)) or product(t -> f(t))",
        )
    return _error(
        node,
        scope,
        f"; select a column with k[{node.identifier}], or declare a parameter with the line "
        f"'param {node.identifier} > 0'",
    )


def unknown_argument(node: Name, argument: Argument, call: Call, cls: type, scope: Definitions) -> UnknownNameError:
    """The error if a whole argument of a kernel or distribution is such a name."""
    name = node.identifier
    line = f"param {name} = 1"
    if argument.low > -math.inf:
        line = f"param {name} {'>' if argument.low_open else '>='} {argument.low:g}"
    behind = "" if any(keyword.value is node for keyword in call.keywords) else columns_behind(call, cls, scope)
    column = f"; for a column, write {behind}" if behind else ""
    return _error(node, scope, f"; for a parameter, add the line '{line}' above{column}")


def columns_behind(call: Call, cls: type, scope: Definitions) -> str:
    """The call rewritten for the columns it has as arguments, such as `match()[city]`; empty without any."""
    columns = [
        value.identifier for value in call.positional if isinstance(value, Name) and not scope.find(value.identifier)
    ]
    if not columns or not issubclass(cls, Kernel):
        return ""
    others = "…" if len(columns) < len(call.positional) or call.keywords else ""
    return f"{call.function}({others})[{', '.join(columns)}]"


def _error(node: Name, scope: Definitions, otherwise: str) -> UnknownNameError:
    name = node.identifier
    # a single letter is close to many names, so no suggestion
    defined = [*scope.names(), *(CONSTANTS if len(name) > 1 else ())]
    hint = "" if suggest(name, defined) else kernel_here(name)
    hint = hint or suggest(name, [*defined, *KERNELS]) or otherwise
    return UnknownNameError(f"unknown name '{name}'{hint}", node.span)


def match_arguments(call: Call, names: list[str], shown: str, instead: str = "") -> dict[str, Expression]:
    """Positional and keyword arguments by name; `instead` suggests a rewrite for surplus ones.

    Raises ArgumentError, with the nearest name, at the argument.
    """
    if len(call.positional) > len(names):
        surplus = call.positional[len(names)]
        count = f"{len(names)} argument{'s' if len(names) != 1 else ''}" if names else "no arguments"
        hint = f"; put columns after the kernel, as in {instead}" if instead and isinstance(surplus, Name) else ""
        raise ArgumentError(f"{call.function}() takes {count}: {shown}{hint}", surplus.span)
    given = dict(zip(names, call.positional, strict=False))
    for keyword in call.keywords:
        if keyword.name not in names:
            hint = argument_here(call.function, keyword, names) or f": {shown}"
            raise ArgumentError(f"{call.function}() has no argument '{keyword.name}'{hint}", keyword.name_span)
        if keyword.name in given:
            raise ArgumentError(f"{call.function}() got '{keyword.name}' twice", keyword.span)
        given[keyword.name] = keyword.value
    return given


def require_arguments(call: Call, given: Mapping[str, Expression], names: Iterable[str], shown: str) -> None:
    """Raise ArgumentError for the first missing name; `shown` is the correct call."""
    for name in names:
        if name not in given:
            raise _missing(call, name, shown)


def bind(elaborator: Elaborator, call: Call, cls: type, columns: Columns, scope: Definitions) -> dict[str, Any]:
    """The fields of `cls` from the arguments of a call, with kinds and ranges checked.

    Raises ArgumentError, TypeMismatchError, RangeError or DimensionError, at the argument.
    """
    arguments = declared(cls)
    given = match_arguments(call, list(arguments), signature(call.function, cls), columns_behind(call, cls, scope))
    fields: dict[str, Any] = {}
    for name, (argument, default) in arguments.items():
        if name in given:
            fields[name] = _value(elaborator, name, argument, given[name], call, cls, columns, scope)
        elif argument.from_data and elaborator.checking:
            fields[name] = math.nan
        elif argument.from_data:
            raise ParameterError(f"'{name}' of {call.function}() is learned from data: {GIVE_DATA}", call.span)
        elif default is MISSING:
            raise _missing(call, name, signature(call.function, cls))
        else:
            kept = default is None or isinstance(default, bool)
            fields[name] = default if kept else elaborator.constant(default)
    return fields


def _missing(call: Call, name: str, shown: str) -> ArgumentError:
    return ArgumentError(f"{call.function}() needs the argument '{name}': {shown}", call.span)


def _value(
    elaborator: Elaborator,
    name: str,
    argument: Argument,
    node: Expression,
    call: Call,
    cls: type,
    columns: Columns,
    scope: Definitions,
) -> Any:
    if argument.kind == "distribution":
        return elaborator.distribution(node, columns, scope)
    if argument.kind == "boolean":
        if isinstance(node, Name) and node.identifier.lower() in ("true", "false"):
            return node.identifier.lower() == "true"
        raise TypeMismatchError(f"'{name}' of {call.function}() is true or false", node.span)
    try:
        value = elaborator.value(node, columns, scope)
    except UnknownNameError as error:
        if isinstance(node, Name) and node.identifier not in scope.lines and error.span == node.span:
            raise unknown_argument(node, argument, call, cls, scope) from None
        raise
    where = f"'{name}' of {call.function}()"
    if argument.kind == "vector":
        return vector_entries(elaborator, value, node, columns, where)
    if argument.kind == "numbers":
        if not isinstance(value, tuple) or any(isinstance(entry, tuple) for entry in value):
            raise TypeMismatchError(f"{where} must be a list of numbers, as in [1, 2, 3]", node.span)
        return elaborator.arguments(value, node, where)
    if isinstance(value, tuple):
        hint = f"; for one scale per column, write stretch({call.function}(), […])" if name in _SCALES else ""
        raise TypeMismatchError(f"{where} must be a single number, not a vector{hint}", node.span)
    number = elaborator.number(value, node, where)
    known = elaborator.arithmetic.known(number)
    if known is not None:
        if not argument.accepts(known):
            raise RangeError(f"{where} must be {argument.interval()}, not {known:g}", node.span)
        if argument.kind == "integer" and known != int(known):
            raise RangeError(f"{where} must be {argument.interval()}, not {known:g}", node.span)
    stored = elaborator.argument(number, node, where)
    # scales have no upper bound, and no power is taken to them
    return stored if argument.high == math.inf else elaborator.arithmetic.shape(stored)


_SCALES = ("scale", "width", "bandwidth")


def vector_entries(
    elaborator: Elaborator, value: Any, node: Expression, columns: Columns, where: str
) -> tuple[Any, ...]:
    """One number per column; a single number means the constant vector. Raises DimensionError if the length differs."""
    if not isinstance(value, tuple):
        number = elaborator.argument(elaborator.number(value, node, where), node, where)
        elaborator.counts.count_columns(columns.count or 1, node)
        return (number,) * (columns.count or 1)
    if any(isinstance(entry, tuple) for entry in value):
        raise TypeMismatchError(f"{where} must be a vector, not a matrix", node.span)
    if columns.count is not None and len(value) != columns.count:
        raise DimensionError(f"{where} has {_entries(value)} for {columns.counted()}", node.span)
    if columns.count is None and not elaborator.checking:
        raise DimensionError(
            f"{where} has {_entries(value)}, so the number of columns is needed: set dim= or columns=", node.span
        )
    return elaborator.arguments(value, node, where)


def _entries(value: tuple[Any, ...]) -> str:
    return "1 entry" if len(value) == 1 else f"{len(value)} entries"
