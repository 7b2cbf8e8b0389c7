"""Tests of `cli/verify.py`."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.exchange import audit as catalogue
from kernelspec.tables.layout import Layout
from tests.cli.conftest import Run, refused, run

__all__ = ["run"]


@pytest.mark.slow
def test_lines_and_json(run: Run) -> None:
    result = run("audit", "--maps", 30, "--library", "scikit-learn")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split(" ")[1] for line in lines] == [
        "RBFSampler", "SkewedChi2Sampler", "AdditiveChi2Sampler", "PolynomialCountSketch", "Nystroem",
    ]  # fmt: skip
    found = json.loads(run("audit", "--maps", 30, "--library", "scikit-learn", "--json").stdout)
    assert [each["is_biased"] for each in found] == ["biased," in line for line in lines]
    assert found[0]["n_maps"] == 30
    assert found[0]["library"] == "scikit-learn"


@pytest.mark.slow
def test_libraries_that_are_not_installed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "is_installed", lambda library: library == "scikit-learn")
    result = run("audit", "--maps", 30)
    assert "GSTools is not installed, so it was skipped" in result.stderr
    assert len(result.stdout.splitlines()) == 5
    result = run("audit", "--library", "gstools")
    assert (result.exit_code, "pip install gstools" in result.stderr) == (2, True)


def test_wrong_usage(run: Run) -> None:
    assert run("audit", "--maps", 5).exit_code == 2
    assert "scikit-learn" in run("audit", "--library", "sklearns").stderr


class Certifier:
    """Stands in for `kernelspec.verify`: a certificate of our choice, and a record of what was asked."""

    passed = True
    rows: Any
    asked: dict[str, Any]

    def __call__(self, spec: ks.Spec, rows: Any, **options: Any) -> Certifier:
        self.rows, self.asked = rows, options
        return self

    def __str__(self) -> str:
        return f"certificate: {'passed' if self.passed else 'failed'}"

    def to_dict(self) -> dict[str, Any]:
        return {"passed": self.passed}


@pytest.fixture
def certifier(monkeypatch: pytest.MonkeyPatch) -> Certifier:
    stand_in = Certifier()
    monkeypatch.setattr("kernelspec.verification.verify", stand_in)
    return stand_in


@pytest.mark.slow
def test_the_certificate_of_a_kernel(run: Run) -> None:
    arguments = ("-e", "gaussian(scale=2)", "--n-maps", 60, "--n-features", 3200, "--seed", 3, "--rows", 8)
    result = run("verify", *arguments, "--dim", 3)
    expected = ks.verify("gaussian(scale=2)", dim=3, n_maps=60, n_features=3200, seed=3, max_rows=8)
    assert (result.exit_code, result.stdout) == (0, f"{expected}\n")
    report = json.loads(run("verify", *arguments, "--columns", "a,b,c", "--json").stdout)
    assert report["passed"] is True
    assert len(report["checks"]) == len(expected.checks)


@pytest.mark.long
def test_the_certificate_of_a_table(run: Run, people_csv: Path) -> None:
    spec = "0.7*gaussian(scale=9)[age]*match()[country] + 0.3*laplace(scale=2)[balance]"
    result = run("verify", "-e", spec, people_csv, "--n-maps", 60, "--n-features", 6400, "--rows", 8)
    assert result.exit_code == 0
    assert result.stdout.startswith("certificate: passed\n")
    assert "3 columns; rows 0 to 7 of X" in result.stdout
    assert "paired, hashed: passed" in result.stdout


def test_a_dead_kernel_is_said_as_features_says_it(run: Run, certifier: Certifier, tmp_path: Path) -> None:
    np.save(tmp_path / "far.npy", 1e4 * np.random.default_rng(0).standard_normal((60, 3)))
    result = run("verify", "-e", "gaussian()", tmp_path / "far.npy")
    assert result.exit_code == 0
    assert "all pairs are nearly uncorrelated" in result.stderr
    assert "Warning" not in result.stderr


def test_passed_and_failed(run: Run, certifier: Certifier) -> None:
    result = run("verify", "-e", "gaussian()", "--dim", 3)
    assert (result.exit_code, result.stdout) == (0, "certificate: passed\n")
    certifier.passed = False
    result = run("verify", "-e", "gaussian()", "--dim", 3)
    assert (result.exit_code, result.stdout) == (1, "certificate: failed\n")
    result = run("verify", "-e", "gaussian()", "--dim", 3, "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (1, {"passed": False})


@pytest.mark.slow
def test_a_certificate_that_judged_too_little_is_no_pass(run: Run) -> None:
    result = run(
        "verify", "-e", "dual(relu, normalize(linear()))", "--dim", "3", "--method", "paired", "--n-maps", "50"
    )
    assert result.exit_code == 1
    assert result.stdout.startswith("certificate: not judged\n")


def test_options_and_their_defaults_are_those_of_the_function(run: Run) -> None:
    command = main.get_command(click.Context(main), "verify")
    assert command is not None
    parameters = inspect.signature(ks.verify).parameters
    own = {str(parameter.name).replace("rows", "max_rows"): parameter.default for parameter in command.params}
    for name in ("n_features", "n_maps", "seed", "method", "keys", "buckets", "budget", "max_rows"):
        assert own[name] == parameters[name].default


def test_options_are_passed_on(run: Run, certifier: Certifier) -> None:
    options = ("--n-maps", 99, "--n-features", 8, "--method", "phase", "--budget", 0.01, "--buckets", 4, "--seed", 5)
    run("verify", "-e", "gaussian()", "--dim", 3, *options, "--rows", 6)
    given = {"n_maps": 99, "n_features": 8, "method": "phase", "budget": 0.01, "buckets": 4, "seed": 5, "max_rows": 6}
    given |= {"keys": "auto", "bits": 8, "storage": "auto", "draws": "auto"}
    assert callable(certifier.asked.pop("advance"))
    assert certifier.asked == {"dim": 3, "columns": None, **given}
    assert certifier.rows is None


def test_rows_of_a_file(
    run: Run, certifier: Certifier, people_csv: Path, numbers_npy: Path, numbers: np.ndarray
) -> None:
    run("verify", "-e", "gaussian()[age] * match()[country]", people_csv, "--rows", 30)
    assert (len(certifier.rows), certifier.rows.n_columns) == (30, 2)
    countries = Layout(1, None, (), (0,)).read([["Norway"], ["Chile"], ["Kenya"]]).codes(0)
    assert set(certifier.rows.codes(1).tolist()) == set(countries.tolist())
    run("verify", "-e", "gaussian()[b]", numbers_npy, "--rows", 30, "--columns", "a,b,c")
    assert {tuple(row) for row in certifier.rows.dense().tolist()} < {tuple(row) for row in numbers.tolist()}
    assert certifier.asked["columns"] == ("a", "b", "c")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gaussian()",), "the number of columns is unknown: use DATA or --dim"),
        (("gaussian()[a] * match()[b]",), "match() compares categories, but normal rows have none: use DATA\n"),
        (("gaussian()", "none.npy"), "none.npy: no such file\n"),
        (("gaussian()", "--dim", 2, "--n-maps", 1), "--n-maps must be at least 50"),
        (("gaussian()", "--dim", 2, "--budget", 2), "--budget must be a probability between 0 and 1, not 2"),
        (("gaussian()", "--dim", 2, "--rows", 0), "--rows must be at least 2, not 0"),
        (("gaussian()", "--dim", 2, "--method", "best"), "Invalid value for '--method': must be one of"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[object, ...], message: str) -> None:
    assert message in refused(run, "verify", "-e", *arguments)
