"""The options of commands: columns, their types, and those of feature maps, made from `MapOptions`."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kernelspec.errors import PlanError
from kernelspec.planning.options import OPTIONS, MapOptions, OneOf, Positive, Whole

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.planning.request import SeenData
    from kernelspec.spec import Spec
    from kernelspec.tables.column_types import ColumnTypes, Missing
    from kernelspec.tables.layout import Layout

__all__ = [
    "GivenColumns",
    "GivenTypes",
    "column_options",
    "data_column_options",
    "flag_of",
    "json_option",
    "map_options",
    "names_of",
    "place_of",
    "planned_map",
    "type_options",
    "waiting",
    "with_flags",
]

_Command = Callable[..., Any]


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
        from kernelspec.cli.data import columns_of
        from kernelspec.tables.formats import open_table

        with open_table(path, columns=self.dim, header=self.header, names=self.names) as reader:
            return columns_of(spec, reader, self.dim, self.names, self.dropped)


def column_options(command: _Command) -> _Command:
    """Add `--dim` and `--columns` to a command, as its one argument `columns`, a GivenColumns."""

    # click hands over every option as a keyword: these two are taken out, the others belong to the command
    @wraps(command)
    def _call(*arguments: Any, dim: int | None, columns: tuple[str, ...] | None, **others: Any) -> Any:
        return command(*arguments, columns=GivenColumns(dim, columns), **others)

    with_names = click.option(
        "--columns", metavar="A,B,C", callback=names_of, help="Names of the columns the kernel is applied to, in order."
    )(_call)
    return click.option("--dim", type=click.IntRange(min=1), metavar="N", help="Number of columns.")(with_names)


def data_column_options(command: _Command) -> _Command:
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


@dataclass(frozen=True)
class GivenTypes:
    """What the command line says about types: the columns that hold text, and what a missing category is."""

    text: tuple[str, ...] = ()
    missing: Missing = "refuse"

    def pinned(self, layout: Layout) -> Layout:
        """The layout with these columns as text. Raises DataError for a column that is not compared as a category."""
        return layout.pinned([place_of(name, layout) for name in self.text], self.missing)


def place_of(name: str, layout: Layout) -> str | int:
    """A column as a layout knows it: by name, or by position if columns have no names."""
    return int(name) if layout.names is None and name.isascii() and name.isdigit() else name


def type_options(command: _Command) -> _Command:
    """Add `--text-columns` and `--missing` to a command, as its one argument `types`, a GivenTypes."""

    @wraps(command)
    def _call(*arguments: Any, text_columns: tuple[str, ...] | None, missing: Missing, **others: Any) -> Any:
        return command(*arguments, types=GivenTypes(text_columns or (), missing), **others)

    with_missing = click.option(
        "--missing",
        type=click.Choice(["refuse", "category"]),
        default="refuse",
        help="What match() makes of a missing category: an error, or a category of its own.",
    )(_call)
    return click.option(
        "--text-columns", metavar="A,B,C", callback=names_of, help="Categories that are text, whatever they look like."
    )(with_missing)


def json_option(command: _Command) -> _Command:
    """Add `--json` to a command, as its argument `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


class _Accepted(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """What an option of maps accepts, with its own message for what it does not."""

    name = "value"

    def __init__(self, accepts: OneOf | Whole | Positive) -> None:
        self.accepts = accepts

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """The names to choose from."""
        return f"[{'|'.join(self.accepts.names)}]" if isinstance(self.accepts, OneOf) else None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of the text. Raises BadParameter."""
        try:
            return self.accepts.parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


def map_options(defaults: MapOptions | None = None, *, without: Collection[str] = ()) -> Callable[[_Command], _Command]:
    """Add the options of `MapOptions` to a command, but for those it does not have.

    The command has them as its one argument `settings`, a MapOptions.
    """
    start = MapOptions() if defaults is None else defaults
    names = [name for name in OPTIONS if name not in without]

    def add(command: _Command) -> _Command:
        # click hands over every option as a keyword: these are taken out, the others belong to the command
        @wraps(command)
        def _call(*arguments: Any, **others: Any) -> Any:
            own = {name: others.pop(name) for name in names}
            return command(*arguments, settings=_settings(own), **others)

        with_options: _Command = _call
        for name in reversed(names):
            option = OPTIONS[name]
            with_options = click.option(
                flag_of(name),
                type=_Accepted(option.accepts),
                default=getattr(start, name),
                metavar=option.metavar,
                help=option.help,
            )(with_options)
        return with_options

    return add


def _settings(values: dict[str, Any]) -> MapOptions:
    """The options in one object; an error makes the number of features "auto". Raises UsageError."""
    ctx = click.get_current_context()
    given = {name for name in values if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if {"error", "pointwise"} & given and "n_features" not in given:
        values["n_features"] = "auto"
    try:
        options = MapOptions(**values)
        options.check_effect(given)
    except PlanError as error:
        raise click.UsageError(with_flags(str(error)), ctx) from None
    return options


def flag_of(name: str) -> str:
    """`--n-features` for `n_features`."""
    return f"--{name.replace('_', '-')}"


_PYTHON = re.compile(rf"\b({'|'.join(OPTIONS)})=('?)([\w.+-]*)\2")


def with_flags(message: str) -> str:
    """A message about options of maps as the command line has them: `--keys bits` for `keys='bits'`."""
    return _PYTHON.sub(lambda found: f"{flag_of(found[1])} {found[3]}".rstrip(), message)


@contextmanager
def waiting(what: str, *, after: float = 1.0) -> Iterator[None]:
    """Say what is being done, once it has taken a second, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(what, markup=False), TimeElapsedColumn())
    shown = Progress(*columns, console=Console(stderr=True), transient=True)
    shown.add_task("")
    timer = Timer(after, shown.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        shown.stop()


def planned_map(
    settings: MapOptions,
    spec: Spec,
    columns: Columns,
    seen: SeenData | None = None,
    types: ColumnTypes | None = None,
) -> FeatureMap:
    """The map of a spec on some columns, for what is seen of data: rows to plan on, and keys in the data.

    `types` are those of the columns, as far as they are known. Raises SpecError, PlanError.
    """
    from kernelspec.compilation import map_with

    with waiting("planning"):
        return map_with(settings, spec, columns=columns, data=seen, types=types)
