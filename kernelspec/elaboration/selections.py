"""Which columns `k[…]` means, and which columns of the table a kernel reads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.column_functions import Function, functions_of
from kernelspec.elaboration.scope import (
    Columns,
    Definitions,
    by_position,
    check_reach,
    counted_columns,
    position_of_name,
)
from kernelspec.errors import ColumnError
from kernelspec.language.nodes import Expression, Name, Node, Number, Select, Slice

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Elaborator

__all__ = ["is_function", "resolve"]


def resolve(
    elaborator: Elaborator, node: Select, columns: Columns, scope: Definitions
) -> tuple[tuple[int | Function, ...], Columns]:
    """The positions selected among `columns`, with functions of these, and the columns the inner kernel sees.

    Names refer to the data, positions to the enclosing selection.
    Raises ColumnError at the selector, and RangeError where the selections of the whole kernel are too long.
    """
    checking, selectors = elaborator.checking, node.selectors
    found: list[Sequence[int | Function]] = []
    plain = []
    for selector in selectors:
        if isinstance(selector, Expression) and is_function(selector):
            own: Sequence[int | Function] = functions_of(elaborator, selector, columns, scope)
            if not checking and any(function in earlier for earlier in found for function in own):
                raise ColumnError(f"{selector.span.text} is selected twice: write it once", selector.span)
        else:
            own = _found(selector, columns, checking)
            plain.append((selector, own))
        found.append(own)
    elaborator.counts.count_columns(sum(map(len, found)), node)
    if len(plain) > 1:
        _refuse_repeated([own for _, own in plain], [selector for selector, _ in plain], columns)
    positions = tuple(chain.from_iterable(found))
    if columns.count is None and checking and any(_is_open_ended(selector) for selector in selectors):
        return positions, Columns(None)
    names: tuple[str, ...] | None = None
    if columns.names is not None:
        names = tuple(columns.names[i] if isinstance(i, int) else i.text(columns.names) for i in positions)
    elif all(isinstance(selector, Name) for selector in selectors):
        names = tuple(selector.identifier for selector in selectors if isinstance(selector, Name))
    return positions, Columns(len(positions), names)


def is_function(selector: Node) -> bool:
    """Whether a selector is a function of columns, rather than some of the columns themselves."""
    return not isinstance(selector, Name | Number | Slice)


def _found(selector: Expression | Slice, columns: Columns, checking: bool) -> Sequence[int]:
    """The positions of one selector: of a slice a range, which takes no memory however long it is."""
    assert isinstance(selector, Name | Number | Slice)
    if isinstance(selector, Name):
        return [position_of_name(selector, columns, checking)]
    if columns.count is None and checking:
        return _supposed(selector)
    return by_position(selector, columns) if isinstance(selector, Number) else _by_slice(selector, columns)


def _is_open_ended(selector: Expression | Slice) -> bool:
    """Whether how many columns it selects depends on how many there are."""
    if not isinstance(selector, Slice):
        return False
    start, stop = selector.start or 0, selector.stop
    return stop is None or (start < 0) != (stop < 0)


def _refuse_repeated(found: Sequence[Sequence[Any]], selectors: Sequence[Expression | Slice], columns: Columns) -> None:
    """Raise ColumnError, at the selector, for the first column that is there already.

    Where the table or its names are not known yet, positions are supposed, and only names can be compared.
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
            raise ColumnError(f"column {shown} is selected twice: name each column once", selector.span)
        positions.update(own)
        names.update([selector.identifier] if isinstance(selector, Name) else [])


def _supposed(selector: Number | Slice) -> Sequence[int]:
    """Some positions of the right number, while the table is not known."""
    if isinstance(selector, Number):
        return [0]
    start, stop = selector.start or 0, selector.stop
    if stop is not None and (start < 0) == (stop < 0):
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
            raise ColumnError("this slice needs the number of columns", selector.span)
        check_reach(selector.stop or 0, selector)
        found = range(selector.start or 0, selector.stop or 0)
    else:
        for end in (selector.start, selector.stop):
            if end is not None and not -count <= end <= count:
                raise ColumnError(f"the slice leaves the table: {counted_columns(count)}", selector.span)
        found = range(*slice(selector.start, selector.stop).indices(count))
    if not found:
        raise ColumnError("this slice selects no column", selector.span)
    return found
