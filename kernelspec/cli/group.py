"""The command group: lazy imports of commands, exit statuses, warnings, JSON output and progress bars."""

from __future__ import annotations

import inspect
import io
import math
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

import click

from kernelspec.catalogue import FaultsNamed
from kernelspec.errors import FileError, KernelspecError
from kernelspec.loading import load_from, missing_package, suggest

if TYPE_CHECKING:
    from kernelspec.tables.table_reader import TableReader

__all__ = [
    "BAD_INPUT",
    "NO",
    "LazyGroup",
    "check_outputs",
    "counted",
    "finite",
    "print_json",
    "print_report",
    "progress",
    "stopping_cleanly",
]

NO = 1
"""Exit status if the answer is no."""

BAD_INPUT = 2
"""Exit status for wrong usage and bad input."""

_UNEXPECTED = 70
"""Exit status for an internal error: EX_SOFTWARE of sysexits.h."""

_INTERRUPTED = 130
_PAUSE = 0.1
"""Seconds until a signal is resent."""

_BROKEN_PIPE = 141


class _Closed(io.RawIOBase):
    """Standard output that is closed."""

    def writable(self) -> bool:
        """True, so that text can be written to it, which fails."""
        return True

    def write(self, _: object) -> int:
        """Raise FileError."""
        raise FileError("standard output is closed: name a file with -o, or redirect it")


@contextmanager
def exit_statuses() -> Iterator[None]:
    """Turn exceptions in the body into click's Exit.

    2 for a KernelspecError, with its message on standard error; 130 for Ctrl-C; 141, silently, for a broken pipe; 70
    with one line for all others.
    """
    closed: Any = _Closed()
    text = io.TextIOWrapper(closed, encoding="utf-8", write_through=True) if sys.stdout is None else sys.stdout
    try:
        try:
            with redirect_stdout(text):
                yield
        except Exception as error:
            if interruption := _interruption_behind(error):
                raise interruption from None
            raise
        finally:
            text.flush()
    except KernelspecError as error:
        from kernelspec.cli.options import with_flags

        click.echo(str(error) if isinstance(error, FileError) else with_flags(str(error)), err=True)
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
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:
        missing = missing_package(error) if isinstance(error, ImportError) else None
        click.echo(missing or _unexpected(error), err=True)
        raise click.exceptions.Exit(_UNEXPECTED if missing is None else BAD_INPUT) from None


def _interruption_behind(error: Exception) -> BaseException | None:
    """The exception raised by a signal, if it caused this error: Python 3.11 wraps exceptions in a RuntimeError while a
    class sets the names of its attributes.
    """
    cause = error.__cause__
    while cause is not None and not isinstance(cause, KeyboardInterrupt | SystemExit):
        cause = cause.__cause__
    return cause


_TRACEBACK = "KERNELSPEC_TRACEBACK"
"""The environment variable that makes internal errors print a traceback."""


def _unexpected(error: Exception) -> str:
    """One line about an internal error and how to report it, or the traceback if the environment asks for it."""
    if os.environ.get(_TRACEBACK):
        return "".join(traceback.format_exception(error)).rstrip()
    said = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    what = "out of memory" if isinstance(error, MemoryError) else "internal error"
    return f"kernelspec: {what}: {said:.300}; please report this command with its output under {_TRACEBACK}=1"


@contextmanager
def stopping_cleanly() -> Iterator[None]:
    """Unwind the body on SIGINT, SIGTERM and SIGHUP, so that temporary files are removed.

    Python ignores exceptions in callbacks and destructors, so the signal is then sent again. If other code catches the
    exception, the body runs to its end, and the exit status is still that of the signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set signal handlers
        return
    received: list[int] = []
    again: list[threading.Timer] = []
    others = sys.unraisablehook

    def stop(number: int, _frame: FrameType | None) -> None:
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
    # discard the buffer, or flushing it at exit would fail again
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class LazyGroup(click.Group):
    """Commands as name → "module:attribute", in the order of the help."""

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
        """Parse the command line, and from here on escape characters that the terminal cannot show."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        with exit_statuses():  # --help imports every command
            return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if there is none of that name."""
        if cmd_name not in self.homes:
            return None
        found: click.Command = load_from(self.homes[cmd_name])
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that `args` start with. Raises UsageError that suggests the nearest name."""
        if args and args[0] not in self.homes and not args[0].startswith("-"):
            from kernelspec.loading import suggest

            hint = suggest(args[0], self.homes, _COMMANDS_ELSEWHERE) or f"; use one of {', '.join(self.homes)}"
            ctx.fail(f"unknown command '{args[0]}'{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, turning exceptions into a message and an exit status."""
        with stopping_cleanly(), exit_statuses(), FaultsNamed(), _warnings_without_source():
            try:
                return super().invoke(ctx)
            except click.NoSuchOption as error:
                raise click.UsageError(_no_option(error), error.ctx) from None


_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "-p": ("--param", "--params", "--parameter", "--set"),
    "--budget": ("--alpha", "--level"),
    "--target": ("--label", "--labels", "--y", "-y", "--response", "--outcome"),
    "--columns": ("--cols", "--names", "--use-columns", "--dim"),
    "--dim": ("-d", "--dims", "--n-dims", "--ndim", "--width"),
    "--drop": ("--target", "--label", "--exclude", "-y", "--y"),
    "--dtype": ("--precision", "--type", "--float32", "--float64"),
    "--expression": ("--text", "--spec", "--kernel", "--formula"),
    "--json": ("--format", "--as-json"),
    "--n-maps": ("--maps", "--repeats", "--replicates"),
    "--no-header": ("--skip-header",),
    "--output": ("--out", "--to"),
    "--plan-on": ("--train", "--fit-on", "--reference"),
    "--quiet": ("--silent", "--no-progress"),
    "--rows": ("--n-rows", "--max-rows"),
    "--rows-per-block": ("--batch-size", "--chunk-size", "--block-size"),
    "--save-map": ("--map", "--save"),
    "--text-columns": ("--categorical", "--categories"),
}
"""Our options by the names other programs give them; `MapOptions` states those of feature maps."""


_COMMANDS_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "check": ("validate",),
    "explain": ("analyze", "describe"),
    "features": ("featurize", "transform"),
    "fit": ("train", "learn"),
    "fmt": ("format",),
}
"""Our commands by the names other programs give them."""


def _no_option(error: click.NoSuchOption) -> str:
    """The message for an unknown option, with the option that was probably meant."""
    from kernelspec.cli.options import flag_of
    from kernelspec.planning.options import ALSO_CALLED

    params = [] if error.ctx is None else error.ctx.command.params
    flags = [flag for parameter in params for flag in (*parameter.opts, *parameter.secondary_opts) if flag[0] == "-"]
    if error.option_name in ("--force", "--overwrite") and "--output" in flags:
        return f"unknown option '{error.option_name}'; leave it out: an existing output is replaced"
    of_maps = {flag_of(name): [flag_of(other) for other in also] for name, also in ALSO_CALLED.items()}
    return f"unknown option '{error.option_name}'{suggest(error.option_name, flags, {**_ELSEWHERE, **of_maps})}"


@contextmanager
def _warnings_without_source() -> Iterator[None]:
    """Show our own warnings and those to users as one line on standard error, once, without a line of Python source."""
    with warnings.catch_warnings():
        others, shown = warnings.showwarning, set[str]()

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if category is UserWarning or category.__module__.startswith("kernelspec."):
                from kernelspec.cli.options import with_flags
                from kernelspec.tables.rows import counted_from_one

                if (text := with_flags(counted_from_one(f"{category.__name__}: {message}"))) not in shown:
                    shown.add(text)
                    click.echo(text, err=True)
            else:
                others(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from kernelspec import __version__

        click.echo(f"kernelspec {__version__}")
        ctx.exit()


def print_json(report: Any) -> None:
    """Print indented JSON, with non-ASCII characters if the terminal supports them, and infinity as text."""
    import json

    has_all_letters = "utf" in (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(finite(report), indent=2, ensure_ascii=not has_all_letters, allow_nan=False))


def print_report(found: Any, *, as_json: bool) -> None:
    """Print what was found as JSON or as text."""
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(str(found))


def finite(report: Any) -> Any:
    """The JSON data with infinity and NaN as text."""
    if isinstance(report, dict):
        return {key: finite(value) for key, value in report.items()}
    if isinstance(report, list | tuple):
        return [finite(value) for value in report]
    return str(report) if isinstance(report, float) and not math.isfinite(report) else report


@contextmanager
def progress(reader: TableReader, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Yield a function that adds the number of rows done to a progress bar.

    The total comes from the file, or is estimated from the rows read so far.
    """
    done = 0

    with counted(reader.path.name, "rows", quiet=quiet) as show:

        def advance(rows: int) -> None:
            nonlocal done
            done += rows
            show(done, reader.rows_expected)

        yield advance


@contextmanager
def counted(name: str, unit: str, *, quiet: bool = False) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function of the number done and the number expected (None if unknown).

    It drives a progress bar if standard error is a terminal, and otherwise does nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda done, expected: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn(name, markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn(f"{{task.fields[done]:,}} {unit}"),
        TextColumn(f"{{task.fields[speed]:,.0f}} {unit}/s"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    # as shares: changing the total would reset the speed of the bar
    task = bar.add_task("", total=1.0, done=0, speed=0.0)

    def show(done: int, expected: int | None) -> None:
        elapsed = bar.tasks[0].elapsed or 0.0
        share = done / expected if expected else 0.0
        bar.update(task, completed=share, done=done, speed=done / elapsed if elapsed else 0.0)

    with bar:
        yield show


def check_outputs(inputs: Iterable[str | None], outputs: Iterable[tuple[str, str | None]]) -> None:
    """Refuse an output (option, path) that cannot be written, or that is an input or another output; skip None.

    Raises FileError, UsageError.
    """
    from kernelspec.tables.atomic import check_name, check_target

    taken: dict[str, str] = {}
    for path in inputs:
        if path not in (None, "-"):
            check_name(path)
            taken[os.path.realpath(path)] = "an input"
    for option, path in outputs:
        if path is None:
            continue
        if path == "-":
            raise click.UsageError(f"{option} - is not possible here: name a file, which appears when it is complete")
        check_name(path)
        check_target(Path(path))
        place = os.path.realpath(path)
        if place in taken:
            raise click.UsageError(f"{option} {path} would overwrite {taken[place]} of this run")
        taken[place] = "another output"
