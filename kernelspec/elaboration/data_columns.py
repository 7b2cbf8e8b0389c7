"""The columns of a table that a kernel reads, and numbers learned from data: functions of columns, and medians."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.arithmetic import number_expression, written
from kernelspec.elaboration.column_functions import Elaborated, Function
from kernelspec.elaboration.medians import BEYOND, AnyProgram, Weigh, copies, with_medians, with_probes
from kernelspec.elaboration.scope import GIVE_DATA, MEDIAN, Columns, Learned
from kernelspec.elaboration.valued_program import ValuedProgram, elaborated_symbols, named, words
from kernelspec.errors import ColumnError, DataError, ParameterError, SpecError
from kernelspec.expressions.arguments import declared
from kernelspec.expressions.columns import ComputedColumn
from kernelspec.expressions.formula import LEARNED, Constant, Formula, is_learned, operation, terms_of
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, load_kernel
from kernelspec.language import nodes
from kernelspec.language.printer import print_node
from kernelspec.tables.cells import ColumnFunction, Domain
from kernelspec.tables.layout import Layout, MappedLayout
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table, column_names, width_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.tables.column_types import Missing

__all__ = [
    "fitted",
    "fitted_to_table",
    "has_learned",
    "kernel_and_layout",
    "layout_of",
    "on_table",
    "with_median_lines",
    "with_medians_of_table",
    "with_stand_ins",
]


def kernel_and_layout(spec: ValuedProgram, columns: Columns) -> tuple[Kernel, Layout]:
    """The numeric kernel and the layout of its tables. Raises SpecError."""
    found, layout = on_table(spec, columns)
    return found.kernel, layout


def on_table(spec: ValuedProgram, columns: Columns) -> tuple[Elaborated, Layout]:
    """The same, with the observation noise."""
    found = spec.elaborated(columns)
    _refuse_learned(spec, found)
    seen = layout_of(found.kernel, found.columns(columns))
    if not found.sources:
        return found, seen
    computed = [own for own in found.sources if isinstance(own, ColumnFunction)]
    read, compared = (
        {own for i in used if not isinstance(own := found.sources[i], ColumnFunction)}
        for used in (seen.numeric, seen.categorical)
    )
    layout = MappedLayout(
        int(columns.dim),
        columns.names,
        tuple(sorted(read.union(*(own.reads() for own in computed)))),
        tuple(sorted(compared.union(*(own.compares() for own in computed)))),
        by_name=columns.by_name,
        functions=found.sources,
        target=seen,
    )
    return found, layout


def layout_of(kernel: Kernel, columns: Columns) -> Layout:
    """The layout of a kernel's rows: its columns as numbers, as categories, or both."""
    used: dict[bool, set[int]] = {False: set(), True: set()}
    domains: dict[tuple[Domain, tuple[int, ...]], None] = {}
    pending: list[tuple[Kernel, tuple[int, ...]]] = [(kernel, tuple(range(columns.dim)))]
    while pending:
        node, positions = pending.pop()
        if isinstance(node, Leaf):
            if node.compares_categories:
                used[True].update(positions)
            if node.reads_numbers:
                used[False].update(positions)
            if node.domain is not None:
                domains[node.domain, positions] = None
            continue
        from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch, Tilt

        if isinstance(node, Stretch) and node.is_matrix:
            used[False].update(positions)  # each column influences all coordinates below
            continue
        if isinstance(node, Tilt):  # reads every column in which it grows, in addition to the kernel's
            used[False].update(p for p, rate in zip(positions, node.by, strict=True) if rate != 0)
        if isinstance(node, Select):
            positions = tuple(positions[i] for i in node.positions)
        for base in node.bases():
            pending.extend((base, (position,)) for position in reversed(positions))
        pending.extend((child, positions) for child in node.children())
    numeric, categorical = tuple(sorted(used[False])), tuple(sorted(used[True]))
    return Layout(columns.dim, columns.names, numeric, categorical, tuple(domains), by_name=columns.by_name)


def has_learned(spec: ValuedProgram) -> bool:
    """Whether functions of columns, or arguments, of a spec may learn numbers from data."""
    learned = next(_learned_calls(spec.program), None) or next(_unbounded_calls(spec.program), None)
    return learned is not None or bool(_medians(spec.program))


def _medians(program: nodes.Program) -> list[nodes.Name]:
    """The names `median` that stand for a number, not for a column or a line."""
    if any(line.name == MEDIAN for line in program.statements):
        return []
    selectors = (own for part in program.parts() for own in nodes.selectors_of(part))
    inside = {id(part) for own in selectors for part in own.parts()}
    inside.update(id(_learned_place(call)) for call, _ in _learned_calls(program))
    return [node for node in named(program) if node.identifier == MEDIAN and id(node) not in inside]


def _learned_calls(node: nodes.Node) -> Iterator[tuple[nodes.Call, nodes.Expression]]:
    """The calls that need data, with their arguments; changepoint(…, on=t, at=median) needs the median of t."""
    for part in node.parts():
        if isinstance(part, nodes.Call) and part.function in LEARNED:
            given = (*part.positional, *(keyword.value for keyword in part.keywords))
            if len(given) == 1:
                yield part, given[0]
        elif isinstance(part, nodes.Call) and part.function == "changepoint":
            named_arguments = {keyword.name: keyword.value for keyword in part.keywords}
            at = named_arguments.get("at")
            if isinstance(at, nodes.Name) and at.identifier == MEDIAN and "on" in named_arguments:
                yield part, named_arguments["on"]


def _unbounded_calls(program: nodes.Program) -> Iterator[tuple[nodes.Call, str]]:
    """The calls of kernels that lack an argument to be set to the largest value in the data, such as brownian()."""
    for call in (part for part in program.parts() if isinstance(part, nodes.Call) and KERNELS.knows(part.function)):
        for place, (name, (argument, _)) in enumerate(declared(load_kernel(call.function)).items()):
            given = place < len(call.positional) or any(keyword.name == name for keyword in call.keywords)
            if argument.from_data and not given:
                yield call, name


def _with_argument(call: nodes.Call, name: str, value: Fraction) -> nodes.Call:
    number = number_expression(value, call.span)
    return replace(call, keywords=(*call.keywords, nodes.Keyword(name, number, span=call.span, name_span=call.span)))


def _learned_place(call: nodes.Call) -> nodes.Expression:
    """What a number takes the place of: the call, or its argument `at`."""
    return next((keyword.value for keyword in call.keywords if keyword.name == "at"), call)


def with_median_lines(spec: AnyProgram, names: Sequence[str]) -> AnyProgram:
    """The spec with the lines `param s = median` for these parameters. Raises ParameterError for an unknown name."""
    with_probes(spec, names)  # raises
    lines = tuple(
        replace(line, default=nodes.Name(MEDIAN, span=line.span))
        if isinstance(line, nodes.Param) and line.name in names
        else line
        for line in spec.program.statements
    )
    values = tuple(pair for pair in spec.values if pair[0] not in names)
    return replace(spec, program=replace(spec.program, statements=lines), values=values)


def with_stand_ins(spec: AnyProgram) -> AnyProgram:
    """The spec with x for standardize(x) and rank(x), 0 as the fill value of fill(x), 1 for medians, and no bounds.

    It reads the same columns.
    """
    while has_learned(spec):
        changes: dict[int, Any] = {
            id(node): nodes.Number(Fraction(1), span=node.span) for node in _medians(spec.program)
        }
        changes.update((id(call), _with_argument(call, name, BEYOND)) for call, name in _unbounded_calls(spec.program))
        for call, x in _learned_calls(spec.program):
            if next(_learned_calls(x), None) is None:
                zero = nodes.Number(Fraction(0), span=call.span)
                filled = replace(call, positional=(x, zero), keywords=())
                stand_ins: dict[str, nodes.Expression] = {"fill": filled, "changepoint": zero}
                changes[id(_learned_place(call))] = stand_ins.get(call.function, x)
        spec = replace(spec, program=nodes.with_parts(spec.program, changes))
    return spec


def _refuse_learned(spec: ValuedProgram, found: Elaborated) -> None:
    if any(is_learned(part) for own in found.sources if isinstance(own, ComputedColumn) for part in terms_of(own.body)):
        call, _ = next(_learned_calls(spec.program))
        raise ParameterError(f"{call.function}() learns its numbers from data: {GIVE_DATA}", call.span)


def fitted(
    spec: AnyProgram, columns: Columns, read: Callable[[Layout], Rows], weigh: Weigh | None = None
) -> AnyProgram:
    """The spec with numbers learned from the rows of `read` in standardize(x), rank(x), fill(x), brownian(), `median`.

    Inner functions come first, medians last. Free parameters stay free. `weigh` gives the rows weights, which count how
    often each occurs. Raises SpecError, and DataError for bad data or a column without numbers.
    """
    calls = list(_unbounded_calls(spec.program))
    bounds = [BEYOND * (i + 2) for i in range(len(calls))]
    marks = {id(call): _with_argument(call, name, bound) for (call, name), bound in zip(calls, bounds, strict=True)}
    spec = replace(spec, program=nodes.with_parts(spec.program, marks))
    spec, medians = _with_lines_for_medians(spec, columns)
    while has_learned(spec):
        elaborator = elaborated_symbols(spec, columns)
        learned = list(elaborator.learned.values())
        if not learned:
            break
        changes: dict[int, Any] = {}
        for key, (first, *others) in elaborator.written_out.items():
            if next(_learned_calls(first[0]), None) is not None:
                if others:
                    raise ColumnError("this range means other columns elsewhere in the spec: name them", first[0].span)
                changes[key] = first
        if not changes:
            inner = [own for own in learned if not any(is_learned(part) for x, _ in own.terms for part in terms_of(x))]
            sources = [_of_table(own, columns) for own in inner]
            rows = read(_layout_of_functions(columns, sources)).dense()
            weights = np.ones(len(rows)) if weigh is None else weigh(len(rows))
            for i, own in enumerate(inner):
                present = (rows[:, 2 * i + 1] == 0) & (weights > 0)
                if not present.any():
                    raise DataError(f"{own.call.span.text} cannot learn from its column: all its values are missing")
                changes[id(_learned_place(own.call))] = _with_numbers(own.call, rows[present, 2 * i], weights[present])
        spec = _reread(spec, nodes.with_parts(spec.program, changes))
    if bounds:
        spec = _with_largest(spec, bounds, medians, columns, read)
    if not medians:
        return spec
    layout = kernel_and_layout(with_probes(spec, medians), columns)[1].pinned((), "category")
    try:
        found = dict(with_medians(spec, medians, columns, copies(read(layout), weigh)).values)
    except ParameterError as error:
        of_lines = {
            line.default.identifier: line.name
            for line in spec.program.statements
            if isinstance(line, nodes.Param) and isinstance(line.default, nodes.Name)
        }
        shown = re.sub(r"'(median_\d+_*)'", lambda found: f"'{of_lines.get(found[1], MEDIAN)}'", error.message)
        raise ParameterError(shown, error.span) from None
    used = (node for node in named(spec.program) if node.identifier in medians)
    program = nodes.with_parts(spec.program, {id(node): written(found[node.identifier], node.span) for node in used})
    program = replace(program, statements=tuple(line for line in program.statements if line.name not in medians))
    return _reread(spec, program)


def _reread(spec: AnyProgram, program: nodes.Program) -> AnyProgram:
    """The spec with another program, read from its own text."""
    return replace(type(spec).parsed(print_node(program)), values=spec.values)


def _with_largest(
    spec: AnyProgram,
    bounds: Sequence[Fraction],
    medians: Sequence[str],
    columns: Columns,
    read: Callable[[Layout], Rows],
) -> AnyProgram:
    """The spec with the largest values of the data, rounded up, in place of these stand-ins, as in brownian(until=…).

    Raises ParameterError if one depends on a free parameter, DataError if no value is positive.
    """
    from kernelspec.kernels.parts import leaf_columns

    free = [name for name, value in spec.params.items() if value is None or name in medians]
    calls = [part for part in spec.program.parts() if isinstance(part, nodes.Call) and KERNELS.knows(part.function)]
    places = [
        (call, keyword, float(keyword.value.value))
        for call in calls
        for keyword in call.keywords
        if isinstance(keyword.value, nodes.Number) and keyword.value.value in bounds
    ]
    found: list[dict[int, float]] = []
    for factor in (1, 2) if free else (1,):
        kernel, layout = kernel_and_layout(with_probes(spec, free, factor), columns)
        plain = replace(layout.mapped, domains=())
        layout = plain if layout.mapped is layout else replace(layout, target=plain)  # type: ignore[call-arg]
        rows = read(layout.pinned((), "category"))
        found.append({})
        for _, own, bound in places:
            seen = leaf_columns(kernel, lambda leaf, name=own.name, at=bound: getattr(leaf, name, None) == at)  # type: ignore[misc]
            if seen:  # none of a let that is not used
                found[-1][id(own)] = float(rows.select(tuple(sorted(seen))).dense().max())
    changes: dict[int, Any] = {}
    for call, own, _ in places:
        rest = replace(call, keywords=tuple(keyword for keyword in call.keywords if keyword is not own))
        value = found[0].get(id(own))
        if value != found[-1].get(id(own)):
            raise ParameterError(f"set the parameters of the columns of {print_node(rest)} first", call.span)
        if value is not None and value <= 0:
            raise DataError(f"{print_node(rest)} needs numbers from 0 on, but the largest is {value:g}")
        if value is None:
            changes[id(call)] = rest
        else:
            rounded = Context(prec=_DIGITS, rounding=ROUND_CEILING).create_decimal_from_float(value)
            changes[id(own.value)] = number_expression(Fraction(rounded), call.span)
    return _reread(spec, nodes.with_parts(spec.program, changes))


def _with_lines_for_medians(spec: AnyProgram, columns: Columns) -> tuple[AnyProgram, list[str]]:
    """The spec with a free parameter for every `median`, perhaps a vector, and the names of these parameters."""
    names: list[str] = []
    while places := _medians(spec.program):
        place, name = places[0], f"median_{len(names) + 1}"
        while name in words(spec.program):
            name += "_"
        program = nodes.with_parts(spec.program, {id(place): nodes.Name(name, span=place.span)})
        length = nodes.Length(nodes.Name("d", span=place.span), span=place.span)
        made = [
            replace(spec, program=replace(program, statements=(line, *program.statements)))
            for line in (nodes.Param(name, length, span=place.span), nodes.Param(name, span=place.span))
        ]
        try:
            # with numbers: a symbol for every column of a wide table takes long
            elaborated_symbols(with_probes(with_stand_ins(made[0]), [*names, name]), columns)
            spec = made[0]
        except SpecError:
            spec = made[1]
        names.append(name)
    return spec, names


def fitted_to_table(
    spec: AnyProgram, data: Any, columns: Sequence[str] | None = None, weigh: Weigh | None = None
) -> AnyProgram:
    """The same for a table of any kind, with `columns` or its own names."""
    if not has_learned(spec):
        return spec
    data = as_table(data)
    return fitted(spec, _columns_of(spec, data, columns), lambda layout: layout.read(data), weigh)


def _columns_of(spec: ValuedProgram, data: Any, columns: Sequence[str] | None) -> Columns:
    names = column_names(data)
    return spec.columns(width_of(data) if columns is None and names is None else None, columns, names)


def _of_table(own: Learned, table: Columns) -> Function:
    """The argument of a learned function, as a function of the table's columns. Raises ColumnError, ParameterError."""
    found: set[Function] = set()
    for term, columns in own.terms:
        places: Sequence[int] = range(int(columns.dim))
        if columns != table:
            if columns.names is None or table.names is None or not set(columns.names) <= set(table.names):
                raise ColumnError(
                    f"{own.call.function}() refers to a function of columns by position: write the function out",
                    own.call.span,
                )
            places = [table.places[name] for name in columns.names]
        found.add(Function(term).of(places))
    function = found.pop()
    if found:
        raise ColumnError(
            f"{own.call.function}() reads other columns elsewhere in the spec: name its columns", own.call.span
        )
    if Formula(function.body).unknowns():
        raise ParameterError(f"set the parameters of {own.call.span.text} first", own.call.span)
    return function


def _layout_of_functions(columns: Columns, functions: Sequence[Function]) -> MappedLayout:
    """Two columns per function: its value, 0 if it is missing, and whether it is missing.

    A missing number that no fill() replaces is an error when rows are read, not here.
    """
    zero = Constant(Fraction(0))
    computed: list[ComputedColumn] = []
    for function in functions:
        for body in (operation("fill", (function.body, zero)), operation("is_missing", (function.body,))):
            computed.append(ComputedColumn(body, function.text(columns.names), function.limits))
    read = tuple(sorted(frozenset().union(*(own.reads() for own in computed))))
    target = Layout(len(computed), None, tuple(range(len(computed))), ())
    return MappedLayout(
        int(columns.dim), columns.names, read, (), by_name=columns.by_name, functions=tuple(computed), target=target
    )


_DIGITS = 4
"""Learned numbers are rounded to this many decimals of a spread."""

_QUANTILES = 101


def _quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Those of values that occur as often as their weights say, interpolated as by np.quantile."""
    order = np.argsort(values, kind="stable")
    cumulated = np.cumsum(weights[order])
    places = shares * max(cumulated[-1] - 1, 0)
    nearest = np.rint(places)
    places = np.where(np.abs(places - nearest) < 1e-12 * cumulated[-1], nearest, places)  # ties stay equal
    whole = np.floor(places)
    low, high = (
        values[order][np.minimum(np.searchsorted(cumulated, at, side="right"), len(values) - 1)]
        for at in (whole, np.ceil(places))
    )
    return np.asarray(low + (places - whole) * (high - low))


def _rounded(value: float, spread: float, least: int = _DIGITS) -> Fraction:
    """The value to `least` digits of the spread."""
    digits = 12 if not spread else least + max(0, math.ceil(math.log10(max(abs(value), spread) / spread)))
    return Fraction(f"{value:.{digits}g}")


def _with_numbers(call: nodes.Call, values: NDArray[np.float64], weights: NDArray[np.float64]) -> nodes.Expression:
    """The call with numbers: fill(x, median), rank(x, [quantiles]) or (x - mean)/deviation; `at` of changepoint()."""
    ((_, x),) = (own for own in _learned_calls(call) if own[0] is call)
    unit = math.ldexp(0.5, math.frexp(float(np.abs(values).max()))[1])  # avoids overflow and underflow of squares
    values = values / unit
    mean = float(np.average(values, weights=weights))
    spread = float(np.sqrt(np.average(np.square(values - mean), weights=weights))) * unit
    mean *= unit

    def number(value: float) -> nodes.Expression:
        return number_expression(_rounded(value, spread), call.span)

    if call.function in ("changepoint", "fill"):
        median = number(float(_quantiles(values, weights, np.array(0.5))) * unit)
        return median if call.function == "changepoint" else replace(call, positional=(x, median), keywords=())
    if call.function == "rank":
        shares = np.linspace(0, 1, min(_QUANTILES, max(2, round(weights.sum()))))
        found = (_quantiles(values, weights, shares) * unit).tolist()
        quantiles: list[nodes.Expression] = []
        for low, q, high in zip([-math.inf, *found], found, [*found[1:], math.inf], strict=False):
            rounded = _rounded(q, spread, _DIGITS + 3)
            # equal ones are written exactly: their middle is the rank of equal values
            exact = q in (low, high) or not low <= rounded <= high
            quantiles.append(number_expression(Fraction(repr(q)) if exact else rounded, call.span))
        return replace(call, positional=(x, nodes.Vector(tuple(quantiles), span=call.span)), keywords=())
    centred = nodes.Sum((x, number(abs(mean))), ("-" if mean >= 0 else "+",), span=call.span)
    return centred if not spread else nodes.Product((centred, number(spread)), ("/",), span=call.span)


def with_medians_of_table(
    spec: AnyProgram,
    names: Iterable[str],
    data: Any,
    columns: Sequence[str] | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "refuse",
    weigh: Weigh | None = None,
) -> AnyProgram:
    """`with_medians` for a table of any kind, with `columns` or its own names. Also raises DataError."""
    names = tuple(names)
    data = as_table(data)
    spec = fitted_to_table(spec, data, columns, weigh)
    table = _columns_of(spec, data, columns)
    layout = kernel_and_layout(with_probes(spec, names), table)[1].pinned(text, missing)
    return with_medians(spec, names, table, copies(layout.read(data), weigh))
