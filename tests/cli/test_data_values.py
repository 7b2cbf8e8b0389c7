"""Dead kernels and median distances on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from tests.cli.conftest import Run

DEAD = "param w = 0.001\ngaussian(w)[age, balance]"


@pytest.mark.parametrize("command", ["features", "explain"])
def test_a_dead_kernel_is_said_on_standard_error(run: Run, people_csv: Path, tmp_path: Path, command: str) -> None:
    output = ("-o", tmp_path / "out.npy") if command == "features" else ()
    result = run(command, "-e", DEAD, people_csv, "--n-features", 16, *output)
    assert result.exit_code == 0
    assert "k between rows: 5 % 0.00, median 0.00, 95 % 0.00: all rows are strangers" in result.stderr
    assert "; try -p w=" in result.stderr
    tried = result.stderr.partition("-p w=")[2].split()[0]
    result = run(command, "-e", DEAD, people_csv, "--n-features", 16, "-p", f"w={tried}", *output)
    assert "strangers" not in result.stderr


def test_median_of_the_data(run: Run, people_csv: Path, tmp_path: Path) -> None:
    out, saved = tmp_path / "out.npy", tmp_path / "map.npz"
    options = ("-p", "w=median", "--n-features", 16)
    result = run("features", "-e", DEAD, people_csv, "-o", out, *options, "--save-map", saved)
    assert result.exit_code == 0
    (value,) = dict(ks.load_map(saved).plan.values).values()
    assert f"w = {float(value):g}, the median distance" in result.stderr
    report = json.loads(run("explain", "-e", DEAD, people_csv, *options, "--json").stdout)
    assert report["dead_kernel"] is None
    assert f"param w = {float(value):g}" in report["plan"]["spec"]
    assert np.load(out).shape == (700, 16)


def test_median_without_data_or_for_no_scale(run: Run, people_csv: Path) -> None:
    result = run("explain", "-e", DEAD, "-p", "w=median")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "data that are not there" in result.stderr
    result = run("explain", "-e", "param w\nw*gaussian()[age]", "-p", "w=median", people_csv)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "only a parameter that is a scale" in result.stderr
