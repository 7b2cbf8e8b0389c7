"""`explain --steps`."""

from __future__ import annotations

import json

import kernelspec as ks
from tests.cli.conftest import Run


def test_steps_as_text_latex_and_json(run: Run) -> None:
    text = run("explain", "-e", "gaussian()*laplace()", "--dim", 1, "--steps")
    assert text.exit_code == 0
    assert text.stdout.startswith("1. piece: gaussian(scale=1) in pieces of the lag\n     f_1(t)\n")
    assert "T_1(omega)\n       = Integral(" in text.stdout
    latex = run("explain", "-e", "gaussian()*laplace()", "--dim", 1, "--steps", "--latex").stdout
    assert latex.startswith("\\begin{align*}")
    assert latex.count("&=") == latex.count("\\\\") + 1
    data = json.loads(run("explain", "-e", "gaussian()*laplace()", "--dim", 1, "--steps", "--json").stdout)
    steps = ks.analyze("gaussian()*laplace()", dim=1).derivation
    assert [step["rule"] for step in data["derivation"]] == [step.rule for step in steps]
    assert data["derivation"][-1]["equals"][-1] == str(steps[-1].right)


def test_no_measure_no_steps(run: Run) -> None:
    result = run("explain", "-e", "linear()", "--dim", 1, "--steps")
    assert result.exit_code == 2
    assert "spectral measure" in result.stderr
