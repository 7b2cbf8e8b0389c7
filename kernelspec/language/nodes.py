"""The syntax tree: frozen, compared without positions, every node with the span of text it came from.

Pure syntax and names. Whether a name is a kernel, a number or a column, and whether the arguments
make sense, is decided by later passes, which hold the spans and can point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cache
from typing import Literal

from kernelspec.loading import Span

__all__ = [
    "Call",
    "Expression",
    "Keyword",
    "Lambda",
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
]


@cache
def _field_names(cls: type[Node]) -> tuple[str, ...]:
    """Those that may hold nodes."""
    return tuple(part.name for part in fields(cls) if part.name != "span")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Anything that stands in a spec."""

    span: Span = field(compare=False, repr=False)

    def children(self) -> Iterator[Node]:
        """The nodes directly below this one, in the order of the text."""
        for name in _field_names(type(self)):  # type: ignore[arg-type]  # a class has a hash
            value = getattr(self, name)
            if isinstance(value, Node):
                yield value
            elif isinstance(value, tuple):
                yield from (item for item in value if isinstance(item, Node))

    def parts(self) -> Iterator[Node]:
        """This node and all those below it, each before its own, in the order of the text."""
        pending: list[Node] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(list(node.children())))


class Expression(Node):
    """A node that has a value: a kernel, a number, a vector, a distribution, an activation, a function."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A literal, kept exactly: `1.5` is 3/2."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A bare word: a parameter, a `let`, a constant, a distribution or activation without arguments, a column."""

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
class Slice(Node):
    """`start:stop` among selected columns; an absent end is None. Integers, negative ones count from the end."""

    start: int | None
    stop: int | None


@dataclass(frozen=True, slots=True)
class Select(Expression):
    """`base[selector, …]`: a column by name (`Name`) or position (`Number`, an integer), a `Slice`, or an expression.

    A quoted column, `k["sepal length"]`, is a `Name` too; the printer quotes what needs quotes. Any other expression is
    a function of columns.
    """

    base: Expression
    selectors: tuple[Expression | Slice, ...]


SELECTOR_ARGUMENTS = ("on", "time")
"""Arguments whose names are columns, as those in `k[…]` are."""


def selectors_of(node: Node) -> tuple[Node, ...]:
    """The selectors of a selection, and that of an argument such as `on=time`; none of another node."""
    if isinstance(node, Keyword) and node.name in SELECTOR_ARGUMENTS:
        return (node.value,)
    return node.selectors if isinstance(node, Select) else ()


@dataclass(frozen=True, slots=True)
class Param(Node):
    """`param name`, `param name > bound` (free, with its range) or `param name = default`."""

    name: str
    relation: Literal[">", ">=", "<", "<="] | None
    bound: Expression | None
    default: Expression | None


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
