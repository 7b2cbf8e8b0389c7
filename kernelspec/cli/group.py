"""A group of commands that are imported when they are called."""

from __future__ import annotations

import inspect
import io
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO

import click

from kernelspec.cli.exits import exit_statuses
from kernelspec.cli.process import set_for_a_command
from kernelspec.loading import load_from

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """Commands given as name → "module:attribute", in the order in which the help lists them."""

    def __init__(self, name: str, homes: Mapping[str, str], help: str) -> None:
        version = click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version and exit.",
        )
        super().__init__(
            name,
            help=inspect.cleandoc(help),
            params=[version],
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
        )
        self.homes = dict(homes)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line; from here on a letter that the terminal does not have is shown as \\u2212."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None if there is none."""
        if cmd_name not in self.homes:
            return None
        found: click.Command = load_from(self.homes[cmd_name])
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that `args` begin with. Raises UsageError, with the nearest name, if there is none."""
        if args and args[0] not in self.homes and not args[0].startswith("-"):
            from kernelspec.suggestion import suggest

            hint = suggest(args[0], self.homes) or f"; there are {', '.join(self.homes)}"
            ctx.fail(f"there is no command '{args[0]}'{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; whatever goes wrong becomes an exit status and a message."""
        with set_for_a_command(), exit_statuses(), _warnings_without_source():
            return super().invoke(ctx)


@contextmanager
def _warnings_without_source() -> Iterator[None]:
    """Within the body our own warnings are one line on standard error: no line of Python asked for the features."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if category.__module__.startswith("kernelspec."):
                click.echo(f"{category.__name__}: {message}", err=True)
            else:
                others(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from kernelspec import __version__

        click.echo(f"kernelspec {__version__}")
        ctx.exit()
