"""`kernelspec features`: a data file in, a file of features out."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from kernelspec.cli.columns import column_options
from kernelspec.cli.exits import stopping_cleanly
from kernelspec.cli.map_options import MapSettings, map_options
from kernelspec.cli.saved_map import is_saved_map, refuse_map_options
from kernelspec.cli.spec_input import Values, read_spec, spec_and_data, spec_options

if TYPE_CHECKING:
    from kernelspec.features.feature_map import FeatureMap
    from kernelspec.files import TableReader

__all__ = ["features"]


@click.command()
@click.argument("files", nargs=-1, metavar="SPEC|MAP DATA")
@click.option("-o", "--output", required=True, metavar="OUT", help="Features: .npy, .npz or .parquet.")
@spec_options
@column_options
@map_options
@click.option("--plan-on", metavar="FILE", help="Choose the plan for the rows of this data file.")
@click.option("--dtype", type=click.Choice(["float32", "float64"]), help="Type of the features.  [default: the data's]")
@click.option("--rows-per-block", type=click.IntRange(min=1), metavar="N", help="Rows held at a time.")
@click.option("--save-map", metavar="MAP", help="Write the map, too, to be applied to other files.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no summary.")
@click.pass_context
def features(
    ctx: click.Context,
    files: tuple[str, ...],
    output: str,
    expression: str | None,
    values: Values,
    dim: int | None,
    columns: tuple[str, ...] | None,
    n_features: int,
    seed: int,
    method: str,
    buckets: int,
    plan_on: str | None,
    dtype: str | None,
    rows_per_block: int | None,
    save_map: str | None,
    quiet: bool,
) -> None:
    """Compute the features of every row of a data file, in bounded memory.

    SPEC is a file, - or -e TEXT; in its place may stand a MAP that --save-map wrote. DATA is .csv, .tsv (with a
    header; also .gz), .parquet, .npy, .npz or LIBSVM. Sparse features (kernels with match()) need a .npz OUT.

    The kernel is applied to --columns; else to the columns that the spec names; else to all. For .npy, .npz and
    LIBSVM, --columns gives the columns their names; --dim is the width of LIBSVM data, else their largest index.

    DATA do not influence the map: the same spec, columns and options give comparable features for training and test
    data. --plan-on FILE spends the budget for the rows of FILE instead of standard normal rows; name the same FILE
    for all data to be compared, or use --save-map.

    Features are computed in the precision of the data (float64 for text and whole numbers) or, if that is higher,
    in that of --dtype. In messages, rows count from 1, without the header. OUT appears when it is complete.

    \b
    Example:
      kernelspec features churn.kernel train.csv -o train.npy --n-features 512 --save-map churn.npz
      kernelspec features churn.npz test.csv -o test.npy
    """
    from kernelspec.cli.progress import progress
    from kernelspec.cli.streaming import feature_blocks, rows_at_a_time
    from kernelspec.cli.targets import check_outputs, open_output
    from kernelspec.files import open_table

    source, data = spec_and_data(files, expression, takes_data=True)
    if data is None:
        raise click.UsageError("DATA is missing: the file of rows to compute features of")
    check_outputs([output, *([save_map] if save_map else [])], [data, *([source] if source else [])])
    saved = None
    if is_saved_map(source):
        from kernelspec.features.saving import load_map

        refuse_map_options(ctx, str(source))
        saved = load_map(str(source))
    spec = read_spec(source, expression, values) if saved is None else saved.plan.spec
    width = dim if saved is None else saved.plan.layout.dim
    settings = MapSettings(n_features, seed, method, buckets)
    began = perf_counter()
    with stopping_cleanly(), open_table(data, rows_per_block=rows_per_block or 16384, columns=width) as reader:
        fmap = saved or _made(spec, reader, settings, dim, columns, plan_on)
        blocks = feature_blocks(
            fmap, reader, rows=rows_per_block or rows_at_a_time(fmap), double=dtype == "float64", advance=lambda n: None
        )


def _made() -> FeatureMap: ...
