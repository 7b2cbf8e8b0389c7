"""The layers of explain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kernelspec as ks
from tests.cli.conftest import Run

CHURN = "let near = gaussian(scale=9)[age]\n0.7*near*match()[country] + 0.3*laplace(scale=2)[balance]"


def test_a_screen(run: Run, people_csv: Path) -> None:
    result = run("explain", "-e", CHURN, people_csv, "--n-features", 64)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert len(lines) <= 25
    assert "k(x, y) = 0.7*[x_country = y_country]*near + 0.3*exp(-Abs(Δ_balance)/2)" in lines
    assert any(line.startswith("plan: ") for line in lines)
    assert any("expected relative error of the kernel matrix" in line for line in lines)
    assert lines[-1].startswith("more: --variance")
    assert "considered" not in result.stdout


def test_variance_and_plans(run: Run) -> None:
    result = run("explain", "-e", CHURN, "--variance", "--plans", "--n-features", 64)
    assert "near(2Δ)" in result.stdout
    assert "  with near = exp(-Δ_age²/162)" in result.stdout.splitlines()
    assert ks.compile(CHURN, n_features=64).explain() in result.stdout
    assert "more:" not in result.stdout


@pytest.mark.slow
def test_analyze(run: Run, people_csv: Path) -> None:
    arguments = ("explain", "-e", CHURN, people_csv, "--n-features", 64, "--analyze")
    assert "in all: predicted " in run(*arguments).stdout
    report = json.loads(run(*arguments, "--json").stdout)
    assert {"predicted", "measured", "standard_error", "worst", "nodes"} <= set(report["analysis"])


def test_analyze_needs_data(run: Run) -> None:
    result = run("explain", "-e", CHURN, "--analyze")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--analyze measures on DATA" in result.stderr


def test_free_parameters_have_no_plan(run: Run) -> None:
    result = run("explain", "-e", "param s > 0\ngaussian(scale=s)", "--dim", 2)
    assert result.exit_code == 0
    assert "k(x, y) = exp(-‖Δ‖²/(2*s²))" in result.stdout
    assert "no plan: parameter 's' has no value" in result.stdout
