"""`audit`: lines and JSON."""

from __future__ import annotations

import json

from tests.cli.conftest import Run, run

__all__ = ["run"]


def test_lines_and_json(run: Run) -> None:
    result = run("audit", "--maps", 30)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        "RBFSampler", "SkewedChi2Sampler", "AdditiveChi2Sampler", "PolynomialCountSketch", "Nystroem",
    ]  # fmt: skip
    found = json.loads(run("audit", "--maps", 30, "--json").stdout)
    assert [each["is_biased"] for each in found] == ["biased," in line for line in lines]
    assert found[0]["n_maps"] == 30


def test_wrong_usage(run: Run) -> None:
    assert run("audit", "--maps", 5).exit_code == 2
