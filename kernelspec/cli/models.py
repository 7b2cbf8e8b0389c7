"""`kernelspec tune`, `fit` and `predict`: from a spec and a table to a model, and from a model to predictions."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

import click

from kernelspec.cli.group import check_outputs, progress
from kernelspec.cli.options import (
    GivenColumns,
    GivenTypes,
    data_column_options,
    map_options,
    names_of,
    type_options,
    waiting,
)
from kernelspec.cli.spec_input import Values, read_spec_for_data, spec_and_parts, spec_options
from kernelspec.errors import DataError, FileError, SpecError
from kernelspec.loading import suggest as nearest
from kernelspec.planning.options import OPTIONS, MapOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from kernelspec.spec import Spec
    from kernelspec.tables.table_reader import TableReader

__all__ = ["fit", "predict", "tune"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_STDIN = "<stdin>"


@contextmanager
def _on_disk(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
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
class _Table:
    """A table in memory, as an estimator accepts it, and its target."""

    X: Any
    y: NDArray[Any]

    @property
    def has_classes(self) -> bool:
        """Whether the target is text or true and false."""
        return self.y.dtype.kind not in "fiu"


@dataclass(frozen=True)
class _Asked:
    """What the command line says about the table, beside its files."""

    columns: GivenColumns
    types: GivenTypes
    target: str
    keep: tuple[str, ...] = ()

    def read(self, paths: Sequence[str], spec: Spec) -> _Table:
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

    def _of_tables(self, readers: Sequence[TableReader], spec: Spec) -> _Table:
        import numpy as np
        import pyarrow as pa

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
        try:
            whole = pa.concat_tables(tables, promote_options="permissive")
        except pa.ArrowException as error:
            raise DataError(f"the files have columns of different types: {error}") from None
        target = whole.column(self.target)
        if target.null_count:
            missing = np.flatnonzero(target.is_null().to_numpy())
            shown = f"row {missing[0] + 1} ({len(missing):,} such rows)"
            raise DataError(f"the target '{self.target}' is missing in {shown}: leave these rows out")
        return _Table(whole.select(wanted), _values(target))

    def _of_arrays(self, readers: Sequence[TableReader]) -> _Table:
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
        return _Table(np.delete(whole, place, axis=1), whole[:, place])


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


def _target_options(command: _Command) -> _Command:
    """Add `--target` and `--keep` to a command that learns from a table, and the options for its columns."""

    @wraps(command)
    def _call(*arguments: Any, columns: GivenColumns, types: GivenTypes, target: str, keep: Any, **others: Any) -> Any:
        if columns.dim is not None:
            raise click.UsageError("--dim is for files of which the width is not known: a table with a target has one")
        return command(*arguments, asked=_Asked(columns, types, target, keep or ()), **others)

    with_keep = click.option(
        "--keep", metavar="A,B,C", callback=names_of, help="Columns that only name rows, such as id: not read."
    )(_call)
    with_target = click.option("--target", required=True, metavar="NAME", help="The column to predict.")(with_keep)
    return data_column_options(type_options(with_target))  # type: ignore[return-value]


@click.command(short_help="Values for the parameters of a spec, from a table.")
@click.argument("files", nargs=-1, metavar="SPEC TABLE...")
@click.option("-o", "--output", metavar="OUT", help="File for the tuned spec.  [default: standard output]")
@spec_options
@_target_options
@click.option(
    "--by",
    type=click.Choice(["auto", "likelihood", "loo", "median"]),
    default="auto",
    help="What is optimised: the marginal likelihood, or the leave-one-out error.",
)
@click.option("--fixed", metavar="A,B", callback=names_of, help="Parameters that keep their values.")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Random seed.")
def tune(
    files: tuple[str, ...],
    output: str | None,
    expression: str | None,
    values: Values,
    asked: _Asked,
    by: Literal["auto", "likelihood", "loo", "median"],
    fixed: tuple[str, ...] | None,
    seed: int,
) -> None:
    """Find values for the parameters of a spec that suit a table, on up to 800 of its rows.

    Prints every parameter before and after, what its change is worth, and the score of a linear model. OUT is the
    complete spec. TABLE is a .csv, .tsv, .parquet, .npy or .npz file, or - for CSV on standard input; the rows of
    several files are joined. A target of text, or of true and false, is a class.

    \b
    Example:
      kernelspec tune churn.kernel train.csv --target churned -o tuned.kernel
    """
    from kernelspec.models.tuning import tune as tuned_by

    source, paths = _source_and_tables(files, expression)
    spec, medians = read_spec_for_data(source, expression, values)
    check_outputs([source, *paths], [("-o", output)])
    with _on_disk(paths) as tables, waiting("tuning"):
        table = asked.read(tables, spec)
        types = asked.types
        if medians:
            spec = spec.with_params(
                dict.fromkeys(medians, "median"), data=table.X, text=types.text, missing=types.missing
            )
        found = tuned_by(
            spec, table.X, table.y, by=by, fixed=fixed or (), text=types.text, missing=types.missing, seed=seed
        )
    click.echo(str(found), err=output is None)
    text = str(found.spec).rstrip() + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        from kernelspec.tables.atomic import write_bytes_atomically

        write_bytes_atomically(Path(output), text.encode())


@click.command(short_help="A model of a target column, from a spec and a table.")
@click.argument("files", nargs=-1, metavar="SPEC TABLE...")
@click.option("-o", "--output", required=True, metavar="MODEL", help="File for the model (.npz).")
@spec_options
@_target_options
@click.option(
    "--task",
    type=click.Choice(["auto", "regression", "classes"]),
    default="auto",
    help="What the target is; auto: numbers are for regression, all else are classes.",
)
@click.option(
    "--solver",
    type=click.Choice(["auto", "exact", "features"]),
    default="auto",
    help="For regression; auto: exact for up to 2,000 distinct rows.",
)
@map_options(
    MapOptions(method="nystrom"), without=[name for name in OPTIONS if name not in ("n_features", "method", "seed")]
)
@click.option("--no-score", is_flag=True, help="Hold no rows out: twice as fast, and nothing is known of the error.")
@click.option("-q", "--quiet", is_flag=True, help="No summary.")
def fit(
    files: tuple[str, ...],
    output: str,
    expression: str | None,
    values: Values,
    asked: _Asked,
    task: Literal["auto", "regression", "classes"],
    solver: Literal["auto", "exact", "features"],
    settings: MapOptions,
    no_score: bool,
    quiet: bool,
) -> None:
    """Fit a Gaussian process, or a classifier, to a table, and write it to one file.

    A fifth of the rows, at most 5,000, are held out first: the score on them, its 95 % interval and the score of a
    linear model are printed and kept in MODEL. Then the model is fitted to all rows. TABLE is a .csv, .tsv, .parquet,
    .npy or .npz file, or - for CSV on standard input; the rows of several files are joined. In files without column
    names --target is a position.

    MODEL holds rows of the table: the landmarks, or all rows with --solver exact.

    \b
    Example:
      kernelspec fit tuned.kernel train.csv --target churned --keep id -o model.npz
      kernelspec predict model.npz new.csv -o predictions.csv
    """
    from kernelspec.models.classifier import KernelClassifier
    from kernelspec.models.regressor import KernelRegressor
    from kernelspec.models.saved import held_out_score, kept_rows_of, save_quietly

    source, paths = _source_and_tables(files, expression)
    spec, medians = read_spec_for_data(source, expression, values)
    check_outputs([source, *paths], [("-o", output)])
    if not isinstance(settings.n_features, int):
        raise click.UsageError("--n-features must be a number for a model")
    with _on_disk(paths) as tables, waiting("fitting"):
        table = asked.read(tables, spec)
        arguments: dict[str, Any] = {
            "params": dict.fromkeys(medians, "median") or None,
            "n_features": settings.n_features,
            "method": settings.method,
            "text": asked.types.text or None,
            "missing": asked.types.missing,
            "random_state": settings.seed,
        }
        model: KernelClassifier | KernelRegressor
        if task == "classes" or (task == "auto" and table.has_classes):
            if solver != "auto":
                raise click.UsageError("--solver is for regression")
            model = KernelClassifier(spec, **arguments)
        else:
            model = KernelRegressor(spec, solver=solver, **arguments)
        score = None if no_score else held_out_score(model, table.X, table.y)
        model.fit(table.X, table.y).with_score(asked.target, asked.keep, score)
        save_quietly(model, output)
    if not quiet:
        click.echo(str(model.describe()), err=True)
        if (kept := kept_rows_of(model)) is not None:
            click.echo(f"{output}: {kept}", err=True)


@click.command(short_help="Predictions of a model for every row of a table.")
@click.argument("path", metavar="MODEL")
@click.argument("files", nargs=-1, metavar="TABLE...", required=True)
@click.option("-o", "--output", required=True, metavar="OUT", help=".csv, .parquet or .arrow, or - for CSV on stdout.")
@click.option("--std", is_flag=True, help="Add the standard deviation of an observation.")
@click.option("--interval", type=float, metavar="P", help="Add the ends of intervals with this coverage, such as 0.9.")
@click.option("--probabilities", is_flag=True, help="Add the probability of every class.")
@click.option("--keep", metavar="A,B,C", callback=names_of, help="Columns of TABLE to copy.  [default: those of fit]")
@click.option("--header/--no-header", default=None, help="Whether CSV files begin with a line of names.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def predict(
    path: str,
    files: tuple[str, ...],
    output: str,
    std: bool,
    interval: float | None,
    probabilities: bool,
    keep: tuple[str, ...] | None,
    header: bool | None,
    quiet: bool,
) -> None:
    """Predict the target of every row of a table, in bounded memory.

    MODEL is what `kernelspec fit` wrote. OUT has a column `prediction`, the columns asked for, and before them those
    to --keep; it appears when it is complete. TABLE needs the columns that the model reads, in any order; the rows of
    several files follow each other.

    \b
    Example:
      kernelspec predict model.npz new.csv --interval 0.9 --keep id -o predictions.csv
    """
    from kernelspec.models.saved import load_model

    check_outputs([path, *files], [("-o", None if output == "-" else output)])
    model = load_model(path)
    has_classes = hasattr(model, "classes_")
    if has_classes and (std or interval is not None):
        raise click.UsageError("--std and --interval are for regression; --probabilities is for classes")
    if not has_classes and probabilities:
        raise click.UsageError("--probabilities is for classes; --std and --interval are for regression")
    if interval is not None and not 0 < interval < 1:
        raise click.UsageError(f"--interval must be between 0 and 1, not {interval:g}")
    said = _Said(model, std, interval, probabilities)
    with _on_disk(files) as paths:
        _write(output, _predictions(said, paths, keep, header, quiet=quiet))


@dataclass(frozen=True)
class _Said:
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


def _predictions(
    said: _Said, paths: Sequence[str], keep: tuple[str, ...] | None, header: bool | None, *, quiet: bool
) -> Iterator[pa.Table]:
    """Tables of predictions, file by file and block by block. Raises DataError, FileError."""
    import pyarrow as pa

    from kernelspec.cli.data import checked_blocks, conversions, opened, row_fault

    training = said.model.training_
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


def _write(output: str, tables: Iterator[pa.Table]) -> None:
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


def _source_and_tables(files: tuple[str, ...], expression: str | None) -> tuple[str | None, list[str]]:
    """The file of the spec, if there is one, and those of the table. Raises UsageError."""
    source, paths = spec_and_parts(files, expression)
    if not paths:
        _missing_table(source)
    if source == "-" and "-" in paths:
        raise click.UsageError("standard input (-) is either SPEC or TABLE")
    return source, paths


def _missing_table(source: str | None) -> NoReturn:
    hint = "" if source is None else f" after {source}"
    raise click.UsageError(f"TABLE is missing{hint}: the file with the rows")
