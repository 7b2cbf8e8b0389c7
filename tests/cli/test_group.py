"""What all commands share: help, version, names, signals and pipes."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import kernelspec
from kernelspec.cli import main
from kernelspec.planning.methods import METHODS
from tests.cli.conftest import ENVIRONMENT, Execute, Run
from tests.cli.forked import run_forked

COMMANDS = ["check", "fmt", "explain", "features", "verify", "plot", "catalogue"]


def test_help_lists_every_command(run: Run) -> None:
    result = run("--help")
    assert result.exit_code == 0
    positions = [result.stdout.index(f"\n  {name} ") for name in COMMANDS]
    assert positions == sorted(positions)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_and_explains_its_options(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert f"Example:\n    kernelspec {name}" in result.stdout
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert all(option.help for option in command.params if isinstance(option, click.Option))


@pytest.mark.parametrize("name", ["explain", "features", "verify"])
def test_every_method_is_named(run: Run, name: str) -> None:
    text = " ".join(run(name, "--help").stdout.split())
    assert ", ".join(METHODS) in text


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"kernelspec {kernelspec.__version__}\n"


def test_an_unknown_command(run: Run) -> None:
    result = run("chek")
    assert result.exit_code == 2
    assert "there is no command 'chek'; did you mean 'check'?" in result.stderr
    assert "there are check, fmt" in run("zzz").stderr


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


@pytest.mark.slow
def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kernelspec.cli", "catalogue", "--json"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.slow
def test_output_that_cannot_be_written() -> None:
    command = [sys.executable, "-m", "kernelspec.cli", "check", "-e", "gaussian()"]
    with open("/dev/full", "wb") as full:
        result = subprocess.run(command, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (result.returncode, result.stderr) == (2, "standard output: No space left on device\n")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["explain", "-e", "gaussian(scale=2)[a] - laplace()[b]", "--columns", "a,b"], "positive definite"),
        (["explain", "-e", "gaussian()[a]", "--columns", "日本,a", "--json"], "spectral_measure"),
        (["check", "-e", "gaussian(scale=日)"], "error: "),
        (["日本"], "there is no command"),
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
    command = [sys.executable, "-m", "kernelspec.cli", "check", "-e", "gaussian(scale=日)"]
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
    assert line.startswith("RoundingWarning: column 'x', row 1: numbers of size 1e+15 lose digits in float64")
    assert warnings.showwarning is before
