"""How far a run has come, on standard error when that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.files import TableReader

__all__ = ["counted", "progress", "waiting"]


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
