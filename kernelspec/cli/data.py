"""Data files: their columns and the types of these, blocks of rows through a map, rows drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.cli.group import progress
from kernelspec.cli.options import place_of
from kernelspec.errors import CellTypeError, DataError, NoRowsError, SpecError
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.loading import suggest
from kernelspec.maps.transformed_rows import ReusedFeatures
from kernelspec.tables.formats import open_table
from kernelspec.tables.rows import ReusedRows, Rows, counted_from_one, first_fault, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.elaboration.scope import Columns
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.spec import Spec
    from kernelspec.tables.column_types import ColumnType, Look, Reading, WrittenColumn
    from kernelspec.tables.layout import Layout
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
    "names_in_order",
    "opened",
    "readings_for",
    "recorded_from",
    "row_fault",
    "sample_rows",
]


def row_fault(read: Callable[[Any], Any], block: Any, n_before: int, path: Path, error: DataError) -> DataError:
    """The error of the first row of a block that `read` refuses, numbered over the whole file from 1.

    The block is one of a file, or Rows. `n_before` rows of the file stand before the block. An error that is no single
    row's stays as it is, but for the name of the file.
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
    """The columns of a file that a spec is applied to.

    Those asked for; else the ones that the spec names, if it names all it uses; else all columns of the file but those
    `dropped`. So the map does not depend on what else a file holds. Raises DataError where names do not fit a file
    without names, and for a column to drop that is not there or that the spec selects.
    """
    kept = _kept(reader, dropped, spec.columns().names or ())
    if names is not None:
        if reader.names is None and len(names) != reader.n_columns:
            raise DataError(f"{reader.path}: has {reader.n_columns} columns, and --columns names {len(names)}")
        return spec.columns(dim, names)
    selected = spec.columns().names
    if reader.names is None:
        if selected:
            raise DataError(
                f"{reader.path}: its columns have no names, and the spec selects {', '.join(selected)} by name; "
                "say with --columns what they are called"
            )
        return spec.columns(dim or reader.n_columns)
    if selected:
        try:
            spec.kernel(spec.columns())
        except SpecError:
            return spec.columns(dim, found=kept)  # some part of the spec applies to all columns
        return spec.columns(dim, found=selected)
    return spec.columns(dim, found=kept)


def _kept(reader: TableReader, dropped: Sequence[str], selected: Sequence[str]) -> tuple[str, ...] | None:
    """The names of a file's columns without those dropped. Raises DataError."""
    if not dropped:
        return reader.names
    if reader.names is None:
        raise DataError(f"{reader.path}: its columns have no names: none can be dropped by name")
    for name in dropped:
        if name not in reader.names:
            raise DataError(f"{reader.path}: there is no column '{name}' to drop{suggest(name, reader.names)}")
        if name in selected:
            raise DataError(f"{reader.path}: column '{name}' is to be dropped, and the spec selects it")
    kept = tuple(name for name in reader.names if name not in dropped)
    if not kept:
        raise DataError(f"{reader.path}: all of its columns are to be dropped")
    return kept


def columns_shown(layout: Layout, reader: TableReader) -> str:
    """The columns that the kernel looks at, in words: by name as far as there are any, and not too many."""
    used = layout.used
    if layout.names is None or reader.n_columns is None:
        return f"{len(used)} of {layout.dim}"
    shown = ", ".join(layout.names[i] for i in used[:_MOST_SHOWN])
    more = f" and {len(used) - _MOST_SHOWN:,} more" if len(used) > _MOST_SHOWN else ""
    return f"{shown}{more} ({len(used):,} of {reader.n_columns:,})"


def columns_read(layout: Layout, reader: TableReader) -> list[str] | None:
    """The names of the columns to fetch: those the kernel looks at; None (all) where columns go by position."""
    if reader.names is None or layout.names is None:
        return None
    names = layout.names
    return [names[i] for i in layout.used] or None


@contextmanager
def opened(path: str, layout: Layout, header: bool | None) -> Iterator[TableReader]:
    """The reader of a file that has the columns of a layout. Raises DataError, FileError."""
    with open_table(path, columns=layout.dim, header=header, names=names_in_order(layout)) as reader:
        check_width(layout, reader)
        yield reader


def names_in_order(layout: Layout) -> tuple[str, ...] | None:
    """The names of a layout that stand for the columns of a table without names, if they do."""
    return None if layout.by_name else layout.names


def check_width(layout: Layout, reader: TableReader) -> None:
    """Raise DataError if a file whose columns go by position has another number of them."""
    by_position = reader.names is None or layout.names is None
    if by_position and layout.by_name:
        raise DataError(f"{reader.path}: {layout.names_needed()}")
    if by_position and reader.n_columns not in (None, layout.dim):
        raise DataError(f"{reader.path}: has {reader.n_columns} columns, and the kernel is applied to {layout.dim}")


_CACHED_BYTES, _FEWEST_ROWS = 2**21, 1024
"""Features at a time that are still in the processor's cache when they are written, but no fewer rows than these."""


def checked_blocks(
    layout: Layout,
    reader: TableReader,
    text: tuple[str, ...] = (),
    memory: ReusedRows | None = None,
    beside: Mapping[str, Reading] | None = None,
) -> Iterator[tuple[Block, Rows]]:
    """The blocks of a file, as they are and as rows; only columns that the kernel looks at are fetched.

    And those `beside` them, which are read in the way given where the file has no types.

    The columns in `text` hold text, where the layout does not know better. With `memory` the rows of a block may be
    overwritten by those of the next one. Raises DataError that names the file and the row, counted over the whole file
    from 1; NoRowsError for a file without rows.
    """
    done, columns, readings = 0, columns_read(layout, reader), readings_for(layout, reader, text)
    columns = None if columns is None else list(dict.fromkeys([*columns, *(beside or {})]))
    readings = None if readings is None else {**(beside or {}), **readings}
    for block in reader.blocks(columns, readings):
        try:
            rows = layout.read(block, memory=memory)
        except DataError as error:
            raise row_fault(layout.read, block, done, reader.path, error) from None
        done += len(rows)
        yield block, rows
    if not done:
        raise NoRowsError(f"{reader.path}: has no rows")


def feature_blocks(
    fmap: FeatureMap,
    reader: TableReader,
    *,
    rows: int,
    double: bool,
    advance: Callable[[int], None],
    text: tuple[str, ...] = (),
) -> Iterator[Any]:
    """The features of all rows of a file, at most `rows` at a time; a block is overwritten by the next one.

    With `double`, float32 data are taken to float64 first. `advance` is told how many rows have been consumed.
    `text` and DataError: as `checked_blocks`.
    """
    reused, done = ReusedFeatures(fmap), 0
    if not fmap.is_sparse:
        most = MAX_BLOCK_BYTES // (16 * fmap.n_columns)  # a complex feature has 16 bytes
        rows = max(1, min(rows, max(_FEWEST_ROWS, _CACHED_BYTES // (8 * fmap.n_columns)), most))
    for _, whole in checked_blocks(fmap.plan.layout, reader, text, ReusedRows()):
        for _, part in whole.blocks(rows):
            numbers = part.numbers.astype(np.float64, copy=False) if double else part.numbers
            exact = replace(part, numbers=numbers, first=done + 1)
            try:
                features = reused.of(exact)
            except DataError as error:
                raise row_fault(fmap.transform, exact, done, reader.path, error) from None
            done += len(part)
            yield features
            advance(len(part))


def sample_rows(
    path: str, layout: Layout, n_rows: int, header: bool | None = None, *, quiet: bool = False
) -> tuple[Rows, Layout]:
    """`n_rows` different rows of a file (all of them, if there are fewer), every choice equally likely, in file order.

    With them the layout in which the types of the file's columns are recorded, where they were not before. Every row
    gets a random number, and the smallest win: the choice depends on neither the size of the blocks nor the format, and
    is the same every time. Only columns that the kernel looks at are fetched, and all their rows are checked. Unless
    `quiet`, a bar shows how far the pass has come. Raises FileError, DataError.
    """
    generator = np.random.default_rng(0)
    ranks: NDArray[np.float64] = np.empty(0)
    kept: Rows | None = None
    with ExitStack() as stack:
        reader = stack.enter_context(opened(path, layout, header))
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
    """The rows of files in blocks, one file after the other, read anew each time; some of several may have none.

    Raises FileError, DataError as they are read.
    """

    paths: tuple[str, ...]
    layout: Layout
    header: bool | None = None

    def __iter__(self) -> Iterator[Rows]:
        n_empty = 0
        for path in self.paths:
            try:
                with opened(path, self.layout, self.header) as reader:
                    yield from (rows for _, rows in checked_blocks(self.layout, reader))
            except NoRowsError:
                n_empty += 1
                if n_empty == len(self.paths):
                    raise


_FITTING: dict[ColumnType, frozenset[Look]] = {
    "number": frozenset({"whole", "large", "fraction", "no value"}),
    "whole number": frozenset({"whole", "large", "fraction", "no value"}),
    "boolean": frozenset({"true or false", "no value"}),
}
"""How the cells of a column may look that is to be of a type; fractions that are not whole are refused by value."""


_SHOWN: dict[ColumnType, str] = {"number": "numbers", "boolean": "true and false"}


def recorded_from(layout: Layout, reader: TableReader) -> Layout:
    """The layout with the types that the columns of a file have, where none are recorded yet.

    They are those of the whole file, whatever the order of its rows. Raises DataError, FileError.
    """

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


def _position(name: str, layout: Layout) -> int:
    """The position of a column that is to be text. Raises DataError where the map knows it as something else."""
    position = layout.position_of(place_of(name, layout))
    known = layout.type_at(position)
    if known not in ("unknown", "text"):
        raise DataError(f"--text-columns: {layout.name_of(position)} is recorded in the map, as {known}")
    return position
