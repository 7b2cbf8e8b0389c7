"""`kernelspec verify` and `kernelspec audit`: bias and variance of features, ours and other libraries'."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.group import NO, counted, print_json, print_report
from kernelspec.cli.options import (
    GivenColumns,
    GivenTypes,
    data_column_options,
    documented,
    json_option,
    map_options,
    type_options,
)
from kernelspec.cli.spec_input import (
    Values,
    fitted_to_file,
    read_spec,
    say_if_dead,
    spec_and_data,
    spec_options,
    told_by_the_command,
)
from kernelspec.errors import DataError
from kernelspec.planning.options import OPTIONS, VERIFIED, MapOptions

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout

__all__ = ["audit", "verify"]

_UNTESTED = ("error", "pointwise", "confidence", "landmarks")


@documented(
    "Test that features are unbiased, with the predicted variance.",
    'kernelspec verify -e "gaussian(scale=2)" --dim 8',
    "kernelspec verify churn.kernel train.csv --n-maps 1000",
)
@click.argument("files", nargs=-1, metavar="SPEC [DATA]")
@spec_options
@data_column_options
@type_options
@map_options(VERIFIED, without=_UNTESTED)
@click.option("--n-maps", type=int, default=500, metavar="N", help="Number of independent maps.")
@click.option("--rows", type=int, default=24, metavar="N", help="Rows to sample; all their pairs are estimated.")
@click.option("--budget", type=float, default=1e-6, metavar="P", help="Probability that any test fails by chance.")
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
    """Draw many feature maps, and test that they are unbiased and have the predicted variance, for every method.

    The test uses random rows of DATA, counted from 0 in file order. Without DATA it uses standard normal rows with
    --dim columns, or the columns that the spec names; kernels with match() need DATA.

    Exit status: 0 if passed, 1 if failed or if too little could be tested.
    """
    from kernelspec.cli.data import sample_rows
    from kernelspec.cli.model_tables import tables_on_disk
    from kernelspec.verification import verify as certify

    path, data = spec_and_data(files, expression, takes_data=True)
    spec = read_spec(path, expression, values)
    if data is None:
        table, sample = _normal(spec, columns), None
    else:
        with tables_on_disk([data]) as (own,):
            table = columns.in_file(spec, own)
            spec = fitted_to_file(spec, table, own, columns.csv)
            sample, _ = sample_rows(own, types.pinned(_layout(spec, table)), max(rows, 1), columns.csv)
    if sample is not None:
        say_if_dead(spec, table, sample)
    options: Any = {name: getattr(settings, name) for name in OPTIONS if name not in _UNTESTED}
    with told_by_the_command(), counted("verify", "maps") as show:
        certificate = certify(
            spec,
            sample,
            dim=table.count,
            columns=table.names,
            n_maps=n_maps,
            budget=budget,
            max_rows=rows,
            advance=show,
            **options,
        )
    print_report(certificate, as_json=as_json)
    if not certificate.passed:
        raise click.exceptions.Exit(NO)


def _normal(spec: Spec, columns: GivenColumns) -> Columns:
    """Return the columns of normal rows, which the verification draws itself."""
    if columns.dropped:
        raise click.UsageError("--drop requires DATA")
    table = spec.columns(columns.dim, columns.names)
    if table.count is None:
        raise click.UsageError("the number of columns is unknown: use DATA or --dim")
    layout = _layout(spec, table)
    if set(layout.categorical) - set(layout.numeric):
        raise DataError("match() compares categories, but normal rows have none: use DATA")
    return table


def _layout(spec: Spec, table: Columns) -> Layout:
    from kernelspec.elaboration.data_columns import kernel_and_layout

    return kernel_and_layout(spec, table)[1]


@documented(
    "Measure the bias of other libraries' samplers.",
    "kernelspec audit --maps 1000",
    "kernelspec audit --library GSTools",
)
@click.option("--maps", default=400, type=click.IntRange(min=30), help="Number of independent maps of each sampler.")
@click.option("--seed", default=0, type=click.IntRange(min=0), help="Seed of the first map.")
@click.option(
    "--library",
    "only",
    metavar="NAME",
    multiple=True,
    help="Libraries to audit; repeatable.  [default: all installed]",
)
@json_option
def audit(maps: int, seed: int, only: tuple[str, ...], as_json: bool) -> None:
    """Measure the bias of other libraries' samplers, and compare their variance with the prediction.

    Covers scikit-learn and, if installed, datasketch, GSTools, GPyTorch and BoTorch, on all pairs of twelve rows with
    four columns. Each report shows the pair whose bias is most certain, relative to √(k(x,x) k(y,y)). The intervals
    hold for all pairs of a sampler together, with probability 0.9999.
    """
    from kernelspec.exchange.audit import LIBRARIES, is_installed
    from kernelspec.exchange.audit import audit as measure

    names = {name.lower(): name for name in LIBRARIES}
    for name in only:
        if name.lower() not in names:
            raise click.UsageError(f"unknown library '{name}': use one of {', '.join(LIBRARIES)}")
        if not is_installed(names[name.lower()]):
            raise click.UsageError(f"{names[name.lower()]} is not installed: pip install {name.lower()}")
    reports = []
    for library in [names[name.lower()] for name in only] or LIBRARIES:
        if not is_installed(library):
            click.echo(f"{library} is not installed, so it was skipped", err=True)
            continue
        for found in measure(library, maps, seed):
            if as_json:
                reports.append({"library": library} | asdict(found) | {"is_biased": found.is_biased})
            else:
                click.echo(f"{library}, {found}")
    if as_json:
        print_json(reports)
