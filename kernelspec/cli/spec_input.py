"""The spec of a command, with parameter values from the command line or from data."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeVar

import click

from kernelspec.cli.options import complete_kernels
from kernelspec.errors import FileError, KernelspecError
from kernelspec.loading import is_table_name, read_text

if TYPE_CHECKING:
    from kernelspec.cli.options import CsvFormat
    from kernelspec.elaboration.scope import Columns
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = [
    "MISSING_SPEC",
    "READ_ONCE",
    "Values",
    "fitted_to_file",
    "one_text",
    "parameter_values",
    "read_spec",
    "read_spec_for_data",
    "say_if_dead",
    "say_if_first_rows_are_dead",
    "spec_and_data",
    "spec_and_parts",
    "spec_options",
    "standard_input",
    "text_of",
    "told_by_the_command",
]

Values = dict[str, Fraction | tuple[Fraction, ...] | Literal["median"]]
"""Parameters by name."""

_Command = TypeVar("_Command", bound=Callable[..., Any])

READ_ONCE = "standard input (-) can be read once"
MISSING_SPEC = "SPEC is missing: name a file, '-' for standard input, or use -e TEXT"


def spec_options(command: _Command) -> _Command:
    """Add `--expression` and `-p` to a command, which receives them as `expression` and `values`."""
    help_text = "Value of a parameter, or median: the median distance in DATA, for a scale; repeatable."
    with_values = click.option(
        "-p", "values", multiple=True, metavar="NAME=VALUE", callback=parameter_values, help=help_text
    )(command)
    return click.option(
        "-e",
        "--expression",
        metavar="TEXT",
        multiple=True,
        callback=one_text,
        shell_complete=complete_kernels,
        help="The spec itself, instead of a file.",
    )(with_values)


def one_text(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> str | None:
    """The text of -e, or None. Raises UsageError if there are several, of which click would take the last."""
    if len(texts) > 1:
        raise click.UsageError("-e is given twice: this command reads one spec", ctx)
    return texts[0] if texts else None


def spec_and_data(files: Sequence[str], expression: str | None, *, takes_data: bool) -> tuple[str | None, str | None]:
    """Find SPEC (None with -e) and DATA (None if not given) among the files. Raises UsageError."""
    spec, left = spec_and_parts(files, expression)
    data = left.pop(0) if left and takes_data else None
    if left:
        already = " (with -e, SPEC is not a file)" if expression is not None else ""
        raise click.UsageError(f"unexpected argument '{left[0]}'{already}")
    return spec, data


def spec_and_parts(files: Sequence[str], expression: str | None) -> tuple[str | None, list[str]]:
    """The SPEC file (None with -e), and all other files. Raises UsageError."""
    if expression is not None:
        return None, list(files)
    if list(files).count("-") > 1:
        raise click.UsageError(READ_ONCE)
    if not files:
        raise click.UsageError(MISSING_SPEC)
    spec, *left = files
    if is_table_name(spec) and left and not is_table_name(left[0]):
        raise click.UsageError(f"SPEC comes before DATA: use {left[0]} {spec}")
    _check_name(spec)
    return spec, left


def _check_name(path: str) -> None:
    """Raise UsageError for the name of a table where SPEC belongs."""
    if is_table_name(path):
        raise click.UsageError(f"{path} is a table, but SPEC must be a text file: name one, or use -e TEXT")


def read_spec(path: str | None, expression: str | None, values: Values) -> Spec:
    """The spec that the command line names. Raises SpecError, FileError."""
    from kernelspec.spec import load, parse

    if expression is not None:
        return parse(expression, values, name="<expression>")
    if path is None:
        raise click.UsageError(MISSING_SPEC)
    if path == "-":
        return parse(text_of("-"), values, name="<stdin>")
    _check_name(path)
    if not Path(path).exists():
        from kernelspec.catalogue import KERNELS

        if "(" in path:
            raise FileError(f"{path}: no such file; if this is the text of a spec, put -e before it")
        if path in KERNELS:
            raise FileError(f"{path}: no such file; to use the kernel of this name, write -e '{path}()'")
    return load(path, values)


def text_of(path: str) -> str:
    """The text of a file, or of standard input for '-', with its line ends. Raises FileError."""
    _check_name(path)
    return read_text("standard input", standard_input()) if path == "-" else read_text(path)


def standard_input() -> IO[bytes]:
    """Standard input. Raises FileError if it is closed."""
    if sys.stdin is None:
        raise FileError("standard input is closed: name a file instead of -")
    return sys.stdin.buffer


def parameter_values(ctx: click.Context, _: click.Parameter, given: Sequence[str]) -> Values:
    """Parse -p into exact values by name, or "median" for the median distance in DATA.

    Raises UsageError for text that is not NAME=NUMBER, and for a repeated name.
    """
    values: Values = {}
    for item in given:
        name, equals, text = (part.strip() for part in item.partition("="))
        if not (name and equals and text):
            raise click.UsageError(f"-p requires NAME=VALUE, such as -p scale=2, not '{item}'", ctx)
        if name in values:
            raise click.UsageError(f"-p sets '{name}' twice", ctx)
        entries = [_number(part) for part in text.split(",")]
        found = tuple(entry for entry in entries if entry is not None)
        if text != "median" and len(found) < len(entries):
            raise click.UsageError(
                f"-p {name}: '{text}' is not a number: use 2, 0.5, 1e-3 or 3/2; median for a scale; or 1,2 for a "
                "vector",
                ctx,
            )
        values[name] = "median" if text == "median" else found if len(found) > 1 else found[0]
    return values


def _number(text: str) -> Fraction | None:
    """An exact decimal number or ratio of two, or None if the text is neither or not finite."""
    parts = text.split("/")
    try:
        floats = [float(part) for part in parts]
        if len(parts) > 2 or not all(map(math.isfinite, floats)):
            return None
        top, *bottom = (Fraction(repr(value)) for value in floats)
        return top / bottom[0] if bottom else top
    except (ValueError, ZeroDivisionError):
        return None


def read_spec_for_data(path: str | None, expression: str | None, values: Values) -> Spec:
    """The spec on the command line; `-p s=median` makes the line `param s = median`.

    Raises SpecError, FileError.
    """
    from kernelspec.elaboration.data_columns import with_median_lines

    medians = [name for name, value in values.items() if value == "median"]
    spec = read_spec(path, expression, {name: value for name, value in values.items() if name not in medians})
    return with_median_lines(spec, medians)


def fitted_to_file(spec: Spec, columns: Columns, path: str, csv: CsvFormat, *, quiet: bool = False) -> Spec:
    """The spec with its functions of columns fitted to 20,000 random rows of a file; prints the changes unless `quiet`.

    Raises SpecError, DataError, FileError.
    """
    from kernelspec.cli.feature_run import rows_to_plan_on
    from kernelspec.elaboration.data_columns import fitted, has_learned

    if not has_learned(spec):
        return spec
    found = fitted(spec, columns, lambda layout: rows_to_plan_on(layout, path, csv, quiet=quiet)[0])
    if not quiet:
        before = str(spec).splitlines()
        for line in str(found).splitlines():
            if line not in before:
                shown = line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}…"
                click.echo(f"fitted to {path}: {shown}", err=True)
    return found


_LONGEST_SHOWN = 240


def say_if_dead(spec: Spec, columns: Columns, rows: Rows, *, quiet: bool = False) -> str | None:
    """Return, and unless `quiet` print to standard error, the message for a kernel that is degenerate on the rows.

    A degenerate kernel is nearly the identity or nearly constant.
    """
    from kernelspec.compilation import said_of_dead_kernel

    said = said_of_dead_kernel(spec, columns, spec.kernel(columns), rows, on_command_line=True)
    if said is not None and not quiet:
        click.echo(said, err=True)
    return said


def say_if_first_rows_are_dead(spec: Spec, columns: Columns, layout: Layout, path: str, csv: CsvFormat) -> None:
    """The same for a file: random rows are read only if the first block looks degenerate."""
    from kernelspec.cli.data import FileRows
    from kernelspec.cli.feature_run import rows_to_plan_on

    try:
        first = next(iter(FileRows((path,), layout, csv)))
        if say_if_dead(spec, columns, first, quiet=True) is None:
            return
        rows, _ = rows_to_plan_on(layout, path, csv, quiet=True)
    except KernelspecError:  # raised again when the features are computed
        return
    say_if_dead(spec, columns, rows)


@contextmanager
def told_by_the_command() -> Iterator[None]:
    """Suppress warnings about degenerate kernels, for commands that print the message themselves."""
    from kernelspec.compilation import DeadKernelWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeadKernelWarning)
        yield
