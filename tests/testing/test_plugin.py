"""The plugin, in runs of pytest of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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


def run(folder: Path, *options: str, thorough: bool = False, extra: int = 0) -> subprocess.CompletedProcess[str]:
    """A run with the plugin."""
    written = TESTS.replace("THOROUGH", str(thorough)).replace("EXTRA", str(extra))
    (folder / "test_it.py").write_text(written)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "kernelspec.testing.plugin", "-p", "no:cacheprovider"]
    return subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_account_is_printed(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "false alarms: 1 assertions spent 2e-11 of 1e-06" in done.stdout
    assert "power: bias of k" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_options_and_workers(tmp_path: Path, workers: list[str]) -> None:
    if workers:
        pytest.importorskip("xdist")
    done = run(tmp_path, "--thorough", "--false-alarms", "1e-4", *workers, thorough=True)
    assert done.returncode == 0, done.stdout
    assert "of 0.0001" in done.stdout


@pytest.mark.slow
def test_a_run_that_has_overspent_fails(tmp_path: Path) -> None:
    done = run(tmp_path, extra=60_000)
    assert done.returncode == 1
    assert "OVERSPENT" in done.stdout
