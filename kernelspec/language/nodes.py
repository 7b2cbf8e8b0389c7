"""The syntax tree: frozen nodes, each with its span in the text, which comparisons ignore.

Pure syntax and names. Later passes decide whether a name is a kernel, a number or a column, and whether arguments are
valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from kernelspec.loading import Span

__all__ = [
    "Call",
    "Expression",
    "Interval",
    "Keyword",
    "Lambda",
    "Length",
    "Let",
    "Name",
    "Negation",
    "Node",
    "Number",
    "Param",
    "Power",
    "Product",
    "Program",
    "Select",
    "Slice",
    "Sum",
    "Text",
    "Vector",
    "selectors_of",
    "signed_number",
    "with_parts",
]


@cache
def _field_names(cls: type[Node]) -> tuple[str, ...]:
    """The fields that may hold nodes, as their types say."""
    hints = get_type_hints(cls)
    return tuple(part.name for part in fields(cls) if _may_hold_nodes(hints[part.name]))


def _may_hold_nodes(hint: Any) -> bool:
    return any(map(_may_hold_nodes, get_args(hint))) or (isinstance(hint, type) and issubclass(hint, Node))


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Any part of a spec."""

    span: Span = field(compare=False, repr=False)

    def children(self) -> Iterator[Node]:
        """The direct children, in text order."""
        for name in _field_names(type(self)):  # type: ignore[arg-type]  # a class has a hash
            value = getattr(self, name)
            if isinstance(value, Node):
                yield value
            elif isinstance(value, tuple):
                yield from (item for item in value if isinstance(item, Node))

    def parts(self) -> Iterator[Node]:
        """This node and all below it, parents first, in text order."""
        pending: list[Node] = [self]
        while pending:
            node = pending.pop()
            yield node
            if _field_names(type(node)):  # type: ignore[arg-type]  # most are numbers
                pending.extend(reversed(list(node.children())))


AnyNode = TypeVar("AnyNode", bound=Node)


def with_parts(node: AnyNode, parts: Mapping[int, Node | tuple[Node, ...]]) -> AnyNode:
    """Replace some nodes below this one, by id; an entry of a list may become several nodes."""
    changed: dict[str, object] = {}
    for name in _field_names(type(node)):  # type: ignore[arg-type]
        value = getattr(node, name)
        if isinstance(value, Node):
            changed[name] = parts[id(value)] if id(value) in parts else with_parts(value, parts)
        elif isinstance(value, tuple) and any(isinstance(item, Node) for item in value):
            found = [
                parts.get(id(item)) or with_parts(item, parts) if isinstance(item, Node) else item for item in value
            ]
            changed[name] = tuple(one for own in found for one in (own if isinstance(own, tuple) else (own,)))
    return replace(node, **changed) if changed else node  # type: ignore[arg-type]


class Expression(Node):
    """A node with a value: kernel, number, vector, distribution, activation or function."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A literal, kept exactly: `1.5` is 3/2."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A bare word: a parameter, `let`, constant, column, or a distribution or activation without arguments."""

    identifier: str


@dataclass(frozen=True, slots=True)
class Text(Expression):
    """`"sepal length"`: a column in an expression of columns, or a category; alone in `k[…]` it is a `Name`."""

    value: str


@dataclass(frozen=True, slots=True)
class Keyword(Node):
    """`name=value` in a call; the span covers both, `name_span` the name alone."""

    name: str
    value: Expression
    name_span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """`function(positional, …, name=value, …)`; `function_span` covers the function's name alone."""

    function: str
    positional: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]
    function_span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Vector(Expression):
    """`[a, b, …]`; a matrix is a vector of vectors."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """`variable -> body`, a formula."""

    variable: str
    body: Expression


@dataclass(frozen=True, slots=True)
class Negation(Expression):
    """`-operand`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Power(Expression):
    """`base ** exponent`."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True, slots=True)
class Product(Expression):
    """`f0 op1 f1 op2 f2 …`, flat; `operators[i]` stands before `factors[i + 1]`."""

    factors: tuple[Expression, ...]
    operators: tuple[Literal["*", "/"], ...]


@dataclass(frozen=True, slots=True)
class Sum(Expression):
    """`t0 op1 t1 op2 t2 …`, flat; `operators[i]` stands before `terms[i + 1]`."""

    terms: tuple[Expression, ...]
    operators: tuple[Literal["+", "-"], ...]


@dataclass(frozen=True, slots=True)
class Slice(Expression):
    """`start:stop` among the columns of a selection or `standardize(:)`: integers, negative from the end, or None."""

    start: int | None
    stop: int | None


@dataclass(frozen=True, slots=True)
class Select(Expression):
    """`base[selector, …]`: a column by name (`Name`) or position (an integer `Number`), a `Slice`, or a function of
    columns.

    A quoted column, `k["sepal length"]`, is a `Name` too; the printer adds quotes where needed.
    """

    base: Expression
    selectors: tuple[Expression | Slice, ...]


def signed_number(node: Node | None) -> Number | None:
    """A number, perhaps with a minus sign, as one node; None for other expressions."""
    number = node.operand if isinstance(node, Negation) else node
    if node is None or not isinstance(number, Number):
        return None
    return number if number is node else Number(-number.value, span=node.span)


SELECTOR_ARGUMENTS = ("on", "time")
"""Arguments whose names are columns, like those in `k[…]`."""


def selectors_of(node: Node) -> tuple[Node, ...]:
    """The selectors of a selection, or of an argument such as `on=time`; empty for other nodes."""
    if isinstance(node, Keyword) and node.name in SELECTOR_ARGUMENTS:
        return (node.value,)
    return node.selectors if isinstance(node, Select) else ()


@dataclass(frozen=True, slots=True)
class Length(Node):
    """`[length]` after the name of a vector parameter."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Interval(Node):
    """`[low, high]`, the range of a parameter."""

    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class Param(Node):
    """`param name[length] = default`, with a range: `> bound` or `in [low, high]`. Only the name is required."""

    name: str
    length: Length | None = None
    default: Expression | None = None
    relation: Literal[">", ">=", "<", "<="] | None = None
    bound: Expression | None = None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Let(Node):
    """`let name = value`."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Program(Node):
    """A whole spec: `param` and `let` lines in order, then one kernel expression."""

    statements: tuple[Param | Let, ...]
    body: Expression
