"""Which columns `k[…]` means."""

from __future__ import annotations

from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ColumnError
from kernelspec.language.nodes import Name, Number, Select, Slice
from kernelspec.limits import MAX_COLUMNS
from kernelspec.suggestion import suggest

__all__ = ["resolve"]


def resolve(node: Select, columns: Columns, checking: bool) -> tuple[tuple[int, ...], Columns]:
    """The positions selected among `columns`, and the columns the inner kernel sees.

    Names refer to the data, positions to the enclosing selection. Raises ColumnError at the selector.
    """
    positions: list[int] = []
    names: list[str] = []
    once = _Once(columns)
    for selector in node.selectors:
        if isinstance(selector, Name):
            found, called = [_by_name(selector, columns, checking)], [selector.identifier]
        else:
            if columns.count is None and checking:
                found = _supposed(selector)
            elif isinstance(selector, Number):
                found = _by_position(selector, columns)
            else:
                found = _by_slice(selector, columns)
            called = ["" if columns.names is None else columns.names[i] for i in found]
        positions += found
        names += called
        once.take(found, called, selector)
    known = columns.names is not None or all(names)
    if columns.count is None and checking and any(_is_open_ended(selector) for selector in node.selectors):
        return tuple(positions), Columns(None)
    return tuple(positions), Columns(len(positions), tuple(names) if known else None)


def _is_open_ended(selector: Name | Number | Slice) -> bool:
    """Whether how many columns it selects depends on how many there are."""
    if not isinstance(selector, Slice):
        return False
    start, stop = selector.start or 0, selector.stop
    return stop is None or (start < 0) != (stop < 0)


class _Once:
    """The columns selected so far: none may come twice.

    Where the table or its names are not known yet, positions are supposed, and only names can be compared.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._any_name = False
        self._positions: set[int] = set()
        self._names: set[str] = set()

    def take(self, positions: list[int], names: list[str], selector: Name | Number | Slice) -> None:
        """Raise ColumnError if one of the columns was there already."""
        repeated: dict[bool, int | str] = {}
        for position, name in zip(positions, names, strict=True):
            if position in self._positions:
                repeated.setdefault(False, position)
            if name and name in self._names:
                repeated.setdefault(True, name)
            self._any_name |= bool(name)
            self._positions.add(position)
            self._names.add(name)
        supposed = self._columns.dim is None or (self._columns.names is None and self._any_name)
        twice = repeated.get(supposed)
        if twice is None:
            return
        if isinstance(twice, int) and self._columns.names is not None:
            twice = self._columns.names[twice]
        shown = f"'{twice}'" if isinstance(twice, str) else str(twice)
        raise ColumnError(f"column {shown} is selected twice: name each column once", selector.span)


def _supposed(selector: Number | Slice) -> list[int]:
    """Some positions of the right number, while the table is not known."""
    if isinstance(selector, Number):
        return [0]
    start, stop = selector.start or 0, selector.stop
    if stop is not None and (start < 0) == (stop < 0):
        if stop <= start:
            raise ColumnError("this slice selects no column", selector.span)
        _check_reach(stop - start, selector)
        return list(range(stop - start))
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
        raise ColumnError(
            f"column '{name}' cannot be found: the columns have no names; give them, or select by position",
            selector.span,
        )
    places = columns.places.get(name, ())
    if not places:
        hint = suggest(name, columns.names) or f"; there are {_listed(columns.names)}"
        raise ColumnError(f"there is no column '{name}'{hint}", selector.span)
    if len(places) > 1:
        raise ColumnError(f"several columns are called '{name}': select by position", selector.span)
    return places[0]


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


def _by_slice(selector: Slice, columns: Columns) -> list[int]:
    count = columns.count
    open_ended = selector.stop is None or selector.stop < 0 or (selector.start or 0) < 0
    if count is None:
        if open_ended:
            raise ColumnError("this slice needs the number of columns", selector.span)
        _check_reach(selector.stop or 0, selector)
        found = list(range(selector.start or 0, selector.stop or 0))
    else:
        for end in (selector.start, selector.stop):
            if end is not None and not -count <= end <= count:
                raise ColumnError(f"the slice leaves the table: {_counted(count)}", selector.span)
        found = list(range(*slice(selector.start, selector.stop).indices(count)))
    if not found:
        raise ColumnError("this slice selects no column", selector.span)
    return found


def _counted(count: int) -> str:
    return f"there are {count} columns, 0 to {count - 1}" if count > 1 else "there is one column, 0"


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:12])
    return shown + (", …" if len(names) > 12 else "")
