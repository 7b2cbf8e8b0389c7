"""How far a run has come, on standard error when that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.files import TableReader

__all__ = ["progress"]


@contextmanager
def progress(reader: TableReader, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A function to be told of the rows that are done.

    It drives a bar with rows per second if standard error is a terminal: in rows where the file says how many it
    has, else in bytes. Otherwise nothing is written.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda rows: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn(reader.path.name, markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rows]:,} rows"),
        TextColumn("{task.fields[speed]:,.0f} rows/s"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("", total=reader.n_rows or reader.size, rows=0, speed=0.0)
    done = 0

    def advance(rows: int) -> None:
        nonlocal done
        done += rows
        elapsed = bar.tasks[0].elapsed or 0.0
        completed = done if reader.n_rows else reader.bytes_read
        bar.update(task, completed=completed, rows=done, speed=done / elapsed if elapsed else 0.0)

    with bar:
        yield advance
