"""`kernelspec suggest`, `tune`, `fit` and `predict`: from a table to a spec, a model and predictions."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

import click

from kernelspec.cli.group import check_outputs
from kernelspec.cli.model_tables import Asked, Said, every_column, predictions_of, tables_on_disk, write_tables
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
from kernelspec.planning.options import OPTIONS, MapOptions

__all__ = ["fit", "predict", "suggest", "tune"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _target_options(command: _Command) -> _Command:
    """Add `--target` and `--keep` to a command that learns from a table, and the options for its columns."""

    @wraps(command)
    def _call(*arguments: Any, columns: GivenColumns, types: GivenTypes, target: str, keep: Any, **others: Any) -> Any:
        if columns.dim is not None:
            raise click.UsageError("--dim is for files of which the width is not known: a table with a target has one")
        return command(*arguments, asked=Asked(columns, types, target, keep or ()), **others)

    with_keep = click.option(
        "--keep", metavar="A,B,C", callback=names_of, help="Columns that only name rows, such as id: not read."
    )(_call)
    with_target = click.option("--target", required=True, metavar="NAME", help="The column to predict.")(with_keep)
    return data_column_options(type_options(with_target))  # type: ignore[return-value]


@click.command(short_help="A spec for a table and a target, with an explanation.")
@click.argument("files", nargs=-1, metavar="TABLE...", required=True)
@click.option("--target", required=True, metavar="NAME", help="The column to predict.")
@click.option("-o", "--output", metavar="OUT", help="File for the spec.  [default: standard output]")
@click.option("--drop", metavar="A,B,C", callback=names_of, help="Columns that the kernel must not read.")
@click.option(
    "--task",
    type=click.Choice(["auto", "regression", "classes"]),
    default="auto",
    help="What the target is; auto: numbers are for regression, all else are classes.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Random seed.")
def suggest(
    files: tuple[str, ...],
    target: str,
    output: str | None,
    drop: tuple[str, ...] | None,
    task: Literal["auto", "regression", "classes"],
    seed: int,
) -> None:
    """Write a readable spec for a table: its columns by type, and the shape of least leave-one-out error.

    Comments say what was compared, which columns are left out, and why: constants, ids, free text, dates, and numbers
    with gaps. The text is the model: edit it, then tune it and fit it. TABLE is a .csv, .tsv or .parquet file, or - for
    CSV on standard input; the rows of several files are joined.

    \b
    Example:
      kernelspec suggest train.csv --target churned -o churn.kernel
    """
    from kernelspec.models.suggestion import suggest as suggested

    check_outputs(files, [("-o", output)])
    with tables_on_disk(files) as paths, waiting("comparing kernels"):
        text = suggested(every_column(paths), target, task=task, drop=drop or (), seed=seed)
    _write_text(output, text)


def _write_text(output: str | None, text: str) -> None:
    """Write a spec to a file, or to standard output. Raises FileError."""
    if output is None:
        click.echo(text.encode(), nl=False)  # a spec is UTF-8 text, whatever the terminal is
        return
    from kernelspec.tables.atomic import write_bytes_atomically

    write_bytes_atomically(Path(output), text.encode())


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
    asked: Asked,
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
    with tables_on_disk(paths) as tables, waiting("tuning"):
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
    _write_text(output, str(found.spec).rstrip() + "\n")


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
    type=click.Choice(["auto", "exact", "state-space", "features"]),
    default="auto",
    help="For regression; auto: exact for up to 2,000 distinct rows, and for long series of one column.",
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
    asked: Asked,
    task: Literal["auto", "regression", "classes"],
    solver: Literal["auto", "exact", "state-space", "features"],
    settings: MapOptions,
    no_score: bool,
    quiet: bool,
) -> None:
    """Fit a Gaussian process, or a classifier, to a table, and write it to one file.

    A fifth of the rows, at most 5,000, are held out first: the score on them, its 95 % interval and the score of a
    linear model are printed and kept in MODEL. Then the model is fitted to all rows. TABLE is a .csv, .tsv, .parquet,
    .npy or .npz file, or - for CSV on standard input; the rows of several files are joined. In files without column
    names --target is a position.

    MODEL holds rows of the table: the landmarks, or all rows if the solver is exact or a state space.

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
    with tables_on_disk(paths) as tables, waiting("fitting"):
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
    said = Said(model, std, interval, probabilities)
    with tables_on_disk(files) as paths:
        write_tables(output, predictions_of(said, paths, keep, header, quiet=quiet))


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
