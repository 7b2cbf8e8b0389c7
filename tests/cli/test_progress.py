"""The progress bar: only where somebody watches."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kernelspec.cli import main
from tests.cli.conftest import ENVIRONMENT


def read_to_the_end(terminal: int) -> str:
    """What is written to a terminal until nobody has it open any more."""
    shown = b""
    try:
        while part := os.read(terminal, 2**16):
            shown += part
    except OSError:
        pass  # how a terminal says that
    os.close(terminal)
    return shown.decode()


def as_a_process(*arguments: object) -> tuple[int, str]:
    """Exit status of the program and what stands on standard error, when that is a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "kernelspec.cli", *map(str, arguments)]
    environment = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, env=environment, stderr=theirs) as process:
        os.close(theirs)
        shown = read_to_the_end(ours)
    return process.returncode, shown


@pytest.fixture
def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[object, str]]:
    """The same in this process, with every change of a bar shown at once, not ten times a second."""
    import numba  # noqa: F401  # colorama, which comes with it, keeps the standard output that it finds
    from rich.progress import Progress

    update = Progress.update
    monkeypatch.setattr(Progress, "update", lambda self, task, **fields: update(self, task, refresh=True, **fields))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: object) -> tuple[object, str]:
        ours, theirs = pty.openpty()
        with ThreadPoolExecutor(1) as beside:
            shown = beside.submit(read_to_the_end, ours)
            with open(theirs, "w", encoding="utf-8") as terminal, monkeypatch.context() as patched:
                patched.setattr(sys, "stderr", terminal)
                with pytest.raises(SystemExit) as ended:
                    main([str(argument) for argument in arguments], prog_name="kernelspec")
            return ended.value.code, shown.result()

    return call


@pytest.mark.long
@pytest.mark.parametrize("name", ["data.npy", "data.csv"])
def test_a_bar_with_percent_and_rows_per_second(
    tmp_path: Path, name: str, on_a_terminal: Callable[..., tuple[object, str]]
) -> None:
    data = np.random.default_rng(0).standard_normal((40_000, 3))
    np.save(tmp_path / "data.npy", data)
    pd.DataFrame(data, columns=["a", "b", "c"]).to_csv(tmp_path / "data.csv", index=False)
    arguments = ("features", "-e", "gaussian()", tmp_path / name, "-o", tmp_path / "out.npy", "--n-features", 64)
    status, shown = (as_a_process if name == "data.npy" else on_a_terminal)(*arguments)
    assert status == 0
    assert name in shown
    assert "100%" in shown
    assert "40,000 rows" in shown
    assert "rows/s" in shown
    assert "40,000 rows × 64 columns in" in shown
    status, shown = on_a_terminal(*arguments, "--quiet")
    assert (status, shown) == (0, "")


@pytest.mark.long
@pytest.mark.parametrize("suffix", [".npy", ".csv", ".csv.gz", ".libsvm", ".parquet"])
def test_the_bar_is_right_from_the_first_block_on(
    tmp_path: Path, suffix: str, on_a_terminal: Callable[..., tuple[object, str]]
) -> None:
    n_rows, path = 100_000, tmp_path / f"data{suffix}"
    data = np.random.default_rng(0).standard_normal((n_rows, 3)).round(6)
    frame = pd.DataFrame(data, columns=["a", "b", "c"])
    match suffix:
        case ".npy":
            np.save(path, data)
        case ".parquet":
            frame.to_parquet(path)
        case ".libsvm":
            path.write_text("".join(f"1 1:{a} 2:{b} 3:{c}\n" for a, b, c in data))
        case _:
            frame.to_csv(path, index=False)
    output = ("-o", tmp_path / "out.npy", "--n-features", 16, "--rows-per-block", 1000, "--dim", 3)
    status, shown = on_a_terminal("features", "-e", "gaussian()", path, *output)
    assert status == 0
    frames = [(int(share), int(rows.replace(",", ""))) for share, rows in re.findall(r"(\d+)%.*?([\d,]+) rows ", shown)]
    assert {rows for _, rows in frames} > set(range(1000, n_rows, 1000))
    for share, rows in frames:
        assert abs(share - 100 * rows / n_rows) < 4


@pytest.mark.long
def test_the_bar_of_a_certificate_counts_maps(on_a_terminal: Callable[..., tuple[object, str]]) -> None:
    status, shown = on_a_terminal("verify", "-e", "gaussian()", "--dim", 2, "--n-maps", 300)
    assert status == 0
    frames = re.findall(r"(\d+)%.*?([\d,]+) maps ", shown)
    assert len(frames) > 1
    share, maps = frames[-1]
    assert (int(share), int(maps.replace(",", "")) % 300) == (100, 0)
