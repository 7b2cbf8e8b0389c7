"""`python -m kernelspec.cli`: the same program as the installed `kernelspec`."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

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


def as_installed(*arguments: str) -> subprocess.CompletedProcess[str]:
    scripts = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["scripts"]
    module, function = scripts["kernelspec"].split(":")
    script = INSTALLED.format(module=module, function=function)
    command = [sys.executable, "-c", script, "/usr/bin/kernelspec", *arguments]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)


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
    execute: Execute, arguments: list[str], status: int
) -> None:
    done, expected = execute(*arguments), as_installed(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (status, expected.stdout, expected.stderr)
    assert expected.returncode == status
    assert done.stdout + done.stderr


@pytest.mark.slow
def test_usage_has_the_name_of_the_program(execute: Execute) -> None:
    assert execute("check").stderr.startswith("Usage: kernelspec check ")


def test_importing_it_runs_nothing() -> None:
    command = [sys.executable, "-c", "import kernelspec.cli.__main__", "check"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
