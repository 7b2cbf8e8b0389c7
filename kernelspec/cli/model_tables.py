"""Tables that models are fitted to, read whole, and tables of predictions, written block by block."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.group import progress
from kernelspec.errors import DataError, FileError, SpecError
from kernelspec.loading import suggest as nearest

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from kernelspec.cli.options import GivenColumns, GivenTypes
    from kernelspec.spec import Spec
    from kernelspec.tables.table_reader import TableReader

__all__ = ["Asked", "Said", "TrainingTable", "every_column", "predictions_of", "tables_on_disk", "write_tables"]

_STDIN = "<stdin>"


@contextmanager
def tables_on_disk(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The paths, with CSV from standard input in a temporary file for `-`; errors call it <stdin>."""
    if paths.count("-") > 1:
        raise click.UsageError("standard input (-) can be read once")
    if "-" not in paths:
        yield tuple(paths)
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "stdin.csv"
        with copy.open("wb") as file:
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
        from kernelspec.tables.formats import open_table

        with ExitStack() as stack:
            readers = [
                stack.enter_context(open_table(path, header=self.columns.header, names=self.columns.names))
                for path in paths
            ]
            found = self._of_arrays(readers) if readers[0].names is None else self._of_tables(readers, spec)
        if not found.has_classes:
            import numpy as np

            wrong = np.flatnonzero(~np.isfinite(found.y))
            if len(wrong):
                raise DataError(f"the target '{self.target}' is {found.y[wrong[0]]} in row {wrong[0] + 1}")
            if len(found.y) > 1 and (found.y == found.y[0]).all():
                raise DataError(f"the target is constant: '{self.target}' is {found.y[0]} in all rows")
        return found

    def _of_tables(self, readers: Sequence[TableReader], spec: Spec) -> TrainingTable:
        import numpy as np

        from kernelspec.cli.data import checked_blocks, columns_of, recorded_from
        from kernelspec.elaboration.data_columns import kernel_and_layout

        for name in (self.target, *self.keep):
            for reader in readers:
                if name not in (reader.names or ()):
                    hint = nearest(name, reader.names or ())
                    raise DataError(f"{reader.path}: there is no column {name!r}{hint}")
        if self.target in (spec.columns().names or ()):
            raise SpecError(f"the spec reads the target, column '{self.target}': take it out of the kernel")
        others = {self.target, *self.keep, *self.columns.dropped}
        given = self.columns.names
        kept = None if given is None else tuple(name for name in given if name not in others)
        dropped = (*self.columns.dropped, self.target, *self.keep) if given is None else ()
        columns = columns_of(spec, readers[0], None, kept, tuple(dict.fromkeys(dropped)))
        layout = recorded_from(self.types.pinned(kernel_and_layout(spec, columns)[1]), readers[0])
        wanted = list(columns.names or ())
        beside = {**dict.fromkeys(wanted, "text"), self.target: _target_reading(readers, self.target)}
        tables = [
            _as_table(block, reader) for reader in readers for block, _ in checked_blocks(layout, reader, beside=beside)
        ]
        whole = _joined(tables)
        target = whole.column(self.target)
        if target.null_count:
            missing = np.flatnonzero(target.is_null().to_numpy())
            shown = f"row {missing[0] + 1} ({len(missing):,} such rows)"
            raise DataError(f"the target '{self.target}' is missing in {shown}: leave these rows out")
        return TrainingTable(whole.select(wanted), _values(target))

    def _of_arrays(self, readers: Sequence[TableReader]) -> TrainingTable:
        """Of files whose columns have no names: the target is a position."""
        import numpy as np

        first = readers[0]
        if first.fields is not None:
            raise DataError(f"{first.path}: its columns have no names: say with --columns what they are called")
        blocks: list[Any] = [block for reader in readers for block in reader.blocks()]
        if not all(isinstance(block, np.ndarray) for block in blocks):
            raise DataError(f"{first.path}: a sparse file has no column for the target: write .npy, CSV or Parquet")
        whole: NDArray[Any] = np.concatenate(blocks)
        try:
            place = range(whole.shape[1])[int(self.target)]
        except (ValueError, IndexError):
            raise DataError(
                f"{first.path}: its columns have no names: --target is a position from 0 to {whole.shape[1] - 1}, not "
                f"{self.target!r}"
            ) from None
        return TrainingTable(np.delete(whole, place, axis=1), whole[:, place])


def _as_table(block: Any, reader: TableReader) -> pa.Table:
    import numpy as np
    import pyarrow as pa

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
    import pyarrow as pa

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


def every_column(paths: Sequence[str]) -> pa.Table:
    """All columns of tables, each of the type that all of its cells make it. Raises DataError, FileError."""

    from kernelspec.tables.column_types import WrittenColumn, reading_of
    from kernelspec.tables.formats import open_table

    with ExitStack() as stack:
        readers = [stack.enter_context(open_table(path)) for path in paths]
        for reader in readers:
            if reader.names is None or set(reader.names) != set(readers[0].names or ()):
                raise DataError(f"{reader.path}: needs column names, the same in all files")
        names, found = list(readers[0].names or ()), dict[str, WrittenColumn]()
        for reader in readers:
            for name, own in reader.written(names).items():
                found[name] = found.get(name, WrittenColumn()).joined(own.first, 0)
        readings = {name: reading_of(own) for name, own in found.items()} or None
        blocks = [_as_table(block, reader) for reader in readers for block in reader.blocks(names, readings)]
        if not blocks:
            raise DataError(f"{readers[0].path}: has no rows")
        return _joined(blocks)


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    """One table of the rows of all. Raises DataError if columns have different types."""
    import pyarrow as pa

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
    said: Said, paths: Sequence[str], keep: tuple[str, ...] | None, header: bool | None, *, quiet: bool
) -> Iterator[pa.Table]:
    """Tables of predictions, file by file and block by block. Raises DataError, FileError."""
    import pyarrow as pa

    from kernelspec.cli.data import checked_blocks, conversions, opened, row_fault
    from kernelspec.models.saved import training_of

    training = training_of(said.model)
    for path in paths:
        with ExitStack() as stack:
            reader = stack.enter_context(opened(path, training.layout, header))
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


def write_tables(output: str, tables: Iterator[pa.Table]) -> None:
    """Write tables to a file, which appears when it is complete, or as CSV to standard output. Raises FileError."""
    import pyarrow as pa
    from pyarrow import csv

    from kernelspec.tables.atomic import atomic_path, writing

    suffix = ".csv" if output == "-" else Path(output).suffix.lower()
    if suffix not in (".csv", ".parquet", ".arrow"):
        raise FileError(f"{output}: predictions are written to .csv, .parquet or .arrow, or to - as CSV")
    first = next(tables)
    with ExitStack() as stack:
        if output == "-":
            target: Any = sys.stdout.buffer
        else:
            target = str(stack.enter_context(atomic_path(Path(output))))
        with writing(Path(output)):
            if suffix == ".parquet":
                from pyarrow import parquet

                writer = stack.enter_context(parquet.ParquetWriter(target, first.schema))
            elif suffix == ".arrow":
                writer = stack.enter_context(pa.ipc.new_file(target, first.schema))
            else:
                writer = stack.enter_context(csv.CSVWriter(target, first.schema))
        table: pa.Table | None = first
        while table is not None:
            with writing(Path(output)):
                writer.write(_like(table, first.schema))
            table = next(tables, None)


def _like(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A later table with the types of the first one. Raises DataError if a column to keep has another type."""
    import pyarrow as pa

    try:
        return table.cast(schema)
    except (pa.ArrowException, ValueError) as error:
        raise DataError(f"a column to keep has other types in later rows: {error}") from None
