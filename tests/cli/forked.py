"""The program in processes forked from one that has imported it: all that a process is, without its start.

A start takes a second or two, and is the same every time: `execute` in conftest.py makes it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kernelspec.cli import main
from kernelspec.compilation import compile_spec

__all__ = ["Ended", "Running", "run_forked", "start_forked"]

_FORKED_FROM = multiprocessing.get_context("forkserver")


_FIRST_RUN = "kernelspec: compiling for this machine, once: about 5 s\n"


class Ended(NamedTuple):
    """What a process leaves: its exit status, or minus the signal that killed it; what is on standard error, but for
    the line of the first run on a machine, which may be any test's.
    """

    returncode: int | None
    stderr: str


@dataclass(frozen=True)
class Running:
    """A process that runs the program."""

    process: ForkServerProcess
    said: Path

    @property
    def is_running(self) -> bool:
        return self.process.is_alive()

    def send(self, number: signal.Signals) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def ended(self, patience: float = 60.0) -> Ended:
        """What it leaves when it has ended. Raises TimeoutError where it runs longer than so many seconds."""
        self.process.join(patience)
        if self.process.exitcode is None:
            self.process.kill()
            raise TimeoutError(f"the program still runs after {patience:g} s")
        return Ended(self.process.exitcode, self.said.read_text(encoding="utf-8").removeprefix(_FIRST_RUN))


def start_forked(folder: Path, *arguments: object, stdin: Path | None = None) -> Running:
    """The program with these arguments, running; what it says is kept in the folder."""
    _FORKED_FROM.set_forkserver_preload([__name__, "pytest"])
    said = folder / f"said-{len(list(folder.glob('said-*')))}.txt"
    words = [str(argument) for argument in arguments]
    process = _FORKED_FROM.Process(target=_run, args=(words, str(stdin or os.devnull), str(said)), daemon=True)
    process.start()
    return Running(process, said)


def run_forked(folder: Path, *arguments: object) -> Ended:
    """The program with these arguments, to its end."""
    return start_forked(folder, *arguments).ended()


def _run(arguments: list[str], stdin: str, stderr: str) -> None:
    for number, path, flags in (
        (0, stdin, os.O_RDONLY),
        (1, os.devnull, os.O_WRONLY),
        (2, stderr, os.O_WRONLY | os.O_CREAT),
    ):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    # as Python does at its start
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = ["kernelspec", *arguments]
    main(arguments, prog_name="kernelspec")


compile_spec("gaussian()", 2, 16).transform(np.zeros((2, 2)))  # what is compiled and imported on use, too
