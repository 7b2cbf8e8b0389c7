"""How a run ends: errors as text without a traceback, and the exit status they have."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import click

from kernelspec.errors import KernelspecError

__all__ = ["BAD_INPUT", "NO", "exit_statuses", "stopping_cleanly"]

NO = 1
"""Exit status where the answer is no."""

BAD_INPUT = 2
"""Exit status for wrong usage and bad input."""

_INTERRUPTED = 130
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
    """Within the body, a request to end or a closed terminal unwinds like Ctrl-C, so that temporary files go away."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what signals do
        return
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, _stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    del frame
    raise SystemExit(128 + number)


def _give_up_standard_output() -> None:
    # what is left in the buffer goes nowhere, instead of failing once more when Python ends
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
