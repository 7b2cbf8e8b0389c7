"""The kernel a command is about: a file, standard input or -e TEXT, with values for its parameters."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from kernelspec.errors import FileError

if TYPE_CHECKING:
    from kernelspec.spec import Spec

__all__ = [
    "MISSING_SPEC",
    "Values",
    "parameter_values",
    "read_spec",
    "read_text",
    "spec_and_data",
    "spec_and_parts",
    "spec_options",
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
        from kernelspec.kernels.catalogue import KERNELS

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
