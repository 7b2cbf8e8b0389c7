"""`python -m kernelspec.cli`: the same program as the installed `kernelspec`."""

from __future__ import annotations

import runpy
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.conftest import ENVIRONMENT, Execute

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

INSTALLED = """
import sys
from importlib import import_module
sys.argv = sys.argv[1:]
sys.exit(getattr(import_module({module!r}), {function!r})())
"""
"""What an installer writes for an entry of [project.scripts]."""


def installed() -> str:
    scripts = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["scripts"]
    module, function = scripts["kernelspec"].split(":")
    return INSTALLED.format(module=module, function=function)


Said = tuple[object, str, str]


@pytest.fixture
def in_this_process(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[], object], list[str]], Said]:
    """Exit status, output and errors of what ends Python, with these words on the command line."""

    def call(run: Callable[[], object], words: list[str]) -> Said:
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # click asks it for the program's name
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.getsignal(number) for number in numbers}
        try:
            with pytest.raises(SystemExit) as ended:
                run()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return (ended.value.code or 0, *capsys.readouterr())

    return call


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["check", "-e", "gaussian()"], 0),
        (["check", "-e", "gaussian() - laplace()"], 1),
        (["check", "-e", "gaus()"], 2),
        (["check"], 2),
        (["chek"], 2),
        (["fmt", "none.kernel"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_says_and_returns_the_same_as_the_installed_program(
    in_this_process: Callable[[Callable[[], object], list[str]], Said], arguments: list[str], status: int
) -> None:
    done = in_this_process(lambda: runpy.run_module("kernelspec.cli", run_name="__main__"), ["-m", *arguments])
    assert done == in_this_process(lambda: runpy.run_module("kernelspec", run_name="__main__"), ["-m", *arguments])
    script = compile(installed(), "kernelspec", "exec")
    expected = in_this_process(lambda: exec(script, {}), ["-c", "/usr/bin/kernelspec", *arguments])
    assert done == expected
    assert done[0] == status
    assert done[1] + done[2]


@pytest.mark.slow
def test_so_it_does_in_a_process_of_its_own(execute: Execute) -> None:
    done = execute("check", "-e", "gaussian() - laplace()")
    command = [sys.executable, "-c", installed(), "/usr/bin/kernelspec", "check", "-e", "gaussian() - laplace()"]
    expected = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, expected.stdout, expected.stderr)
    assert expected.returncode == 1
    assert done.stdout


@pytest.mark.slow
def test_usage_has_the_name_of_the_program(execute: Execute) -> None:
    assert execute("check").stderr.startswith("Usage: kernelspec check ")


def test_importing_it_runs_nothing() -> None:
    command = [sys.executable, "-c", "import kernelspec.cli.__main__", "check"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
