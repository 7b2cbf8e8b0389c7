"""Which columns of a table a kernel reads, and parameters that are the median of a distance in the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from kernelspec.elaboration.arithmetic import with_written_values
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import ParameterError, SpecError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.tables.cells import ColumnFunction, Domain
from kernelspec.tables.layout import Layout, MappedLayout
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table, column_names, width_of

if TYPE_CHECKING:
    from kernelspec.tables.column_types import Missing

__all__ = ["kernel_and_layout", "layout_of", "median_value", "with_medians", "with_medians_of_table", "with_probes"]


def kernel_and_layout(spec: ValuedProgram, columns: Columns) -> tuple[Kernel, Layout]:
    """The kernel in numbers, and how the tables are read that it applies to. Raises SpecError."""
    found = spec.elaborated(columns)
    seen = layout_of(found.kernel, found.columns(columns))
    if not found.sources:
        return found.kernel, seen
    computed = [own for own in found.sources if isinstance(own, ColumnFunction)]
    read, compared = (
        {own for i in used if not isinstance(own := found.sources[i], ColumnFunction)}
        for used in (seen.numeric, seen.categorical)
    )
    layout = MappedLayout(
        int(columns.dim),
        columns.names,
        tuple(sorted(read.union(*(own.reads() for own in computed)))),
        tuple(sorted(compared)),
        by_name=columns.by_name,
        functions=found.sources,
        target=seen,
    )
    return found.kernel, layout


def layout_of(kernel: Kernel, columns: Columns) -> Layout:
    """The layout of the rows a kernel stands on: its columns as numbers, as categories, or both."""
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
        from kernelspec.kernels.nodes.skeleton import Skeleton

        if isinstance(node, Stretch) and node.is_matrix:
            used[False].update(positions)  # every column enters every coordinate below
            continue
        if isinstance(node, Tilt):  # reads every column in which it grows, whatever the kernel below reads
            used[False].update(p for p, rate in zip(positions, node.by, strict=True) if rate != 0)
        if isinstance(node, Select):
            positions = tuple(positions[i] for i in node.positions)
        if isinstance(node, Skeleton):
            pending.extend((node.image.base, (position,)) for position in reversed(positions))
        pending.extend((child, positions) for child in node.children())
    numeric, categorical = tuple(sorted(used[False])), tuple(sorted(used[True]))
    return Layout(columns.dim, columns.names, numeric, categorical, tuple(domains), by_name=columns.by_name)


_ROWS = 200
_PROBE = Fraction(731, 1000)
_TOLERANCE = 1e-9

AnyProgram = TypeVar("AnyProgram", bound=ValuedProgram)


def with_medians(spec: AnyProgram, names: Iterable[str], columns: Columns, rows: Rows) -> AnyProgram:
    """The spec with the medians of the data as values of these parameters. Raises what `median_value` raises."""
    names = tuple(names)
    probed = with_probes(spec, names)
    found = {name: median_value(probed, name, columns, rows) for name in names}
    scaled = [index for name in names for index in _scaled(probed, name, columns, rows)]
    if len(scaled) > len(set(scaled)):
        raise ParameterError(
            f"{' and '.join(map(repr, names))} scale the same kernel, and the data say one number: give a value to "
            "all but one of them"
        )
    return spec.with_params(found)


def with_medians_of_table(
    spec: AnyProgram,
    names: Iterable[str],
    data: Any,
    columns: Sequence[str] | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "refuse",
) -> AnyProgram:
    """The same for a table of any kind, whose columns are `columns`, or its own. Raises DataError too."""
    names = tuple(names)
    data = as_table(data)
    found = column_names(data)
    table = spec.columns(width_of(data) if columns is None and found is None else None, columns, found)
    layout = kernel_and_layout(with_probes(spec, names), table)[1].pinned(text, missing)
    return with_medians(spec, names, table, layout.read(data))


def median_value(spec: ValuedProgram, name: str, columns: Columns, rows: Rows) -> float:
    """s, to four digits, such that the median of distance over length is 1 where `name` is the parameter s.

    The distance is that of the kernel which s scales, ‖Δ‖₁ or ‖Δ‖₂ on the columns it sees, divided by what else they
    are divided by; the median is that of all pairs of up to 200 random rows (fewer of very many columns), always the
    same ones.
    Raises ParameterError unless the parameter is a length and nothing else: every kernel in which it appears is a
    function of Δ/s, at one median distance.
    """
    ratios = set(_scaled(spec, name, columns, rows).values())
    if len(ratios) > 1:
        shown = ", ".join(f"{ratio:.4g}" for ratio in sorted(ratios))
        raise ParameterError(
            f"'{name}' scales several kernels, which see other distances (medians {shown}): give each a parameter of "
            "its own"
        )
    median = ratios.pop()
    if not median:
        raise ParameterError(
            f"'{name}' cannot be the median distance, which is 0: half of all pairs of rows are equal where it matters"
        )
    return float(f"{median:.4g}")


def with_probes(spec: AnyProgram, names: Iterable[str], value: Fraction = _PROBE) -> AnyProgram:
    """The spec with some number for each of these parameters, whatever their bounds: to look at, not to compute with.

    Raises ParameterError for a name that is no parameter.
    """
    names = tuple(names)
    known = spec.params
    for name in names:
        if name not in known:
            spec.with_params({name: 1})  # raises, with the names that there are
    values = dict.fromkeys(names, value)
    program = with_written_values(spec.program, values)
    return replace(spec, program=program, values=tuple(pair for pair in spec.values if pair[0] not in values))


def _scaled(spec: ValuedProgram, name: str, columns: Columns, rows: Rows) -> dict[int, float]:
    """For the leaves that the parameter scales, by their number: the median of distance over length at s = 1.

    Raises ParameterError where it does something else.
    """
    from kernelspec.kernels.parts import measured

    if len(rows) < 2:
        raise ParameterError(f"'{name}' cannot be the median distance of {len(rows)} rows: it takes two")
    try:
        first, second = (with_probes(spec, [name], factor * _PROBE).elaborated(columns) for factor in (1, 2))
    except ParameterError:
        raise
    except SpecError as error:
        raise ParameterError(f"'{name}' cannot be the median distance: {error.message}") from None
    once, twice = first.kernel, second.kernel
    if first.sources != second.sources or not _is_length(once, twice, rows):
        raise _no_length(name)
    some = rows.some(min(_ROWS, max(2, MAX_BLOCK_BYTES // (8 * rows.n_columns))))
    pairs = NumericPairs(some, some)
    found: dict[int, float] = {}
    for number, (one, two) in enumerate(zip(measured(once, pairs), measured(twice, pairs), strict=True)):
        if one is None or two is None or (_close(one.ratio, two.ratio) and _close(one.length, two.length)):
            continue
        if not _close(one.ratio, 2 * two.ratio):
            raise _no_length(name)
        found[number] = float(f"{one.ratio * float(_PROBE):.6g}")
    if not found:
        raise _no_length(name)
    return found


def _is_length(once: Kernel, twice: Kernel, rows: Rows) -> bool:
    """Whether two trees, of s and 2s, differ in nothing but scales and leaves, and the leaves are functions of Δ/s."""
    from kernelspec.kernels.nodes.columns_and_lags import Stretch
    from kernelspec.kernels.parts import leaves_seen

    parts = list(once.parts()), list(twice.parts())
    if len(parts[0]) != len(parts[1]):
        return False
    for one, two in zip(*parts, strict=True):
        if type(one) is not type(two):
            return False
        if isinstance(one, Leaf):
            continue
        for part in _own_fields(one):
            first, second = getattr(one, part), getattr(two, part)
            if first != second and not (isinstance(one, Stretch) and part == "matrix" and _is_half(second, first)):
                return False
    pairs = NumericPairs(rows.take(slice(0, 2)), rows.take(slice(1, 2)))
    seen = zip(leaves_seen(once, pairs), leaves_seen(twice, pairs), strict=True)
    return all(one == two or _is_scaled(one, two) for (one, _), (two, _) in seen)


def _is_scaled(one: Leaf, two: Leaf) -> bool:
    """Whether k of s at Δ is k of 2s at 2Δ, at a few lags of the size of s."""
    if not two.length:
        return False
    lags = np.random.default_rng(4).standard_normal((8, int(one.dim))) * float(two.length) / 2 / np.sqrt(one.dim)
    first, second = (leaf.numbers(NumericPairs.of_vectors(v)) for leaf, v in ((one, lags), (two, 2 * lags)))
    return bool(np.allclose(first, second, rtol=_TOLERANCE, atol=_TOLERANCE))


def _is_half(one: Any, two: Any) -> bool:
    return bool(np.allclose(2 * np.asarray(one, dtype=float), np.asarray(two, dtype=float), rtol=_TOLERANCE, atol=0))


def _own_fields(node: Kernel) -> Iterator[str]:
    """The fields of a node that are compared, and are no kernels."""
    for part in fields(node):
        value = getattr(node, part.name)
        of_kernels = isinstance(value, Kernel) or (
            isinstance(value, tuple) and any(isinstance(item, Kernel) for item in value)
        )
        if part.compare and not of_kernels:
            yield part.name


def _close(one: float, two: float) -> bool:
    return abs(one - two) <= _TOLERANCE * max(abs(one), abs(two))


def _no_length(name: str) -> ParameterError:
    return ParameterError(
        f"'{name}' cannot be the median distance: only a parameter that is a scale, a width or a period of kernels, "
        "and nothing else, has the unit of the columns; give it a number"
    )
