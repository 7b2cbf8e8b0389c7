"""Reports as JSON on standard output, progress on standard error, and files that a run must not overwrite."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from kernelspec.tables.table_reader import TableReader

__all__ = ["check_outputs", "counted", "json_option", "print_json", "progress", "waiting"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def json_option(command: _Command) -> _Command:
    """Add `--json` to a command, as its argument `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def print_json(report: Any) -> None:
    """Print JSON data, indented, letters as they are on a terminal that has them; infinity becomes text."""
    import json

    has_all_letters = "utf" in (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(_finite(report), indent=2, ensure_ascii=not has_all_letters, allow_nan=False))


def _finite(report: Any) -> Any:
    if isinstance(report, dict):
        return {key: _finite(value) for key, value in report.items()}
    if isinstance(report, list | tuple):
        return [_finite(value) for value in report]
    return str(report) if isinstance(report, float) and not math.isfinite(report) else report


@contextmanager
def progress(reader: TableReader, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """A function to be told of the rows that are done, which drives a bar with rows per second.

    How many rows there will be is what the file says, or else seems to hold by those read so far.
    """
    done = 0

    with counted(reader.path.name, "rows", quiet=quiet) as show:

        def advance(rows: int) -> None:
            nonlocal done
            done += rows
            show(done, reader.rows_expected)

        yield advance


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


@contextmanager
def counted(name: str, unit: str, *, quiet: bool = False) -> Iterator[Callable[[int, int | None], None]]:
    """A function to be told how many of how many are done, None where that is not known yet.

    It drives a bar if standard error is a terminal. Otherwise nothing is written.
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
    # in shares of the whole: a total that changes would make the bar forget its speed
    task = bar.add_task("", total=1.0, done=0, speed=0.0)

    def show(done: int, expected: int | None) -> None:
        elapsed = bar.tasks[0].elapsed or 0.0
        share = done / expected if expected else 0.0
        bar.update(task, completed=share, done=done, speed=done / elapsed if elapsed else 0.0)

    with bar:
        yield show


def check_outputs(inputs: Iterable[str | None], outputs: Iterable[tuple[str, str | None]]) -> None:
    """Refuse an output, (option, path), where no file can be put, or that is an input or another output; None is none.

    Raises FileError, UsageError.
    """
    from kernelspec.tables.atomic import check_name, check_target

    taken: dict[str, str] = {}
    for path in inputs:
        if path is not None:
            check_name(path)
            taken[os.path.realpath(path)] = "an input"
    for option, path in outputs:
        if path is None:
            continue
        check_name(path)
        check_target(Path(path))
        place = os.path.realpath(path)
        if place in taken:
            raise click.UsageError(f"{option} {path} is {taken[place]} of this run, and would be replaced")
        taken[place] = "another output"
