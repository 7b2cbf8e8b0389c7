"""The options that say which columns the data have."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.spec import Spec

__all__ = ["GivenColumns", "column_options", "data_column_options", "names_of"]


@dataclass(frozen=True)
class GivenColumns:
    """What the command line says about columns: their number, their names; None for what it does not say.

    `dropped` are columns of the data that the kernel is not applied to. `header` says whether CSV files begin with a
    line of names; None if they do, and a line that may be data is refused.
    """

    dim: int | None = None
    names: tuple[str, ...] | None = None
    dropped: tuple[str, ...] = ()
    header: bool | None = None

    def in_file(self, spec: Spec, path: str) -> Columns:
        """The columns of a data file that a spec is applied to. Raises SpecError, DataError, FileError."""
        from kernelspec.cli.tables import columns_of
        from kernelspec.files import open_table

        with open_table(path, columns=self.dim, header=self.header, names=self.names) as reader:
            return columns_of(spec, reader, self.dim, self.names, self.dropped)


def column_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--dim` and `--columns` to a command, as its one argument `columns`, a GivenColumns."""

    # click hands over every option as a keyword: these two are taken out, the others belong to the command
    @wraps(command)
    def _call(*arguments: Any, dim: int | None, columns: tuple[str, ...] | None, **others: Any) -> Any:
        return command(*arguments, columns=GivenColumns(dim, columns), **others)

    with_names = click.option(
        "--columns", metavar="A,B,C", callback=names_of, help="Names of the columns the kernel is applied to, in order."
    )(_call)
    return click.option("--dim", type=click.IntRange(min=1), metavar="N", help="Number of columns.")(with_names)


def data_column_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the same, `--drop` and `--no-header` to a command that reads data."""

    @wraps(command)
    def _call(
        *arguments: Any, columns: GivenColumns, drop: tuple[str, ...] | None, header: bool | None, **others: Any
    ) -> Any:
        if drop and columns.names is not None:
            raise click.UsageError("--columns says which columns there are: give it or --drop, not both")
        return command(*arguments, columns=replace(columns, dropped=drop or (), header=header), **others)

    with_drop = click.option(
        "--drop", metavar="A,B,C", callback=names_of, help="Columns of DATA the kernel is not applied to: the target."
    )
    with_header = click.option(
        "--header/--no-header",
        default=None,
        help="Whether CSV files begin with a line of names; without one, columns go by position or by --columns.",
    )
    return column_options(with_drop(with_header(_call)))


def names_of(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """The names that an option lists, as a line of CSV. Raises UsageError."""
    option = parameter.opts[-1]
    if text is None:
        return None
    # as in a line of CSV: a name with a comma stands in quotes
    try:
        names = tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))
    except csv.Error:  # a line break outside of quotes
        names = ()
    if not names or not all(names):
        raise click.UsageError(f"{option} takes names with commas between them, as in age,income, not '{text}'", ctx)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise click.UsageError(f"{option} has '{name}' twice", ctx)
    return names
