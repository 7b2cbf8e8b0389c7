"""Tests of `analysis/reports.py`."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.analysis.reports import derivation_latex, derivation_text, derivation_to_list
from kernelspec.analysis.statements import STATEMENTS
from tests.elaboration.specs import ALL, COSTLY
from tests.thoroughness import sweep

KEYS = [
    "spec", "columns", "verdict", "kernel", "k0", "noise", "spectral_measure", "no_spectral_measure",
    "spectral_density", "no_spectral_density", "open_density", "atoms", "second_moment", "moments", "tail_exponent",
    "no_tail_exponent", "masses", "no_masses", "state_space", "no_state_space", "paths", "no_paths", "mean_embedding",
    "mean", "polya", "norm", "composition", "dual_nodes", "skeletons", "cosine_estimators", "variance",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(ALL, costly=COSTLY))
def test_every_kernel(text: str) -> None:
    """Text, LaTeX and JSON render the list of facts and nothing else."""
    facts = ks.analyze(text, dim=2)
    found, latex, words = facts.to_dict(), facts.latex(), facts.report()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found) == KEYS
    assert found["verdict"]["positive_definite"] == facts.verdict.positive_definite
    assert (found["spectral_measure"] is None) == (found["no_spectral_measure"] is not None)
    assert (found["spectral_density"] is None) == (found["no_spectral_density"] is not None)
    assert len(facts.stated) == len(STATEMENTS)
    assert {fact.name for fact in facts.stated} == {name for name in found if not name.startswith("no_")}
    for fact in facts.stated:
        assert found[fact.name] == fact.value
        # what one report tells exists in all: lines only of a value, or of the reason why there is none
        if fact.lines and fact.value is None:
            assert fact.missing is not None or fact.name == "columns" or "undefined" in fact.lines[0]

    assert words.split("\n") == [
        line for fact in facts.stated for line in "\n".join(fact.lines).split("\n") if fact.lines
    ]
    assert words.startswith(f"{facts.spec}\n\ncolumns: 2\npositive definite: {facts.verdict.positive_definite}\n")
    assert "k(x, y) = " in words

    rows = [f"{left} &= {right}" for fact in facts.stated for left, right in fact.latex]
    assert all(row in latex for row in rows)
    assert latex.count(" &= ") == len(rows)
    assert latex.startswith("\\begin{align*}\n  k(x, y) &= ")
    assert latex.endswith("\n\\end{align*}")


@pytest.mark.parametrize("text", ["shift(cosine(by=2), by=0.3)", "shift(periodic(period=1), by=0.3)"])
def test_complex_atoms_are_json(text: str) -> None:
    facts = ks.analyze(text, dim=1)
    found = json.loads(json.dumps(facts.to_dict(), allow_nan=False))["atoms"]
    weights = np.array(found["weights"]) + 1j * np.array(found["imaginary_weights"])
    waves = np.exp(1j * np.array(found["points"])[:, 0] * 0.7)
    k = ks.parse(text).gram(np.array([[0.7]]), np.array([[0.0]]))[0, 0]
    assert abs((weights * waves).sum() * float(facts.k0) / weights.sum().real - k) < 1e-6 + found["omitted"]


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep([t for t in ALL if "[" not in t], costly=COSTLY))
def test_any_number_of_columns(text: str) -> None:
    facts = ks.analyze(text)
    found = facts.to_dict()
    assert found["columns"] is None
    json.dumps(found, allow_nan=False)
    assert "k(x, y) &= " in facts.latex()
    assert "columns: d (any number)" in facts.report()


@pytest.mark.slow
def test_expressions_can_be_read_back() -> None:
    found = ks.analyze("gaussian()", dim=1).to_dict()
    omega = sympy.Symbol("omega")
    assert (
        sympy.simplify(sympy.sympify(found["spectral_density"]) - sympy.exp(-(omega**2) / 2) / sympy.sqrt(2 * sympy.pi))
        == 0
    )


@pytest.mark.long
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


@pytest.mark.long
def test_compositional_kernels_have_their_layers() -> None:
    text = "full(relu, input=conv(exp(c=1/4), size=2, stride=2, input=image(4, 4, 1)))[0:16] * dual(step, sphere())"
    found = ks.analyze(text, dim=16).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    (skeleton,) = found["skeletons"]
    assert (skeleton["image"], skeleton["base"], skeleton["depth"]) == ([4, 4, 1], "circle()", 2)
    assert (skeleton["complexity"], skeleton["layers"][1]["mean_degree"]) == (0.25, 1.0)
    assert skeleton["layers"][0]["shape"] == [2, 2]
    assert skeleton["layers"][0]["probabilities"][:2] == pytest.approx([math.exp(-0.25), math.exp(-0.25) / 4])
    (node,) = found["dual_nodes"]
    assert (node["activation"], node["mean_degree"], node["infinite_above"]) == ("step", "infinite", 1.0)
    assert (found["norm"], ks.analyze("gaussian()", dim=2).to_dict()["norm"]) == ("infinite", 1.0)
    assert ks.analyze("dual(relu, gaussian())").to_dict()["dual_nodes"] is None  # how many columns is not known


def test_the_same_steps_in_every_form() -> None:
    steps = ks.analyze("laplace()", dim=1).derivation
    text, latex, data = derivation_text(steps), derivation_latex(steps), derivation_to_list(steps)
    assert [entry["rule"] for entry in data] == ["piece", "transform", "sum"]
    assert text.splitlines()[:3] == [
        "1. piece: laplace(scale=1) in pieces of the lag",
        "     f_1(t)",
        "       = exp(-Abs(t))",
    ]
    assert latex.splitlines()[1] == r"  f_{1}{\left(t \right)} &= e^{- \left|{t}\right|} \\"
    assert latex.count("&=") == sum(len(step.equals) - 1 for step in steps)


TEXT = 'gaussian(scale=2)["50%", "A&B", "x^2"]*match()["c#"]'
ROWS = {"50%": [0.0, 1.0], "A&B": [1.0, 2.0], "x^2": [0.0, 3.0], "c#": ["<b>", "b"]}


@pytest.fixture(scope="module")
def shown() -> list[object]:
    import pandas as pd

    spec = ks.parse(TEXT)
    facts = ks.analyze(spec)
    features = ks.compile(spec, data=pd.DataFrame(ROWS), n_features=16, method="paired")
    numbers = ks.verify("gaussian(scale=2)", np.eye(3), n_maps=50, max_rows=3, method="paired")
    return [spec, facts, facts.verdict, features, features.plan, numbers]


def test_one_line_each(shown: list[object]) -> None:
    assert [repr(one) for one in shown] == [
        r'Spec("gaussian(scale=2)[\"50%\", \"A&B\", \"x^2\"]*match()[\"c#\"]")',
        r'Facts("gaussian(scale=2)[\"50%\", \"A&B\", \"x^2\"]*match()[\"c#\"]", 4 columns)',
        "Verdict(positive definite: proved, symmetric: yes, stationary: in its numeric columns)",
        f"FeatureMap({shown[3].n_columns} columns, paired, seed 0)",  # type: ignore[attr-defined]
        "Plan(paired, 16 features, seed 0)",
        'Certificate("gaussian(scale=2)", passed, 1 estimator, 50 maps)',
    ]
    assert repr(ks.parse("gaussian(scale=2)*match()[city]")) == 'Spec("gaussian(scale=2)*match()[city]")'
    assert (
        repr(ks.compile("gaussian()", dim=2, n_features=256, method="paired"))
        == "FeatureMap(256 columns, paired, seed 0)"
    )
    assert repr(ks.compile("match()", dim=2, n_features=4, keys="exact", method="paired")) == (
        "FeatureMap(columns not learned yet, paired, seed 0)"
    )
    assert repr(ks.analyze("gaussian()")) == 'Facts("gaussian()", d columns)'


def test_html_is_well_formed(shown: list[object]) -> None:
    for one in shown:
        html = one._repr_html_()  # type: ignore[attr-defined]
        text = " ".join(ElementTree.fromstring(f"<div>{html}</div>".replace("<br>", "<br/>")).itertext())
        assert "gaussian" in text or "Verdict" in text


def test_latex_escapes_the_names_of_columns(shown: list[object]) -> None:
    for one in shown:
        latex = one._repr_latex_()  # type: ignore[attr-defined]
        assert latex.count("{") == latex.count("}")
        words = re.sub(r"\\text\{(?:[^{}\\]|\\.)*\}", "", latex)
        assert not re.search(r"(?<!\\)[%#]", latex)
        assert "A&B" not in latex
        assert "x^2" not in words
    facts = shown[1]._repr_latex_()  # type: ignore[attr-defined]
    for column in (r"\text{50}{\%}", r"\text{A}{\&}\text{B}", r"\text{x}{\wedge}\text{2}", r"\text{c}{\#}"):
        assert f"x_{{{column}}}" in facts
    assert shown[0]._repr_latex_().startswith("$\\displaystyle k(x, y) = ")  # type: ignore[attr-defined]


def test_names_that_need_nothing_stay_as_they_were() -> None:
    assert "x_{age} - y_{age}" in ks.analyze("gaussian()[age]").latex()
    assert "x_{1} - y_{1}" in ks.analyze("gaussian()", dim=2).latex()
    assert r"\omega_{age}" in ks.analyze("gaussian()[age]").latex()


def test_a_spec_without_a_formula_has_none() -> None:
    spec = ks.parse("stretch(gaussian(), [1, 2])")
    assert spec._repr_latex_() is None
    assert "stretch" in spec._repr_html_()


def test_lines_of_what_there_is() -> None:
    """Methods of one variance share a line; categories have no spectral measure."""
    gaussian = ks.analyze("gaussian()", dim=1).latex().splitlines()
    assert [line.split(" &= ")[0].strip() for line in gaussian[1:-1]] == [
        "k(x, y)",
        r"\mu(\omega)",
        r"\mathbb{E}\lVert\omega\rVert^2",
        r"\mathbb{E}\,\omega^4",
        r"\mathbb{E}\,\omega^6",
        r"\mu(\omega)",
        r"\int k(x, y)\,\mathcal{N}(y; m, s^2)\,dy",
        r"\operatorname{Var}_{\text{paired, complex}}",
        r"\operatorname{Var}_{\text{phase}}",
    ]
    assert r"\mu(\omega)" not in ks.analyze("gaussian()*match()[0]", dim=2).latex()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("laplace()", ["symmetric: yes", "stationary: yes"]),
        ("gaussian() - gaussian()", ["k(x, y) = 0", "k(x, x) = 0"]),
        ("gaussian()*match()[0]", ["stationary: in its numeric columns"]),
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
