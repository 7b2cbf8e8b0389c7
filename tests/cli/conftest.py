"""Running commands, in this process and in one of their own; a table with names, numbers and categories."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import kernelspec
from kernelspec.cli import main

Run = Callable[..., Result]
Execute = Callable[..., subprocess.CompletedProcess[str]]

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(kernelspec.__file__).parents[1])}


@pytest.fixture
def run() -> Run:
    def call(*arguments: object, text: str | bytes | None = None) -> Result:
        return CliRunner().invoke(
            main, [str(argument) for argument in arguments], input=text, prog_name="kernelspec", catch_exceptions=False
        )

    return call


def refused(run: Run, *arguments: object, text: str | bytes | None = None) -> str:
    """What a command says on standard error that refuses its input, and prints nothing."""
    result = run(*arguments, text=text)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    return result.stderr


@pytest.fixture
def execute() -> Execute:
    def call(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "kernelspec", *map(str, arguments)]
        return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)

    return call


@pytest.fixture
def execute_bytes() -> Callable[..., bytes]:
    def call(*arguments: object, text: bytes) -> bytes:
        command = [sys.executable, "-m", "kernelspec", *map(str, arguments)]
        return subprocess.run(command, env=ENVIRONMENT, input=text, capture_output=True, check=True).stdout

    return call


@pytest.fixture
def people() -> pd.DataFrame:
    generator = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(700)],
            "age": generator.normal(40, 10, 700),
            "balance": generator.normal(0, 2, 700).astype(np.float32).astype(np.float64),
            "country": generator.choice(["Norway", "Chile", "Kenya"], 700),
        }
    )


@pytest.fixture
def people_csv(tmp_path: Path, people: pd.DataFrame) -> Path:
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    return path


@pytest.fixture
def numbers() -> np.ndarray:
    return np.random.default_rng(6).standard_normal((700, 3))


@pytest.fixture
def numbers_npy(tmp_path: Path, numbers: np.ndarray) -> Path:
    path = tmp_path / "numbers.npy"
    np.save(path, numbers)
    return path
