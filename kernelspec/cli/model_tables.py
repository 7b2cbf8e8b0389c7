"""Tables that models are fitted to, read whole, and tables of predictions, written block by block."""

from __future__ import annotations

import codecs
import shutil
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.group import progress
from kernelspec.cli.spec_input import READ_ONCE, standard_input
from kernelspec.errors import DataError, FileError, NoRowsError, SpecError
from kernelspec.loading import pyarrow as pa
from kernelspec.loading import unknown_column
from kernelspec.tables.atomic import reading
from kernelspec.tables.files import check_targets, joined, table_of, target_reading, targets_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kernelspec.cli.options import CsvFormat, GivenColumns, GivenTypes
    from kernelspec.spec import Spec
    from kernelspec.tables.column_types import Reading
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.table_reader import TableReader

__all__ = ["Asked", "Said", "predictions_of", "tables_on_disk"]

_STDIN = "<stdin>"


_FORMATS = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",
    b"\x93NUMPY": ".npy",
    b"PK\x03\x04": ".npz",
}
"""What a table on standard input begins with, if it is not text."""


def _suffix(held: bytes) -> str:
    """The suffix of a table that begins with these bytes."""
    for own, suffix in _FORMATS.items():
        if held.startswith(own):
            return suffix
    packed, text = held.startswith(b"\x1f\x8b"), held
    if packed:
        with suppress(zlib.error):  # its reader says what is wrong
            text = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(held, _HEAD)
    if text.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        found = ".jsonl"
    else:
        line = text.partition(b"\n")[0]
        found = ".tsv" if b"\t" in line and b"," not in line else ".csv"
    return f"{found}.gz" if packed else found


_HEAD, _CHUNK, _RESERVE = 2**20, 2**24, 2**30
"""Bytes of compressed text looked at, bytes of standard input copied at a time, and bytes that more than one such chunk
leaves free on the disk, or a tenth of a small disk.
"""


@contextmanager
def tables_on_disk(paths: Sequence[str | None]) -> Iterator[tuple[Any, ...]]:
    """The paths, with what standard input holds in a temporary file for `-`; errors call it <stdin>.

    Raises FileError if standard input does not fit into the temporary folder with 1 GiB to spare.
    """
    if paths.count("-") > 1:
        raise click.UsageError(READ_ONCE)
    if "-" not in paths:
        yield tuple(paths)
        return
    with ExitStack() as stack:
        try:
            copy = _copy_of_standard_input(Path(stack.enter_context(TemporaryDirectory(prefix="kernelspec-"))))
        except FileError:
            raise
        except OSError as error:
            raise FileError(_no_room(error.strerror or str(error))) from None
        try:
            yield tuple(str(copy) if path == "-" else path for path in paths)
        except (DataError, FileError) as error:
            raise type(error)(str(error).replace(str(copy), _STDIN)) from None


def _copy_of_standard_input(folder: Path) -> Path:
    """A file in the folder with all of standard input. Raises FileError; OSError if it cannot be written."""

    def chunk() -> bytes:
        with reading(Path("standard input"), "a table"):
            return standard_input().read(_CHUNK)

    held = chunk()
    copy = folder / f"stdin{_suffix(held)}"
    with copy.open("wb") as file:
        while held:
            file.write(held)
            if held := chunk():
                disk = shutil.disk_usage(folder)
                if disk.free < min(_RESERVE, disk.total // 10):
                    raise FileError(_no_room(f"{disk.free / 2**30:.1f} GiB are left after {file.tell():,} bytes"))
    return copy


def _no_room(reason: str) -> str:
    with suppress(OSError):
        return (
            f"{gettempdir()}: cannot hold a copy of standard input: {reason}; name a file instead of -, or a folder on "
            "a larger disk in TMPDIR"
        )
    return f"standard input needs a temporary folder: {reason}"


_PREDICTED = frozenset({"prediction", "std", "low", "high"})
"""Columns of tables of predictions."""


@dataclass(frozen=True)
class Asked:
    """What the command line says about the table, beside its files."""

    columns: GivenColumns
    types: GivenTypes
    target: str
    keep: tuple[str, ...] = ()

    def read(self, paths: Sequence[str], spec: Spec) -> tuple[Any, NDArray[Any]]:
        """A table, as estimators accept it, of all files, and its target. Raises SpecError, DataError, FileError."""
        import numpy as np

        tables, targets = zip(*self.in_files(paths, spec), strict=True)
        X = np.concatenate(tables) if isinstance(tables[0], np.ndarray) else joined(tables)
        y = np.concatenate(targets)
        if y.dtype.kind in "fiu" and len(y) > 1 and (y == y[0]).all():
            raise DataError(f"the target is constant: '{self.target}' is {y[0]} in all rows")
        return X, y

    def in_files(self, paths: Sequence[str], spec: Spec) -> TrainingBlocks:
        """The same, to be read as often as needed. Raises SpecError, DataError, FileError."""
        with ExitStack() as stack:
            readers = [stack.enter_context(self.columns.opened(path)) for path in paths]
            named = () if readers[0].names is None else self._named(readers, spec)
            if not named and readers[0].fields is not None:
                raise DataError(f"{paths[0]}: its columns have no names: say with --columns what they are called")
        return TrainingBlocks(tuple(TrainingFile(self, path, *named) for path in paths))

    def _named(self, readers: Sequence[TableReader], spec: Spec) -> tuple[Layout, tuple[str, ...], Reading]:
        """The layout of all files, the columns that a model uses, and how to read the target."""
        from kernelspec.cli.data import columns_of, recorded_from
        from kernelspec.elaboration.data_columns import kernel_and_layout, with_stand_ins

        for name in (self.target, *self.keep):
            for reader in readers:
                if name not in (reader.names or ()):
                    raise unknown_column(str(reader.path), name, reader.names)
        reads = spec.columns().names or ()
        if self.target in reads:
            raise SpecError(f"the spec reads the target, column '{self.target}': take it out of the kernel")
        for name in self.keep:
            if name in reads:
                raise DataError(f"--keep names column '{name}', which the spec uses")
            if name in _PREDICTED:
                raise DataError(f"--keep names column '{name}', as predictions are called: rename it")
        others = {self.target, *self.keep, *self.columns.dropped}
        given = self.columns.names
        kept = None if given is None else tuple(name for name in given if name not in others)
        dropped = (*self.columns.dropped, self.target, *self.keep) if given is None else ()
        columns = columns_of(spec, readers[0], None, kept, tuple(dict.fromkeys(dropped)))
        layout = self.types.pinned(kernel_and_layout(with_stand_ins(spec), columns)[1])
        layout = recorded_from(layout, *readers)
        return layout, tuple(columns.names or ()), target_reading(readers, self.target)


@dataclass(frozen=True)
class TrainingFile:
    """The rows of a file in blocks of columns and targets, read anew each time; of an array without a layout.

    Iterating raises FileError; DataError, also for a target that is missing or not finite.
    """

    asked: Asked
    path: str
    layout: Layout | None = None
    wanted: tuple[str, ...] = ()
    target_reading: Reading = "text"

    def __iter__(self) -> Iterator[tuple[Any, NDArray[Any]]]:
        with self.asked.columns.opened(self.path) as reader:
            yield from self._of_array(reader) if self.layout is None else self._of_table(reader, self.layout)

    def _of_table(self, reader: TableReader, layout: Layout) -> Iterator[tuple[Any, NDArray[Any]]]:
        from kernelspec.cli.data import checked_blocks, columns_read

        name, n_rows, wanted = self.asked.target, 0, list(self.wanted)
        unused = [own for own in wanted if own not in (columns_read(layout, reader) or ())]
        beside: dict[str, Reading] = {**dict.fromkeys(unused, "text"), name: self.target_reading}
        with suppress(NoRowsError):
            for block, _ in checked_blocks(layout, reader, beside=beside):
                table = table_of(block, reader)
                y = targets_in(table, name, self.path, n_rows)
                n_rows += len(table)
                yield table.select(wanted), y

    def _of_array(self, reader: TableReader) -> Iterator[tuple[Any, NDArray[Any]]]:
        """Of a file whose columns have no names: the target is a position."""
        import numpy as np

        n_rows = 0
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
            check_targets(block[:, place], self.asked.target, self.path, n_rows)
            n_rows += len(block)
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
            own: dict[str, Any] = {"prediction": _of_classes(model.classes_, np.argmax(found, axis=1))}
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


def _of_classes(classes: NDArray[Any], places: NDArray[np.intp]) -> Any:
    """The classes at some places; whole numbers beyond 64 bits as text, so that all blocks have one type."""
    names = classes.tolist()
    if any(type(name) is not int for name in names):  # True is an int, too
        return [names[i] for i in places]
    kinds = {pa.int64(): (-(2**63), 2**63 - 1), pa.uint64(): (0, 2**64 - 1)}
    for kind, (low, high) in kinds.items():
        if low <= min(names) and max(names) <= high:
            return pa.array([names[i] for i in places], type=kind)
    return [str(names[i]) for i in places]


def _by_target(name: str, values: Any) -> dict[str, Any]:
    return {name: values} if values.ndim == 1 else {f"{name}_{i}": own for i, own in enumerate(values.T)}


def predictions_of(
    said: Said, paths: Sequence[str], keep: tuple[str, ...] | None, csv: CsvFormat, *, typed: bool, quiet: bool
) -> Iterator[pa.Table]:
    """Tables of predictions, file by file and block by block; `typed`: see `kept_readings`.

    Raises DataError, FileError.
    """
    from kernelspec.cli.data import checked_blocks, conversions, kept_readings, opened, row_fault
    from kernelspec.models.saved import training_of

    training = training_of(said.model)
    with ExitStack() as stack:
        readers = [stack.enter_context(opened(path, training.layout, csv)) for path in paths if typed]
        kept_here = training.kept if keep is None else keep
        shared = [own for own in kept_here if keep or all(own in (reader.names or ()) for reader in readers)]
        readings: dict[str, Reading] = {
            **dict.fromkeys(kept_here, "text"),
            **kept_readings(readers, shared, typed=typed),
        }
    n_rows = 0
    for path in paths:
        with suppress(NoRowsError), ExitStack() as stack:
            reader = stack.enter_context(opened(path, training.layout, csv))
            advance = stack.enter_context(progress(reader, quiet=quiet))
            for words in () if quiet else conversions(training.layout, reader):
                click.echo(words, err=True)
            beside = tuple(own for own in training.kept if own in (reader.names or ())) if keep is None else keep
            done = 0
            for block, rows in checked_blocks(training.layout, reader, beside={own: readings[own] for own in beside}):
                try:
                    own = said.columns(replace(rows, first=0))
                except DataError as error:
                    raise row_fault(said.columns, rows, done, reader.path, error) from None
                clash = next((name for name in beside if name in own), None)
                if clash is not None:
                    raise DataError(f"{reader.path}: column {clash!r} to keep has the name of a column of predictions")
                done += len(rows)
                n_rows += len(rows)
                kept: Any = block
                yield pa.table({**{name: kept.column(name) for name in beside}, **own})
                advance(len(rows))
    if not n_rows:
        raise NoRowsError(f"{paths[0]}: has no rows")
