"""The options that say which columns the data have."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["column_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def column_options(command: _Command) -> _Command:
    """Add `--dim` and `--columns` to a command."""
    command = click.option(
        "--columns", metavar="A,B,C", callback=_names, help="Names of the columns the kernel is applied to, in order."
    )(command)
    return click.option("--dim", type=click.IntRange(min=1), metavar="N", help="Number of columns.")(command)


def _names(ctx: click.Context, _: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    # as in a line of CSV: a name with a comma stands in quotes
    try:
        names = tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))
    except csv.Error:  # a line break outside of quotes
        names = ()
    if not names or not all(names):
        raise click.UsageError(f"--columns takes names with commas between them, as in age,income, not '{text}'", ctx)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise click.UsageError(f"--columns has '{name}' twice", ctx)
    return names
