"""`kernelspec suggest`, `tune`, `fit` and `predict`: from a table to a spec, a model and predictions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from kernelspec.cli.group import check_outputs
from kernelspec.cli.model_tables import Asked, Said, predictions_of, tables_on_disk
from kernelspec.cli.options import (
    CsvFormat,
    GivenTypes,
    bundled,
    check_format,
    complete_columns,
    csv_options,
    documented,
    format_option,
    map_options,
    names_of,
    names_option,
    table_column_options,
    types_options,
    waiting,
)
from kernelspec.cli.spec_input import Values, read_spec_for_data, spec_and_parts, spec_options
from kernelspec.planning.options import OPTIONS, MapOptions
from kernelspec.tables.formats import QUERY

if TYPE_CHECKING:
    from kernelspec.models.classifier import KernelClassifier
    from kernelspec.models.regressor import KernelRegressor
    from kernelspec.models.state import By
    from kernelspec.spec import Spec

__all__ = ["fit", "predict", "suggest", "tune"]

_target_option = click.option(
    "--target", required=True, metavar="NAME", shell_complete=complete_columns, help="The column to predict."
)
_target_options = bundled(
    "asked",
    lambda columns, types, target, keep: Asked(columns, types, target, keep or ()),
    table_column_options,
    types_options("category"),
    _target_option,
    names_option("--keep", "Columns that identify rows, such as id; not used as inputs."),
)
"""Add `--target`, `--keep` and the options for columns to a command that learns from a table."""


_engine_option = click.option(
    "--engine", type=click.Choice(["duckdb"]), help="Read TABLE as a DuckDB query, such as FROM 'big/*.parquet'."
)
_task_option = click.option(
    "--task",
    type=click.Choice(["auto", "regression", "classes"]),
    default="auto",
    help="Kind of target; auto: regression for numbers, otherwise classes.",
)
_seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Random seed.")


@documented(
    "Suggest a spec for a table and a target.",
    "kernelspec suggest train.csv --target churned -o churn.kernel",
    "kernelspec suggest prices.parquet --target price --drop id,notes",
)
@click.argument("files", nargs=-1, metavar="TABLE...", required=True)
@_target_option
@click.option("-o", "--output", metavar="OUT", help="File for the spec.  [default: standard output]")
@names_option("--drop", "Columns to ignore.")
@csv_options
@_task_option
@_seed_option
@_engine_option
def suggest(
    files: tuple[str, ...],
    target: str,
    output: str | None,
    drop: tuple[str, ...] | None,
    csv: CsvFormat,
    task: Literal["auto", "regression", "classes"],
    seed: int,
    engine: str | None,
) -> None:
    """Write a readable spec for a table, with the kernel shape of the lowest leave-one-out error.

    TABLE is CSV, TSV, JSON lines, Arrow or Parquet, a quoted pattern, or - for standard input; rows of several files
    are concatenated. Comments in the spec explain what was compared and which columns were left out (constants, ids,
    free text). The text is the model: edit it, then tune and fit it.
    """
    from kernelspec.models.suggestion import suggest as suggested
    from kernelspec.tables.files import TableFiles

    tables = _matching(files, engine)
    check_outputs(tables, [("-o", None if output == "-" else output)])
    with tables_on_disk(tables) as paths, waiting("comparing kernels"):
        table = TableFiles.of(paths, header=csv.header, dates=csv.dates, given=csv.names).whole()
        text = suggested(table, target, task=task, drop=drop or (), seed=seed)
    _write_text(output, text)


def _write_text(output: str | None, text: str) -> None:
    """Write a spec to a file, or to standard output. Raises FileError."""
    text = text.rstrip() + "\n"
    if output is None or output == "-":
        click.echo(text.encode(), nl=False)  # a spec is UTF-8 text, whatever the terminal is
        return
    from kernelspec.tables.atomic import write_bytes_atomically

    write_bytes_atomically(Path(output), text.encode())


@documented(
    "Tune the parameters of a spec on a table.",
    "kernelspec tune churn.kernel train.csv --target churned -o tuned.kernel",
    "kernelspec tune churn.kernel train.csv --target churned --by median",
)
@click.argument("files", nargs=-1, metavar="SPEC TABLE...")
@click.option("-o", "--output", metavar="OUT", help="File for the tuned spec.  [default: standard output]")
@spec_options
@_target_options
@click.option(
    "--by",
    type=click.Choice(["auto", "likelihood", "loo", "cv", "median"]),
    default="auto",
    help="How to tune: by marginal likelihood, leave-one-out error, error of fifths of the rows, or median distance.",
)
@click.option("--fixed", metavar="A,B", callback=names_of, help="Parameters to keep at their values.")
@_task_option
@_seed_option
@_engine_option
def tune(
    files: tuple[str, ...],
    output: str | None,
    expression: str | None,
    values: Values,
    asked: Asked,
    by: By | Literal["auto"],
    fixed: tuple[str, ...] | None,
    task: Literal["auto", "regression", "classes"],
    seed: int,
    engine: str | None,
) -> None:
    """Tune the parameters of a spec on up to 800 rows of a table.

    TABLE is CSV, TSV, JSON lines, Arrow, Parquet, NPY or NPZ, a quoted pattern, or - for standard input; rows of
    several files are concatenated.

    Prints each parameter before and after, how much its change improves the score, and the score of a linear model. OUT
    is the complete tuned spec, below the comments that SPEC begins with.
    """
    from kernelspec.models.tuning import tune as tuned_by

    source, paths = _source_and_tables(files, expression, engine)
    spec = read_spec_for_data(source, expression, values)
    check_outputs([source, *paths], [("-o", None if output == "-" else output)])
    with tables_on_disk(paths) as tables, waiting("tuning"):
        X, y = asked.read(tables, spec)
        options: Any = {"text": asked.types.text, "missing": asked.types.missing, "seed": seed, "task": task}
        found = tuned_by(spec, X, y, by=by, fixed=fixed or (), **options)
    click.echo(str(found), err=output in (None, "-"))
    comments = takewhile(lambda line: line.startswith("#"), spec.program.span.source.text.splitlines())
    _write_text(output, "\n".join([*comments, str(found.spec)]))


_STREAMED_HELD_OUT = 5_000


@documented(
    "Fit a model to a table.",
    "kernelspec fit tuned.kernel train.csv --target churned -o model.npz",
    "kernelspec fit big.kernel 'day-*.csv' --target price --stream -o big.npz",
)
@click.argument("files", nargs=-1, metavar="SPEC TABLE...")
@click.option("-o", "--output", required=True, metavar="MODEL", help="File for the model (.npz).")
@spec_options
@_target_options
@_task_option
@click.option(
    "--solver",
    type=click.Choice(["auto", "exact", "state-space", "features"]),
    default="auto",
    help="Regression only; auto: exact for up to 2,000 distinct rows, else state-space for series, or features.",
)
@map_options(
    MapOptions(method="nystrom", n_features="auto"),
    without=[name for name in OPTIONS if name not in ("n_features", "method", "seed")],
)
@click.option("--no-score", is_flag=True, help="Hold out no rows: faster, but without an error estimate.")
@click.option("--stream", is_flag=True, help="Read TABLE in blocks, for tables larger than memory.")
@click.option("--checkpoint", metavar="FILE", help="Save the sums of --stream every minute; continue from FILE.")
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "dask"]),
    help="duckdb: TABLE is a query, such as FROM 'big/*.parquet'; dask: several files are read at a time.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Use a running Dask scheduler, not local processes.")
@click.option("-q", "--quiet", is_flag=True, help="Print no summary.")
def fit(
    files: tuple[str, ...],
    output: str,
    expression: str | None,
    values: Values,
    asked: Asked,
    task: Literal["auto", "regression", "classes"],
    solver: Literal["auto", "exact", "state-space", "features"],
    settings: MapOptions,
    no_score: bool,
    stream: bool,
    checkpoint: str | None,
    engine: str | None,
    scheduler: str | None,
    quiet: bool,
) -> None:
    """Fit a Gaussian process or a classifier to a table, and write it to one file.

    TABLE is CSV, TSV, JSON lines, Arrow, Parquet, NPY or NPZ, a quoted pattern, or - for standard input; rows of
    several files are concatenated. If they have no column names, give those with --columns; of arrays, --target is a
    position.

    A fifth of the rows, at most 5,000, is held out first: the score on them, its 95 % interval and the score of a
    linear model are printed and kept in MODEL. The model is then fitted to all rows.

    With --stream, the table is read twice in blocks: landmarks, scales and learned numbers come from at most 10,400
    random rows, besides 2,600 held out, coefficients from all rows, and classes are fitted by least squares. --engine
    dask does the same with several files at a time.

    MODEL contains rows of the table: the landmarks, or all rows if the solver is exact or a state space.
    """
    from kernelspec.models.saved import held_out_score, kept_rows_of, save_quietly
    from kernelspec.models.state import has_classes

    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler requires --engine dask")
    if checkpoint is not None and (engine == "dask" or not stream):
        raise click.UsageError(
            "--checkpoint requires --stream, without --engine dask: Dask itself repeats the files of a lost worker"
        )
    source, paths = _source_and_tables(files, expression, engine)
    spec = read_spec_for_data(source, expression, values)
    check_outputs([source, *paths], [("-o", output), ("--checkpoint", checkpoint)])
    with tables_on_disk(paths) as tables, waiting("fitting"):
        if stream or engine == "dask":
            blocks = asked.in_files(tables, spec)
            is_classes = has_classes(next(iter(blocks))[1], task)
            model = _estimator(spec, solver, settings, asked.types, is_classes=is_classes, in_blocks=True)
            with ExitStack() as stack:
                table: Any = blocks
                if engine == "dask":
                    from kernelspec.cli.cluster import partitions_on, workers

                    table = partitions_on(stack.enter_context(workers(scheduler)), blocks.files)
                model.fit_blocks(table, n_held_out=0 if no_score else _STREAMED_HELD_OUT, checkpoint=checkpoint)
            score = model.held_out_
        else:
            X, y = asked.read(tables, spec)
            is_classes = has_classes(y, task)
            model = _estimator(spec, solver, settings, asked.types, is_classes=is_classes, in_blocks=False)
            score = None if no_score else held_out_score(model, X, y)
            model.fit(X, y)
        model.with_score(asked.target, asked.keep, score)
        save_quietly(model, output)
        if checkpoint is not None:
            Path(checkpoint).unlink(missing_ok=True)
    if not quiet:
        click.echo(str(model.describe()), err=True)
        if score is None and not no_score:
            click.echo("no score: it needs at least 10 held-out rows, a fifth of the table", err=True)
        if (kept := kept_rows_of(model)) is not None:
            click.echo(f"{output}: {kept}", err=True)


def _estimator(
    spec: Spec,
    solver: Literal["auto", "exact", "state-space", "features"],
    settings: MapOptions,
    types: GivenTypes,
    *,
    is_classes: bool,
    in_blocks: bool,
) -> KernelClassifier | KernelRegressor:
    """The estimator that the options ask for. Raises UsageError."""
    from kernelspec.models.classifier import KernelClassifier
    from kernelspec.models.regressor import KernelRegressor

    arguments: dict[str, Any] = {
        "n_features": settings.n_features,
        "method": settings.method,
        "text": types.text or None,
        "missing": types.missing,
        "random_state": settings.seed,
    }
    if is_classes:
        if solver != "auto":
            raise click.UsageError("--solver requires a regression target")
        return KernelClassifier(spec, kind="least_squares" if in_blocks else "auto", **arguments)
    if in_blocks and solver not in ("auto", "features"):
        raise click.UsageError(f"--stream requires --solver features, not {solver}")
    return KernelRegressor(spec, solver="features" if in_blocks else solver, **arguments)


@documented(
    "Predict the target for every row of a table.",
    "kernelspec predict model.npz new.csv -o predictions.csv",
    "kernelspec predict model.npz new.csv --interval 0.9 --keep id -o out.csv",
)
@click.argument("path", metavar="MODEL")
@click.argument("files", nargs=-1, metavar="TABLE...", required=True)
@click.option(
    "-o", "--output", required=True, metavar="OUT", help="Output file, or - for standard output (see --format)."
)
@click.option("--std", is_flag=True, help="Add std, the standard deviation of an observation.")
@click.option("--interval", type=float, metavar="P", help="Add low and high, for this coverage, such as 0.9.")
@click.option("--probabilities", is_flag=True, help="Add probability_NAME for every class.")
@names_option("--keep", "Columns of TABLE to copy.  [default: those of fit --keep that it has]")
@csv_options
@format_option
@click.option("-q", "--quiet", is_flag=True, help="Print no progress and no notes.")
@_engine_option
def predict(
    path: str,
    files: tuple[str, ...],
    output: str,
    std: bool,
    interval: float | None,
    probabilities: bool,
    keep: tuple[str, ...] | None,
    csv: CsvFormat,
    suffix: str | None,
    quiet: bool,
    engine: str | None,
) -> None:
    """Predict the target for every row of a table, in bounded memory.

    MODEL is a file written by `kernelspec fit`. TABLE is as there, with the columns that the model reads, in any order.
    OUT is .csv, .tsv, .jsonl, .arrow or .parquet, and appears only when complete, or - for standard output. It has the
    --keep columns, a column `prediction`, and the columns you ask for.
    """
    from kernelspec.models.saved import load_model

    check_format(suffix, output)
    tables = _matching(files, engine)
    check_outputs([path, *tables], [("-o", None if output == "-" else output)])
    model = load_model(path)
    has_classes = hasattr(model, "classes_")
    if has_classes and (std or interval is not None):
        raise click.UsageError("--std and --interval require a regression model; use --probabilities for classes")
    if not has_classes and probabilities:
        raise click.UsageError("--probabilities requires a classifier; use --std or --interval for regression")
    if interval is not None and not 0 < interval < 1:
        raise click.UsageError(f"--interval must be between 0 and 1, not {interval:g}")
    from kernelspec.tables.columnar import is_typed, write_tables

    said, typed = Said(model, std, interval, probabilities), is_typed(output, suffix)
    with tables_on_disk(tables) as paths:
        write_tables(output, predictions_of(said, paths, keep, csv, typed=typed, quiet=quiet), suffix)


def _source_and_tables(
    files: tuple[str, ...], expression: str | None, engine: str | None
) -> tuple[str | None, list[str]]:
    """The file of the spec, if there is one, and those of the table. Raises UsageError."""
    source, paths = spec_and_parts(files, expression)
    if not paths:
        hint = "" if source is None else f" after {source}"
        raise click.UsageError(f"TABLE is missing{hint}: add the file with the rows")
    return source, _matching(paths, engine)


def _matching(patterns: Sequence[str], engine: str | None) -> list[str]:
    """The files that match names and patterns, in order, with - as it is; or queries. Raises FileError."""
    from kernelspec.tables.files import matching_files

    if engine == "duckdb":
        return [f"{QUERY}{query}" for query in patterns]
    return [path for own in patterns for path in ([own] if own == "-" else matching_files(own))]
