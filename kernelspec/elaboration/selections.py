"""Which columns `k[…]` means, and which columns of the table a kernel reads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ColumnError
from kernelspec.language.nodes import Name, Number, Select, Slice
from kernelspec.limits import MAX_COLUMNS
from kernelspec.loading import suggest
from kernelspec.tables.table_kinds import NAMES_NEEDED

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Elaborator

__all__ = ["resolve"]


def resolve(elaborator: Elaborator, node: Select, columns: Columns) -> tuple[tuple[int, ...], Columns]:
    """The positions selected among `columns`, and the columns the inner kernel sees.

    Names refer to the data, positions to the enclosing selection. Raises ColumnError at the selector, and RangeError
    where the selections of the whole kernel are too long.
    """
    checking, selectors = elaborator.checking, node.selectors
    found = [_found(selector, columns, checking) for selector in selectors]
    elaborator.counts.count_columns(sum(map(len, found)), node)
    if len(selectors) > 1:
        _refuse_repeated(found, selectors, columns)
    positions = tuple(chain.from_iterable(found))
    if columns.count is None and checking and any(_is_open_ended(selector) for selector in selectors):
        return positions, Columns(None)
    names: tuple[str, ...] | None = None
    if columns.names is not None:
        names = tuple(columns.names[i] for i in positions)
    elif all(isinstance(selector, Name) for selector in selectors):
        names = tuple(selector.identifier for selector in selectors if isinstance(selector, Name))
    return positions, Columns(len(positions), names)


def _found(selector: Name | Number | Slice, columns: Columns, checking: bool) -> Sequence[int]:
    """The positions of one selector: of a slice a range, which takes no memory however long it is."""
    if isinstance(selector, Name):
        return [_by_name(selector, columns, checking)]
    if columns.count is None and checking:
        return _supposed(selector)
    return _by_position(selector, columns) if isinstance(selector, Number) else _by_slice(selector, columns)


def _is_open_ended(selector: Name | Number | Slice) -> bool:
    """Whether how many columns it selects depends on how many there are."""
    if not isinstance(selector, Slice):
        return False
    start, stop = selector.start or 0, selector.stop
    return stop is None or (start < 0) != (stop < 0)


def _refuse_repeated(
    found: Sequence[Sequence[int]], selectors: Sequence[Name | Number | Slice], columns: Columns
) -> None:
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
        _check_reach(stop - start, selector)
        return range(stop - start)
    return [0]


def _check_reach(count: int, selector: Number | Slice) -> None:
    """Raise ColumnError for a selector that reaches beyond any table; for where the table is not known."""
    if count > MAX_COLUMNS:
        raise ColumnError(f"this selects column {count - 1}, and a table has at most {MAX_COLUMNS:,}", selector.span)


def _by_name(selector: Name, columns: Columns, checking: bool) -> int:
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


def _by_position(selector: Number, columns: Columns) -> list[int]:
    position, count = int(selector.value), columns.count
    if count is None:
        if position < 0:
            raise ColumnError("a position from the end needs the number of columns", selector.span)
        _check_reach(position + 1, selector)
        return [position]
    if not -count <= position < count:
        raise ColumnError(f"there is no column {position}: {_counted(count)}", selector.span)
    return [position % count]


def _by_slice(selector: Slice, columns: Columns) -> range:
    count = columns.count
    open_ended = selector.stop is None or selector.stop < 0 or (selector.start or 0) < 0
    if count is None:
        if open_ended:
            raise ColumnError("this slice needs the number of columns", selector.span)
        _check_reach(selector.stop or 0, selector)
        found = range(selector.start or 0, selector.stop or 0)
    else:
        for end in (selector.start, selector.stop):
            if end is not None and not -count <= end <= count:
                raise ColumnError(f"the slice leaves the table: {_counted(count)}", selector.span)
        found = range(*slice(selector.start, selector.stop).indices(count))
    if not found:
        raise ColumnError("this slice selects no column", selector.span)
    return found


def _counted(count: int) -> str:
    return f"there are {count} columns, 0 to {count - 1}" if count > 1 else "there is one column, 0"


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:12])
    return shown + (", …" if len(names) > 12 else "")
