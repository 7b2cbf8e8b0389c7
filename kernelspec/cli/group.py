"""Commands that are imported when they are called, how a run ends, and its exit status."""

from __future__ import annotations

import gc
import inspect
import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TextIO

import click

from kernelspec.catalogue import FaultsNamed
from kernelspec.errors import KernelspecError
from kernelspec.loading import load_from

__all__ = ["BAD_INPUT", "NO", "LazyGroup", "exit_statuses", "set_for_a_command", "stopping_cleanly"]

_NEW_OBJECTS = 100_000
"""Python looks for garbage when there are so many new objects. Modules make as many while they are imported, and all
of them stay: its own 700 have it look through them dozens of times, in a tenth to a fifth of a command's start."""

_PATIENCE = "OPENBLAS_THREAD_TIMEOUT", "20"
"""Workers of OpenBLAS sleep after 2²⁰ ticks without work, 0.4 ms. Else they wait busily for 0.1 s, on a processor that
others need, from the moment they are started: when NumPy is imported, and again for SciPy."""


@contextmanager
def set_for_a_command() -> Iterator[None]:
    """Within the body garbage is looked for seldom, and OpenBLAS, if it is loaded there, sleeps when it has no work.

    What the environment says of OpenBLAS is left as it is.
    """
    before, (variable, value) = gc.get_threshold(), _PATIENCE
    given = variable in os.environ
    os.environ.setdefault(variable, value)
    gc.set_threshold(max(_NEW_OBJECTS, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not given:
            del os.environ[variable]


NO = 1
"""Exit status where the answer is no."""

BAD_INPUT = 2
"""Exit status for wrong usage and bad input."""

_INTERRUPTED = 130
_PAUSE = 0.1
"""Seconds until a signal is sent again."""

_BROKEN_PIPE = 141


@contextmanager
def exit_statuses() -> Iterator[None]:
    """Turn the exceptions of the body into click's Exit: 2 for what kernelspec refuses, with its message on standard
    error; 130 for Ctrl-C; 141, silently, if the reader of standard output went away.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except KernelspecError as error:
        click.echo(str(error), err=True)
        raise click.exceptions.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        raise click.exceptions.Exit(_INTERRUPTED) from None
    except BrokenPipeError:
        _give_up_standard_output()
        raise click.exceptions.Exit(_BROKEN_PIPE) from None
    except OSError as error:
        _give_up_standard_output()
        click.echo(f"{error.filename or 'standard output'}: {error.strerror or error}", err=True)
        raise click.exceptions.Exit(BAD_INPUT) from None


@contextmanager
def stopping_cleanly() -> Iterator[None]:
    """Within the body Ctrl-C, a request to end and a closed terminal unwind what runs, so that temporary files go away.

    Python ignores what is raised in callbacks and destructors: the signal is then sent again. Other code may catch it:
    the body then runs to its end, and the exit status is that of the signal all the same.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what signals do
        return
    received: list[int] = []
    again: list[threading.Timer] = []
    others = sys.unraisablehook

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        received.append(number)
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    def ignored(unraisable: sys.UnraisableHookArgs) -> None:
        if received and issubclass(unraisable.exc_type, KeyboardInterrupt | SystemExit):
            again.append(threading.Timer(_PAUSE, os.kill, (os.getpid(), received[-1])))
            again[-1].start()
        else:
            others(unraisable)

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    caught = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in caught}
    has_unwound, sys.unraisablehook = False, ignored
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        has_unwound = True
        raise
    finally:
        for timer in again:
            timer.cancel()
            timer.join()
        sys.unraisablehook = others
        for number, handler in before.items():
            signal.signal(number, handler)
        if received and not has_unwound:
            raise SystemExit(128 + received[0])


def _give_up_standard_output() -> None:
    # what is left in the buffer goes nowhere, instead of failing once more when Python ends
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
            from kernelspec.loading import suggest

            hint = suggest(args[0], self.homes) or f"; there are {', '.join(self.homes)}"
            ctx.fail(f"there is no command '{args[0]}'{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; whatever goes wrong becomes an exit status and a message."""
        with set_for_a_command(), stopping_cleanly(), exit_statuses(), FaultsNamed(), _warnings_without_source():
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
                from kernelspec.tables.rows import counted_from_one

                click.echo(counted_from_one(f"{category.__name__}: {message}"), err=True)
            else:
                others(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from kernelspec import __version__

        click.echo(f"kernelspec {__version__}")
        ctx.exit()
