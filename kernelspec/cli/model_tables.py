"""Tables that models are fitted to, read whole, and tables of predictions, written block by block."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.group import progress
from kernelspec.errors import DataError, FileError, NoRowsError, SpecError
from kernelspec.loading import pyarrow as pa
from kernelspec.loading import suggest as nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.cli.options import CsvFormat, GivenColumns, GivenTypes
    from kernelspec.spec import Spec
    from kernelspec.tables.column_types import Reading
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.table_reader import TableReader

__all__ = ["Asked", "Said", "every_column", "predictions_of", "tables_on_disk"]

_STDIN = "<stdin>"


_FORMATS = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",
    b"\x93NUMPY": ".npy",
    b"PK\x03\x04": ".npz",
    b"\x1f\x8b": ".csv.gz",
    b"{": ".jsonl",
}
"""What a table on standard input begins with, if it is not CSV."""

_LONGEST_START = 6


@contextmanager
def tables_on_disk(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The paths, with what standard input holds in a temporary file for `-`; errors call it <stdin>."""
    if paths.count("-") > 1:
        raise click.UsageError("standard input (-) can be read once")
    if "-" not in paths:
        yield tuple(paths)
        return
    with TemporaryDirectory() as folder:
        start = sys.stdin.buffer.read(_LONGEST_START)
        suffix = next((suffix for own, suffix in _FORMATS.items() if start.startswith(own)), ".csv")
        copy = Path(folder) / f"stdin{suffix}"
        with copy.open("wb") as file:
            file.write(start)
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield tuple(str(copy) if path == "-" else path for path in paths)
        except (DataError, FileError) as error:
            raise type(error)(str(error).replace(str(copy), _STDIN)) from None


@dataclass(frozen=True)
class TrainingTable:
    """A table in memory, as an estimator accepts it, and its target."""

    X: Any
    y: NDArray[Any]

    @property
    def has_classes(self) -> bool:
        """Whether the target is text or true and false."""
        return self.y.dtype.kind not in "fiu"


@dataclass(frozen=True)
class Asked:
    """What the command line says about the table, beside its files."""

    columns: GivenColumns
    types: GivenTypes
    target: str
    keep: tuple[str, ...] = ()

    def read(self, paths: Sequence[str], spec: Spec) -> TrainingTable:
        """The columns that a spec reads and the target, of all files. Raises SpecError, DataError, FileError."""
        import numpy as np

        tables, targets = zip(*self.in_files(paths, spec), strict=True)
        X = np.concatenate(tables) if isinstance(tables[0], np.ndarray) else _joined(tables)
        found = TrainingTable(X, np.concatenate(targets))
        if not found.has_classes and len(found.y) > 1 and (found.y == found.y[0]).all():
            raise DataError(f"the target is constant: '{self.target}' is {found.y[0]} in all rows")
        return found

    def opened(self, path: str) -> TableReader:
        """The reader of a file. Raises FileError, DataError."""
        from kernelspec.tables.formats import open_table

        csv = self.columns.csv
        return open_table(path, header=csv.header, names=self.columns.names, dates=csv.dates)

    def in_files(self, paths: Sequence[str], spec: Spec) -> TrainingBlocks:
        """The same, to be read as often as needed. Raises SpecError, DataError, FileError."""
        with ExitStack() as stack:
            readers = [stack.enter_context(self.opened(path)) for path in paths]
            named = None if readers[0].names is None else self._named(readers, spec)
            if named is None and readers[0].fields is not None:
                raise DataError(f"{paths[0]}: its columns have no names: say with --columns what they are called")
        return TrainingBlocks(tuple(TrainingFile(self, path, named) for path in paths))

    def _named(self, readers: Sequence[TableReader], spec: Spec) -> NamedColumns:
        from kernelspec.cli.data import columns_of, recorded_from
        from kernelspec.elaboration.data_columns import kernel_and_layout, with_stand_ins

        for name in (self.target, *self.keep):
            for reader in readers:
                if name not in (reader.names or ()):
                    hint = nearest(name, reader.names or ())
                    raise DataError(f"{reader.path}: unknown column {name!r}{hint}")
        if self.target in (spec.columns().names or ()):
            raise SpecError(f"the spec reads the target, column '{self.target}': take it out of the kernel")
        others = {self.target, *self.keep, *self.columns.dropped}
        given = self.columns.names
        kept = None if given is None else tuple(name for name in given if name not in others)
        dropped = (*self.columns.dropped, self.target, *self.keep) if given is None else ()
        columns = columns_of(spec, readers[0], None, kept, tuple(dict.fromkeys(dropped)))
        layout = self.types.pinned(kernel_and_layout(with_stand_ins(spec), columns)[1])
        for reader in readers:  # the first one with rows
            layout = recorded_from(layout, reader) if layout.untyped else layout
        return NamedColumns(layout, tuple(columns.names or ()), _target_reading(readers, self.target))


@dataclass(frozen=True)
class NamedColumns:
    """The columns that a model uses, and how all files are read."""

    layout: Layout
    wanted: tuple[str, ...]
    target_reading: Reading


@dataclass(frozen=True)
class TrainingFile:
    """The rows of a file in blocks of columns and targets, read anew each time.

    Iterating raises FileError; DataError, also for a target that is missing or not finite.
    """

    asked: Asked
    path: str
    named: NamedColumns | None

    def __iter__(self) -> Iterator[tuple[Any, NDArray[Any]]]:
        import numpy as np

        n_rows, target = 0, self.asked.target
        with self.asked.opened(self.path) as reader:
            for X, y in self._of_array(reader) if self.named is None else self._of_table(reader, self.named):
                if y.dtype.kind in "fiu" and not np.isfinite(y).all():
                    wrong = int(np.flatnonzero(~np.isfinite(y))[0])
                    raise DataError(f"{self.path}: the target '{target}' is {y[wrong]} in row {n_rows + wrong + 1}")
                n_rows += len(y)
                yield X, y

    def _of_table(self, reader: TableReader, named: NamedColumns) -> Iterator[tuple[Any, NDArray[Any]]]:
        import numpy as np

        from kernelspec.cli.data import checked_blocks

        name, n_rows, wanted = self.asked.target, 0, list(named.wanted)
        beside: dict[str, Reading] = {**dict.fromkeys(wanted, "text"), name: named.target_reading}
        with suppress(NoRowsError):
            for block, _ in checked_blocks(named.layout, reader, beside=beside):
                table = _as_table(block, reader)
                target = table.column(name)
                if target.null_count:
                    missing = int(np.flatnonzero(target.is_null().to_numpy())[0])
                    raise DataError(
                        f"{self.path}: the target '{name}' is missing in row {n_rows + missing + 1}: leave it out"
                    )
                n_rows += len(table)
                yield table.select(wanted), _values(target)

    def _of_array(self, reader: TableReader) -> Iterator[tuple[Any, NDArray[Any]]]:
        """Of a file whose columns have no names: the target is a position."""
        import numpy as np

        for block in reader.blocks():
            if not isinstance(block, np.ndarray):
                raise DataError(f"{self.path}: a sparse file has no column for the target: write .npy, CSV or Parquet")
            try:
                place = range(block.shape[1])[int(self.asked.target)]
            except (ValueError, IndexError):
                raise DataError(
                    f"{self.path}: its columns have no names: --target is a position from 0 to "
                    f"{block.shape[1] - 1}, not {self.asked.target!r}"
                ) from None
            yield np.delete(block, place, axis=1), block[:, place]


@dataclass(frozen=True)
class TrainingBlocks:
    """The rows of files, one after the other; errors as of `TrainingFile`, and DataError without rows."""

    files: tuple[TrainingFile, ...]

    def __iter__(self) -> Iterator[tuple[Any, NDArray[Any]]]:
        n_blocks = 0
        for file in self.files:
            for block in file:
                n_blocks += 1
                yield block
        if not n_blocks:
            raise DataError(f"{self.files[0].path}: has no rows")


def _as_table(block: Any, reader: TableReader) -> pa.Table:
    import numpy as np

    if isinstance(block, np.ndarray):
        return pa.table(dict(zip(reader.names or (), block.T, strict=True)))
    return block


def _target_reading(readers: Sequence[TableReader], name: str) -> Any:
    """How the cells of the target are read in CSV files, by all of them. Raises DataError if numbers stand by text."""
    from kernelspec.tables.column_types import WrittenColumn, reading_of

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


def _values(column: pa.ChunkedArray) -> NDArray[Any]:
    """A column as an array: floats, whole numbers, truth values or text."""
    import numpy as np

    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return np.asarray(column.to_numpy())
    if pa.types.is_decimal(kind):
        return np.array([float(value) for value in column.to_pylist()])
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise DataError(f"the target holds {kind}: numbers, text, or true and false can be learned")
    return np.array(column.to_pylist())


def every_column(paths: Sequence[str], csv: CsvFormat) -> pa.Table:
    """The rows of tables with all columns, of types that fit all of their cells. Raises DataError, FileError."""
    from kernelspec.tables.column_types import WrittenColumn, reading_of
    from kernelspec.tables.formats import open_table

    with ExitStack() as stack:
        readers = [stack.enter_context(open_table(path, header=csv.header, dates=csv.dates)) for path in paths]
        for reader in readers:
            if reader.names is None or set(reader.names) != set(readers[0].names or ()):
                raise DataError(f"{reader.path}: needs column names, the same in all files")
        names, found = list(readers[0].names or ()), dict[str, WrittenColumn]()
        for reader in readers:
            for name, own in reader.written(names).items():
                found[name] = found.get(name, WrittenColumn()).joined(own.first, 0)
        readings: Any = {name: reading_of(own) for name, own in found.items()} or None
        for name, own in found.items():
            if readings[name] == "text" and (own.has_dates or csv.dates) and _are_dates(readers, name):
                readings[name] = "dates"
        blocks = [_as_table(block, reader) for reader in readers for block in reader.blocks(names, readings)]
        if not blocks:
            raise DataError(f"{readers[0].path}: has no rows")
        return _joined(blocks)


def _are_dates(readers: Sequence[TableReader], name: str) -> bool:
    """Whether all cells of a column of text can be read as dates."""
    try:
        for reader in readers:
            for _ in reader.blocks([name], {name: "dates"}):
                pass
    except DataError:
        return False
    return True


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    """One table of the rows of all. Raises DataError if columns have different types."""
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(f"the files have columns of different types: {error}") from None


@dataclass(frozen=True)
class Said:
    """What is predicted."""

    model: Any
    std: bool
    interval: float | None
    probabilities: bool

    def columns(self, rows: Any) -> dict[str, Any]:
        """The columns of predictions for some rows, by name."""
        import numpy as np

        model = self.model
        if hasattr(model, "classes_"):
            found = model.predict_proba(rows)
            own: dict[str, Any] = {"prediction": model.classes_[np.argmax(found, axis=1)].tolist()}
            if self.probabilities:
                own |= {f"probability_{name}": found[:, i] for i, name in enumerate(model.classes_)}
            return own
        mean, deviation = model.predict(rows, return_std=True) if self.std else (model.predict(rows), None)
        own = _by_target("prediction", mean)
        if self.std:
            own |= _by_target("std", deviation)
        if self.interval is not None:
            low, high = model.predict_interval(rows, self.interval)
            own |= {**_by_target("low", low), **_by_target("high", high)}
        return own


def _by_target(name: str, values: Any) -> dict[str, Any]:
    return {name: values} if values.ndim == 1 else {f"{name}_{i}": own for i, own in enumerate(values.T)}


def predictions_of(
    said: Said, paths: Sequence[str], keep: tuple[str, ...] | None, csv: CsvFormat, *, quiet: bool
) -> Iterator[pa.Table]:
    """Tables of predictions, file by file and block by block. Raises DataError, FileError."""
    from kernelspec.cli.data import checked_blocks, conversions, opened, row_fault
    from kernelspec.models.saved import training_of

    training = training_of(said.model)
    for path in paths:
        with ExitStack() as stack:
            reader = stack.enter_context(opened(path, training.layout, csv))
            advance = stack.enter_context(progress(reader, quiet=quiet))
            for words in () if quiet else conversions(training.layout, reader):
                click.echo(words, err=True)
            beside = tuple(own for own in training.kept if own in (reader.names or ())) if keep is None else keep
            done = 0
            for block, rows in checked_blocks(training.layout, reader, beside=dict.fromkeys(beside, "text")):
                try:
                    own = said.columns(replace(rows, first=0))
                except DataError as error:
                    raise row_fault(said.columns, rows, done, reader.path, error) from None
                clash = next((name for name in beside if name in own), None)
                if clash is not None:
                    raise DataError(f"{reader.path}: column {clash!r} to keep has the name of a column of predictions")
                done += len(rows)
                kept: Any = block
                yield pa.table({**{name: kept.column(name) for name in beside}, **own})
                advance(len(rows))
