"""From the arguments of a call to the fields of a class, and names that nothing defines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.scope import CONSTANTS
from kernelspec.errors import ArgumentError, DimensionError, RangeError, TypeMismatchError, UnknownNameError
from kernelspec.expressions.arguments import Argument, declared, signature
from kernelspec.kernels.kernel import Kernel
from kernelspec.language.nodes import Call, Expression, Name
from kernelspec.loading import suggest

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns, Definitions, Elaborator

__all__ = [
    "NAMES_ELSEWHERE",
    "bind",
    "columns_behind",
    "match_arguments",
    "require_arguments",
    "unknown_argument",
    "unknown_name",
    "vector_entries",
    "written_here",
]

_GAUSSIAN = "the Gaussian kernel is gaussian(scale=…)"
_NOISE = "white noise, a nugget, is noise(), with a weight as in 0.1*noise()"
_CONSTANT = "the kernel that is 1 everywhere is constant(), with a weight as in 2*constant()"
_PERIODIC = "the periodic kernel is periodic(period=…, scale=…)"
_EXPONENTIAL = "exp(−‖Δ‖₂/ℓ) is exponential(scale=…); with the sum of absolute differences it is laplace(scale=…)"
_LINEAR = "the inner product is linear(), with an offset as in linear() + 2*constant()"
_RATIONAL = "the rational quadratic kernel is rational_quadratic(alpha=…, scale=…)"
_SPHERICAL = "the spherical kernel is radial(r -> 1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3), on three columns at most"
_TANIMOTO = "on rows of zeros and ones the Tanimoto (Jaccard) kernel is minmax()"

NAMES_ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        "absolute_exponential": _EXPONENTIAL,
        "arc_cosine": "on rows of norm 1 the arc-cosine kernels are dual(step, sphere()) and dual(relu, sphere())",
        "bias": _CONSTANT,
        "constant_kernel": _CONSTANT,
        "cosine_similarity": "the cosine of the angle between two rows is normalize(linear())",
        "delta": _NOISE,
        "dot_product": _LINEAR,
        "eq": _GAUSSIAN,
        "exp_quad": _GAUSSIAN,
        "exp_sine_squared": _PERIODIC,
        "exponentiated_quadratic": _GAUSSIAN,
        "intercept": _CONSTANT,
        "jaccard": _TANIMOTO,
        "kronecker": "equality of categories is match(), of rows of numbers noise()",
        "laplacian": "exp(−Σ|Δ_i|/σ) is laplace(scale=…); with the Euclidean norm it is exponential(scale=…)",
        "matern12": "the Matérn kernel of order 1/2 is matern(nu=1/2, scale=…)",
        "matern32": "the Matérn kernel of order 3/2 is matern(nu=3/2, scale=…)",
        "matern52": "the Matérn kernel of order 5/2 is matern(nu=5/2, scale=…)",
        "nugget": _NOISE,
        "one": _CONSTANT,
        "ornstein_uhlenbeck": _EXPONENTIAL,
        "ou": _EXPONENTIAL,
        "poly": "the polynomial kernel is a power, as in (linear() + constant())**3",
        "rbf": _GAUSSIAN,
        "rq": _RATIONAL,
        "se": _GAUSSIAN,
        "spectral_mixture": "a spectral mixture is a sum of modulate(gaussian(scale=…), by=…), with weights",
        "spherical": _SPHERICAL,
        "squared_exponential": _GAUSSIAN,
        "tanimoto": _TANIMOTO,
        "white": _NOISE,
        "white_kernel": _NOISE,
        "white_noise": _NOISE,
    }
)
"""Name → a sentence without its full stop."""


def written_here(name: str) -> str:
    """`; the Gaussian kernel is gaussian(scale=…)` for `rbf` or `RBF`; nothing for a name that no library has."""
    found = NAMES_ELSEWHERE.get(name.casefold())
    return "" if found is None else f"; {found}"


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


def match_arguments(call: Call, names: list[str], shown: str, instead: str = "") -> dict[str, Expression]:
    """Positional and keyword arguments by name; `instead` is what may be meant by one too many.

    Raises ArgumentError, with the nearest name, at the argument.
    """
    if len(call.positional) > len(names):
        surplus = call.positional[len(names)]
        count = f"{len(names)} argument{'s' if len(names) != 1 else ''}" if names else "no arguments"
        hint = f"; columns stand behind the kernel, as in {instead}" if instead and isinstance(surplus, Name) else ""
        raise ArgumentError(f"{call.function}() takes {count}: {shown}{hint}", surplus.span)
    given = dict(zip(names, call.positional, strict=False))
    for keyword in call.keywords:
        if keyword.name not in names:
            hint = suggest(keyword.name, names) or f": {shown}"
            raise ArgumentError(f"{call.function}() has no argument '{keyword.name}'{hint}", keyword.name_span)
        if keyword.name in given:
            raise ArgumentError(f"{call.function}() got '{keyword.name}' twice", keyword.span)
        given[keyword.name] = keyword.value
    return given


def require_arguments(call: Call, given: Mapping[str, Expression], names: Iterable[str], shown: str) -> None:
    """Raise ArgumentError for the first of the names that is not given; `shown` says how the call is written."""
    for name in names:
        if name not in given:
            raise _missing(call, name, shown)


def bind(elaborator: Elaborator, call: Call, cls: type, columns: Columns, scope: Definitions) -> dict[str, Any]:
    """The fields of `cls` from the arguments of a call, each of the declared kind and in its range.

    Raises ArgumentError, TypeMismatchError, RangeError or DimensionError, at the argument.
    """
    arguments = declared(cls)
    given = match_arguments(call, list(arguments), signature(call.function, cls), columns_behind(call, cls, scope))
    fields: dict[str, Any] = {}
    for name, (argument, default) in arguments.items():
        if name in given:
            fields[name] = _value(elaborator, name, argument, given[name], call, cls, columns, scope)
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
            raise TypeMismatchError(f"{where} is a list of numbers, as in [1, 2, 3]", node.span)
        return elaborator.arguments(value, node, where)
    if isinstance(value, tuple):
        hint = f"; for one scale per column write stretch({call.function}(), […])" if name in _SCALES else ""
        raise TypeMismatchError(f"{where} is a single number, not a vector{hint}", node.span)
    number = elaborator.number(value, node, where)
    known = elaborator.arithmetic.known(number)
    if known is not None:
        if not argument.accepts(known):
            raise RangeError(f"{where} must be {argument.interval()}, not {known:g}", node.span)
        if argument.kind == "integer" and known != int(known):
            raise RangeError(f"{where} must be {argument.interval()}, not {known:g}", node.span)
    stored = elaborator.argument(number, node, where)
    return stored if argument.is_length else elaborator.arithmetic.shape(stored)


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
        raise TypeMismatchError(f"{where} is a vector, not a matrix", node.span)
    if columns.count is not None and len(value) != columns.count:
        raise DimensionError(f"{where} has {_entries(value)} for {columns.counted()}", node.span)
    if columns.count is None and not elaborator.checking:
        raise DimensionError(
            f"{where} has {_entries(value)}, so the number of columns is needed: give dim= or columns=", node.span
        )
    return elaborator.arguments(value, node, where)


def _entries(value: tuple[Any, ...]) -> str:
    return "1 entry" if len(value) == 1 else f"{len(value)} entries"
