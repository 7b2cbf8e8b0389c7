"""Tests of `cli/group.py`."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from kernelspec.cli import main
from kernelspec.cli.group import check_outputs, print_json
from kernelspec.cli.options import json_option
from kernelspec.errors import FileError
from tests.cli.conftest import ENVIRONMENT


@click.command()
@json_option
def shown(as_json: bool) -> None:
    click.echo(repr(as_json))


def refused(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize(("arguments", "found"), [([], "False\n"), (["--json"], "True\n")])
def test_the_option_is_a_flag(arguments: list[str], found: str) -> None:
    assert CliRunner().invoke(shown, arguments, catch_exceptions=False).stdout == found


def test_letters_stay_and_lines_are_indented(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"größe": ["π·ω", 1, None, True]})
    assert capsys.readouterr().out == '{\n  "größe": [\n    "π·ω",\n    1,\n    null,\n    true\n  ]\n}\n'


def test_numbers_keep_every_digit(capsys: pytest.CaptureFixture[str]) -> None:
    values = [0.1, 1 / 3, 5e-324, -1.7976931348623157e308, 2**70]
    print_json(values)
    assert json.loads(capsys.readouterr().out) == values


def test_what_json_lacks_becomes_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"limit": float("inf"), "range": (-float("inf"), 0.5), "deep": [{"z": np.float64("nan")}]})
    found = json.loads(capsys.readouterr().out, parse_constant=refused)
    assert found == {"limit": "inf", "range": ["-inf", 0.5], "deep": [{"z": "nan"}]}


def test_inputs_and_outputs_are_all_different(tmp_path: Path) -> None:
    data, link, out = (str(tmp_path / name) for name in ("data", "link", "out"))
    Path(data).touch()
    Path(link).symlink_to(data)
    check_outputs([data, None, link, data], [("-o", out), ("--save-map", None)])
    for outputs, said in (
        ([("-o", link)], f"-o {link} would overwrite an input"),
        (
            [("-o", out), ("--save-map", f"{tmp_path}/./out")],
            f"--save-map {tmp_path}/./out would overwrite another output",
        ),
    ):
        with pytest.raises(click.UsageError) as refused:
            check_outputs([data], outputs)
        assert refused.value.message == f"{said} of this run"


def test_places_for_no_file(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "out"):
        with pytest.raises(FileError):
            check_outputs([], [("-o", str(place))])


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
    command = [sys.executable, "-m", "kernelspec", *map(str, arguments)]
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
    status, shown = on_a_terminal("verify", "-e", "gaussian()", "--dim", 2, "--n-maps", 600)
    assert status == 0
    frames = re.findall(r"(\d+)%.*?([\d,]+) maps ", shown)
    assert len(frames) > 1
    share, maps = frames[-1]
    assert (int(share), int(maps.replace(",", "")) % 600) == (100, 0)
