"""The plugin, in runs of pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from _pytest.config.argparsing import Parser

from kernelspec.testing.plugin import pytest_addoption

TESTS = """
import numpy as np
from kernelspec.testing import assert_unbiased

def test_one(ledger):
    assert_unbiased("gaussian()", np.array([[0.0], [0.5]]), n_maps=300)
    assert ledger.n_assertions >= 1

def test_two(thorough):
    assert thorough == THOROUGH

def test_three(ledger):
    for _ in range(EXTRA):
        ledger.grant(1)
"""


OPTIONS = ["-q", "-p", "kernelspec.testing.plugin", "-p", "no:cacheprovider"]


class Done(NamedTuple):
    """What a run leaves."""

    returncode: int
    stdout: str


def write(folder: Path, *, thorough: bool = False, extra: int = 0) -> None:
    (folder / "test_it.py").write_text(TESTS.replace("THOROUGH", str(thorough)).replace("EXTRA", str(extra)))


def run(folder: Path, *options: str, thorough: bool = False, extra: int = 0) -> Done:
    """A run with the plugin, inside this process: another takes seconds to start."""
    write(folder, thorough=thorough, extra=extra)
    apart = ["-s", "-p", "no:faulthandler", "--import-mode=importlib", f"--rootdir={folder}", str(folder)]
    said = StringIO()
    with redirect_stdout(said):
        status = pytest.main([*OPTIONS, *options, *apart])
    sys.modules.pop("test_it", None)  # every run has one of its own
    return Done(int(status), said.getvalue())


@pytest.mark.slow
def test_the_account_is_printed(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "false alarms: 1 assertions spent 2e-11 of 1e-06" in done.stdout
    assert "power: bias of k" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], pytest.param(["-n", "2"], marks=pytest.mark.long)])
def test_options_and_workers(tmp_path: Path, workers: list[str]) -> None:
    options = ["--thorough", "--false-alarms", "1e-4"]
    if not workers:
        done = run(tmp_path, *options, thorough=True)
    else:
        pytest.importorskip("xdist")
        write(tmp_path, thorough=True)
        command = [sys.executable, "-m", "pytest", *OPTIONS, *options, *workers]
        there = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        done = Done(there.returncode, there.stdout)
    assert done.returncode == 0, done.stdout
    assert "of 0.0001" in done.stdout


@pytest.mark.parametrize("budget", ["2", "nan", "0", "-1"])
def test_a_budget_is_a_probability(budget: str) -> None:
    parser = Parser(_ispytest=True)
    pytest_addoption(parser)
    with pytest.raises(pytest.UsageError, match="must be between 0 and 1"):
        parser.parse_known_args(["--false-alarms", budget])


@pytest.mark.slow
def test_a_run_that_has_overspent_fails(tmp_path: Path) -> None:
    done = run(tmp_path, extra=60_000)
    assert done.returncode == 1
    assert "OVERSPENT" in done.stdout
