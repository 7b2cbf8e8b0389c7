"""Data files: their columns and types, blocks of rows through a map, and random rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.cli.group import progress
from kernelspec.cli.options import ANY_CSV, CsvFormat, place_of
from kernelspec.elaboration.data_columns import with_stand_ins
from kernelspec.errors import CellTypeError, DataError, NoRowsError, SpecError
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.loading import nearest_column
from kernelspec.maps.transformed_rows import ReusedFeatures
from kernelspec.tables.cells import other_type
from kernelspec.tables.column_types import NOTHING, ColumnType, Look, Reading, WrittenColumn, reading_of
from kernelspec.tables.formats import open_table
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import ReusedRows, Rows, counted_from_one, first_fault, numbered, row_lottery

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.spec import Spec
    from kernelspec.tables.table_reader import Block, TableReader

__all__ = [
    "FileRows",
    "check_width",
    "checked_blocks",
    "columns_of",
    "columns_read",
    "columns_shown",
    "conversions",
    "feature_blocks",
    "kept_readings",
    "names_in_order",
    "opened",
    "recorded_from",
    "row_fault",
    "sample_rows",
]


def row_fault(read: Callable[[Any], Any], block: Any, n_before: int, path: Path, error: DataError) -> DataError:
    """The error for the first row of a block that `read` rejects, with row numbers over the whole file from 1.

    `n_before` rows come before the block, a part of the file or Rows. An error that does not belong to a single row
    only gets the file's name.
    """

    def cut(start: int, stop: int) -> Any:
        if isinstance(block, Rows):
            return replace(block.take(slice(start, stop)), first=0)
        return block.slice(start, stop - start) if hasattr(block, "slice") else block[start:stop]

    found = first_fault(read, cut, len(block) if isinstance(block, Rows) else block.shape[0])
    if found is None:
        return DataError(f"{path}: {error}")
    row, alone = found
    return DataError(counted_from_one(f"{path}: {numbered(alone, n_before + row + 1)}"))


_MOST_SHOWN = 12


def columns_of(
    spec: Spec, reader: TableReader, dim: int | None, names: Sequence[str] | None, dropped: Sequence[str] = ()
) -> Columns:
    """The columns of a file that a spec applies to.

    These are `names` if given; else those that the spec names, if it names all that it uses; else all but `dropped`.
    Raises DataError if names do not fit a file without names, or if a dropped column is missing or used by the spec.
    """
    kept = _kept(reader, dropped, spec.columns().names or ())
    if names is not None:
        if reader.names is None and len(names) != reader.n_columns:
            raise DataError(f"{reader.path}: has {reader.n_columns} columns, but --columns names {len(names)}")
        return spec.columns(dim, names)
    selected = spec.columns().names
    if reader.names is None:
        if selected:
            raise DataError(
                f"{reader.path}: the spec uses columns {', '.join(selected)} by name, but the file has no names; name "
                "its columns with --columns"
            )
        return spec.columns(dim or reader.n_columns)
    if selected:
        try:
            with_stand_ins(spec).kernel(spec.columns())
        except SpecError:
            return spec.columns(dim, found=kept)  # some part of the spec applies to all columns
        return spec.columns(dim, found=selected)
    return spec.columns(dim, found=kept)


def _kept(reader: TableReader, dropped: Sequence[str], selected: Sequence[str]) -> tuple[str, ...] | None:
    """The names of a file's columns without those dropped. Raises DataError."""
    if not dropped:
        return reader.names
    if reader.names is None:
        raise DataError(f"{reader.path}: --drop needs column names, but the file has none")
    for name in dropped:
        if name not in reader.names:
            raise DataError(f"{reader.path}: --drop names unknown column '{name}'{nearest_column(name, reader.names)}")
        if name in selected:
            raise DataError(f"{reader.path}: --drop names column '{name}', which the spec uses")
    kept = tuple(name for name in reader.names if name not in dropped)
    if not kept:
        raise DataError(f"{reader.path}: --drop leaves no columns")
    return kept


def columns_shown(layout: Layout, reader: TableReader) -> str:
    """The columns that the kernel reads, in words: up to twelve names, if they have names."""
    used = layout.used
    if layout.names is None or reader.n_columns is None:
        return f"{len(used)} of {layout.dim}"
    shown = ", ".join(layout.names[i] for i in used[:_MOST_SHOWN])
    more = f" and {len(used) - _MOST_SHOWN:,} more" if len(used) > _MOST_SHOWN else ""
    return f"{shown}{more} ({len(used):,} of {reader.n_columns:,})"


def columns_read(layout: Layout, reader: TableReader) -> list[str] | None:
    """The names of the columns that the kernel reads, or None (all) if columns are identified by position."""
    if reader.names is None or layout.names is None:
        return None
    names = layout.names
    return [names[i] for i in layout.used] or None


@contextmanager
def opened(path: str, layout: Layout, csv: CsvFormat) -> Iterator[TableReader]:
    """The reader of a file that has the columns of a layout. Raises DataError, FileError."""
    names = csv.names or names_in_order(layout)
    with open_table(path, columns=layout.dim, header=csv.header, names=names, dates=csv.dates) as reader:
        check_width(layout, reader)
        yield reader


def names_in_order(layout: Layout) -> tuple[str, ...] | None:
    """The names that a layout gives to the columns of a file without names, if it does."""
    return None if layout.by_name else layout.names


def check_width(layout: Layout, reader: TableReader) -> None:
    """Raise DataError if columns are identified by position and their number is wrong."""
    by_position = reader.names is None or layout.names is None
    if by_position and layout.by_name:
        raise DataError(f"{reader.path}: {layout.names_needed()}")
    if by_position and reader.n_columns not in (None, layout.dim):
        raise DataError(f"{reader.path}: has {reader.n_columns} columns, but the kernel applies to {layout.dim}")


_CACHED_BYTES, _FEWEST_ROWS = 2**21, 1024
"""Bytes of features that stay in the CPU cache until they are written, and the fewest rows per block."""


def checked_blocks(
    layout: Layout,
    reader: TableReader,
    text: tuple[str, ...] = (),
    memory: ReusedRows | None = None,
    beside: Mapping[str, Reading] | None = None,
) -> Iterator[tuple[Block, Rows]]:
    """The blocks of a file, raw and as rows; fetches only the columns that the kernel reads, and those `beside` them.

    `beside` says how the yielded block has these if the file has no types, also where the kernel reads them otherwise.
    Columns in `text` are text unless the layout knows their type. With `memory`, each block may overwrite the rows of
    the previous one. Raises DataError with the file and the row, counted from 1; NoRowsError for a file without rows.
    """
    done, columns, readings = 0, columns_read(layout, reader), readings_for(layout, reader, text)
    columns = None if columns is None else list(dict.fromkeys([*columns, *(beside or {})]))
    as_kept: Iterable[Block | None] = repeat(None)
    with copy(reader) as again:
        if readings is not None and beside:
            if any(readings.get(name, own) != own for name, own in beside.items()):
                as_kept = again.blocks(columns, {**readings, **beside})
            readings = {**beside, **readings}
        for block, kept in zip(reader.blocks(columns, readings), as_kept, strict=False):
            try:
                rows = layout.read(block, memory=memory)
            except DataError as error:
                raise row_fault(layout.read, block, done, reader.path, error) from None
            done += len(rows)
            yield block if kept is None else kept, rows
    if not done:
        raise NoRowsError(f"{reader.path}: has no rows")


def kept_readings(readers: Iterable[TableReader], keep: Sequence[str], *, typed: bool) -> dict[str, Reading]:
    """How to read columns to keep in files without types: as text or, if `typed`, as numbers if all cells are.

    Cells with leading zeros or more than 15 digits, and missing ones alone, stay text. Raises DataError, FileError.
    """
    found = dict.fromkeys(keep, WrittenColumn())
    for reader in readers if typed and keep else ():
        for name, own in reader.written(keep).items():
            found[name] = found[name].joined(own.first, 0)
    types = {name: "text" if own.type == "unknown" else reading_of(own) for name, own in found.items()}
    return {name: own if own in ("floats", "whole numbers") else "text" for name, own in types.items()}


def feature_blocks(
    fmap: FeatureMap,
    reader: TableReader,
    *,
    rows: int,
    double: bool,
    advance: Callable[[int], None],
    text: tuple[str, ...] = (),
    keep: Sequence[str] = (),
    typed: bool = False,
) -> Iterator[tuple[Any, Any]]:
    """The features of a file, at most `rows` rows at a time; each block overwrites the previous one.

    With each block come the columns to `keep` of the same rows, as an Arrow table; `typed`: see `kept_readings`.
    `double` converts float32 data to float64 first. `advance` receives the number of rows consumed. `text` and
    DataError: see `checked_blocks`.
    """
    reused, done = ReusedFeatures(fmap), 0
    if not fmap.is_sparse:
        most = MAX_BLOCK_BYTES // (16 * fmap.n_columns)  # a complex feature has 16 bytes
        rows = max(1, min(rows, max(_FEWEST_ROWS, _CACHED_BYTES // (8 * fmap.n_columns)), most))
    beside = kept_readings([reader], keep, typed=typed)
    for block, whole in checked_blocks(fmap.plan.layout, reader, text, ReusedRows(), beside):
        for where, part in whole.blocks(rows):
            numbers = part.numbers.astype(np.float64, copy=False) if double else part.numbers
            exact = replace(part, numbers=numbers, first=done + 1)
            try:
                features = reused.of(exact)
            except DataError as error:
                raise row_fault(fmap.transform, exact, done, reader.path, error) from None
            done += len(part)
            kept: Any = block
            yield features, kept.select(list(keep)).slice(where.start, len(part)) if keep else None
            advance(len(part))


def sample_rows(
    path: str, layout: Layout, n_rows: int, csv: CsvFormat = ANY_CSV, *, quiet: bool = False
) -> tuple[Rows, Layout]:
    """`n_rows` distinct random rows of a file (or all, if there are fewer), in file order, and the layout with their
    types.

    Every row gets a random number, and the smallest ones win, so the choice is always the same and does not depend on
    block size or format. Only the columns that the kernel reads are fetched; all their rows are checked. Shows a
    progress bar unless `quiet`. Raises FileError, DataError.
    """
    generator = row_lottery()
    ranks: NDArray[np.float64] = np.empty(0)
    kept: Rows | None = None
    with ExitStack() as stack:
        reader = stack.enter_context(opened(path, layout, csv))
        layout = recorded_from(layout, reader)
        advance = stack.enter_context(progress(reader, quiet=quiet))
        for _, rows in checked_blocks(layout, reader):
            n_before = len(ranks)
            ranks = np.concatenate([ranks, generator.random(len(rows))])
            winners = np.arange(len(ranks))
            if len(ranks) > n_rows:
                winners = np.sort(np.argpartition(ranks, n_rows)[:n_rows])
            ranks = ranks[winners]
            newer = rows.take(winners[winners >= n_before] - n_before)
            kept = newer if kept is None else kept.take(winners[winners < n_before]).followed_by(newer)
            advance(len(rows))
    assert kept is not None
    return kept, layout


@dataclass(frozen=True)
class FileRows:
    """Rows of one or more files in blocks, read anew by each iteration; at least one file must have rows.

    Iterating raises FileError, DataError.
    """

    paths: tuple[str, ...]
    layout: Layout
    csv: CsvFormat = ANY_CSV

    def __iter__(self) -> Iterator[Rows]:
        n_empty = 0
        for path in self.paths:
            try:
                with opened(path, self.layout, self.csv) as reader:
                    yield from (rows for _, rows in checked_blocks(self.layout, reader))
            except NoRowsError:
                n_empty += 1
                if n_empty == len(self.paths):
                    raise


_FITTING: dict[ColumnType, frozenset[Look]] = {
    "number": NOTHING | {"whole", "large", "fraction"},
    "whole number": NOTHING | {"whole", "large", "fraction"},
    "boolean": NOTHING | {"true or false"},
}
"""How cells of a column of each type may look; fractions in whole-number columns are rejected by value."""


_READ_AS: dict[ColumnType, Reading] = {"boolean": "true or false", "date": "dates"}
"""How numeric columns are read, if not as floats."""

_SHOWN: dict[ColumnType, str] = {"number": "numbers", "boolean": "true and false"}


def recorded_from(layout: Layout, *readers: TableReader) -> Layout:
    """The layout with missing column types filled in from whole files, in any order of rows and files.

    Raises DataError, FileError.
    """
    looks, found = dict.fromkeys(layout.untyped, WrittenColumn()), dict[int, ColumnType]()
    for reader in readers:
        names, typed = _file_names(layout, reader), layout
        if names is not None and reader.has_written_cells:
            written = reader.written([names[i] for i in looks])
            looks = {i: own.joined(written[names[i]].first, 0) for i, own in looks.items()}
            dates = (i for i in layout.numeric if i not in looks and _begins(reader, names[i]) == "date")
            found |= dict.fromkeys(dates, "date")
            continue
        for block in reader.blocks(columns_read(layout, reader)):
            typed = typed.recorded(block)
            if not typed.untyped:
                break
        if typed is not layout:
            found = {i: _joint(found.get(i, "unknown"), typed.type_at(i)) for i in layout.used}
    return layout.with_types(found | {i: _joint(found.get(i, "unknown"), own.type) for i, own in looks.items()})


def _joint(first: ColumnType, later: ColumnType) -> ColumnType:
    """The type of a column of two files; the first one, so that reading the second fails, if they do not agree."""
    if first == "unknown" or "date" in (first, later):
        return "date" if first == "date" else later
    return "number" if {first, later} == {"number", "whole number"} else first


def readings_for(layout: Layout, reader: TableReader, text: tuple[str, ...] = ()) -> dict[str, Reading] | None:
    """How to read each column of a CSV file for a map; None for files whose columns have types of their own.

    Columns in `text` are text unless the map knows their type. Raises CellTypeError, with file, column, row and a fix,
    for a column whose type differs from the map's, or is ambiguous.
    """

    names = _file_names(layout, reader)
    if names is None or not reader.has_written_cells:
        return None
    pinned = {_position(name, layout) for name in text}
    compared = {i: layout.type_at(i) for i in layout.categorical}
    scanned = [names[i] for i, own in compared.items() if own != "text" and i not in pinned]
    written = reader.written(scanned)
    # columns identified by position are all read; those not used may hold anything
    readings: dict[str, Reading] = dict.fromkeys(names if columns_read(layout, reader) is None else (), "text")
    for i in layout.used:
        where = f"{reader.path}: column '{names[i]}'"
        if i in compared and (compared[i] == "text" or i in pinned):
            readings[names[i]] = "text"
        elif i in compared:
            readings[names[i]] = _reading(written[names[i]], compared[i], where)
        else:
            begins = "date" if layout.type_at(i) == "date" else _begins(reader, names[i])
            readings[names[i]] = _READ_AS.get(begins, "floats")
    return readings


def _begins(reader: TableReader, name: str) -> ColumnType:
    """The type that the first cells of a column used as a number suggest: dates, even if not all cells are."""
    first = reader.beginning(name)
    return "date" if first == "text" and reader.written([name])[name].has_dates else first


def conversions(layout: Layout, reader: TableReader) -> list[str]:
    """Notes on conversions: times to UTC, and text columns that do not look like text."""
    names = _file_names(layout, reader)
    zones = {names[i]: reader.zones[names[i]] for i in layout.numeric if names[i] in reader.zones} if names else {}
    if zones:
        return [f"{reader.path}: column '{name}' has times of {zone}: converted to UTC" for name, zone in zones.items()]
    if names is None or not reader.has_written_cells:
        return []
    looks = {names[i]: reader.beginning(names[i]) for i in layout.categorical if layout.type_at(i) == "text"}
    return [
        f"{reader.path}: column '{name}' begins with {_SHOWN[look]}; reading it as text, as the map does"
        for name, look in looks.items()
        if look in _SHOWN
    ]


def _reading(column: WrittenColumn, expected: ColumnType, where: str) -> Reading:
    """How to read a column of categories. Raises CellTypeError."""
    if expected == "category":
        raise CellTypeError(
            f"{where} had cells of several types when the map was made, which a CSV file cannot represent"
        )
    if expected == "unknown":
        if column.is_ambiguous:
            (row, cell), (other_row, other) = column.told_apart()
            raise CellTypeError(
                f"{where} holds {other!r} in row {other_row} and {cell!r} in row {row}: text or not? Use "
                "--text-columns, or record the types of one file with --save-map or --plan-on (rows count from 1)"
            )
    else:
        misfit = column.first_of(column.looks - _FITTING[expected])
        if misfit is not None:
            raise CellTypeError(counted_from_one(str(other_type(where, misfit[1], misfit[0], expected))))
    large, fraction = column.first.get("large"), column.first.get("fraction")
    if large is not None and fraction is not None:
        raise CellTypeError(
            f"{where} holds {large[1]} in row {large[0]} and {fraction[1]} in row {fraction[0]}: no numeric type "
            "represents both exactly. Use --text-columns when making the map (rows count from 1)"
        )
    return reading_of(column)


def _file_names(layout: Layout, reader: TableReader) -> tuple[str, ...] | None:
    """The names in the file of the columns of a layout, by position."""
    return layout.names if reader.names is not None and layout.names is not None else reader.fields


def _position(name: str, layout: Layout) -> int:
    """The position of a column to read as text. Raises DataError if the map has another type for it."""
    position = layout.position_of(place_of(name, layout))
    known = layout.type_at(position)
    if known not in ("unknown", "text"):
        raise DataError(f"--text-columns: the map records {layout.name_of(position)} as {known}")
    return position
