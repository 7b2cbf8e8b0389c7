"""Options of commands: columns, types, and those of feature maps, generated from `MapOptions`."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from threading import Timer
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from kernelspec.errors import KernelspecError, PlanError
from kernelspec.planning.options import OPTIONS, MapOptions, OneOf, Positive, Whole
from kernelspec.tables.column_types import ColumnTypes, Missing

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.planning.request import SeenData
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.table_reader import TableReader

__all__ = [
    "ANY_CSV",
    "CsvFormat",
    "GivenColumns",
    "GivenTypes",
    "bundled",
    "check_format",
    "column_options",
    "complete_columns",
    "complete_kernels",
    "csv_options",
    "data_column_options",
    "documented",
    "flag_of",
    "format_option",
    "json_option",
    "map_options",
    "names_of",
    "names_option",
    "place_of",
    "planned_map",
    "refuse_options",
    "table_column_options",
    "type_options",
    "types_options",
    "waiting",
    "with_flags",
]

_Command = Callable[..., Any]
_Decorator = Callable[[_Command], _Command]

_HEADINGS = {
    "expression expressions values choices dim columns": "Spec",
    "target drop keep header stream engine date_format text_columns missing plan_on rows task": "Data",
    " ".join(OPTIONS): "Feature map",
    "what output suffix save_map dtype label labels dark lags frequencies variance plans analyze everything latex "
    "steps std interval probabilities as_json quiet": "Output",
}
"""The headings of help, by the names of the parameters under them."""


class GroupedCommand(click.Command):
    """A command whose help lists its options under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those without a heading last."""
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (*_HEADINGS.values(), "Other options")}
        heading_of = {name: heading for names, heading in _HEADINGS.items() for name in names.split()}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                groups[heading_of.get(str(parameter.name), "Other options")].append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(click.style(heading, bold=True)):
                    formatter.write_dl(records)


def documented(summary: str, *examples: str) -> Callable[[_Command], click.Command]:
    """Make a function a command; its help has a summary for the list of commands, headings, and examples at the end."""
    ending = ["\b", "Examples:", *(f"  {command}" for command in examples), ""]
    epilog = "\n".join([*ending, "Documentation: docs/ in the source distribution."])
    return click.command(cls=GroupedCommand, short_help=summary, epilog=epilog)


def bundled(
    name: str, make: Callable[..., Any], *options: _Decorator, keys: Collection[str] | None = None
) -> _Decorator:
    """Decorate a command with options; it receives what `make` makes of their values as `name`.

    The values are those of its parameters, or of `keys` if it takes any.
    """
    wanted = signature(make).parameters if keys is None else keys

    def add(command: _Command) -> _Command:
        @wraps(command)
        def _call(*arguments: Any, **given: Any) -> Any:
            own = {key: given.pop(key) for key in wanted}
            return command(*arguments, **{name: make(**own)}, **given)

        with_options: _Command = _call
        for option in reversed(options):
            with_options = option(with_options)
        return with_options

    return add


def complete_columns(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The columns of the tables on the command line that continue the last of some names."""
    from kernelspec.tables.formats import open_table

    before, comma, start = incomplete.rpartition(",")
    names: dict[str, None] = {}
    for path in (*(ctx.params.get("files") or ()), *ctx.args):  # args, if the last option has no value yet
        with suppress(KernelspecError, OSError), open_table(path) as reader:
            names |= dict.fromkeys(reader.names or ())
    return [CompletionItem(before + comma + name) for name in names if name.startswith(start)]


def complete_kernels(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of kernels and forms that continue the last word of a spec."""
    from kernelspec.catalogue import KERNELS
    from kernelspec.elaboration.forms.form import FORMS

    start = re.search(r"\w*$", incomplete)
    word = "" if start is None else start[0]
    text = incomplete.removesuffix(word)
    return [CompletionItem(text + name) for name in (*KERNELS, *FORMS) if name.startswith(word)]


@dataclass(frozen=True)
class CsvFormat:
    """The format of CSV files.

    `header` says whether there is a header line; None means yes, but rejects one that may be data. `dates` are date
    formats besides ISO 8601, `names` those of the columns of files without a header.
    """

    header: bool | None = None
    dates: tuple[str, ...] = ()
    names: tuple[str, ...] | None = None


ANY_CSV = CsvFormat()
"""A header line and ISO 8601 dates."""


@dataclass(frozen=True)
class GivenColumns:
    """The columns on the command line: their number and names (None if not given), and those `dropped`."""

    dim: int | None = None
    names: tuple[str, ...] | None = None
    dropped: tuple[str, ...] = ()
    csv: CsvFormat = ANY_CSV

    def in_file(self, spec: Spec, path: str) -> Columns:
        """Return the columns of a data file that a spec applies to. Raises SpecError, DataError, FileError."""
        from kernelspec.cli.data import columns_of

        with self.opened(path) as reader:
            return columns_of(spec, reader, self.dim, self.names, self.dropped)

    def opened(self, path: str, rows_per_block: int = 16384) -> TableReader:
        """Open a data file. Raises DataError, FileError."""
        from kernelspec.tables.formats import open_table

        csv, names = self.csv, self.names
        return open_table(
            path, rows_per_block=rows_per_block, columns=self.dim, header=csv.header, names=names, dates=csv.dates
        )


def names_of(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """Parse the names in an option, written as a line of CSV. Raises UsageError."""
    option = parameter.opts[-1]
    if text is None:
        return None
    try:
        names = tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))
    except csv.Error:  # a line break outside of quotes
        names = ()
    if not names or not all(names):
        raise click.UsageError(f"{option} requires names separated by commas, such as age,income, not '{text}'", ctx)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise click.UsageError(f"{option} names '{name}' twice", ctx)
    return names


@dataclass(frozen=True)
class GivenTypes:
    """Types on the command line: text columns, and how to treat missing categories."""

    text: tuple[str, ...] = ()
    missing: Missing = "refuse"

    def pinned(self, layout: Layout) -> Layout:
        """Return the layout with these columns as text. Raises DataError for a column that is not a category."""
        return layout.pinned([place_of(name, layout) for name in self.text], self.missing)

    def for_model(self) -> GivenTypes:
        """Return the types of a model, where a missing category is one of its own unless --missing is given."""
        source = click.get_current_context().get_parameter_source("missing")
        return self if source is ParameterSource.COMMANDLINE else replace(self, missing="category")


def place_of(name: str, layout: Layout) -> str | int:
    """Return a column as a layout refers to it: by name, or by position if columns have no names."""
    return int(name) if layout.names is None and name.isascii() and name.isdigit() else name


def names_option(flag: str, help: str) -> _Decorator:
    """An option for names of columns."""
    return click.option(flag, metavar="A,B,C", callback=names_of, shell_complete=complete_columns, help=help)


_dim_option = click.option("--dim", type=click.IntRange(min=1), metavar="N", help="Number of columns.")
_columns_option = names_option("--columns", "Columns that the kernel applies to, in order.")

column_options = bundled("columns", lambda dim, columns: GivenColumns(dim, names=columns), _dim_option, _columns_option)
"""Add `--dim` and `--columns` to a command, which receives them as `columns`, a GivenColumns."""

_format_options = bundled(
    "csv",
    lambda header, date_format: CsvFormat(header, dates=date_format),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether CSV files have a header; if not, name their columns with --columns, or use positions.",
    ),
    click.option(
        "--date-format",
        multiple=True,
        metavar="FORMAT",
        help="Date format in CSV files, such as %d.%m.%Y, or born=%d.%m.%Y for one column.  [default: ISO 8601]",
    ),
)


def _data_columns(
    columns: tuple[str, ...] | None, drop: tuple[str, ...] | None, csv: CsvFormat, dim: int | None = None
) -> GivenColumns:
    if drop and columns is not None:
        raise click.UsageError("use either --columns or --drop, not both")
    return GivenColumns(dim, columns, drop or (), csv)


_drop_option = names_option("--drop", "Columns of DATA to ignore, such as the target.")
_table_options = _columns_option, _drop_option, _format_options
data_column_options = bundled("columns", _data_columns, _dim_option, *_table_options)
"""Add `--dim`, `--columns`, `--drop` and the CSV options to a command that reads data."""

table_column_options = bundled("columns", _data_columns, *_table_options, keys=("columns", "drop", "csv"))
"""The same without `--dim`, for a command that reads a table with a target."""

csv_options = bundled(
    "csv",
    lambda columns, csv: replace(csv, names=columns),
    click.option(
        "--columns", metavar="A,B,C", callback=names_of, help="Names of the columns of CSV files without a header."
    ),
    _format_options,
)
"""Add `--header`, `--date-format` and `--columns` to a command, which receives them as `csv`, a CsvFormat."""


def types_options(missing: Missing) -> _Decorator:
    """Add `--text-columns` and `--missing` to a command, which receives them as `types`, a GivenTypes."""
    return bundled(
        "types",
        lambda text_columns, missing: GivenTypes(text_columns or (), missing),
        names_option("--text-columns", "Columns of categories to read as text."),
        click.option(
            "--missing",
            type=click.Choice(["refuse", "category"]),
            default=missing,
            help="Treat a missing category as an error or as a category of its own.",
        ),
    )


type_options = types_options("refuse")


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")

format_option = click.option(
    "--format",
    "suffix",
    type=click.Choice(["csv", "tsv", "jsonl", "arrow", "parquet"]),
    callback=lambda _ctx, _parameter, name: None if name is None else f".{name}",
    help="Format of the table on standard output.  [default: csv]",
)
"""Add `--format` to a command that writes a table, as its argument `suffix` (None if it is not given)."""


def check_format(suffix: str | None, output: str) -> None:
    """Raise UsageError for --format where the name of a file sets the format."""
    if suffix is not None and output != "-":
        raise click.UsageError("--format requires -o -: the name of a file sets its format")


class _Accepted(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The values that an option of feature maps accepts."""

    name = "value"

    def __init__(self, accepts: OneOf | Whole | Positive) -> None:
        self.accepts = accepts

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Return the names to choose from."""
        return f"[{'|'.join(self.accepts.names)}]" if isinstance(self.accepts, OneOf) else None

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with `incomplete`."""
        names = self.accepts.names if isinstance(self.accepts, OneOf) else ()
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse a value. Raises BadParameter."""
        try:
            return self.accepts.parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


def map_options(defaults: MapOptions | None = None, *, without: Collection[str] = ()) -> _Decorator:
    """Add the options of `MapOptions`, except some, to a command, which receives them as `settings`."""
    start = MapOptions() if defaults is None else defaults
    options = {name: option for name, option in OPTIONS.items() if name not in without}
    flags = (
        click.option(
            flag_of(name),
            type=_Accepted(option.accepts),
            default=getattr(start, name),
            metavar=option.metavar,
            help=option.help,
        )
        for name, option in options.items()
    )
    return bundled("settings", _settings, *flags, keys=tuple(options))


def _settings(**values: Any) -> MapOptions:
    """Return the options as one object; asking for an error makes `n_features` "auto". Raises UsageError."""
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
    """Return `--n-features` for `n_features`."""
    return f"--{name.replace('_', '-')}"


def refuse_options(ctx: click.Context, names: Collection[str], where: str) -> None:
    """Raise UsageError if one of these options is given: it has no effect there."""
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if parameter.name in names and given:
            raise click.UsageError(f"{parameter.opts[-1]} has no effect {where}", ctx)


_ARGUMENTS = {name: flag_of(name) for name in ("dim", "columns", "fixed", "solver", "n_maps", "budget")} | {
    "text": "--text-columns",
    "max_rows": "--rows",
    "data": "DATA",
}
"""Other arguments of Python; a spec may give some of these names a value, as in wendland(order=1, dim=3)."""

_PYTHON = re.compile(
    rf"(?<![\w/'\"])({'|'.join(OPTIONS)})=('?)([\w+-]*(?:\.[\w+-]+)*)\2(?![\w/]|\.\w)"
    rf"|\b({'|'.join(_ARGUMENTS)})(?:=(?:'([\w-]+)'|(?=[\s,.;:)]|$)))"
    rf"|^({'|'.join((*OPTIONS, *_ARGUMENTS))})(?= must be | names )"
)


def with_flags(message: str) -> str:
    """Rewrite a message with command-line flags: `--keys bits` for `keys='bits'`, `--text-columns` for `text=`.

    Indented lines are those of a spec, which stay.
    """

    def flag(found: re.Match[str]) -> str:
        option, _, value, argument, other, first = found.groups()
        name = option or argument or first
        return f"{_ARGUMENTS.get(name) or flag_of(name)} {value or other or ''}".rstrip()

    said, indented, spec = message.partition("\n  ")
    return _PYTHON.sub(flag, re.sub(r"\w+= \(on the command line ([^()]+)\)", r"\1", said)) + indented + spec


@contextmanager
def waiting(what: str, *, after: float = 1.0) -> Iterator[None]:
    """Show a spinner on standard error, if it is a terminal, once the body has run for `after` seconds."""
    if not sys.stderr.isatty():
        yield
        return
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
    """Return the map of a spec on some columns, planned for the data seen. Raises SpecError, PlanError."""
    from kernelspec.compilation import map_with

    with waiting("planning"):
        return map_with(settings, spec, columns=columns, data=seen, types=types)
