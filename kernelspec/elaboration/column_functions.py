"""Functions of columns: k[log(income), age] is k(g(x), g(y)), the pull-back of k by g.

During elaboration the tree has `PullBack` nodes. Lowering then turns all columns and functions that are read into the
columns of one table, to which rows are mapped before anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.scope import Columns, Definitions, Elaborator
from kernelspec.errors import ColumnError, DimensionError, RangeError, TypeMismatchError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.columns import CodedColumn, ComputedColumn, Limits
from kernelspec.expressions.formula import (
    Column,
    Formula,
    Operation,
    Pi,
    Term,
    depends_on_variable,
    operation,
    term_text,
)
from kernelspec.expressions.formula import Constant as ExactNumber
from kernelspec.expressions.pairs import Pairs
from kernelspec.kernels.kernel import Kernel, Verdict, all_parts, rebuilt
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.sums_and_products import Power, Product, Sum
from kernelspec.language import nodes
from kernelspec.loading import Span
from kernelspec.tables.cells import ColumnFunction

__all__ = ["Elaborated", "Function", "LevelNumber", "PullBack", "Source", "functions_of", "lowered", "pulled_back"]


@dataclass(frozen=True)
class Function:
    """A function of the visible columns; `call` identifies one of several results of a function."""

    body: Term
    limits: tuple[Limits, ...] = ()
    call: tuple[str, tuple[Term, ...], int] | None = None

    @cached_property
    def _hash(self) -> int:
        """Kept, since sums hash their terms, and a rank has a hundred quantiles."""
        return hash((self.body, self.limits, self.call))

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        """Without the hash: that of a string is another one in another process."""
        return {name: value for name, value in vars(self).items() if name != "_hash"}

    def of(self, sources: Sequence[Source]) -> Function:
        """The same function with the sources of these columns."""

        def placed(term: Term) -> Term:
            if isinstance(term, Column):
                source = sources[term.position]
                return Column(source) if isinstance(source, int) else source.body  # type: ignore[union-attr]
            return Operation(term.name, tuple(map(placed, term.operands))) if isinstance(term, Operation) else term

        inner = [sources[i] for i in sorted(self.computed("").reads())]
        coded = next((source for source in inner if isinstance(source, LevelNumber)), None)
        if coded is not None:
            raise TypeMismatchError(f"{coded.text(None)} is a category: functions need numbers")
        limits = [replace(own, body=placed(own.body)) for own in self.limits]
        limits += [own for source in inner if isinstance(source, Function) for own in source.limits]
        call = self.call and (self.call[0], tuple(map(placed, self.call[1])), self.call[2])
        return Function(placed(self.body), tuple(dict.fromkeys(limits)), call)

    def computed(self, text: str) -> ComputedColumn:
        """As stored in maps."""
        return ComputedColumn(self.body, text, self.limits)

    def text(self, names: Sequence[str] | None) -> str:
        """`log(income)`, `cycle(hour, 24)[1]`."""
        if self.call is None:
            return term_text(self.body, names)
        name, arguments, result = self.call
        return f"{name}({', '.join(term_text(term, names) for term in arguments)})[{result}]"


@dataclass(frozen=True)
class LevelNumber:
    """A number per level of a category column, one of several results of levels(); see `CodedColumn`."""

    position: int
    levels: tuple[str | int | float, ...]
    numbers: tuple[float, ...]
    other: float | None
    result: int

    def of(self, sources: Sequence[Source]) -> LevelNumber:
        """The same for the source of that column. Raises TypeMismatchError for a function of numbers."""
        source = sources[self.position]
        if not isinstance(source, int):
            raise TypeMismatchError(f"levels() compares categories, but {source.text(None)} is a number")
        return replace(self, position=source)

    def computed(self, text: str) -> CodedColumn:
        """As stored in maps."""
        return CodedColumn(self.position, text, self.levels, self.numbers, self.other)

    def text(self, names: Sequence[str] | None) -> str:
        """`levels(grade)[0]`."""
        return f"levels({_name(self.position, names)})[{self.result}]"


Source: TypeAlias = int | Function | LevelNumber
"""A source of values: a column of the table by position, or a function of columns."""


def functions_of(
    elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions
) -> tuple[Function, ...]:
    """The functions that a selector denotes: one, or one per result.

    Raises ColumnError for a selector that reads no column, RangeError for a radius or period that is not positive, and
    the errors of `build_formula`.
    """
    from kernelspec.elaboration.formulas import SEVERAL_RESULTS, column_term

    if isinstance(node, nodes.Call) and node.function in SEVERAL_RESULTS:
        found = _several(elaborator, node, columns, scope)
    else:
        found = (Function(column_term(elaborator, node, columns, scope)),)
    if not any(depends_on_variable(own.body) for own in found):
        names = [part for part in node.parts() if isinstance(part, nodes.Name) and scope.find(part.identifier)]
        hint = "a lone number is a position; in an expression, names are columns"
        if names:
            hint = f"'{names[0].identifier}' is defined above; for the column, write \"{names[0].identifier}\""
        raise ColumnError(f"this reads no column: {hint}", node.span)
    return found


def _several(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> tuple[Function, ...]:
    from kernelspec.elaboration.formulas import column_term
    from kernelspec.expressions.evaluation import number_value

    name = node.function
    names = ("lat", "lon", "radius") if name == "unit_vector" else ("x", "period")
    shown = f"{name}({', '.join(names)})"
    given = match_arguments(node, list(names), shown)
    require_arguments(node, given, names[:2], shown)
    terms = {key: column_term(elaborator, value, columns, scope) for key, value in given.items()}
    last = names[-1]
    if last in terms and depends_on_variable(terms[last]):
        raise TypeMismatchError(f"'{last}' of {name}() must be a number, not a column", given[last].span)
    if last in terms and not Formula(terms[last]).unknowns() and not number_value(terms[last]) > 0:
        raise RangeError(f"'{last}' of {name}() must be greater than 0", given[last].span)
    if name == "cycle":
        angle = operation("quotient", (_times(ExactNumber(Fraction(2)), Pi(), terms["x"]), terms["period"]))
        bodies: list[Term] = [Operation("cos", (angle,)), Operation("sin", (angle,))]
        limits: tuple[Limits, ...] = ()
    else:
        degree = ExactNumber(Fraction(180))
        lat, lon = (operation("quotient", (_times(terms[key], Pi()), degree)) for key in ("lat", "lon"))
        flat = Operation("cos", (lat,))
        bodies = [
            _times(flat, Operation("cos", (lon,))),
            _times(flat, Operation("sin", (lon,))),
            Operation("sin", (lat,)),
        ]
        if "radius" in terms:
            bodies = [_times(terms["radius"], body) for body in bodies]
        limits = (Limits(terms["lat"], -90.0, 90.0, "latitude"), Limits(terms["lon"], -360.0, 360.0, "longitude"))
    return tuple(Function(body, limits, (name, tuple(terms.values()), i)) for i, body in enumerate(bodies))


def _times(*factors: Term) -> Term:
    return operation("product", factors)


@dataclass(frozen=True, kw_only=True)
class PullBack(Kernel):
    """k(g(x), g(y)): k on the columns that `sources` compute. Lowered trees do not contain it."""

    base: Kernel
    sources: tuple[Source, ...]

    def value(self, pairs: Pairs) -> Value:
        raise TypeError("a pull-back must be lowered before it has values")

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def verdict(self) -> Verdict:
        return replace(self.base.verdict(), stationary=None, stationary_in_numbers=False)

    @property
    def is_stationary(self) -> bool:
        return False

    def __str__(self) -> str:
        shown = (str(own) if isinstance(own, int) else own.text(None) for own in self.sources)
        return f"{self.base}[{', '.join(shown)}]"


def pulled_back(
    elaborator: Elaborator, base: Kernel, sources: tuple[Source, ...], columns: Columns, span: Span | None
) -> PullBack:
    """The kernel on these functions of the columns; marks the tree for lowering."""
    elaborator.maps_columns = True
    return PullBack(base=base, sources=sources, dim=columns.dim, span=span)


class Elaborated(NamedTuple):
    """A kernel, the columns that it reads with their names, or () if they are those of the table, and the noise
    variance.
    """

    kernel: Kernel
    sources: tuple[int | ColumnFunction, ...] = ()
    names: tuple[str, ...] = ()
    noise: Scalar = 0

    def columns(self, table: Columns) -> Columns:
        """The columns of the kernel."""
        return Columns(len(self.sources), self.names) if self.sources else table

    def symbols(self) -> frozenset[str]:
        """The names of the free parameters in the functions."""
        computed = (own for own in self.sources if isinstance(own, ComputedColumn))
        values = (value for own in computed for value in Formula(own.body).unknowns())
        return frozenset(symbol.name for value in values for symbol in value.free_symbols)


def lowered(kernel: Kernel, table: Columns) -> tuple[Elaborated, dict[int, Kernel]]:
    """The kernel on a table of all columns and functions that it reads, and its lowered parts by the ids of the old
    ones.

    Raises DimensionError if a part applies to all columns, and their number is unknown.
    """
    whole = tuple(range(table.count)) if table.count is not None else None
    lowering = _Lowering()
    lowering.collect(kernel, whole)
    made = lowering.build(kernel, whole)
    parts = {key: lowering.built[key, whole] for key, columns in lowering.built if columns == whole}
    names: list[str] = []
    for source in lowering.places:
        text = _name(source, table.names) if isinstance(source, int) else source.text(table.names)
        own, count = text, 1
        while own in names:
            count += 1
            own = f"{text} #{count}"
        names.append(own)
    sources = tuple(
        own if isinstance(own, int) else own.computed(text) for own, text in zip(lowering.places, names, strict=True)
    )
    return Elaborated(made, sources, tuple(names)), parts


def _name(position: int, names: Sequence[str] | None) -> str:
    return f"column({position})" if names is None else names[position]


_Sight: TypeAlias = tuple[Source, ...] | None
"""The sources of the visible columns; None for all columns of a table of unknown width."""


class _Lowering:
    """First collects the columns and functions that are read, then builds the tree on them."""

    def __init__(self) -> None:
        self.places: dict[Source, int] = {}
        self.built: dict[tuple[int, _Sight], Kernel] = {}
        self._seen: set[tuple[int, _Sight]] = set()

    def collect(self, kernel: Kernel, sight: _Sight) -> None:
        if (id(kernel), sight) in self._seen:
            return
        self._seen.add((id(kernel), sight))
        below = list(self._below(kernel, sight))
        for child, own in below:
            self.collect(child, own)
        if not below and not _reads_nothing(kernel):
            for source in self._whole(kernel, sight):
                self.places.setdefault(source, len(self.places))

    def build(self, kernel: Kernel, sight: _Sight) -> Kernel:
        key = id(kernel), sight
        if key not in self.built:
            self.built[key] = self._built(kernel, sight)
        return self.built[key]

    def _built(self, kernel: Kernel, sight: _Sight) -> Kernel:
        dim = len(self.places)
        if isinstance(kernel, PullBack | Select):
            ((base, own),) = self._below(kernel, sight)
            return self.build(base, own)
        below = [self.build(child, own) for child, own in self._below(kernel, sight)]
        if below or _reads_nothing(kernel):
            return _with_children(kernel, iter(below), dim)
        positions = tuple(self.places[source] for source in self._whole(kernel, sight))
        if positions == tuple(range(dim)):
            return kernel
        return Select(base=kernel, positions=positions, dim=dim, span=kernel.span)

    @staticmethod
    def _below(kernel: Kernel, sight: _Sight) -> Iterator[tuple[Kernel, _Sight]]:
        """The kernels below with the columns that they see; none for a node lowered as a whole."""
        match kernel:
            case PullBack():
                columns: Any = _Unknown() if sight is None else sight
                try:
                    own = tuple(columns[o] if isinstance(o, int) else o.of(columns) for o in kernel.sources)
                except TypeMismatchError as error:
                    raise TypeMismatchError(error.message, kernel.span) from None
                yield kernel.base, own
            case Select():
                yield kernel.base, tuple(i if sight is None else sight[i] for i in kernel.positions)
            case Sum() | Product() | Power() | Dual():
                yield from ((child, sight) for child in kernel.children())
            case _ if any(isinstance(part, PullBack) for part in all_parts(kernel)):
                raise TypeMismatchError(
                    f"functions of columns are not allowed inside {type(kernel).__name__}", kernel.span
                )

    @staticmethod
    def _whole(kernel: Kernel, sight: _Sight) -> tuple[Source, ...]:
        if sight is None:
            raise DimensionError(
                "with functions of columns, a kernel on all columns needs their number: set dim= or columns=",
                kernel.span,
            )
        return sight


class _Unknown:
    """The columns of a table of unknown width: column i has source i."""

    def __getitem__(self, position: int) -> int:
        return position


def _with_children(kernel: Kernel, children: Iterator[Kernel], dim: int) -> Kernel:
    """The node with other children, in order, on another number of columns."""
    return replace(rebuilt(kernel, Kernel, lambda part: next(children)), dim=dim)


def _reads_nothing(kernel: Kernel) -> bool:
    """Whether a kernel without parts reads no column: constant(), and the empty sum."""
    return isinstance(kernel, Sum) or (
        isinstance(kernel, Leaf) and not kernel.reads_numbers and not kernel.compares_categories
    )
