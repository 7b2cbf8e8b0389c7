"""One list of facts: the three reports show the same."""

from __future__ import annotations

import json

import pytest

import kernelspec as ks
from kernelspec.analysis.statements import STATEMENTS
from kernelspec.rendering.notebooks import latex_words
from tests.analysis.analyzed import analyzed
from tests.elaboration.specs import ALL


@pytest.mark.parametrize("text", ALL)
def test_reports_render_the_list_and_nothing_else(text: str) -> None:
    facts = analyzed(text, 2)
    assert len(facts.stated) == len(STATEMENTS)
    assert facts.report().split("\n") == [
        line for fact in facts.stated for line in "\n".join(fact.lines).split("\n") if fact.lines
    ]
    rows = [f"{left} &= {right}" for fact in facts.stated for left, right in fact.latex]
    latex = facts.latex()
    assert all(row in latex for row in rows)
    assert latex.count(" &= ") == len(rows)
    data = facts.to_dict()
    assert {fact.name for fact in facts.stated} == {name for name in data if not name.startswith("no_")}
    for fact in facts.stated:
        assert data[fact.name] == fact.value
        # what one report tells exists in all: lines only of a value, or of the reason why there is none
        if fact.lines and fact.value is None:
            assert fact.missing is not None or fact.name == "columns" or "undefined" in fact.lines[0]


def test_an_infinite_variance_is_infinite_in_all_reports() -> None:
    facts = ks.analyze("dual(relu, sphere())", dim=6)
    words = "infinite where E|p|² below the dual of relu exceeds 1"
    assert f"paired, complex: {words}" in facts.report()
    assert facts.to_dict()["variance"]["paired"] == facts.to_dict()["variance"]["complex"] == words
    assert r"\text{infinite where }E|p|^2\text{ below the dual of relu exceeds 1}" in facts.latex()
    assert "infinite" not in facts.to_dict()["variance"]["neurons"]


def test_estimators_of_the_cosine_are_in_all_reports() -> None:
    facts = ks.analyze("rbf_cosine(2)", dim=3)
    assert list(facts.to_dict()["cosine_estimators"]) == list(facts.cosine_estimators)
    for name in facts.cosine_estimators:
        assert f"\n  {name}: " in facts.report()
        assert rf"\operatorname{{Var}}_{{{latex_words(name)}}} &= " in facts.latex()


def test_data_may_be_changed_by_those_who_get_them() -> None:
    facts = ks.analyze("cosine(1)", dim=1)
    before = json.dumps(facts.to_dict())
    facts.to_dict()["atoms"]["weights"].clear()
    assert json.dumps(facts.to_dict()) == before
