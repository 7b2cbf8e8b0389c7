"""The kernel a command is about, with values for its parameters from the command line or from data."""

from __future__ import annotations

import itertools
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from kernelspec.errors import FileError

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = [
    "MISSING_SPEC",
    "Choices",
    "Values",
    "every_choice",
    "given_choices",
    "is_sweep",
    "parameter_values",
    "read_spec",
    "read_spec_for_data",
    "read_text",
    "say_if_dead",
    "say_if_first_rows_are_dead",
    "spec_and_data",
    "spec_and_parts",
    "spec_options",
    "told_by_the_command",
    "with_medians_said",
]

Values = dict[str, Fraction | Literal["median"]]
"""Parameters by name."""

_Command = TypeVar("_Command", bound=Callable[..., Any])

MISSING_SPEC = "SPEC is missing: a file, '-' for standard input, or -e TEXT"
"""What a command says that was given no kernel."""


def spec_options(command: _Command) -> _Command:
    """Add `--expression` and `-p` to a command, as its arguments `expression` and `values`."""
    help_text = "Value of a parameter, or median: the median distance in DATA, for a scale; repeatable."
    with_values = click.option(
        "-p", "values", multiple=True, metavar="NAME=VALUE", callback=parameter_values, help=help_text
    )(command)
    return click.option("-e", "--expression", metavar="TEXT", help="The spec itself, in place of a file SPEC.")(
        with_values
    )


def spec_and_data(files: Sequence[str], expression: str | None, *, takes_data: bool) -> tuple[str | None, str | None]:
    """Which of the files is SPEC (None with -e) and which DATA (None if there is none). Raises UsageError."""
    spec, left = spec_and_parts(files, expression)
    data = left.pop(0) if left and takes_data else None
    if left:
        already = " (with -e there is no file SPEC)" if expression is not None else ""
        raise click.UsageError(f"unexpected argument '{left[0]}'{already}")
    return spec, data


def spec_and_parts(files: Sequence[str], expression: str | None) -> tuple[str | None, list[str]]:
    """The file that is SPEC (None with -e), and all others. Raises UsageError."""
    if expression is not None:
        return None, list(files)
    if not files:
        raise click.UsageError(MISSING_SPEC)
    return files[0], list(files[1:])


def read_spec(path: str | None, expression: str | None, values: Values) -> Spec:
    """The spec that the command line names. Raises SpecError, FileError."""
    from kernelspec.spec import load, parse

    if expression is not None:
        return parse(expression, values, name="<expression>")
    if path is None:
        raise click.UsageError(MISSING_SPEC)
    if path == "-":
        return parse(read_text("-"), values, name="<stdin>")
    if not Path(path).exists():
        from kernelspec.catalogue import KERNELS

        if "(" in path:
            raise FileError(f"{path}: no such file; to give the text of a spec, write -e before it")
        if path in KERNELS:
            raise FileError(f"{path}: no such file; for the kernel of this name, use -e '{path}()'")
    return load(path, values)


def read_text(path: str) -> str:
    """The text of a file, or of standard input for '-', line ends as they are. Raises FileError."""
    shown = "standard input" if path == "-" else path
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{shown} is not UTF-8 text: byte {error.start} cannot be read") from None
    except OSError as error:
        raise FileError(f"{shown} cannot be read: {error.strerror}") from None


def parameter_values(ctx: click.Context, _: click.Parameter, given: Sequence[str]) -> Values:
    """What -p gives, by name and exactly, or "median" for a median distance of DATA.

    Raises UsageError for text that is no NAME=NUMBER, or a name given twice.
    """
    values: Values = {}
    for item in given:
        name, equals, text = (part.strip() for part in item.partition("="))
        if not (name and equals and text):
            raise click.UsageError(f"-p takes NAME=VALUE, as in -p scale=2, not '{item}'", ctx)
        if name in values:
            raise click.UsageError(f"-p gives '{name}' two values", ctx)
        number: Fraction | Literal["median"] | None = "median" if text == "median" else _number(text)
        if number is None:
            raise click.UsageError(
                f"-p {name}: '{text}' is not a number; accepted are 2, 0.5, 1e-3, 3/2, and median for a scale", ctx
            )
        values[name] = number
    return values


def _number(text: str) -> Fraction | None:
    """A decimal number or a ratio of two, exactly; None if the text is neither, or not finite."""
    parts = text.split("/")
    try:
        floats = [float(part) for part in parts]
        if len(parts) > 2 or not all(map(math.isfinite, floats)):
            return None
        top, *bottom = (Fraction(repr(value)) for value in floats)
        return top / bottom[0] if bottom else top
    except (ValueError, ZeroDivisionError):
        return None


def read_spec_for_data(path: str | None, expression: str | None, values: Values) -> tuple[Spec, tuple[str, ...]]:
    """The spec that the command line names, and the parameters that are to have a median distance of DATA.

    Until then these have some value, so that columns can be told. Raises SpecError, FileError.
    """
    from kernelspec.elaboration.data_columns import with_probes

    medians = tuple(name for name, value in values.items() if value == "median")
    spec = read_spec(path, expression, {name: value for name, value in values.items() if name not in medians})
    return with_probes(spec, medians), medians


def with_medians_said(spec: Spec, medians: Sequence[str], columns: Columns, rows: Rows, *, quiet: bool = False) -> Spec:
    """The spec with the median distances of some rows, which standard error tells unless `quiet`.

    Raises ParameterError.
    """
    from kernelspec.elaboration.data_columns import with_medians

    found = with_medians(spec, medians, columns, rows)
    if not quiet:
        for name in medians:
            click.echo(f"{name} = {found.params[name]:g}, the median distance", err=True)
    return found


def say_if_dead(spec: Spec, columns: Columns, rows: Rows, *, quiet: bool = False) -> str | None:
    """Tell on standard error, unless `quiet`, that the kernel is nearly the identity or nearly constant on the rows.

    What was said is returned.
    """
    from kernelspec.dead_kernels import said_of_dead_kernel

    said = said_of_dead_kernel(spec, columns, spec.kernel(columns), rows, on_command_line=True)
    if said is not None and not quiet:
        click.echo(said, err=True)
    return said


def say_if_first_rows_are_dead(
    spec: Spec, columns: Columns, layout: Layout, path: str, header: bool | None = None
) -> None:
    """The same for a file, of whose rows the first ones are looked at; only if they say so, random ones of all."""
    from kernelspec.cli.data import FileRows
    from kernelspec.cli.feature_run import rows_to_plan_on
    from kernelspec.errors import KernelspecError

    try:
        first = next(iter(FileRows((path,), layout, header)))
        if say_if_dead(spec, columns, first, quiet=True) is None:
            return
        rows, _ = rows_to_plan_on(layout, path, header, quiet=True)
    except KernelspecError:  # it is raised again, in its place, when the features are computed
        return
    say_if_dead(spec, columns, rows)


@contextmanager
def told_by_the_command() -> Iterator[None]:
    """Within the body nothing warns of dead kernels: the command says it itself."""
    from kernelspec.dead_kernels import DeadKernelWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeadKernelWarning)
        yield


Choices = dict[str, list[Values]]
"""The values given to every parameter, each as a value for `Spec.with_params`."""


def given_choices(ctx: click.Context, parameter: click.Parameter, given: Sequence[str]) -> Choices:
    """What -p gives: one value or several with commas between them. Raises UsageError as for all other commands."""
    split = [(name, text.split(",")) for name, _, text in (item.partition("=") for item in given)]
    # all first values together, so that a parameter given twice is found
    parameter_values(ctx, parameter, [item.split(",")[0] for item in given])
    return {name.strip(): [parameter_values(ctx, parameter, [f"{name}={one}"]) for one in text] for name, text in split}


def is_sweep(choices: Choices) -> bool:
    """Whether a parameter has several values."""
    return any(len(values) > 1 for values in choices.values())


def every_choice(specs: list[Spec], names: Sequence[str | None], choices: Choices) -> tuple[list[Spec], list[str]]:
    """Every spec with every combination of the values of its parameters, and what the curves are called.

    A name is followed by the values that differ; a spec without name is called by its text, which has them all.
    Raises ParameterError for a parameter that no spec has, or a value it does not accept.
    """
    from kernelspec.plotting import label_of

    for parameter, given in choices.items():
        if not any(parameter in spec.params for spec in specs):
            specs[0].with_params(given[0])  # says that there is none of that name
    found: list[Spec] = []
    labels: list[str] = []
    for spec, name in zip(specs, names, strict=True):
        own = [choices[parameter] for parameter in spec.params if parameter in choices]
        for combination in itertools.product(*own):
            values = {parameter: value for part in combination for parameter, value in part.items()}
            found.append(spec.with_params(values) if values else spec)
            differ = [
                f"{parameter} = {float(values[parameter]):g}" for parameter in values if len(choices[parameter]) > 1
            ]
            labels.append(label_of(found[-1]) if name is None else ", ".join([name] * bool(name) + differ))
    return found, labels
