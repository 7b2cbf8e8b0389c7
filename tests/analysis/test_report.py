"""Reports in words, LaTeX and JSON: complete for everything, the same every time."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import sympy

import kernelspec as ks
from kernelspec.analysis import facts as facts_module
from kernelspec.analysis import report as module
from kernelspec.kernels.gaussian import Gaussian

from .specs import ALL

KEYS = [
    "spec", "columns", "verdict", "kernel", "k0", "spectral_measure", "spectral_density", "no_spectral_measure",
    "no_spectral_density", "atoms", "second_moment", "masses", "no_masses", "mean", "polya", "composition",
    "variance",
]  # fmt: skip


@pytest.mark.parametrize("text", ALL)
def test_every_report_on_every_kernel(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    found = facts.to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found) == KEYS
    assert found["verdict"]["positive_definite"] == facts.verdict.positive_definite
    assert (found["spectral_measure"] is None) == (found["no_spectral_measure"] is not None)
    assert (found["spectral_density"] is None) == (found["no_spectral_density"] is not None)
    words = facts.report()
    assert words.startswith(f"{facts.spec}\n\ncolumns: 2\npositive definite: {facts.verdict.positive_definite}\n")
    assert "k(x, y) = " in words
    latex = facts.latex()
    assert latex.startswith("\\begin{align*}\n  k(x, y) &= ")
    assert latex.endswith("\n\\end{align*}")


@pytest.mark.parametrize("text", [t for t in ALL if "[" not in t])
def test_every_report_in_any_number_of_columns(text: str) -> None:
    facts = ks.analyze(text)
    json.dumps(facts.to_dict(), allow_nan=False)
    assert "columns: d (any number)" in facts.report()
    assert facts.latex()


def test_expressions_can_be_read_back() -> None:
    found = ks.analyze("gaussian()", dim=1).to_dict()
    omega = sympy.Symbol("omega")
    assert (
        sympy.simplify(sympy.sympify(found["spectral_density"]) - sympy.exp(-(omega**2) / 2) / sympy.sqrt(2 * sympy.pi))
        == 0
    )


def test_json_is_the_same_in_every_process() -> None:
    code = (
        "import json, kernelspec as ks; "
        "print(json.dumps(ks.analyze('0.5*gaussian()*periodic(2) + cosine(1)*laplace() - match()', dim=2).to_dict()))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "77")
    ]  # fmt: skip
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("laplace()", ["E‖ω‖² = infinite", "total variation = 1", "symmetric: yes", "stationary: yes"]),
        ("gaussian() - gaussian()", ["E‖ω‖² = undefined, k(x, x) is 0", "k(x, y) = 0", "k(x, x) = 0"]),
        ("gaussian()*match()[0]", ["stationary: in its numeric columns", "spectral measure: none (match() compares"]),
        ("cosine(1)", ["  atom 0.5 at (1, 1)", "  atom 0.5 at (-1, -1)"]),
        ("periodic(1)", ["  … and "]),
        (
            "polya(gamma(3), area=1)",
            ["Polya kernel of R ~ gamma(shape=3, scale=1): E R = 3, M = E[1/R] = 1/2, area under"],
        ),
        ("polya(uniform(0, 2))", ["Polya kernel of R ~ uniform(low=0, high=2): E R = 1, M = E[1/R] = infinite, area"]),
    ],
)
def test_lines(text: str, lines: list[str]) -> None:
    words = ks.analyze(text, dim=2).report()
    for line in lines:
        assert f"\n{line}" in words


def test_what_takes_too_long_is_said_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(facts_module, "_SECONDS", 0.05)
    monkeypatch.setattr(Gaussian, "expression", endless)
    facts = ks.analyze("gaussian()", dim=1)
    assert facts.to_dict()["variance"] == dict.fromkeys(("paired", "phase", "complex"), "not_derived_in_time")
    assert facts.to_dict()["kernel"] == "not_derived_in_time"
    assert "k(x, y) = not_derived_in_time" in facts.report()
    assert "not" in facts.latex()


def test_named_columns_are_named() -> None:
    assert "\ncolumns: age, income\n" in ks.analyze("gaussian()[age] + laplace()[income]").report()
    assert ks.analyze("gaussian()[age]").to_dict()["columns"] == ("age",)


def test_long_expressions_are_cut() -> None:
    words = ks.analyze("gaussian()*laplace()*cauchy()*triangle()", dim=16).report()
    assert max(map(len, words.splitlines())) < module._LONGEST + 200
    assert " characters)" in words
