"""Facts, specs, maps and certificates in notebooks: whole, safe, on one line where they are to be."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import kernelspec as ks

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
        "FeatureMap(columns to be learnt, paired, seed 0)"
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
    for column in (r"x_{\text{50\%}}", r"x_{\text{A\&B}}", r"x_{\text{x}{\wedge}\text{2}}", r"x_{\text{c\#}}"):
        assert column in facts
    assert shown[0]._repr_latex_().startswith("$\\displaystyle k(x, y) = ")  # type: ignore[attr-defined]


def test_names_that_need_nothing_stay_as_they_were() -> None:
    assert "x_{age} - y_{age}" in ks.analyze("gaussian()[age]").latex()
    assert "x_{1} - y_{1}" in ks.analyze("gaussian()", dim=2).latex()
    assert r"\omega_{age}" in ks.analyze("gaussian()[age]").latex()


def test_a_spec_without_a_formula_has_none() -> None:
    spec = ks.parse("stretch(gaussian(), [1, 2])")
    assert spec._repr_latex_() is None
    assert "stretch" in spec._repr_html_()
