"""`kernelspec features`: a file of rows in, a file of features out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kernelspec.cli.column_types import GivenTypes, type_options
from kernelspec.cli.map_options import GivenColumns, MapSettings, data_column_options, error_options, map_options
from kernelspec.cli.spec_input import Values, read_spec_for_data, spec_and_data, spec_and_parts, spec_options

if TYPE_CHECKING:
    from kernelspec.cli.cluster import ClusterRun
    from kernelspec.cli.feature_run import FeatureRun

__all__ = ["features"]


@click.command(short_help="Features of every row of a data file.")
@click.argument("files", nargs=-1, metavar="SPEC|MAP DATA...")
@click.option(
    "-o", "--output", required=True, metavar="OUT", help="File of features (.npy, .npz, .parquet), or folder."
)
@spec_options
@data_column_options
@type_options
@map_options()
@error_options
@click.option("--plan-on", metavar="FILE", help="Choose the plan for the rows of this data file.")
@click.option("--dtype", type=click.Choice(["float32", "float64"]), help="Type of the features.  [default: the data's]")
@click.option("--rows-per-block", type=click.IntRange(min=1), metavar="N", help="Rows held at a time.")
@click.option("--save-map", metavar="MAP", help="Write the map, too, to be applied to other files.")
@click.option("--redraw", is_flag=True, help="Draw MAP again from its spec and seed; refuse it if it differs.")
@click.option("--engine", type=click.Choice(["dask"]), help="Several files DATA at a time, with workers of Dask.")
@click.option("--scheduler", metavar="ADDRESS", help="Workers that run already, instead of processes on this machine.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no summary.")
@click.pass_context
def features(
    ctx: click.Context,
    files: tuple[str, ...],
    output: str,
    expression: str | None,
    values: Values,
    columns: GivenColumns,
    types: GivenTypes,
    settings: MapSettings,
    plan_on: str | None,
    dtype: str | None,
    rows_per_block: int | None,
    save_map: str | None,
    redraw: bool,
    engine: str | None,
    scheduler: str | None,
    quiet: bool,
) -> None:
    """Compute the features of every row of a data file, in bounded memory.

    SPEC is a file, - or -e TEXT; in its place may stand a MAP that --save-map wrote. DATA is .csv or .tsv (with a
    header, or --no-header; also .gz), .parquet, .npy, .npz or LIBSVM. Sparse features (kernels with match()) need a
    .npz OUT.

    The kernel is applied to --columns; else to the columns that the spec names; else to all but --drop. For .npy,
    .npz, LIBSVM and with --no-header, --columns says what the columns are called; --dim is the width of LIBSVM data,
    else their largest index.

    Of DATA the categories that match() compares influence the map: each has a column of its own. Features of training
    and test data are comparable with --save-map, with --plan-on FILE, which takes the categories of FILE and spends the
    budget for its rows instead of standard normal ones (name the same FILE for all data), or with --keys hashed, for
    which DATA do not matter. Categories that the map does not know share a few columns, and are counted.

    --error and --pointwise ask for the fewest features whose plan is expected to reach an error on 20,000 random rows
    of DATA, or of --plan-on FILE, fewer if they have many columns: the relative error of their kernel matrix, or the
    error at each single pair of rows with the probability --confidence. The plan is then chosen for these rows.

    match() compares categories by value and type: 1 is not the text "1". --save-map and --plan-on FILE record the types
    of the columns (of all rows of a CSV file), and data of other types are refused. --text-columns says of columns that
    they are text, whatever they look like; without it and without recorded types, a CSV column that mixes numbers with
    text is refused.

    With --engine dask DATA are the parts of a table, files or patterns in quotes, and OUT is a folder: every part has a
    file of features of the same name there. Workers write them, and see the same files as this machine. The map is
    made here, once, for all parts: categories are those of all of them, the types of columns those of the first.

    A kernel that is nearly the identity or nearly constant on DATA is said to be so, on standard error, with a value to
    try. -p width=median takes the median distance of random rows, of FILE or of DATA, for a parameter that is a scale;
    of a table in parts these are rows of the first.

    Features are computed in the precision of the data (float64 for text and whole numbers) or, if that is higher,
    of --dtype. Messages count rows from 1, without the header. OUT appears when it is complete.

    \b
    Example:
      kernelspec features churn.kernel train.csv -o train.npy --n-features 512 --save-map churn.npz
      kernelspec features churn.npz test.csv -o test.npy
      kernelspec features churn.npz 'day-*.parquet' -o features/ --engine dask
    """
    from kernelspec.cli.feature_run import FeatureRun, SavedMap, SpecMap, is_saved_map, refuse_map_options

    if scheduler is not None and engine is None:
        raise click.UsageError("--scheduler is for --engine dask")
    source, parts = _source_and_parts(files, expression, engine)
    run: FeatureRun | ClusterRun
    if engine is None:
        run = FeatureRun(parts[0], output, dtype, rows_per_block, save_map, quiet)
        run.check_outputs((source, plan_on))
    else:
        from kernelspec.cli.cluster import ClusterRun

        run = ClusterRun(parts, output, dtype, rows_per_block, save_map, scheduler, quiet, (source, plan_on))
    maker: SavedMap | SpecMap
    if source is not None and is_saved_map(source):
        refuse_map_options(ctx, source)
        maker = SavedMap.load(source, types.text, columns.header, redraw=redraw)
    elif redraw:
        raise click.UsageError("--redraw is for a MAP that --save-map wrote: a SPEC is drawn anyway")
    else:
        spec, medians = read_spec_for_data(source, expression, values)
        maker = SpecMap(
            spec,
            settings,
            columns,
            plan_on,
            types,
            medians,
            records_types=save_map is not None or engine is not None,
            quiet=quiet,
            parts=() if engine is None else parts,
        )
    summary = run.run(maker)
    if not quiet:
        click.echo(summary, err=True)


def _source_and_parts(
    files: tuple[str, ...], expression: str | None, engine: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """The file of the spec or map, if there is one, and the files with rows: one without an engine."""
    if engine is None:
        source, data = spec_and_data(files, expression, takes_data=True)
        parts: tuple[str, ...] = () if data is None else (data,)
    else:
        from kernelspec.cli.data import partition_files

        source, patterns = spec_and_parts(files, expression)
        parts = partition_files(patterns)
    if not parts:
        raise click.UsageError("DATA is missing: the file with the rows")
    return source, parts
