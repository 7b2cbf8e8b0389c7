"""`kernelspec verify` and `kernelspec audit`: do features keep their promise?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.group import NO, counted, print_json
from kernelspec.cli.options import GivenColumns, GivenTypes, data_column_options, json_option, map_options, type_options
from kernelspec.cli.spec_input import Values, read_spec, say_if_dead, spec_and_data, spec_options, told_by_the_command
from kernelspec.errors import DataError
from kernelspec.planning.options import VERIFIED, MapOptions

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout

__all__ = ["audit", "verify"]


@click.command(short_help="Test that features are unbiased, with the predicted variance.")
@click.argument("files", nargs=-1, metavar="SPEC [DATA]")
@spec_options
@data_column_options
@type_options
@map_options(VERIFIED, without=("error", "pointwise", "confidence", "landmarks"))
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
    settings: MapOptions,
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
            seed=settings.seed or 0,
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
    from kernelspec.cli.data import sample_rows

    table = columns.in_file(spec, data)
    sample, _ = sample_rows(data, types.pinned(_layout(spec, table)), max(rows, 1), columns.header)
    return table, sample


def _layout(spec: Spec, table: Columns) -> Layout:
    from kernelspec.elaboration.data_columns import kernel_and_layout

    return kernel_and_layout(spec, table)[1]


@click.command(short_help="Samplers of other libraries against the kernels they claim.")
@click.option("--maps", default=400, type=click.IntRange(min=30), help="Independent maps of each sampler.")
@click.option("--seed", default=0, type=click.IntRange(min=0), help="Seed of the first map.")
@click.option(
    "--library", "only", metavar="NAME", multiple=True, help="These libraries only.  [default: all installed]"
)
@json_option
def audit(maps: int, seed: int, only: tuple[str, ...], as_json: bool) -> None:
    """Measure the bias of other libraries' samplers, with an interval, and their variance against what is predicted.

    Of scikit-learn, and of datasketch, GSTools, GPyTorch and BoTorch where they are installed. Twelve rows of four
    columns, all pairs; sizes are shares of √(k(x,x) k(y,y)). The pair shown is the one where a bias is most certain;
    the intervals hold for all pairs together, with probability 0.9999 for each sampler.

    \b
    Examples:
      kernelspec audit --maps 1000
      kernelspec audit --library GSTools
    """
    from dataclasses import asdict

    from kernelspec.exchange.audit import LIBRARIES, is_installed
    from kernelspec.exchange.audit import audit as measure

    names = {name.lower(): name for name in LIBRARIES}
    for name in only:
        if name.lower() not in names:
            raise click.UsageError(f"there are no samplers of '{name}': try one of {', '.join(LIBRARIES)}")
        if not is_installed(names[name.lower()]):
            raise click.UsageError(f"{names[name.lower()]} is not installed: pip install {name.lower()}")
    reports = []
    for library in [names[name.lower()] for name in only] or LIBRARIES:
        if not is_installed(library):
            click.echo(f"{library} is not installed, and was left out", err=True)
            continue
        for found in measure(library, maps, seed):
            if as_json:
                reports.append({"library": library} | asdict(found) | {"is_biased": found.is_biased})
            else:
                click.echo(f"{library}, {found}")
    if as_json:
        print_json(reports)
