"""The progress bar: only where somebody watches."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import ENVIRONMENT


def on_a_terminal(*arguments: object) -> tuple[int, str]:
    """Exit status and what stands on standard error, when that is a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "kernelspec.cli", *map(str, arguments)]
    environment = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, env=environment, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 2**16):
                shown += part
        except OSError:
            pass  # how a terminal says that nobody writes to it any more
    os.close(ours)
    return process.returncode, shown.decode()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["data.npy", "data.csv"])
def test_a_bar_with_percent_and_rows_per_second(tmp_path: Path, name: str) -> None:
    data = np.random.default_rng(0).standard_normal((40_000, 3))
    np.save(tmp_path / "data.npy", data)
    pd.DataFrame(data, columns=["a", "b", "c"]).to_csv(tmp_path / "data.csv", index=False)
    arguments = ("features", "-e", "gaussian()", tmp_path / name, "-o", tmp_path / "out.npy", "--n-features", 64)
    status, shown = on_a_terminal(*arguments)
    assert status == 0
    assert name in shown
    assert "100%" in shown
    assert "40,000 rows" in shown
    assert "rows/s" in shown
    assert "40,000 rows × 64 columns in" in shown
    status, shown = on_a_terminal(*arguments, "--quiet")
    assert (status, shown) == (0, "")
