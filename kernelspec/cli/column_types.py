"""The types of a file's columns: recorded in a map, pinned on the command line, or held against a map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.map_options import names_of
from kernelspec.errors import CellTypeError, DataError

if TYPE_CHECKING:
    from kernelspec.tables.column_types import ColumnType, Look, Missing, Reading, WrittenColumn
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.table_reader import TableReader

__all__ = ["GivenTypes", "conversions", "readings_for", "recorded_from", "type_options"]

_FITTING: dict[ColumnType, frozenset[Look]] = {
    "number": frozenset({"whole", "large", "fraction", "no value"}),
    "whole number": frozenset({"whole", "large", "fraction", "no value"}),
    "boolean": frozenset({"true or false", "no value"}),
}
"""How the cells of a column may look that is to be of a type; fractions that are not whole are refused by value."""


_SHOWN: dict[ColumnType, str] = {"number": "numbers", "boolean": "true and false"}


@dataclass(frozen=True)
class GivenTypes:
    """What the command line says about types: the columns that hold text, and what a missing category is."""

    text: tuple[str, ...] = ()
    missing: Missing = "refuse"

    def pinned(self, layout: Layout) -> Layout:
        """The layout with these columns as text. Raises DataError for one that is no category of the kernel."""
        return layout.pinned([_place(name, layout) for name in self.text], self.missing)


def type_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--text-columns` and `--missing` to a command, as its one argument `types`, a GivenTypes."""

    @wraps(command)
    def _call(*arguments: Any, text_columns: tuple[str, ...] | None, missing: Missing, **others: Any) -> Any:
        return command(*arguments, types=GivenTypes(text_columns or (), missing), **others)

    with_missing = click.option(
        "--missing",
        type=click.Choice(["refuse", "category"]),
        default="refuse",
        help="What match() makes of a missing category: an error, or a category of its own.",
    )(_call)
    return click.option(
        "--text-columns", metavar="A,B,C", callback=names_of, help="Categories that are text, whatever they look like."
    )(with_missing)


def recorded_from(layout: Layout, reader: TableReader) -> Layout:
    """The layout with the types that the columns of a file have, where none are recorded yet.

    They are those of the whole file, whatever the order of its rows. Raises DataError, FileError.
    """
    from kernelspec.cli.data import columns_read

    names = _file_names(layout, reader)
    if names is not None and reader.has_written_cells:
        wanted = {i: names[i] for i in layout.untyped}
        found = {i: reader.written([name])[name].type for i, name in wanted.items()}
        return layout.with_types(found)
    for block in reader.blocks(columns_read(layout, reader)):
        layout = layout.recorded(block)
        if not layout.untyped:
            break
    return layout


def readings_for(layout: Layout, reader: TableReader, text: tuple[str, ...] = ()) -> dict[str, Reading] | None:
    """What the cells of a CSV file are turned into, for a map; None for files whose columns have types of their own.

    Columns in `text` are text, where the map does not know better. Raises CellTypeError that names file, column, row
    and the way out, for a column of another type than the map was made for, and for one that could be of two types.
    """
    from kernelspec.cli.data import columns_read

    names = _file_names(layout, reader)
    if names is None or not reader.has_written_cells:
        return None
    pinned = {_position(name, layout) for name in text}
    compared = {i: layout.type_at(i) for i in layout.categorical}
    scanned = [names[i] for i, own in compared.items() if own != "text" and i not in pinned]
    written = reader.written(scanned)
    # what is read by position is read as a whole, and nothing is asked of the columns that are not used
    readings: dict[str, Reading] = dict.fromkeys(names if columns_read(layout, reader) is None else (), "text")
    for i in layout.used:
        where = f"{reader.path}: column '{names[i]}'"
        if i in compared and (compared[i] == "text" or i in pinned):
            readings[names[i]] = "text"
        elif i in compared:
            readings[names[i]] = _reading(written[names[i]], compared[i], where)
        else:
            readings[names[i]] = "true or false" if reader.beginning(names[i]) == "boolean" else "floats"
    return readings


def conversions(layout: Layout, reader: TableReader) -> list[str]:
    """What is to be said of columns of a CSV file that do not look like the text that the map knows them as."""
    names = _file_names(layout, reader)
    if names is None or not reader.has_written_cells:
        return []
    looks = {names[i]: reader.beginning(names[i]) for i in layout.categorical if layout.type_at(i) == "text"}
    return [
        f"{reader.path}: column '{name}' begins with {_SHOWN[look]}, and is read as text, as the map was made for text"
        for name, look in looks.items()
        if look in _SHOWN
    ]


def _reading(column: WrittenColumn, expected: ColumnType, where: str) -> Reading:
    """How a column of categories is read. Raises CellTypeError."""
    from kernelspec.tables.cells import other_type
    from kernelspec.tables.column_types import reading_of
    from kernelspec.tables.rows import counted_from_one

    if expected == "category":
        raise CellTypeError(
            f"{where} has cells of several types in the table that the map was made for: a CSV file cannot"
        )
    if expected == "unknown":
        if column.is_ambiguous:
            (row, cell), (other_row, other) = column.told_apart()
            raise CellTypeError(
                f"{where} holds {other!r} in row {other_row} and {cell!r} in row {row}: is it text or not? Say "
                "--text-columns, or have the types of one file recorded for all others with --save-map or --plan-on "
                "(rows count from 1)"
            )
    else:
        misfit = column.first_of(column.looks - _FITTING[expected])
        if misfit is not None:
            raise CellTypeError(counted_from_one(str(other_type(where, misfit[1], misfit[0], expected))))
    large, fraction = column.first.get("large"), column.first.get("fraction")
    if large is not None and fraction is not None:
        raise CellTypeError(
            f"{where} holds {large[1]} in row {large[0]} and {fraction[1]} in row {fraction[0]}: no type of numbers "
            "has both exactly. Say --text-columns when the map is made (rows count from 1)"
        )
    return reading_of(column)


def _file_names(layout: Layout, reader: TableReader) -> tuple[str, ...] | None:
    """The names in the file of the columns of a layout, by position."""
    return layout.names if reader.names is not None and layout.names is not None else reader.fields


def _place(name: str, layout: Layout) -> str | int:
    return int(name) if layout.names is None and name.isascii() and name.isdigit() else name


def _position(name: str, layout: Layout) -> int:
    """The position of a column that is to be text. Raises DataError where the map knows it as something else."""
    position = layout.position_of(_place(name, layout))
    known = layout.type_at(position)
    if known not in ("unknown", "text"):
        raise DataError(f"--text-columns: {layout.name_of(position)} is recorded in the map, as {known}")
    return position
