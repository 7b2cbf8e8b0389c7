"""`kernelspec features` and `gram`: a file of rows in, a file of features or of kernel values out."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from kernelspec.cli.group import check_outputs
from kernelspec.cli.options import (
    GivenColumns,
    GivenTypes,
    check_format,
    data_column_options,
    documented,
    format_option,
    map_options,
    names_option,
    refuse_options,
    type_options,
)
from kernelspec.cli.spec_input import (
    Values,
    fitted_to_file,
    read_spec_for_data,
    spec_and_data,
    spec_and_parts,
    spec_options,
)
from kernelspec.planning.options import MapOptions
from kernelspec.tables.formats import QUERY
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.cli.cluster import ClusterRun
    from kernelspec.cli.feature_run import FeatureRun, MapMaker

__all__ = ["features", "gram"]


_keep_option = names_option("--keep", "Columns to copy before the numbers, such as id.")


@documented(
    "Compute features for every row of a data file.",
    "kernelspec features churn.kernel old.csv -o old.npy --save-map churn.npz",
    "kernelspec features churn.npz new.csv -o new.npy",
)
@click.argument("files", nargs=-1, metavar="SPEC|MAP DATA...")
@click.option("-o", "--output", required=True, metavar="OUT", help="Output file, - for standard output, or folder.")
@spec_options
@data_column_options
@type_options
@map_options()
@click.option("--plan-on", metavar="FILE", help="Choose the plan for the rows of FILE.")
@click.option("--dtype", type=click.Choice(["float32", "float64"]), help="Precision of OUT.  [default: that of DATA]")
@click.option("--rows-per-block", type=click.IntRange(min=1), metavar="N", help="Rows to process at a time.")
@_keep_option
@format_option
@click.option("--save-map", metavar="MAP", help="Also save the map, to apply it to other files.")
@click.option("--redraw", is_flag=True, help="Draw MAP again from its spec and seed; fail if it differs.")
@click.option("--engine", type=click.Choice(["duckdb", "dask"]), help="DATA is a query, or several files.")
@click.option("--scheduler", metavar="ADDRESS", help="Use a running Dask scheduler, not local processes.")
@click.option("-q", "--quiet", is_flag=True, help="Print no progress and no summary.")
@click.pass_context
def features(
    ctx: click.Context,
    files: tuple[str, ...],
    output: str,
    expression: str | None,
    values: Values,
    columns: GivenColumns,
    types: GivenTypes,
    settings: MapOptions,
    plan_on: str | None,
    dtype: str | None,
    rows_per_block: int | None,
    keep: tuple[str, ...] | None,
    suffix: str | None,
    save_map: str | None,
    redraw: bool,
    engine: str | None,
    scheduler: str | None,
    quiet: bool,
) -> None:
    """Compute features for every row of a data file, in bounded memory.

    SPEC is a spec file, - or -e TEXT; or a map written by --save-map. DATA is CSV, TSV, JSON lines, Arrow, Parquet,
    NPY, NPZ or LIBSVM, or - for standard input. OUT is .npy, .npz, .parquet, .csv, .jsonl or .arrow, or - for standard
    output. Sparse features (kernels with match()) need a .npz OUT.

    The kernel applies to --columns, or else to the columns that the spec names, or else to all except --drop. Only the
    categories in DATA affect the map. To compare features across files, save the map once and pass it instead of SPEC,
    or use the same --plan-on FILE for all of them.

    With --engine dask, DATA is several files or quoted patterns, and OUT is a folder with one file for each of them.
    With --engine duckdb, DATA is a query, such as FROM 'big/*.parquet'.
    """
    from kernelspec.cli.feature_run import DETERMINED, FeatureRun, SavedMap, SpecMap
    from kernelspec.cli.model_tables import tables_on_disk
    from kernelspec.maps.feature_map import load_map
    from kernelspec.maps.map_file import is_archive

    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler requires --engine dask")
    if engine == "dask" and (keep or suffix):
        raise click.UsageError(
            "--keep and --format work on one file, not with --engine dask: columns to keep may have another type in "
            "every file; features are in the order of the rows, so put them beside the features afterwards"
        )
    check_format(suffix, output)
    source, parts = _source_and_parts(files, expression, engine)
    with tables_on_disk((*parts, plan_on)) as (*tables, planned_on):
        parts = tuple(tables)
        run: FeatureRun | ClusterRun
        if engine != "dask":
            run = FeatureRun(parts[0], output, dtype, rows_per_block, save_map, quiet, keep=keep or (), suffix=suffix)
            run.check_outputs((source, planned_on))
        else:
            from kernelspec.cli.cluster import ClusterRun

            run = ClusterRun(parts, output, dtype, rows_per_block, save_map, scheduler, quiet, (source, planned_on))
        maker: MapMaker
        if source is not None and is_archive(source):
            refuse_options(ctx, DETERMINED, f"on {source}, a saved map")
            maker = SavedMap(load_map(source, redraw=redraw), types.text, columns.csv)
        elif redraw:
            raise click.UsageError("--redraw requires a MAP written by --save-map; a SPEC is always drawn anew")
        else:
            spec = read_spec_for_data(source, expression, values)
            maker = SpecMap(
                spec,
                settings,
                columns,
                planned_on,
                types,
                records_types=save_map is not None or engine == "dask",
                quiet=quiet,
                parts=parts if engine == "dask" else (),
            )
        summary = run.run(maker)
    if not quiet:
        click.echo(summary, err=True)


def _source_and_parts(
    files: tuple[str, ...], expression: str | None, engine: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """Return the file of the spec or map, if any, and the data files: only one without an engine."""
    if engine != "dask":
        source, data = spec_and_data(files, expression, takes_data=True)
        parts: tuple[str, ...] = () if data is None else (f"{QUERY}{data}" if engine else data,)
    else:
        from kernelspec.cli.cluster import partition_files

        source, patterns = spec_and_parts(files, expression)
        parts = partition_files(patterns)
    if not parts:
        raise click.UsageError("DATA is missing: add the file with the rows")
    return source, parts


@documented(
    "Compute the exact kernel matrix of one or two tables.",
    "kernelspec gram churn.kernel train.csv test.csv -o k.npy",
    'kernelspec gram -e "gaussian(scale=2)[age]" train.csv -o - | head -3',
)
@click.argument("files", nargs=-1, metavar="SPEC A [B]")
@click.option(
    "-o", "--output", required=True, metavar="OUT", help=".npy, .npz, .csv, .tsv, .jsonl, .arrow, .parquet, or -."
)
@spec_options
@data_column_options
@type_options
@_keep_option
@format_option
def gram(
    files: tuple[str, ...],
    output: str,
    expression: str | None,
    values: Values,
    columns: GivenColumns,
    types: GivenTypes,
    keep: tuple[str, ...] | None,
    suffix: str | None,
) -> None:
    """Write k(x, y) for every row x of A and every row y of B, or of A without B.

    SPEC is a spec file or -e TEXT. A and B are tables as in `features`, or - for standard input. Both are held in
    memory; the matrix is written in blocks of rows. Its columns are named row1, row2, … after the rows of B, and
    follow the columns of A to --keep.

    Without B, a term v*noise() adds v on the diagonal. Medians and other learned numbers come from A.
    """
    from kernelspec.analysis.gram import blocks_of_rows
    from kernelspec.cli.data import FileRows, kept_readings, opened, recorded_from
    from kernelspec.cli.model_tables import tables_on_disk
    from kernelspec.elaboration.data_columns import on_table
    from kernelspec.tables.columnar import is_typed
    from kernelspec.tables.files import joined
    from kernelspec.tables.formats import check_feature_output, write_features

    source, paths = spec_and_parts(files, expression)
    if len(paths) not in (1, 2):
        raise click.UsageError("name one table A, or two, A and B")
    spec = read_spec_for_data(source, expression, values)
    check_format(suffix, output)
    check_outputs([source, *paths], [("-o", None if output == "-" else output)])
    check_feature_output(output, has_kept=bool(keep))
    with tables_on_disk(paths) as tables:
        table = columns.in_file(spec, tables[0])
        spec = fitted_to_file(spec, table, tables[0], columns.csv)
        found, layout = on_table(spec, table)
        with opened(tables[0], types.pinned(layout), columns.csv) as reader:
            layout = recorded_from(types.pinned(layout), reader)
        x, *others = (reduce(Rows.followed_by, FileRows((path,), layout, columns.csv)) for path in tables)
        beside: Any = None
        if keep:
            with columns.opened(tables[0]) as reader:
                readings = kept_readings([reader], keep, typed=is_typed(output, suffix))
                beside = joined(list(reader.blocks(keep, readings)))
        blocks = (
            (block, None if beside is None else beside.slice(part.start, len(block)))
            for part, block in blocks_of_rows(found, x, *others)
        )
        names = [f"row{i + 1}" for i in range(len(others[0] if others else x))]
        write_features(
            output,
            blocks,
            names=names,
            dtype=np.dtype(np.float64),
            sparse=False,
            has_kept=bool(keep),
            suffix=suffix,
        )
