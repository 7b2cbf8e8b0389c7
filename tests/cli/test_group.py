"""Tests of `cli/group.py`."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import kernelspec
import kernelspec as ks
from kernelspec.cli import main
from kernelspec.cli.group import exit_statuses, stopping_cleanly
from kernelspec.errors import DataError, FileError, KernelspecError, PlanError
from kernelspec.planning.options import METHODS
from tests.cli.conftest import ENVIRONMENT, Execute, Run, refused
from tests.cli.forked import run_forked


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KernelspecError("no"), 2, "no\n"),
        (DataError("row 3"), 2, "row 3\n"),
        (PlanError("größer"), 2, "größer\n"),
        (PlanError("give n_features='auto' with error=0.1"), 2, "give --n-features auto with --error 0.1\n"),
        (FileError("a.npy: no such file"), 2, "a.npy: no such file\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (BrokenPipeError(), 141, ""),
        (FileNotFoundError(2, "No such file or directory", "a.npy"), 2, "a.npy: No such file or directory\n"),
        (OSError(28, "No space left on device"), 2, "standard output: No space left on device\n"),
    ],
)
def test_status_and_message(capsys: pytest.CaptureFixture[str], error: BaseException, status: int, said: str) -> None:
    with pytest.raises(click.exceptions.Exit) as ended, exit_statuses():
        raise error
    assert ended.value.exit_code == status
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("error", [SystemExit(3), click.UsageError("theirs"), click.exceptions.Exit(1)])
def test_what_is_none_of_its_business_passes(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised, exit_statuses():
        raise error
    assert raised.value is error


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_unwinds_and_handlers_come_back(number: signal.Signals) -> None:
    assert threading.current_thread() is threading.main_thread()
    before, unwound = signal.getsignal(number), []

    def stopped() -> None:
        with stopping_cleanly():
            try:
                signal.raise_signal(number)
            finally:
                unwound.append(number)

    with pytest.raises(SystemExit) as ended:
        stopped()
    assert ended.value.code == 128 + number
    assert unwound == [number]
    assert signal.getsignal(number) is before


def test_other_threads_leave_signals_alone() -> None:
    found = []

    def body() -> None:
        with stopping_cleanly():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ZeroDivisionError("division by zero"), "internal error: ZeroDivisionError: division by zero"),
        (NotImplementedError(), "internal error: NotImplementedError"),
        (ValueError("two\nlines"), "internal error: ValueError: two lines"),
        (RecursionError("too deep"), "internal error: RecursionError: too deep"),
        (MemoryError("Unable to allocate 8 TiB"), "out of memory: MemoryError: Unable to allocate 8 TiB"),
    ],
)
def test_what_nobody_expected(run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("kernelspec.analysis.facts.analyze", fails)
    monkeypatch.delenv("KERNELSPEC_TRACEBACK", raising=False)
    for command in ("check", "explain"):
        result = run(command, "-e", "gaussian()")
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (70, "", 1)
        assert result.stderr.startswith(f"kernelspec: {said}; please report this command with its output under ")
    monkeypatch.setenv("KERNELSPEC_TRACEBACK", "1")
    result = run("check", "-e", "gaussian()")
    assert result.exit_code == 70
    assert result.stderr.startswith("Traceback")


def test_a_command_that_cannot_be_imported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(main.homes, "check", "kernelspec.cli.check:gone")
    for arguments in (("check", "-e", "gaussian()"), ("--help",)):
        result = run(*arguments)
        assert (result.exit_code, result.stderr.count("\n")) == (70, 1)


@pytest.mark.slow
def test_without_compiled_loops(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", np.zeros((3, 2)))
    command = [sys.executable, "-m", "kernelspec", "features", "-e", "gaussian()", str(tmp_path / "rows.npy")]
    ended = subprocess.run(
        [*command, "-o", str(tmp_path / "out.npy")],
        env={**ENVIRONMENT, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (70, "", 1)
    assert not (tmp_path / "out.npy").exists()


@pytest.mark.parametrize(
    ("command", "option", "meant"),
    [
        ("features", "--n-componets", "--n-features"),
        ("features", "--components", "--n-features"),
        ("explain", "--random-state", "--seed"),
        ("features", "--ouput", "--output"),
        ("features", "--target", "--drop"),
        ("features", "--label", "--drop"),
        ("fit", "--label", "--target"),
        ("fit", "--y", "--target"),
        ("tune", "--response", "--target"),
        ("tune", "--dim", "--columns"),
        ("features", "--anchors", "--landmarks"),
        ("features", "--batch-size", "--rows-per-block"),
        ("check", "--param", "-p"),
        ("check", "--kernel", "--expression"),
        ("verify", "--n-draws", "--draws"),
        ("verify", "--replicates", "--n-maps"),
    ],
)
def test_an_unknown_option_names_the_one_that_was_meant(run: Run, command: str, option: str, meant: str) -> None:
    assert f"unknown option '{option}'; did you mean '{meant}'?" in refused(run, command, option, "1")
    assert "unknown option '--zzz'\n" in run(command, "--zzz").stderr


COMMANDS = ["check", "fmt", "explain", "features", "verify", "plot", "catalogue"]


def test_help_lists_every_command(run: Run) -> None:
    result = run("--help")
    assert result.exit_code == 0
    positions = [result.stdout.index(f"\n  {name} ") for name in COMMANDS]
    assert positions == sorted(positions)


@pytest.mark.parametrize("name", list(main.homes))
def test_help_is_short_grouped_and_ends_with_examples(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    prose, *sections = re.split(r"\n(?=(?:Spec|Data|Feature map|Output|Other options):\n)", result.stdout)
    assert len([line for line in prose.splitlines() if line.strip()]) <= 2 + 12, "usage, one line, at most 12 more"
    assert sections
    commands = re.findall(rf"^    kernelspec {name}\b.*$", result.stdout.partition("Examples:\n")[2], re.MULTILINE)
    assert len(commands) == 2
    assert "\n  Documentation: " in result.stdout
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert max(map(len, result.stdout.partition("Examples:")[2].splitlines())) <= 76  # as wide as code in documents
    assert all(option.help for option in command.params if isinstance(option, click.Option))


def test_headings_are_bold_on_terminals_only() -> None:
    plain, coloured = (CliRunner().invoke(main, ["check", "--help"], color=color).stdout for color in (False, True))
    assert "\x1b" not in plain
    assert "\x1b[1mSpec" in coloured
    assert click.unstyle(coloured) == plain


@pytest.mark.parametrize(
    ("words", "incomplete", "found"),
    [
        (["features", "a.kernel", "{csv}", "--keep"], "ag", ["age"]),
        (["features", "a.kernel", "{csv}", "--drop"], "age,cou", ["age,country"]),
        (["fit", "a.kernel", "{csv}", "--target"], "bal", ["balance"]),
        (["fit", "a.kernel", "missing.csv", "--target"], "bal", []),
        (["check", "-e"], "0.5*lapl", ["0.5*laplace"]),
        (["plot", "-e"], "spherica", ["spherical"]),
        (["catalogue"], "lapl", ["laplace"]),
        (["features", "--method"], "po", ["poisson", "polar"]),
    ],
)
def test_completion(people_csv: Path, words: list[str], incomplete: str, found: list[str]) -> None:
    completion = ShellComplete(main, {}, "kernelspec", "_KERNELSPEC_COMPLETE")
    given = [word.format(csv=people_csv) for word in words]
    assert [item.value for item in completion.get_completions(given, incomplete)] == found


@pytest.mark.parametrize("name", ["explain", "features", "verify"])
def test_every_method_is_named(run: Run, name: str) -> None:
    text = " ".join(run(name, "--help").stdout.split())
    assert ", ".join(METHODS) in text


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"kernelspec {kernelspec.__version__}\n"


def test_an_unknown_command(run: Run) -> None:
    assert "unknown command 'chek'; did you mean 'check'?" in refused(run, "chek")
    assert "use one of check, fmt" in run("zzz").stderr
    for other, own in (("transform", "features"), ("train", "fit"), ("format", "fmt")):
        assert f"unknown command '{other}'; did you mean '{own}'?" in run(other, "a.kernel").stderr


def test_outputs_need_no_force(run: Run) -> None:
    for command, option in (("features", "--force"), ("fit", "--overwrite")):
        said = run(command, "a.kernel", "a.csv", "-o", "z.npz", option).stderr
        assert f"unknown option '{option}'; leave it out: an existing output is replaced" in said
    assert "unknown option '--force'\n" in run("check", "a.kernel", "--force").stderr


@pytest.mark.slow
def test_as_a_program(execute: Execute, tmp_path: Path) -> None:
    result = execute("check", "-e", "gaus()")
    assert (result.returncode, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    for status, arguments, said in (
        (0, ("-e", "gaussian()"), ""),
        (1, ("-e", "-gaussian()"), ""),
        (2, (tmp_path,), f"{tmp_path} cannot be read: Is a directory\n"),
    ):
        assert run_forked(tmp_path, "check", *arguments) == (status, said)


@pytest.fixture
def rows_and_model(tmp_path: Path) -> dict[str, str]:
    """A table of numbers and a model of it, by name."""
    X = np.random.default_rng(0).standard_normal((5_000, 3))
    table = pd.DataFrame(X, columns=["a", "b", "y"])
    table.to_csv(tmp_path / "t.csv", index=False)
    model = ks.KernelRegressor("gaussian()[a, b]", n_features=16, solver="features").fit(table[["a", "b"]], table["y"])
    with pytest.warns(ks.KeptRowsWarning):
        model.save(tmp_path / "m.npz")
    return {"t.csv": str(tmp_path / "t.csv"), "m.npz": str(tmp_path / "m.npz")}


STREAMS = [
    ["features", "-e", "gaussian()[a]", "t.csv", "-o", "-", "--format", "csv", "-q"],
    ["gram", "-e", "gaussian()[a]", "t.csv", "-o", "-", "--format", "csv"],
    ["predict", "m.npz", "t.csv", "-o", "-", "--format", "jsonl", "-q"],
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["catalogue"], ["catalogue", "--json"], ["catalogue", "matern"], ["explain", "-e", "gaussian()"], *STREAMS],
)
def test_a_reader_that_goes_away(rows_and_model: dict[str, str], arguments: list[str]) -> None:
    command = [sys.executable, "-m", "kernelspec", *(rows_and_model.get(word, word) for word in arguments)]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["check", "-e", "gaussian()"], *STREAMS])
def test_output_that_cannot_be_written(rows_and_model: dict[str, str], arguments: list[str]) -> None:
    command = [sys.executable, "-m", "kernelspec", *(rows_and_model.get(word, word) for word in arguments)]
    with open("/dev/full", "wb") as full:
        result = subprocess.run(command, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (result.returncode, result.stderr) == (2, "standard output: No space left on device\n")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["explain", "-e", "gaussian(scale=2)[a] - laplace()[b]", "--columns", "a,b"], "positive definite"),
        (["explain", "-e", "gaussian()[a]", "--columns", "日本,a", "--json"], "spectral_measure"),
        (["check", "-e", "gaussian(scale=日)"], "error: "),
        (["日本"], "unknown command"),
        (["fmt", "-e", "gaussian()  # 日本"], "gaussian()"),
    ],
)
def test_letters_that_the_terminal_does_not_have(encoding: str, arguments: list[str], shown: str) -> None:
    done = CliRunner(charset=encoding).invoke(main, arguments, prog_name="kernelspec", catch_exceptions=False)
    output, errors = done.stdout_bytes, done.stderr_bytes
    assert b"Traceback" not in errors
    assert shown in output.decode(encoding, "replace") + errors.decode(encoding, "replace")
    if "--json" in arguments:
        assert "日本" in json.loads(output.decode(encoding))["columns"]
    if "fmt" in arguments:
        assert output.decode() == "gaussian()  # 日本\n"


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-8"])
def test_so_it_is_in_a_process_of_its_own(encoding: str) -> None:
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "kernelspec", "check", "-e", "gaussian(scale=日)"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    expected = CliRunner(charset=encoding).invoke(main, command[3:], prog_name="kernelspec")
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", expected.stderr_bytes)


@pytest.mark.filterwarnings("default::kernelspec.RoundingWarning")
def test_warnings_are_one_line_without_python(run: Run, tmp_path: Path) -> None:
    """Shown once, and nothing is left changed for the next command."""
    data = tmp_path / "far.csv"
    data.write_text("x\n1000000000000001\n1000000000000004\n")
    before = warnings.showwarning
    result = run("features", "-e", "gaussian()[x]", str(data), "-o", str(tmp_path / "Z.npy"))
    assert result.exit_code == 0
    (line,) = [line for line in result.stderr.splitlines() if "Warning" in line]
    assert line.startswith("RoundingWarning: column 'x', row 2: numbers of size 1e+15 lose digits in float64")
    assert line.endswith("(rows count from 1)")
    assert warnings.showwarning is before
