"""Parameters set to the median distance of the rows, with probes in place of their values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from kernelspec.elaboration.arithmetic import Numbers, with_written_values
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram, mentioned
from kernelspec.errors import ParameterError, SpecError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.language import nodes
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BEYOND", "NO_LENGTH", "AnyProgram", "Weigh", "copies", "median_value", "with_medians", "with_probes"]

AnyProgram = TypeVar("AnyProgram", bound=ValuedProgram)
Weigh = Callable[[int], "NDArray[np.float64]"]
"""From a number of rows to their weights: how often each occurs."""

NO_LENGTH = "only works for a scale"
"""In the message for a parameter that is not a length."""

_ROWS = 200
_PROBE = Fraction(731, 1000)
_TOLERANCE = 1e-9


def with_medians(spec: AnyProgram, names: Iterable[str], columns: Columns, rows: Rows) -> AnyProgram:
    """The spec with these parameters set to medians of the data. Raises the errors of `median_value`."""
    names = tuple(names)
    probed = with_probes(spec, names)
    lengths = probed.lengths(columns)
    found: dict[str, Any] = {}
    for name in names:
        if name in lengths:
            n = lengths[name][0]
            found[name] = _medians_of_columns(probed, name, columns, rows, n) or [
                median_value(probed, name, columns, rows, (i, n)) for i in range(n)
            ]
        else:
            found[name] = median_value(probed, name, columns, rows)
    scaled = [index for name in names for index in _scaled(probed, name, columns, rows)]
    if len(scaled) > len(set(scaled)):
        raise ParameterError(
            f"{' and '.join(map(repr, names))} scale the same kernel, but the data give one number: set all but one "
            "of them"
        )
    return spec.with_params(found)


def copies(rows: Rows, weigh: Weigh | None) -> Rows:
    """Up to 200 rows, each as often as its weight says: the same of rows with whole weights and of repeated rows."""
    if weigh is None:
        return rows
    weights = weigh(len(rows))
    kept = rows.take(np.flatnonzero(weights > 0))
    first, place = kept.groups()
    cumulated = np.cumsum(np.bincount(place, weights[weights > 0]))
    count = min(_ROWS, max(2, round(cumulated[-1])))
    return kept.take(first[np.searchsorted(cumulated, (np.arange(count) + 0.5) * cumulated[-1] / count)])


def median_value(
    spec: ValuedProgram, name: str, columns: Columns, rows: Rows, entry: tuple[int, int] | None = None
) -> float:
    """The value of parameter `name`, to four digits, for which the median of distance over length is 1.

    With `entry`, (i, n), it is the i-th of n entries, and the distance is that of the columns which it scales alone.

    The distance is ‖Δ‖₁ or ‖Δ‖₂ on the columns that the scaled kernel sees, divided by its other scales; that of an
    entry is not divided by the scale of the kernel in `stretch(gaussian(scale=s), median)`. The median is
    over all pairs of up to 200 fixed random rows (fewer for very many columns). Raises ParameterError unless the
    parameter is only a length: every kernel that has it is a function of Δ/s, with one median distance.
    """
    ratios = set(_scaled(spec, name, columns, rows, entry).values())
    if len(ratios) > 1:
        shown = ", ".join(f"{ratio:.4g}" for ratio in sorted(ratios))
        raise ParameterError(
            f"'{name}' scales kernels with different median distances ({shown}): give each kernel its own parameter"
        )
    median = ratios.pop()
    if not median:
        where = "in the columns that it scales"
        if entry is not None:
            _, names = spec.lengths(columns)[name]
            where = f"in column {entry[0] if names is None else repr(names[entry[0]])}"
        raise ParameterError(
            f"'{name}' cannot be the median distance, which is 0 {where}: at least half of all pairs of rows are equal "
            "there; set it to a number"
        )
    return _digits(median, 4)


def _digits(value: float, n: int) -> float:
    return float(f"{value:.{n}g}")


def _compared_rows(rows: Rows) -> Rows:
    return rows.some(min(_ROWS, max(2, MAX_BLOCK_BYTES // (8 * rows.n_columns))))


BEYOND = Fraction(10**60)
"""A length beyond any data."""

_BESIDE = 1e-40
"""The share of the largest distance that other columns, divided by such a length, stay below."""


def with_probes(
    spec: AnyProgram, names: Iterable[str], factor: int = 1, entry: tuple[int, int] | None = None
) -> AnyProgram:
    """The spec with placeholder numbers for these parameters, whatever their ranges, and those of lines with them.

    The numbers are multiplied by `factor`; with `entry`, (i, n), they are vectors of n entries, all far beyond any data
    except the i-th. Raises ParameterError for an unknown name.
    """
    names = tuple(names)
    known = spec.params
    for name in names:
        if name not in known:
            spec.with_params({name: 1})  # raises an error that lists the names
    value: Numbers = factor * _PROBE
    if entry is not None:
        value = tuple(factor * (_PROBE if i == entry[0] else BEYOND) for i in range(entry[1]))
    return _with_written(spec, dict.fromkeys(names, value))


def _with_written(spec: AnyProgram, values: dict[str, Numbers]) -> AnyProgram:
    """The spec with these numbers for parameters, whatever their ranges."""
    program = with_written_values(spec.program, values)
    lines = tuple(
        replace(line, relation=None, bound=None, interval=None)
        if isinstance(line, nodes.Param) and not {line.name, *mentioned(line)}.isdisjoint(values)
        else line
        for line in program.statements
    )
    program = replace(program, statements=lines)
    return replace(spec, program=program, values=tuple(pair for pair in spec.values if pair[0] not in values))


def _scaled(
    spec: ValuedProgram, name: str, columns: Columns, rows: Rows, entry: tuple[int, int] | None = None
) -> dict[int, float]:
    """The median of distance over length at s = 1, for every leaf that the parameter scales, by index.

    Raises ParameterError if it does something else.
    """
    from kernelspec.kernels.parts import leaves_seen, measured_leaf

    if len(rows) < 2:
        raise ParameterError(f"'{name}' cannot be the median distance of {len(rows)} rows: at least two are needed")
    try:
        first, second = (with_probes(spec, [name], factor, entry).elaborated(columns) for factor in (1, 2))
    except ParameterError:
        raise
    except SpecError as error:
        raise ParameterError(f"'{name}' cannot be the median distance: {error.message}") from None
    once, twice = first.kernel, second.kernel
    if first.sources != second.sources or not _is_length(once, twice, rows):
        raise _no_length(name)
    some = _compared_rows(rows)
    pairs = NumericPairs(some, some)
    found: dict[int, float] = {}
    beside = 0.0 if entry is None else _BESIDE * float(np.max(pairs.absolute_sum()))
    seen = zip(leaves_seen(once, pairs), leaves_seen(twice, pairs), strict=True)
    for number, ((first_leaf, first_pairs), (second_leaf, second_pairs)) in enumerate(seen):
        lengths = _lengths(first_leaf, second_leaf)
        one = measured_leaf(first_leaf, first_pairs, lengths[0])
        two = measured_leaf(second_leaf, second_pairs, lengths[1])
        if one is None or two is None or (_close(one.ratio, two.ratio) and _close(one.length, two.length)):
            continue
        if not math.isfinite(one.ratio):
            raise ParameterError(
                f"'{name}' cannot be the median distance, which overflows: divide the columns by a number"
            )
        if not _close(one.ratio, 2 * two.ratio):
            raise _no_length(name)
        own = 1.0 if entry is None else one.length
        found[number] = _digits(one.ratio * own * float(_PROBE), 6) if one.ratio > beside else 0.0
    if not found:
        raise _no_length(name)
    return found


def _medians_of_columns(spec: ValuedProgram, name: str, columns: Columns, rows: Rows, n: int) -> list[float] | None:
    """The medians of all n entries, if every kernel that they scale sees n columns, each divided by one of them.

    Else None, and for a median of 0: entries are then set one after the other, in time proportional to n².
    """
    from kernelspec.kernels.parts import leaves_seen

    some = _compared_rows(rows)
    pairs, factors = NumericPairs(some, some), [Fraction(i + 2, i + 1) for i in range(n)]
    values = tuple(_PROBE for _ in factors), tuple(_PROBE * own for own in factors)
    try:
        once, twice = (_with_written(spec, {name: own}).elaborated(columns) for own in values)
    except SpecError:
        return None
    found: set[tuple[float, ...]] = set()
    seen = zip(leaves_seen(once.kernel, pairs), leaves_seen(twice.kernel, pairs), strict=True)
    for (first_leaf, first), (second_leaf, second) in seen:
        one, two = first.x.dense(), second.x.dense()
        if first_leaf == second_leaf and one.shape == two.shape and np.array_equal(one, two):
            continue
        if first_leaf != second_leaf or first_leaf.length is None or one.shape != two.shape or one.shape[1:] != (n,):
            return None
        if not np.allclose(one, two * np.array(factors, dtype=float), rtol=_TOLERANCE, atol=0):
            return None
        distances = (first.of_different_rows(np.abs(np.subtract.outer(x, x))) for x in one.T)
        found.add(tuple(_digits(float(np.median(own)) * float(_PROBE), 6) for own in distances))
    medians = [_digits(own, 4) for own in found.pop()] if len(found) == 1 else [0.0]
    return medians if all(medians) else None


def _is_length(once: Kernel, twice: Kernel, rows: Rows) -> bool:
    """Whether the trees for s and 2s differ only in scales and leaves, and the leaves are functions of Δ/s."""
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
    """Whether k of s at Δ is k of 2s at 2Δ, at some lags of about size s."""
    _, length = _lengths(one, two)
    if not length:
        return False
    lags = np.random.default_rng(4).standard_normal((8, int(one.dim))) * float(length) / 2 / np.sqrt(one.dim)
    first, second = (leaf.numbers(NumericPairs.of_vectors(v)) for leaf, v in ((one, lags), (two, 2 * lags)))
    return bool(np.allclose(first, second, rtol=_TOLERANCE, atol=_TOLERANCE))


def _lengths(one: Leaf, two: Leaf) -> tuple[Scalar | None, Scalar | None]:
    """The lengths of a leaf of s and of 2s; of a formula that s is part of, s."""
    if one.is_written and one != two:
        return float(_PROBE), 2 * float(_PROBE)
    return one.length, two.length


def _is_half(one: Any, two: Any) -> bool:
    return bool(np.allclose(2 * np.asarray(one, dtype=float), np.asarray(two, dtype=float), rtol=_TOLERANCE, atol=0))


def _own_fields(node: Kernel) -> Iterator[str]:
    """The fields of a node to compare, other than kernels."""
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
        f"'{name}' cannot be the median distance: that {NO_LENGTH}, width or period of kernels; set it to a number"
    )
