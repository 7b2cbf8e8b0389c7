"""The columns that `k[…]` selects, and the columns of the table that a kernel reads."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from kernelspec.elaboration.column_functions import Function, functions_of
from kernelspec.elaboration.scope import (
    Columns,
    Definitions,
    Elaborator,
    Selected,
    by_position,
    check_reach,
    counted_columns,
    position_of_name,
)
from kernelspec.errors import ColumnError
from kernelspec.language.literals import is_plain_name
from kernelspec.language.nodes import Call, Expression, Name, Node, Number, Select, Slice, Text, with_parts

__all__ = ["is_function", "resolve"]


def resolve(
    elaborator: Elaborator, node: Select, columns: Columns, scope: Definitions
) -> tuple[tuple[int | Function, ...], Columns]:
    """The selected positions and functions of `columns`, and the columns that the inner kernel sees.

    Names refer to the data, positions to the enclosing selection. Raises ColumnError at the selector, and RangeError if
    the selections of the whole kernel are too long.
    """
    checking, selectors = elaborator.checking, node.selectors
    found: list[Sequence[int | Function]] = []
    names: list[str] = []
    plain = []
    for selector in selectors:
        own: Sequence[int | Function]
        if isinstance(selector, Expression) and is_function(selector):
            own, texts = _functions(elaborator, selector, columns, scope)
            names += texts
            if not checking and any(function in earlier for earlier in found for function in own):
                raise ColumnError(f"{selector.span.text} is selected twice: remove one", selector.span)
        else:
            own = _found(selector, columns, checking)
            plain.append((selector, own))
            if columns.names is not None:
                names += [columns.names[i] for i in own]
        found.append(own)
    elaborator.counts.count_columns(sum(map(len, found)), node)
    if len(plain) > 1:
        _refuse_repeated([own for _, own in plain], [selector for selector, _ in plain], columns)
    positions = tuple(chain.from_iterable(found))
    if columns.count is None and checking and any(map(_is_open_ended, chain.from_iterable(map(Node.parts, selectors)))):
        return positions, Columns(None)
    if columns.names is None:
        if not all(isinstance(selector, Name) for selector in selectors):
            return positions, Columns(len(positions))
        names = [selector.identifier for selector in selectors if isinstance(selector, Name)]
    return positions, Columns(len(positions), tuple(names))


def _functions(
    elaborator: Elaborator, selector: Expression, columns: Columns, scope: Definitions
) -> tuple[Sequence[Function], tuple[str, ...]]:
    """The functions of one selector, which `elaborator.seen` may know, and their texts where columns have names.

    An elaborator whose `learned` or `written_out` are read has no `seen`: known functions do not add to them.
    """
    seen, key = elaborator.seen, (id(selector), columns, elaborator.checking)
    known = None if seen is None else seen.get(key)
    if known is not None and not any(map(scope.find, known.names)):
        return known.functions, known.texts
    found = [
        function
        for written in _written_out(elaborator, selector, columns, scope)
        for function in functions_of(elaborator, written, columns, scope)
    ]
    texts = () if columns.names is None else tuple(function.text(columns.names) for function in found)
    if seen is not None:
        names = tuple(own.identifier for own in selector.parts() if isinstance(own, Name))
        if not any(map(scope.find, names)):
            seen[key] = Selected(selector, names, found, texts)
    return found, texts


def is_function(selector: Node) -> bool:
    """Whether a selector is a function of columns rather than columns."""
    return not isinstance(selector, Name | Number | Slice)


def _written_out(
    elaborator: Elaborator, selector: Expression, columns: Columns, scope: Definitions
) -> tuple[Expression, ...]:
    """Expand a function of a range, `log(0:3)`, to one function per column. Raises ColumnError."""
    ranges = [part for part in selector.parts() if isinstance(part, Slice)]
    if not ranges:
        return (selector,)
    if len(ranges) > 1:
        raise ColumnError("a function of columns can have only one range", ranges[1].span)
    made = []
    for position in _found(ranges[0], columns, elaborator.checking):
        column: Expression
        if columns.names is None:
            number = Number(Fraction(position), span=selector.span)
            column = Call("column", (number,), (), span=selector.span, function_span=selector.span)
        else:
            name = columns.names[position]
            plain = is_plain_name(name) and name != "pi" and scope.find(name) is None
            column = (Name if plain else Text)(name, span=selector.span)
        made.append(with_parts(selector, {id(ranges[0]): column}))
    elaborator.written_out.setdefault(id(selector), {})[tuple(made)] = None
    return tuple(made)


def _found(selector: Expression | Slice, columns: Columns, checking: bool) -> Sequence[int]:
    """The positions of one selector; a slice gives a range, which needs no memory."""
    assert isinstance(selector, Name | Number | Slice)
    if isinstance(selector, Name):
        return [position_of_name(selector, columns, checking)]
    if columns.count is None and checking:
        return _supposed(selector)
    if not columns.given:
        raise ColumnError(
            "a position counts all columns, but the spec only names some: name this one, or set columns=", selector.span
        )
    return by_position(selector, columns) if isinstance(selector, Number) else _by_slice(selector, columns)


def _is_open_ended(selector: Node) -> bool:
    """Whether the number of columns it selects depends on the number of columns."""
    if not isinstance(selector, Slice):
        return False
    start, stop = selector.start or 0, selector.stop
    return stop is None or (start < 0) != (stop < 0)


def _refuse_repeated(found: Sequence[Sequence[Any]], selectors: Sequence[Expression | Slice], columns: Columns) -> None:
    """Raise ColumnError at the selector of the first repeated column.

    If the table or its names are unknown, positions are assumed, and only names are compared.
    """
    positions: set[int] = set()
    names: set[str] = set()
    supposed = columns.dim is None
    for selector, own in zip(selectors, found, strict=True):
        shown = ""
        supposed = supposed or (columns.names is None and isinstance(selector, Name))
        if not supposed and not positions.isdisjoint(own):
            twice = next(position for position in own if position in positions)
            shown = str(twice) if columns.names is None else f"'{columns.names[twice]}'"
        elif supposed and isinstance(selector, Name) and selector.identifier in names:
            shown = f"'{selector.identifier}'"
        if shown:
            raise ColumnError(f"column {shown} is selected twice: remove one", selector.span)
        positions.update(own)
        names.update([selector.identifier] if isinstance(selector, Name) else [])


def _supposed(selector: Number | Slice) -> Sequence[int]:
    """The right number of positions, while the table is unknown."""
    if isinstance(selector, Number):
        return [0]
    start, stop = selector.start or 0, selector.stop
    if stop is not None and not _is_open_ended(selector):
        if stop <= start:
            raise ColumnError("this slice selects no column", selector.span)
        check_reach(stop - start, selector)
        return range(stop - start)
    return [0]


def _by_slice(selector: Slice, columns: Columns) -> range:
    count = columns.count
    open_ended = selector.stop is None or selector.stop < 0 or (selector.start or 0) < 0
    if count is None:
        if open_ended:
            raise ColumnError("this slice needs the number of columns: set dim= or columns=", selector.span)
        check_reach(selector.stop or 0, selector)
        found = range(selector.start or 0, selector.stop or 0)
    else:
        for end in (selector.start, selector.stop):
            if end is not None and not -count <= end <= count:
                raise ColumnError(f"the slice is out of range: {counted_columns(count)}", selector.span)
        found = range(*slice(selector.start, selector.stop).indices(count))
    if not found:
        raise ColumnError("this slice selects no column", selector.span)
    return found
