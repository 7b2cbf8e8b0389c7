"""Functions of columns: k[log(income), age] is k(g(x), g(y)), the pull-back of k by g.

While a spec is elaborated, a `PullBack` stands in the tree. At the end the tree is lowered: all columns and functions
that are read become the columns of one table, on which the kernel stands, and rows are mapped before anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ColumnError, DimensionError, RangeError, TypeMismatchError
from kernelspec.expressions.columns import ComputedColumn, Limits
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
from kernelspec.kernels.kernel import Kernel, Verdict, all_parts
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.language import nodes

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Elaborator
    from kernelspec.expressions.arguments import Scalar, Value
    from kernelspec.expressions.pairs import Pairs
    from kernelspec.loading import Span

__all__ = ["Elaborated", "Function", "PullBack", "Source", "functions_of", "lowered", "pulled_back"]


@dataclass(frozen=True)
class Function:
    """A function of the columns in sight; `call` says of which function with several results it is which."""

    body: Term
    limits: tuple[Limits, ...] = ()
    call: tuple[str, tuple[Term, ...], int] | None = None

    def of(self, sources: Sequence[Source]) -> Function:
        """The same function of the sources of these columns."""

        def placed(term: Term) -> Term:
            if isinstance(term, Column):
                source = sources[term.position]
                return Column(source) if isinstance(source, int) else source.body
            return Operation(term.name, tuple(map(placed, term.operands))) if isinstance(term, Operation) else term

        inner = [sources[i] for i in sorted(self.computed("").reads())]
        limits = [replace(own, body=placed(own.body)) for own in self.limits]
        limits += [own for source in inner if isinstance(source, Function) for own in source.limits]
        call = self.call and (self.call[0], tuple(map(placed, self.call[1])), self.call[2])
        return Function(placed(self.body), tuple(dict.fromkeys(limits)), call)

    def computed(self, text: str) -> ComputedColumn:
        """As it is kept in maps."""
        return ComputedColumn(self.body, text, self.limits)

    def text(self, names: Sequence[str] | None) -> str:
        """`log(income)`, `cycle(hour, 24)[1]`."""
        if self.call is None:
            return term_text(self.body, names)
        name, arguments, result = self.call
        return f"{name}({', '.join(term_text(term, names) for term in arguments)})[{result}]"


Source: TypeAlias = int | Function
"""What a column is: a column of the table by its position, or a function of these."""


def functions_of(
    elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions
) -> tuple[Function, ...]:
    """The functions that a selector stands for: one, or those with several results.

    Raises ColumnError for a selector that reads no column, RangeError for a radius or period that is not positive, and
    what `build_formula` does.
    """
    from kernelspec.elaboration.formulas import SEVERAL_RESULTS, column_term

    if isinstance(node, nodes.Call) and node.function in SEVERAL_RESULTS:
        found = _several(elaborator, node, columns, scope)
    else:
        found = (Function(column_term(elaborator, node, columns, scope)),)
    if not any(depends_on_variable(own.body) for own in found):
        names = [part for part in node.parts() if isinstance(part, nodes.Name) and scope.find(part.identifier)]
        hint = "a number alone is a position, and in an expression names and quoted names are columns"
        if names:
            hint = (
                f"'{names[0].identifier}' is defined above; for a column of that name write \"{names[0].identifier}\""
            )
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
        raise TypeMismatchError(f"'{last}' of {name}() is a number, and reads no column", given[last].span)
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
    """k(g(x), g(y)): k on the columns that `sources` make of those in sight. It stands in no tree that is lowered."""

    base: Kernel
    sources: tuple[Source, ...]

    def value(self, pairs: Pairs) -> Value:
        raise TypeError("a pull-back has values when its tree is lowered")

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
    """The kernel on these functions of the columns; the elaborator knows then that the tree is to be lowered."""
    elaborator.maps_columns = True
    return PullBack(base=base, sources=sources, dim=columns.dim, span=span)


class Elaborated(NamedTuple):
    """A kernel on the columns that it reads, and what these are, with their names; () if they are the table's."""

    kernel: Kernel
    sources: tuple[int | ComputedColumn, ...] = ()
    names: tuple[str, ...] = ()

    def columns(self, table: Columns) -> Columns:
        """The columns that the kernel stands on."""
        return Columns(len(self.sources), self.names) if self.sources else table

    def symbols(self) -> frozenset[str]:
        """The names of the free parameters in the functions."""
        computed = (own for own in self.sources if isinstance(own, ComputedColumn))
        values = (value for own in computed for value in Formula(own.body).unknowns())
        return frozenset(symbol.name for value in values for symbol in value.free_symbols)


def lowered(kernel: Kernel, table: Columns) -> tuple[Elaborated, dict[int, Kernel]]:
    """The kernel on the table of all columns and functions that it reads, and what became of its parts, by their id.

    Raises DimensionError where a part applies to all columns, and their number is not known.
    """
    whole = tuple(range(table.count)) if table.count is not None else None
    lowering = _Lowering()
    lowering.collect(kernel, whole)
    made = lowering.build(kernel, whole)
    parts = {key: lowering.built[key, whole] for key, columns in lowering.built if columns == whole}
    names: list[str] = []
    for source in lowering.places:
        text = source.text(table.names) if isinstance(source, Function) else _name(source, table.names)
        own, count = text, 1
        while own in names:
            count += 1
            own = f"{text} #{count}"
        names.append(own)
    sources = tuple(
        own.computed(text) if isinstance(own, Function) else own
        for own, text in zip(lowering.places, names, strict=True)
    )
    return Elaborated(made, sources, tuple(names)), parts


def _name(position: int, names: Sequence[str] | None) -> str:
    return f"column({position})" if names is None else names[position]


_Sight: TypeAlias = tuple[Source, ...] | None
"""The sources of the columns in sight; None for the table's, whose number is not known."""


class _Lowering:
    """First the columns and functions that are read get places, then the tree is built on these."""

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
        """The kernels below, with the columns that they see; none for one that is taken as a whole."""
        match kernel:
            case PullBack():
                columns: Any = _Unknown() if sight is None else sight
                yield kernel.base, tuple(columns[o] if isinstance(o, int) else o.of(columns) for o in kernel.sources)
            case Select():
                yield kernel.base, tuple(i if sight is None else sight[i] for i in kernel.positions)
            case Sum() | Product() | Power() | Dual():
                yield from ((child, sight) for child in kernel.children())
            case _ if any(isinstance(part, PullBack) for part in all_parts(kernel)):
                raise TypeMismatchError(
                    f"functions of columns do not stand inside {type(kernel).__name__}", kernel.span
                )

    @staticmethod
    def _whole(kernel: Kernel, sight: _Sight) -> tuple[Source, ...]:
        if sight is None:
            raise DimensionError(
                "beside functions of columns, a kernel on all columns needs their number: give dim= or columns=",
                kernel.span,
            )
        return sight


class _Unknown:
    """The columns of a table of unknown width: each is itself."""

    def __getitem__(self, position: int) -> int:
        return position


def _with_children(kernel: Kernel, children: Iterator[Kernel], dim: int) -> Kernel:
    """The node with other kernels below it, in their order, on another number of columns."""
    changed: dict[str, Any] = {"dim": dim}
    for part in fields(kernel):
        value = getattr(kernel, part.name)
        if isinstance(value, Kernel):
            changed[part.name] = next(children)
        elif isinstance(value, tuple) and any(isinstance(item, Kernel) for item in value):
            changed[part.name] = tuple(next(children) if isinstance(item, Kernel) else item for item in value)
    return replace(kernel, **changed)


def _reads_nothing(kernel: Kernel) -> bool:
    """Whether a kernel without parts reads no column: constant(), and a sum of nothing."""
    return isinstance(kernel, Sum) or (
        isinstance(kernel, Leaf) and not kernel.reads_numbers and not kernel.compares_categories
    )
