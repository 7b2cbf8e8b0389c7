"""`kernelspec bench`: how fast features are, against other libraries and the limits of the machine."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.columns import names_of
from kernelspec.cli.json_output import json_option, print_json
from kernelspec.cli.map_options import MapSettings, map_options
from kernelspec.cli.spec_input import Values, read_spec, spec_and_data, spec_options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.tables.layout import Layout

__all__ = ["bench"]

_MOST_DIGITS = 12
_BYTES = 8
_CATEGORIES = 10
_PLANNED_ROWS = 2048
_OF_DATA = ("anchored", "nystrom")
_COPIES = 3
"""Of memory of the size of the features: theirs, new memory or another library's, and that of a limit."""


def _shape(ctx: click.Context, _: click.Parameter, text: str) -> tuple[int, int]:
    """Rows and columns. Raises UsageError."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) <= _MOST_DIGITS for part in parts):
        raise click.UsageError(
            f"--shape takes the numbers of rows and columns, as in 100000,54, not '{text[: 3 * _MOST_DIGITS]}'", ctx
        )
    n, d = (int(part) for part in parts)
    if not (n and d):
        raise click.UsageError(f"--shape must have rows and columns, not {n:,} × {d:,}", ctx)
    _check_memory(2 * _BYTES * n * d, "the rows and their copy in --dtype", ctx)
    return n, d


def _check_memory(n_bytes: int, what: str, ctx: click.Context) -> None:
    """Raise UsageError for more than the machine has."""
    memory = _memory()
    if n_bytes > memory:
        raise click.UsageError(
            f"--shape: {what} take {n_bytes / 1e9:,.0f} GB, and there are {memory / 1e9:,.0f} GB of memory", ctx
        )


def _memory() -> int:
    """Bytes, as the system says; of one that does not say, 16 GiB."""
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 2**34


@click.command(short_help="How fast features are, and how fast they could be.")
@click.argument("files", nargs=-1, metavar="SPEC")
@spec_options
@click.option("--shape", required=True, metavar="N,D", callback=_shape, help="Numbers of rows and columns.")
@click.option("--columns", metavar="A,B,C", callback=names_of, help="Names of the columns, if the spec has some.")
@map_options()
@click.option("--dtype", type=click.Choice(["float32", "float64"]), default="float64", help="Type of the numbers.")
@click.option("--rounds", type=click.IntRange(min=1), default=9, metavar="N", help="Times that everything is run.")
@json_option
@click.pass_context
def bench(
    ctx: click.Context,
    files: tuple[str, ...],
    expression: str | None,
    values: Values,
    shape: tuple[int, int],
    columns: tuple[str, ...] | None,
    settings: MapSettings,
    dtype: str,
    rounds: int,
    as_json: bool,
) -> None:
    """Time the features of random rows beside scikit-learn's or datasketch's, where they have the same, and two limits.

    The limits are the matrix product alone and writing the features alone. Everything runs in one process, in random
    order within every round; shares are taken within a round, so that others on the machine slow both sides. Rows are
    standard normal, or the nearest that the kernel is defined on; categories are ten whole numbers, and have columns of
    their own, as those of a data file.

    \b
    Example:
      kernelspec bench -e "gaussian()" --shape 100000,54 --n-features 512 --dtype float32
    """
    from kernelspec.comparison.benchmark import benchmark
    from kernelspec.elaboration.layout import layout_of
    from kernelspec.maps.evaluation import bytes_of_a_row
    from kernelspec.planning.seen_data import SeenData

    path, _ = spec_and_data(files, expression, takes_data=False)
    spec = read_spec(path, expression, values)
    table = spec.columns(shape[1], columns)
    kernel = spec.kernel(table)
    layout = layout_of(kernel, table)
    rows = _rows(layout, shape[0]).astype(dtype)
    planned = layout.read(rows[:_PLANNED_ROWS])
    fmap = settings.make(spec, table, SeenData(planned if settings.method in _OF_DATA else None, (layout.read(rows),)))
    n_bytes = 2 * rows.nbytes + _COPIES * shape[0] * bytes_of_a_row(fmap, rows.dtype)
    _check_memory(n_bytes, "the rows, their features and what they are compared with", ctx)
    found = benchmark(fmap, kernel, rows, rounds)
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(str(found))


def _rows(layout: Layout, n: int) -> NDArray[Any]:
    import numpy as np

    generator = np.random.default_rng(0)
    rows = layout.fitted(generator.standard_normal((n, layout.dim)))
    compared = [i for i in layout.categorical if i not in layout.numeric]
    rows[:, compared] = generator.integers(0, _CATEGORIES, (n, len(compared)))
    return rows
