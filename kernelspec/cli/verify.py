"""`kernelspec verify`: do the features do what was promised?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.column_types import GivenTypes, type_options
from kernelspec.cli.columns import GivenColumns, data_column_options
from kernelspec.cli.data_values import say_if_dead, told_by_the_command
from kernelspec.cli.exits import NO
from kernelspec.cli.json_output import json_option, print_json
from kernelspec.cli.map_options import MapSettings, map_options
from kernelspec.cli.progress import counted
from kernelspec.cli.spec_input import Values, read_spec, spec_and_data, spec_options
from kernelspec.errors import DataError

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout

__all__ = ["verify"]


@click.command(short_help="Test that features are unbiased, with the predicted variance.")
@click.argument("files", nargs=-1, metavar="SPEC [DATA]")
@spec_options
@data_column_options
@type_options
@map_options(n_features=256)
@click.option("--n-maps", type=int, default=500, metavar="N", help="Independent maps to draw.")
@click.option("--rows", type=int, default=24, metavar="N", help="Rows, all pairs of which are estimated.")
@click.option("--budget", type=float, default=1e-6, metavar="P", help="Chance that any test fails by accident.")
@json_option
def verify(
    files: tuple[str, ...],
    expression: str | None,
    values: Values,
    columns: GivenColumns,
    types: GivenTypes,
    settings: MapSettings,
    n_maps: int,
    rows: int,
    budget: float,
    as_json: bool,
) -> None:
    """Draw many feature maps and test that they have no bias and the predicted variance, for every method.

    The maps are tried on random rows of DATA, which the certificate counts from 0 in the order of the file. Without
    DATA, on standard normal rows with --dim columns (or those that the spec names); kernels with match() need DATA.
    Exit status 0: passed. 1: failed, or too little was judged.

    \b
    Example:
      kernelspec verify -e "gaussian(scale=2)" --dim 8
    """
    from kernelspec.verification import verify as certify

    path, data = spec_and_data(files, expression, takes_data=True)
    spec = read_spec(path, expression, values)
    table, sample = _normal(spec, columns) if data is None else _sampled(spec, data, columns, types, rows)
    if sample is not None:
        say_if_dead(spec, table, sample)
    with told_by_the_command(), counted("verify", "maps") as show:
        certificate = certify(
            spec,
            sample,
            dim=table.count,
            columns=table.names,
            n_features=settings.n_features,
            n_maps=n_maps,
            seed=settings.seed,
            method=settings.method,
            draws=settings.draws,
            keys=settings.keys,
            buckets=settings.buckets,
            bits=settings.bits,
            storage=settings.storage,
            budget=budget,
            max_rows=rows,
            advance=show,
        )
    if as_json:
        print_json(certificate.to_dict())
    else:
        click.echo(str(certificate))
    if not certificate.passed:
        raise click.exceptions.Exit(NO)


def _normal(spec: Spec, columns: GivenColumns) -> tuple[Columns, None]:
    """The columns of normal rows, which the verification draws itself."""
    if columns.dropped:
        raise click.UsageError("--drop is for columns of DATA, and there is none")
    table = spec.columns(columns.dim, columns.names)
    if table.count is None:
        raise click.UsageError("how many columns? Give DATA or --dim")
    layout = _layout(spec, table)
    if set(layout.categorical) - set(layout.numeric):
        raise DataError("match() compares categories, which normal rows do not have: give DATA")
    return table, None


def _sampled(spec: Spec, data: str, columns: GivenColumns, types: GivenTypes, rows: int) -> tuple[Columns, Any]:
    """The columns of a file that the spec is applied to, and random rows of it."""
    from kernelspec.cli.sampling import sample_rows

    table = columns.in_file(spec, data)
    sample, _ = sample_rows(data, types.pinned(_layout(spec, table)), max(rows, 1), columns.header)
    return table, sample


def _layout(spec: Spec, table: Columns) -> Layout:
    from kernelspec.elaboration.layout import layout_of

    return layout_of(spec.kernel(table), table)
