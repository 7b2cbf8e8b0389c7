"""`kernelspec check` and `kernelspec fmt`: is the kernel positive definite, and specs in canonical layout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelspec.cli.group import BAD_INPUT, NO
from kernelspec.cli.map_options import GivenColumns, column_options
from kernelspec.cli.output import json_option, print_json
from kernelspec.cli.spec_input import Values, read_spec, read_text, spec_and_data, spec_options
from kernelspec.errors import KernelspecError

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Verdict

__all__ = ["check", "fmt"]

_ANSWERS = {
    "proved": "proved: positive definite",
    "disproved": "disproved: not positive definite",
    "unknown": "unknown: neither proved nor disproved to be positive definite",
}


def _answer(verdict: Verdict) -> str:
    if verdict.most_columns is None:
        return _ANSWERS[verdict.positive_definite]
    columns = f"{verdict.most_columns} column{'s' * (verdict.most_columns != 1)}"
    return f"disproved: positive definite in up to {columns}, not in any number of them; give --dim or --columns"


@click.command(short_help="Is the kernel positive definite, and why?")
@click.argument("files", nargs=-1, metavar="SPEC")
@spec_options
@column_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit status is the answer.")
@json_option
def check(
    files: tuple[str, ...],
    expression: str | None,
    values: Values,
    columns: GivenColumns,
    quiet: bool,
    as_json: bool,
) -> None:
    """Read a spec and say whether its kernel is positive definite, with the reasons.

    SPEC is a file, or - for standard input; -e gives the text itself. Exit status 0: proved. 1: disproved, or
    unknown. 2: the spec is not valid.

    Without --dim or --columns the answer holds for any number of columns.

    \b
    Example:
      kernelspec check -e "0.7*gaussian(scale=2) + 0.3*laplace()"
    """
    from kernelspec.analysis.facts import analyze

    path, _ = spec_and_data(files, expression, takes_data=False)
    spec = read_spec(path, expression, values)
    verdict = analyze(spec, columns.dim, columns=columns.names).verdict
    if not quiet and as_json:
        print_json({"spec": str(spec), "params": spec.params} | verdict.to_dict())
    elif not quiet:
        click.echo(_answer(verdict))
        click.echo("\n" + str(spec).rstrip() + "\n")
        for name, value in values.items():
            click.echo(f"with {name} = {value}")
        click.echo("\n".join(verdict.lines()))
    if verdict.positive_definite != "proved":
        raise click.exceptions.Exit(NO)


@click.command(short_help="Format spec files.")
@click.argument("files", nargs=-1, metavar="SPEC...")
@click.option("-e", "--expression", metavar="TEXT", help="Format this text, to standard output.")
@click.option("--check", is_flag=True, help="Change nothing: list what would change, exit status 1 if anything.")
def fmt(files: tuple[str, ...], expression: str | None, check: bool) -> None:
    """Format spec files in place; standard input (-) and -e go to standard output.

    Comments are kept, and the kernel stays the same. Files already in order are not touched. A file with an error
    stays as it is; the others are formatted, and the exit status is 2.

    \b
    Example:
      kernelspec fmt --check *.kernel
    """
    if not files and expression is None:
        raise click.UsageError("SPEC is missing: one or more files, '-' for standard input, or -e TEXT")
    if files and expression is not None:
        raise click.UsageError("either files or -e TEXT, not both")
    changed = failed = False
    for file in files or (None,):
        try:
            changed |= _format(file, expression, check)
        except KernelspecError as error:
            click.echo(str(error), err=True)
            failed = True
    if failed:
        raise click.exceptions.Exit(BAD_INPUT)
    if check and changed:
        raise click.exceptions.Exit(NO)


def _format(file: str | None, expression: str | None, check: bool) -> bool:
    """Format one text; whether that changes it."""
    from kernelspec.language.printer import format_text

    name = {None: "<expression>", "-": "<stdin>"}.get(file, file)
    # the end of the line of -e TEXT is no matter of style
    text = read_text(file) if file is not None else f"{expression}\n"
    formatted = format_text(text.replace("\r\n", "\n"), str(name))
    changed = formatted != text
    if check:
        if changed:
            click.echo(f"would format {name}")
    elif file in (None, "-"):
        click.echo(formatted.encode(), nl=False)  # a spec is UTF-8 text, whatever the terminal is
    elif changed:
        from kernelspec.tables.atomic import write_bytes_atomically

        write_bytes_atomically(Path(str(file)), formatted.encode())
        click.echo(f"formatted {name}", err=True)
    return changed
