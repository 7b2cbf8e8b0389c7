"""The program `kernelspec`: the command line in a process of its own, and how signals end that."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

__all__ = ["run"]


def run() -> None:
    """Run the command line and end the process.

    A signal ends the process at once, as it ends any program, before a command runs and after it: there is nothing to
    clean up, while an exception in the middle of an import may be lost. Only while a command runs do signals unwind it
    (`stopping_cleanly`). Then Python is not shut down, since threads may still run compiled code.
    """
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, and jobs in the background
            signal.signal(number, signal.SIG_DFL)
    from kernelspec.cli import main

    try:
        main(prog_name="kernelspec")
    except SystemExit as end:
        if end.code in {128 + number for number in numbers}:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(int(end.code))  # type: ignore[arg-type]
        raise
