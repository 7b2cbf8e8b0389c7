"""What names mean at a place in a spec, and what is asked of the elaborator."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from kernelspec.elaboration.arithmetic import FUNCTIONS, Arithmetic, NumberArithmetic
from kernelspec.errors import ColumnError, ParameterError, RangeError
from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.kernel import Kernel
from kernelspec.language import nodes
from kernelspec.language.nodes import (
    Expression,
    Let,
    Name,
    Node,
    Number,
    Param,
    Program,
    Select,
    Slice,
    Text,
    selectors_of,
)
from kernelspec.language.nodes import Name as NameNode
from kernelspec.limits import MAX_COLUMNS, MAX_EVALUATIONS, MAX_EXPONENT, MAX_KERNELS, MAX_WRITTEN_COLUMNS
from kernelspec.loading import suggest
from kernelspec.tables.table_kinds import NAMES_NEEDED

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation

__all__ = [
    "CONSTANTS",
    "Columns",
    "Counts",
    "Definitions",
    "Elaborator",
    "by_position",
    "check_bound",
    "check_reach",
    "columns_named",
    "counted_columns",
    "exact",
    "number_lines",
    "parameter",
    "position_of_name",
    "uses_dimension",
]


@dataclass
class Counts:
    """Kernels, columns written out one by one, and parts evaluated; of a `let`, the first two count at every use."""

    kernels: int = 0
    columns: int = 0
    evaluated: int = 0

    def count_kernels(self, many: int, node: Expression) -> None:
        """Note that kernels are about to be made. Raises RangeError where they are too many."""
        self.kernels += many
        if self.kernels > MAX_KERNELS:
            raise RangeError(f"more than {MAX_KERNELS:,} kernels, counting every use of a let", node.span)

    def count_columns(self, many: int, node: Expression) -> None:
        """Note that columns are about to be listed, or numbers for each. Raises RangeError where they are too many."""
        self.columns += many
        if self.columns > MAX_WRITTEN_COLUMNS:
            raise RangeError(
                f"more than {MAX_WRITTEN_COLUMNS:,} columns in selections and vectors together, counting every use of "
                "a let",
                node.span,
            )

    def count_evaluations(self, many: int, node: Expression) -> None:
        """Note that parts are about to be evaluated. Raises RangeError where they are too many."""
        self.evaluated += many
        if self.evaluated > MAX_EVALUATIONS:
            raise RangeError(
                f"more than {MAX_EVALUATIONS:,} parts to evaluate, counting a let once for the columns it is used on, "
                "and entries of vectors at every use",
                node.span,
            )


CONSTANTS = ("d", "pi", "ones")
"""`d` is the number of columns in sight, `ones` the vector of that many ones."""


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


@dataclass(frozen=True)
class Columns:
    """The columns a kernel is applied to: how many, and their names where they have any.

    `dim` is a whole number, the symbol d, or None while it is not known. `given` is False at the top of
    a spec whose columns were only inferred from the names it selects. `by_name`: the spec selects by name, and the
    caller did not list the names in order, so a table without column names cannot be read.
    """

    dim: Scalar
    names: tuple[str, ...] | None = None
    given: bool = True
    by_name: bool = False

    @property
    def count(self) -> int | None:
        """The number of columns, where it is known."""
        return self.dim if isinstance(self.dim, int) else None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Kept, since every use of a let asks for it, and there may be millions of names."""
        return hash((self.dim, self.names, self.given))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The position of every name; of one that several columns have, the last."""
        return {name: position for position, name in enumerate(self.names or ())}

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The names that several columns have."""
        names = self.names or ()
        return frozenset(name for position, name in enumerate(names) if self.places[name] != position)

    def counted(self) -> str:
        """The number of columns in words: `1 column`, `3 columns`."""
        return f"{self.count} column" + ("s" if self.count != 1 else "")


def position_of_name(selector: Name, columns: Columns, checking: bool) -> int:
    """The position of a column by its name; 0 while a spec is checked and nothing is known. Raises ColumnError."""
    name = selector.identifier
    if columns.names is None:
        if checking:
            return 0
        raise ColumnError(f"column '{name}' cannot be found: {NAMES_NEEDED}", selector.span)
    position = columns.places.get(name)
    if position is None:
        hint = suggest(name, columns.names) or f"; there are {_listed(columns.names)}"
        raise ColumnError(f"there is no column '{name}'{hint}", selector.span)
    if name in columns.repeated:
        raise ColumnError(f"several columns are called '{name}': select by position", selector.span)
    return position


def check_reach(count: int, selector: Number | Slice) -> None:
    """Raise ColumnError for a selector that reaches beyond any table; for where the table is not known."""
    if count > MAX_COLUMNS:
        raise ColumnError(f"this selects column {count - 1}, and a table has at most {MAX_COLUMNS:,}", selector.span)


def by_position(selector: Number, columns: Columns) -> list[int]:
    """The column at a position, which may count from the end. Raises ColumnError."""
    position, count = int(selector.value), columns.count
    if count is None:
        if position < 0:
            raise ColumnError("a position from the end needs the number of columns", selector.span)
        check_reach(position + 1, selector)
        return [position]
    if not -count <= position < count:
        raise ColumnError(f"there is no column {position}: {counted_columns(count)}", selector.span)
    return [position % count]


def counted_columns(count: int) -> str:
    """How many columns there are, and their positions, in words."""
    return f"there are {count} columns, 0 to {count - 1}" if count > 1 else "there is one column, 0"


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:12])
    return shown + (", …" if len(names) > 12 else "")


@dataclass(frozen=True)
class Definitions:
    """The `param` and `let` lines that stand above a place, and the values given to parameters from outside.

    All places share one table of lines: `lines[name]` is the position of a line and the line, and a place sees those
    whose position is less than `above`. A line sees only the lines above it.
    """

    lines: Mapping[str, tuple[int, Param | Let]] = field(default_factory=dict)
    above: int = 0
    values: Mapping[str, Fraction] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Program, values: Mapping[str, Fraction]) -> Definitions:
        """All definitions of a program, as its last line sees them."""
        lines = {statement.name: (position, statement) for position, statement in enumerate(program.statements)}
        return cls(lines, len(program.statements), values)

    def find(self, name: str) -> tuple[Param | Let, Definitions] | None:
        """The line that defines a name, with what that line sees; None if no line above defines it."""
        position, line = self.lines.get(name, (self.above, None))
        return None if line is None or position >= self.above else (line, replace(self, above=position))

    def let(self, name: str) -> tuple[Let, Definitions] | None:
        """The `let` line above that defines a name, with what it sees; None if there is none."""
        found = self.find(name)
        return (found[0], found[1]) if found is not None and isinstance(found[0], Let) else None

    def names(self) -> list[str]:
        """Every name defined so far."""
        return [name for name, (position, _) in self.lines.items() if position < self.above]

    def value_of(self, param: Param) -> Fraction | Expression | None:
        """The value given from outside, else the default written in the spec, else None."""
        return self.values.get(param.name, param.default)


def exact(value: Any) -> Fraction:
    """A parameter's value as the decimal number its author wrote: 0.1 is 1/10. Raises ValueError if not finite."""
    if isinstance(value, Fraction | int):
        if abs(value) > 10**MAX_EXPONENT:
            raise ValueError("too large for a float")
        return Fraction(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return Fraction(repr(number))


def columns_named(program: Program) -> tuple[str, ...]:
    """The column names that selections mention, in the order of the text."""
    defined = {statement.name for statement in program.statements} | {"pi"}
    named: dict[str, None] = {}
    for selection in program.parts():
        for selector in selectors_of(selection):
            for part in selector.parts():
                if isinstance(part, Text):
                    named[part.value] = None
                elif isinstance(part, NameNode) and (part is selector or part.identifier not in defined):
                    named[part.identifier] = None
    return tuple(named)


def uses_dimension(program: Program) -> bool:
    """Whether `d`, the number of columns, is mentioned outside selections."""
    pending: list[Node] = [program]
    while pending:
        node = pending.pop()
        if isinstance(node, NameNode) and node.identifier == "d":
            return True
        pending.extend([node.base] if isinstance(node, Select) else node.children())
    return False


Line = nodes.Param | nodes.Let


def number_lines(line: Line, scope: Definitions, known: Callable[[Line], bool]) -> list[tuple[Line, Definitions]]:
    """The lines that this one reads on the same columns, directly or through others, in order; with what each sees.

    Only through arithmetic, not into calls and selections; not below a line that is `known`. Linear in the text.
    """
    found: dict[str, tuple[Line, Definitions]] = {}
    pending = [(line, scope)]
    while pending:
        current, seen = pending.pop()
        for name in _names_read(current, seen):
            line_above = seen.find(name)
            if name not in found and line_above is not None and not known(line_above[0]):
                found[name] = line_above
                pending.append(line_above)
    return sorted(found.values(), key=lambda read: read[1].above)


def _names_read(line: Line, scope: Definitions) -> list[str]:
    """The names in the arithmetic of a line: outside selections and calls, functions of a number aside."""
    written = line.value if isinstance(line, nodes.Let) else scope.value_of(line)
    names = []
    pending: list[nodes.Node] = [written] if isinstance(written, nodes.Node) else []
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.Name):
            names.append(node.identifier)
        elif not isinstance(node, nodes.Select | nodes.Lambda | nodes.Call) or (
            isinstance(node, nodes.Call) and node.function in FUNCTIONS
        ):
            pending.extend(node.children())
    return names


class Elaborator(Protocol):
    """Turns expressions into kernels, numbers or vectors; `SpecElaborator` says what each method raises."""

    arithmetic: Arithmetic
    checking: bool
    counts: Counts
    maps_columns: bool

    def kernel(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Kernel:
        """The kernel an expression stands for."""

    def as_kernel(self, value: Any, node: nodes.Expression) -> Kernel:
        """The value of a node, if it is a kernel."""

    def number(self, value: Any, node: nodes.Expression, where: str = "this") -> Scalar:
        """The value, if it is a number."""

    def argument(self, value: Scalar, node: nodes.Expression, where: str = "this") -> Scalar:
        """A number as a kernel stores it."""

    def arguments(self, values: Sequence[Any], node: nodes.Expression, where: str = "this") -> tuple[Scalar, ...]:
        """Numbers as a kernel stores them, one for each column or term."""

    def constant(self, value: float | Fraction) -> Scalar:
        """A number that no spec contains, such as a default."""

    def value(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        """A Kernel, a number, a vector, or a Grid of kernels."""

    def defined(self, line: nodes.Param | nodes.Let, scope: Definitions, columns: Columns, node: nodes.Name) -> Any:
        """The value of a `param` or `let` on these columns."""

    def compute(self, operation: Callable[[], Scalar], node: nodes.Expression) -> Scalar:
        """The result of an arithmetic operation."""

    def distribution(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Any:
        """The distribution an expression stands for."""

    def activation(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Activation:
        """The activation an expression stands for."""
