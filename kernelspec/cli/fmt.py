"""`kernelspec fmt`: specs laid out in the one canonical way."""

from __future__ import annotations

from pathlib import Path

import click

from kernelspec.cli.exits import BAD_INPUT, NO
from kernelspec.cli.spec_input import read_text
from kernelspec.errors import KernelspecError

__all__ = ["fmt"]


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
    from kernelspec.language.formatter import format_text

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
        from kernelspec.files.atomic import write_bytes_atomically

        write_bytes_atomically(Path(str(file)), formatted.encode())
        click.echo(f"formatted {name}", err=True)
    return changed
