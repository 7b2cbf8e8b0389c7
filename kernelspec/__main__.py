"""The program `kernelspec`, or `python -m kernelspec`: the command line in its own process, with signal handling."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

__all__ = ["run"]


def run() -> None:
    """Run the command line and end the process.

    Before and after a command, a signal ends the process at once: there is nothing to clean up, and an exception during
    an import might be lost. While a command runs, signals unwind it (`stopping_cleanly`); Python is then not shut down,
    because threads may still run compiled code.
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


if __name__ == "__main__":
    run()
