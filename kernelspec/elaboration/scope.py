"""Scopes: the meaning of names at a place in a spec, and the interface of the elaborator."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from operator import add, ge, gt, le, lt, mul, sub, truediv
from typing import TYPE_CHECKING, Any, NamedTuple

from kernelspec.elaboration.arithmetic import FUNCTIONS, Arithmetic, NumberArithmetic, Numbers, compute, range_text
from kernelspec.errors import ColumnError, DimensionError, ParameterError, RangeError, TypeMismatchError
from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.kernel import Kernel
from kernelspec.language import nodes
from kernelspec.language.nodes import (
    Expression,
    Let,
    Name,
    Negation,
    Node,
    Number,
    Param,
    Product,
    Program,
    Select,
    Slice,
    Sum,
    Text,
    selectors_of,
)
from kernelspec.limits import MAX_COLUMNS, MAX_EVALUATIONS, MAX_EXPONENT, MAX_KERNELS, MAX_SIZE, MAX_WRITTEN_COLUMNS
from kernelspec.loading import ascii_name, loaded, suggest
from kernelspec.tables.table_kinds import NAMES_NEEDED

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation

__all__ = [
    "CONSTANTS",
    "MEDIAN",
    "Columns",
    "Counts",
    "Definitions",
    "Elaborator",
    "Learned",
    "Selected",
    "SelectedFunctions",
    "by_position",
    "check_bound",
    "check_dim",
    "check_reach",
    "columns_named",
    "counted_columns",
    "exact",
    "is_grid",
    "number_lines",
    "parameter",
    "position_of_name",
    "range_of",
    "uses_dimension",
    "written_number",
]


@dataclass
class Counts:
    """Counts of kernels, listed columns and evaluated parts; the first two count at every use of a `let`."""

    kernels: int = 0
    columns: int = 0
    evaluated: int = 0

    def count_kernels(self, many: int, node: Expression) -> None:
        """Count kernels about to be made. Raises RangeError if there are too many."""
        self._count("kernels", many, MAX_KERNELS, "kernels, counting every use of a let", node)

    def count_columns(self, many: int, node: Expression) -> None:
        """Count columns about to be listed, or numbers per column. Raises RangeError if there are too many."""
        what = "columns in selections and vectors together, counting every use of a let"
        self._count("columns", many, MAX_WRITTEN_COLUMNS, what, node)

    def count_evaluations(self, many: int, node: Expression) -> None:
        """Count parts about to be evaluated. Raises RangeError if there are too many."""
        what = (
            "parts to evaluate, counting a let once for the columns it is used on, and entries of vectors at every use"
        )
        self._count("evaluated", many, MAX_EVALUATIONS, what, node)

    def _count(self, field: str, many: int, most: int, what: str, node: Expression) -> None:
        setattr(self, field, getattr(self, field) + many)
        if getattr(self, field) > most:
            raise RangeError(f"more than {most:,} {what}", node.span)


MEDIAN = "median"
"""Stands for a value learned from data: a median distance."""

GIVE_DATA = "use spec.fitted(X), ks.compile(spec, data=X) or KernelFeatures(spec).fit(X)"
"""What to do about numbers that are learned from data."""

CONSTANTS = ("d", "pi", "ones")
"""`d` is the number of visible columns, `ones` the vector of d ones."""


_HOLDS = {">": gt, ">=": ge, "<": lt, "<=": le}


def parameter(elaborator: Elaborator, param: Param, columns: Columns, scope: Definitions, node: Name) -> Any:
    """The number or vector of a parameter; `scope` is what its line sees, `node` the use.

    It is the given value, or else the default, a symbol, or NaN while a spec is checked. A number means the constant
    vector, and so does a symbol if the number of columns is unknown. Raises ParameterError if a number is needed, and
    the errors of the default.
    """
    value = scope.value_of(param)
    length = None if param.length is None else _length(elaborator, param, columns, scope, node)
    found: Any
    if isinstance(value, Expression):
        found = elaborator.value(value, columns, scope)
        if param.length is None and isinstance(found, tuple) and not isinstance(found[0], tuple):
            shown = f"the default of '{param.name}' is a vector: write param {param.name}[{len(found)}] = …"
            raise TypeMismatchError(shown, value.span)
        if param.length is None or not isinstance(found, tuple):
            found = elaborator.number(found, value, f"the default of '{param.name}'")
    elif value is not None:
        entries = value if isinstance(value, tuple) else (value,)
        literals = tuple(map(elaborator.arithmetic.literal, entries))
        found = literals if isinstance(value, tuple) else literals[0]
    elif elaborator.checking:
        check_bound(elaborator, param, math.nan, scope)
        return math.nan
    elif length is None:
        return _free_symbol(elaborator.arithmetic, param, node)
    else:
        return tuple(_free_symbol(elaborator.arithmetic, param, node, i) for i in range(length))
    for entry in found if isinstance(found, tuple) else (found,):
        check_bound(elaborator, param, elaborator.number(entry, node), scope)
    if length is None:
        return found
    if isinstance(found, tuple) and len(found) != length:
        raise ParameterError(f"'{param.name}' has {len(found)} entries, but {length} are needed here", node.span)
    return found if isinstance(found, tuple) else (found,) * length


def _length(elaborator: Elaborator, param: Param, columns: Columns, scope: Definitions, node: Name) -> int | None:
    """The length of a vector parameter; None if the number of columns is unknown.

    Raises ParameterError if other uses have another length.
    """
    assert param.length is not None
    value = elaborator.number(elaborator.value(param.length.value, columns, scope), param.length.value, "a length")
    known = elaborator.arithmetic.known(value)
    if known is None or math.isnan(known):
        return None
    if known != int(known) or known < 1:
        raise ParameterError(f"the length of '{param.name}' is {known:g}: it must be a whole number", node.span)
    length = int(known)
    elaborator.counts.count_columns(length, node)
    others, _ = elaborator.lengths.setdefault(param.name, (length, columns.names))
    if others != length:
        raise ParameterError(f"'{param.name}' has {others} entries elsewhere, but {length} here", node.span)
    return length


def check_bound(elaborator: Elaborator, param: Param, value: Scalar, scope: Definitions) -> None:
    """Raise ParameterError if a value is outside the range that the `param` line states, or the range is empty."""
    own = elaborator.arithmetic.known(value)
    ranges = _ranges(param)
    bounds = [elaborator.arithmetic.known(elaborator.value(limit, Columns(None), scope)) for _, limit in ranges]
    if len(bounds) == 2 and bounds[0] is not None and bounds[1] is not None and bounds[0] > bounds[1]:
        raise ParameterError(f"the range of '{param.name}' is empty: {bounds[0]:g} > {bounds[1]:g}", param.span)
    for (relation, _), bound in zip(ranges, bounds, strict=True):
        if own is not None and bound is not None and not math.isnan(own) and not _HOLDS[relation](own, bound):
            raise ParameterError(f"parameter '{param.name}' must be {relation} {bound:g}, not {own:g}", param.span)


def _ranges(param: Param) -> list[tuple[str, Expression]]:
    """The relations of a parameter to bounds."""
    if param.interval is not None:
        return [(">=", param.interval.low), ("<=", param.interval.high)]
    return [] if param.relation is None or param.bound is None else [(param.relation, param.bound)]


def written_number(node: Expression | None) -> Fraction | None:
    """The number that is written here, such as 2, -1 or 3/2; None for other formulas."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Negation):
        inner = written_number(node.operand)
        return None if inner is None else -inner
    if not isinstance(node, Sum | Product):
        return None
    first, *others = map(written_number, node.terms if isinstance(node, Sum) else node.factors)
    found: Scalar | None = first
    for operator, number in zip(node.operators, others, strict=True):
        if found is None or number is None:
            return None
        try:
            found = compute(NumberArithmetic(), partial(_OPERATIONS[operator], found, number), node)
        except RangeError:
            return None
    return found if isinstance(found, Fraction) else None


_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul, "/": truediv}


def range_of(param: Param) -> tuple[Fraction | float, Fraction | float]:
    """The ends of the range of a parameter, infinite unless they are numbers."""
    ends: dict[str, Fraction | float] = {">": -math.inf, "<": math.inf}
    for relation, bound in _ranges(param):
        if (known := written_number(bound)) is not None:
            ends[relation[0]] = known
    return ends[">"], ends["<"]


def _free_symbol(arithmetic: Arithmetic, param: Param, node: Name, entry: int | None = None) -> Any:
    """The SymPy symbol of a free parameter, or of one entry, with the sign that its range implies.

    Raises ParameterError if a number is needed.
    """
    if isinstance(arithmetic, NumberArithmetic):
        shown = ("1", "1") if entry is None else ("[1, 2]", "1,2")
        raise ParameterError(
            f"parameter '{param.name}' has no value: use spec.with_params({{'{param.name}': {shown[0]}}}) "
            f"or -p {param.name}={shown[1]}",
            node.span,
        )
    import sympy

    if re.fullmatch("(x|y|omega)(_.*)?", param.name):
        raise ParameterError(
            f"parameter '{param.name}' has no value, and formulas use its name for a coordinate: "
            "give it a value or another name",
            node.span,
        )
    name = param.name if entry is None else f"{param.name}_{entry + 1}"  # as x_1 is the first coordinate
    low, high = range_of(param)
    if low >= 0:
        return sympy.Symbol(name, **{"positive" if low > 0 or param.relation == ">" else "nonnegative": True})
    if high <= 0:
        return sympy.Symbol(name, **{"negative" if high < 0 or param.relation == "<" else "nonpositive": True})
    return sympy.Symbol(name, real=True)


@dataclass(frozen=True)
class Columns:
    """The columns of a kernel: their number, and their names if they have any.

    `dim` is a whole number, the symbol d, or None if unknown. `given` is False if the columns were only inferred from
    names in the spec. `by_name` says that the spec selects by name and the caller listed no names in order, so that a
    table without column names cannot be read.
    """

    dim: Scalar
    names: tuple[str, ...] | None = None
    given: bool = True
    by_name: bool = False

    @property
    def count(self) -> int | None:
        """The number of columns, if it is known."""
        return self.dim if isinstance(self.dim, int) else None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Cached, because every use of a let needs it, and there may be millions of names."""
        return hash((self.dim, self.names, self.given))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The position of every name; for repeated names, the last one."""
        return {name: position for position, name in enumerate(self.names or ())}

    @cached_property
    def greek(self) -> Mapping[str, tuple[str, ...]]:
        """The names with Greek letters by their ASCII spelling, which is what a spec has for a name without quotes."""
        found: dict[str, tuple[str, ...]] = {}
        for name in self.names or ():
            if not name.isascii() and (spelled := ascii_name(name)) != name:
                found[spelled] = (*found.get(spelled, ()), name)
        return found

    def spelled(self, name: str) -> str | None:
        """A column that a name without quotes may mean."""
        return name if name in self.places else next(iter(self.greek.get(name, ())), None)

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The names shared by several columns."""
        names = self.names or ()
        return frozenset(name for position, name in enumerate(names) if self.places[name] != position)

    def counted(self) -> str:
        """The number of columns in words: `1 column`, `3 columns`."""
        return f"{self.count} column" + ("s" if self.count != 1 else "")


def check_dim(dim: Any) -> None:
    """Raise DimensionError for anything but a whole number, at least 1."""
    if getattr(dim, "shape", ()):
        raise DimensionError("dim must be a whole number, not a table: ks.compile takes one as data=")
    if not hasattr(dim, "__index__") or isinstance(dim, bool) or dim < 1:
        raise DimensionError(f"dim must be a whole number, at least 1, not {dim!r:.60}")


def position_of_name(selector: Name, columns: Columns, checking: bool) -> int:
    """The position of a column by name; 0 while a spec is checked without columns. Raises ColumnError."""
    name = selector.identifier
    if columns.names is None:
        if checking:
            return 0
        raise ColumnError(f"column '{name}' cannot be found: {NAMES_NEEDED}", selector.span)
    position, written, greek = columns.places.get(name), selector.span.text, columns.greek.get(name, ())
    if position is None and len(greek) == 1:
        position = columns.places[greek[0]]
    elif greek and (position is None or ascii_name(written) == name != written):
        raise ColumnError(
            f"several columns are spelled '{name}' in ASCII: write \"{greek[0]}\" in quotes", selector.span
        )
    if position is None:
        hint = suggest(name, columns.names) or f"; use one of {_listed(columns.names)}"
        raise ColumnError(f"unknown column '{name}'{hint}", selector.span)
    if name in columns.repeated:
        raise ColumnError(f"several columns have the name '{name}': rename one", selector.span)
    return position


def check_reach(count: int, selector: Number | Slice) -> None:
    """Raise ColumnError for a selector beyond the largest table, if the table is unknown."""
    if count > MAX_COLUMNS:
        raise ColumnError(f"this selects column {count - 1}, but a table has at most {MAX_COLUMNS:,}", selector.span)


def by_position(selector: Number, columns: Columns) -> list[int]:
    """The column at a position, perhaps counted from the end. Raises ColumnError."""
    position, count = int(selector.value), columns.count
    if count is None:
        if position < 0:
            raise ColumnError("a position from the end needs the number of columns: set dim=", selector.span)
        check_reach(position + 1, selector)
        return [position]
    if not -count <= position < count:
        raise ColumnError(f"column {position} is out of range: {counted_columns(count)}", selector.span)
    return [position % count]


def counted_columns(count: int) -> str:
    """The number of columns and their positions, in words."""
    return f"there are {count} columns, 0 to {count - 1}" if count > 1 else "there is one column, 0"


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:12])
    return shown + (", …" if len(names) > 12 else "")


@dataclass(frozen=True)
class Definitions:
    """The `param` and `let` lines above a place, and parameter values given from outside.

    All places share the table `lines`, name → (position, line); a place sees the lines at positions below `above`.
    """

    lines: Mapping[str, tuple[int, Param | Let]] = field(default_factory=dict)
    above: int = 0
    values: Mapping[str, Numbers] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Program, values: Mapping[str, Numbers]) -> Definitions:
        """All definitions of a program, as visible after its last line."""
        lines = {statement.name: (position, statement) for position, statement in enumerate(program.statements)}
        return cls(lines, len(program.statements), values)

    def find(self, name: str) -> tuple[Param | Let, Definitions] | None:
        """The line that defines a name, with its own scope; None if no line above does."""
        position, line = self.lines.get(name, (self.above, None))
        return None if line is None or position >= self.above else (line, replace(self, above=position))

    def let(self, name: str) -> tuple[Let, Definitions] | None:
        """The `let` line above that defines a name, with its own scope, or None."""
        found = self.find(name)
        return (found[0], found[1]) if found is not None and isinstance(found[0], Let) else None

    def names(self) -> list[str]:
        """Every name defined so far."""
        return [name for name, (position, _) in self.lines.items() if position < self.above]

    def value_of(self, param: Param) -> Numbers | Expression | None:
        """The value given from outside, else the default in the spec, else None."""
        return self.values.get(param.name, param.default)


def exact(value: Any) -> Fraction:
    """A parameter's value as the decimal that was written: 0.1 is 1/10. Raises ValueError if not finite."""
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
                elif isinstance(part, Name) and (part is selector or part.identifier not in defined):
                    named[part.identifier] = None
    return tuple(named)


def uses_dimension(program: Program) -> bool:
    """Whether `d`, the number of columns, occurs outside selections."""
    pending: list[Node] = [program]
    while pending:
        node = pending.pop()
        if isinstance(node, Name) and node.identifier == "d":
            return True
        pending.extend([node.base] if isinstance(node, Select) else node.children())
    return False


@dataclass
class Learned:
    """A call that still needs numbers from data, and its argument terms."""

    call: nodes.Call
    terms: dict[tuple[Any, Columns], None] = field(default_factory=dict)


class Selected(NamedTuple):
    """A selector of functions of columns, the names in it, the functions that it denotes if none is defined, and their
    texts where columns have names.
    """

    selector: Node
    names: tuple[str, ...]
    functions: Sequence[Any]
    texts: tuple[str, ...]


SelectedFunctions = dict[tuple[int, Columns, bool], Selected]
"""By the id of the selector, its columns, and whether the spec is only checked.

The selector is kept because the id of a dead one is reused.
"""

Line = nodes.Param | nodes.Let


def number_lines(line: Line, scope: Definitions, known: Callable[[Line], bool]) -> list[tuple[Line, Definitions]]:
    """The lines that this one reads on the same columns, directly or indirectly, in order, with their scopes.

    Follows arithmetic only, not calls and selections, and stops at lines that are `known`. Linear in the text.
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
    """The names in the arithmetic of a line, outside selections and calls other than functions of a number."""
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


def is_grid(value: Any) -> bool:
    """Whether a value is a grid of kernels."""
    return isinstance(value, loaded("kernelspec.elaboration.forms.grids:Grid"))


class Elaborator(ABC):
    """Turns expressions into kernels, numbers or vectors, in one arithmetic.

    `checking` accepts unknown numbers and columns, and forms of later versions: every spec is checked this way when it
    is read. At the top of a spec whose columns were inferred from names, kernels without columns are rejected.
    `maps_columns` says whether the spec has functions of columns. `learned` collects those that need data,
    `written_out` the expansions of selectors with a range by node id, and `lengths` the lengths of vector parameters
    with the names of their columns. `unplaced` are the calls of noise() on all columns, if these are only inferred.
    `seen` holds functions of columns from other elaborators of the same program.
    """

    def __init__(
        self, arithmetic: Arithmetic, *, checking: bool = False, seen: SelectedFunctions | None = None
    ) -> None:
        self.arithmetic = arithmetic
        self.checking = checking
        self.counts = Counts()
        self.maps_columns = False
        self.unplaced: list[nodes.Call] = []
        self.learned: dict[int, Learned] = {}
        self.lengths: dict[str, tuple[int, tuple[str, ...] | None]] = {}
        self.written_out: dict[int, dict[tuple[Expression, ...], None]] = {}
        self.seen = seen

    def kernel(self, node: nodes.Expression, columns: Columns, scope: Definitions) -> Kernel:
        """The kernel that an expression denotes. Raises TypeMismatchError if it is not a kernel."""
        return self.as_kernel(self.value(node, columns, scope), node)

    def as_kernel(self, value: Any, node: nodes.Expression) -> Kernel:
        """The value of a node as a kernel. Raises TypeMismatchError if it is not one."""
        if isinstance(value, Kernel):
            return value
        if is_grid(value):
            raise TypeMismatchError("expected a kernel, not a grid: write full(relu, input=…)", node.span)
        what = "a vector" if isinstance(value, tuple) else "a number"
        raise TypeMismatchError(f"expected a kernel, not {what}", node.span)

    def number(self, value: Any, node: nodes.Expression, where: str = "this") -> Scalar:
        """The value as a number. Raises TypeMismatchError if it is not one."""
        if isinstance(value, Kernel | tuple) or is_grid(value):
            what = "a kernel" if isinstance(value, Kernel) else "a vector" if isinstance(value, tuple) else "a grid"
            raise TypeMismatchError(f"{where} must be a number, not {what}", node.span)
        return value

    def argument(self, value: Scalar, node: nodes.Expression, where: str = "this") -> Scalar:
        """A number as kernels store it. Raises RangeError, at the node, if it is too large or too small."""
        known = self.arithmetic.known(value)
        if known and not 1 / MAX_SIZE <= abs(known) <= MAX_SIZE:
            raise RangeError(range_text(where, known), node.span)
        return self.arithmetic.argument(value)

    def arguments(self, values: Sequence[Any], node: nodes.Expression, where: str = "this") -> tuple[Scalar, ...]:
        """Numbers as kernels store them, one per column or term; each counts as an evaluated part and a column.

        Raises the errors of `number` and `argument`.
        """
        self.counts.count_columns(len(values), node)
        distinct = {id(value): value for value in values}  # `ones` repeats one number millions of times
        self.counts.count_evaluations(len(distinct), node)
        stored = {key: self.argument(self.number(value, node, where), node, where) for key, value in distinct.items()}
        return tuple(stored[id(value)] for value in values)

    def constant(self, value: float | Fraction) -> Scalar:
        """A number that is not in the spec, such as a default."""
        return self.arithmetic.argument(self.arithmetic.literal(Fraction(value)))

    def compute(self, operation: Callable[[], Scalar], node: Expression) -> Scalar:
        """The result of an arithmetic operation. Raises RangeError if it is not a finite float."""
        return compute(self.arithmetic, operation, node)

    @abstractmethod
    def value(self, node: Expression, columns: Columns, scope: Definitions) -> Any:
        """A Kernel, a number, a vector (a tuple; of tuples for a matrix), or a Grid of kernels."""

    @abstractmethod
    def defined(self, line: Line, scope: Definitions, columns: Columns, node: Name) -> Any:
        """The value of a `param` or `let` on these columns, one object for all uses.

        `scope` is what the line sees, `node` the use.
        """

    @abstractmethod
    def distribution(self, node: Expression, columns: Columns, scope: Definitions) -> Any:
        """The catalogue distribution that an expression denotes; position decides, so `gaussian` is one here.

        Raises TypeMismatchError, UnknownNameError, RangeError, and the errors of `bind`.
        """

    @abstractmethod
    def activation(self, node: Expression, columns: Columns, scope: Definitions) -> Activation:
        """A catalogue activation, or activation(x -> f(x)). Raises the same, ArgumentError, and those of a formula."""
