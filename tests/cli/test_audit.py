"""`audit`: lines and JSON, and libraries that are not there."""

from __future__ import annotations

import json

import pytest

from kernelspec.exchange import audit as catalogue
from tests.cli.conftest import Run, run

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


def test_libraries_that_are_not_installed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "is_installed", lambda library: library == "scikit-learn")
    result = run("audit", "--maps", 30)
    assert "GSTools is not installed, and was left out" in result.stderr
    assert len(result.stdout.splitlines()) == 5
    result = run("audit", "--library", "gstools")
    assert (result.exit_code, "pip install gstools" in result.stderr) == (2, True)


def test_wrong_usage(run: Run) -> None:
    assert run("audit", "--maps", 5).exit_code == 2
    assert "scikit-learn" in run("audit", "--library", "sklearns").stderr
