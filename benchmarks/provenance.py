"""What a result was made by: commit, date, command and processor, in one line at the head of every result file."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import kernelspec as ks

__all__ = ["commit", "made_by", "processor"]


def commit() -> str:
    """Of the package that is measured; a plus sign where its files differ from it."""
    folder = Path(ks.__file__).parent

    def said(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()

    return f"{said('rev-parse', '--short', 'HEAD') or ks.__version__}{'+' * bool(said('diff', '--stat', 'HEAD', '.'))}"


def processor() -> str:
    """What the operating system calls it, and what code is compiled for."""
    from llvmlite.binding import get_host_cpu_name

    listed = Path("/proc/cpuinfo")
    lines = listed.read_text().splitlines() if listed.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {get_host_cpu_name()}"


def made_by(command: str | None = None) -> str:
    """A sentence: commit, day, the command (as it was called by default), processor and load."""
    called = command or " ".join([f"python benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    load = f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    return f"Commit {commit()}, {datetime.now(UTC):%Y-%m-%d}, `{called}`, {processor()}, {load}."
