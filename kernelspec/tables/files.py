"""Several files read as one table: its columns have types that fit the cells of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import DataError, FileError, NoRowsError
from kernelspec.loading import pyarrow as pa
from kernelspec.loading import unknown_column
from kernelspec.tables.column_types import Reading, WrittenColumn, reading_of
from kernelspec.tables.columnar import without_dictionaries
from kernelspec.tables.formats import open_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.tables.table_reader import Block, TableReader

__all__ = [
    "TableBlocks",
    "TableFiles",
    "check_targets",
    "joined",
    "matching_files",
    "read_blocks",
    "table_of",
    "target_reading",
    "targets_in",
]


@dataclass(frozen=True)
class TableFiles:
    """Files with the same column names, and how their columns are read."""

    paths: tuple[str, ...]
    names: tuple[str, ...]
    readings: Mapping[str, Reading]
    """How columns are read in files without types."""
    header: bool | None
    dates: tuple[str, ...]
    given: tuple[str, ...] | None = None
    """The names of all columns of files without a header."""

    @classmethod
    def of(
        cls,
        paths: Sequence[str],
        columns: Sequence[str] | None = None,
        target: str | None = None,
        *,
        header: bool | None = None,
        dates: Sequence[str] = (),
        given: tuple[str, ...] | None = None,
    ) -> TableFiles:
        """The files with some columns, or all. Raises FileError; DataError, also for files with different columns."""
        with ExitStack() as stack:
            opened = (open_table(path, header=header, dates=dates, names=given) for path in paths)
            readers = [stack.enter_context(reader) for reader in opened]
            for reader in readers:
                if reader.names is None:
                    raise DataError(f"{reader.path}: needs column names")
                other = set(reader.names) ^ set(readers[0].names or ())
                if columns is None and other:
                    raise DataError(f"{reader.path}: column names must be the same in all files; {min(other)!r} is not")
                for name in columns or ():
                    if name not in reader.names:
                        raise unknown_column(str(reader.path), name, reader.names)
            names = tuple(columns or readers[0].names or ())
            readings = _readings(readers, names, dates)
            if target is not None and target in readings:
                readings[target] = target_reading(readers, target)
            return cls(tuple(paths), names, readings, header, tuple(dates), given)

    def blocks(self, path: str) -> Iterator[pa.Table]:
        """The rows of one file in blocks. Raises DataError, FileError."""
        with open_table(path, header=self.header, dates=self.dates, names=self.given) as reader:
            for block in reader.blocks(self.names, self.readings or None):
                yield table_of(block, reader)

    def whole(self) -> pa.Table:
        """All rows of all files. Raises DataError, FileError."""
        blocks = [block for path in self.paths for block in self.blocks(path)]
        if not blocks:
            raise NoRowsError(f"{self.paths[0]}: has no rows")
        return joined(blocks)


@dataclass(frozen=True)
class TableBlocks:
    """Blocks (X, y) or (X, y, sample_weight) of files, read anew each time, for `fit_blocks` of a model."""

    files: TableFiles
    target: str
    weight: str | None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        beside = [self.target] if self.weight is None else [self.target, self.weight]
        for path in self.files.paths:
            n_rows = 0
            for table in self.files.blocks(path):
                numbers = [
                    targets_in(table, name, path, n_rows, what)
                    for name, what in zip(beside, ("target", "weight"), strict=False)
                ]
                n_rows += len(table)
                yield table.drop_columns(beside), *numbers


def read_blocks(
    files: str | Path | Sequence[str | Path],
    target: str,
    *,
    weight: str | None = None,
    columns: Sequence[str] | None = None,
) -> TableBlocks:
    """The rows of files in blocks, as often as needed, for `fit_blocks`: `model.fit_blocks(read_blocks("*.csv", "y"))`.

    `files` are names, or patterns such as `part-*.parquet`, of CSV, TSV, JSON lines, Arrow or Parquet; `columns` limits
    what is read, beside the target and the weights. Columns of CSV files have types that fit the cells of all files.
    Raises FileError; DataError for an unknown column, and for a target that is missing or not finite, when it is read.
    """
    given = [files] if isinstance(files, str | Path) else files
    if not isinstance(given, Sequence) or not all(isinstance(own, str | Path) for own in given):
        raise DataError(f"files must be names or patterns of files, not {files!r:.60}")
    paths = [path for pattern in given for path in matching_files(str(pattern))]
    if not paths:
        raise FileError("no files are given")
    if len(set(paths)) < len(paths):
        raise FileError(f"{next(own for own in paths if paths.count(own) > 1)} is named twice")
    columns = [columns] if isinstance(columns, str) else columns
    beside = [target] if weight is None else [target, weight]
    wanted = None if columns is None else list(dict.fromkeys([*columns, *beside]))
    found = TableFiles.of(paths, wanted, target)
    for name in beside:
        if name not in found.names:
            raise unknown_column(paths[0], name, found.names)
    return TableBlocks(found, target, weight)


def matching_files(pattern: str) -> list[str]:
    """The file of this name, or all that match it as a pattern (`part-*.parquet`), sorted. Raises FileError."""
    files = [pattern] if Path(pattern).exists() else sorted(glob(pattern, recursive=True))
    if not files:
        raise FileError(f"{pattern}: no such file, and no file matches it as a pattern")
    return files


def table_of(block: Block, reader: TableReader) -> pa.Table:
    """A block of a table with column names."""
    if isinstance(block, np.ndarray):
        return pa.table(dict(zip(reader.names or (), block.T, strict=True)))
    return block


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """One table of the rows of all. Raises DataError if columns have different types, but not for numbers of several.

    Dictionaries beside text become text.
    """
    try:
        if len({own.schema.remove_metadata() for own in tables}) > 1:
            tables = [own.cast(without_dictionaries(own.schema)) for own in tables]
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(f"the files have columns of different types: {error}") from None


def targets_in(table: pa.Table, name: str, path: str, n_before: int, what: str = "target") -> NDArray[Any]:
    """A column of targets: finite floats, whole numbers, truth values or text. Raises DataError if one is missing.

    The error has the row, counted from 1 and `n_before` rows before the table.
    """
    column = table.column(name)
    if column.null_count:
        missing = int(np.flatnonzero(column.is_null().to_numpy())[0])
        raise DataError(f"{path}: the {what} '{name}' is missing in row {n_before + missing + 1}: leave it out")
    found = _values(column, f"{path}: the {what} '{name}'")
    check_targets(found, name, path, n_before, what)
    return found


def check_targets(found: NDArray[Any], name: str, path: str, n_before: int, what: str = "target") -> None:
    """Raise DataError, with the row as in `targets_in`, if a number is not finite."""
    if found.dtype.kind in "fiu" and not np.isfinite(found).all():
        wrong = int(np.flatnonzero(~np.isfinite(found))[0])
        raise DataError(f"{path}: the {what} '{name}' is {found[wrong]} in row {n_before + wrong + 1}")


def target_reading(readers: Sequence[TableReader], name: str) -> Reading:
    """How the cells of a target are read in CSV files, by all of them. Raises DataError if numbers stand by text."""
    found = WrittenColumn()
    for reader in readers:
        if not reader.has_written_cells:
            continue
        own = reader.written([name])[name]
        if own.is_ambiguous:
            (row, cell), (other_row, other) = own.told_apart()
            raise DataError(
                f"{reader.path}: the target '{name}' holds {other!r} in row {other_row} and {cell!r} in row {row}: "
                "numbers or classes, not both"
            )
        found = found.joined(own.first, 0)
    return reading_of(found)


def _values(column: pa.ChunkedArray, where: str) -> NDArray[Any]:
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return np.asarray(column.to_numpy())
    if pa.types.is_decimal(kind):  # such as whole numbers beyond 2⁵³, whose neighbors are one float
        cells = column.to_pylist()
        whole = np.array(list(map(int, cells))) if kind.scale <= 0 else np.empty(0)
        if whole.dtype.kind in "iu":
            return whole
        merged: dict[float, Any] = {}
        for cell in cells if kind.scale <= 0 else ():
            if (other := merged.setdefault(float(cell), cell)) != cell:
                raise DataError(
                    f"{where} holds whole numbers beyond 64 bits, of which floats merge {other} and {cell}: write "
                    "classes as text (such as id-1), and subtract a constant from numbers"
                )
        return np.array(list(map(float, cells)))
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise DataError(f"{where} holds {kind}: numbers, text, or true and false can be learned")
    return np.array(column.to_pylist())


def _readings(readers: Sequence[TableReader], names: Sequence[str], dates: Sequence[str]) -> dict[str, Reading]:
    """How the columns of files without types are read, so that all cells of all files fit."""
    found: dict[str, WrittenColumn] = {}
    for reader in readers:
        for name, own in reader.written(names).items():
            found[name] = found.get(name, WrittenColumn()).joined(own.first, 0)
    readings = {name: reading_of(own) for name, own in found.items()}
    named = {name for name, equals, _ in (item.partition("=") for item in dates) if equals}
    for name, own in found.items():
        if name in named or (readings[name] == "text" and (own.has_dates or dates) and _are_dates(readers, name)):
            readings[name] = "dates"
    return readings


def _are_dates(readers: Sequence[TableReader], name: str) -> bool:
    """Whether all cells of a column of text can be read as dates."""
    try:
        for reader in readers:
            for _ in reader.blocks([name], {name: "dates"}):
                pass
    except DataError:
        return False
    return True
