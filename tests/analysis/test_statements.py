"""Tests of `analysis/statements.py`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.analysis.facts import Facts
from kernelspec.analysis.statements import (
    columns,
    cosine_estimators,
    diagonal,
    dual_nodes,
    kernel,
    mean,
    norm,
    polya,
    skeletons,
    spec,
    variance,
)
from kernelspec.cli import main
from kernelspec.kernels.kernel import Verdict
from kernelspec.rendering.notebooks import latex_words
from tests.thoroughness import sweep


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


def test_names_numbers_and_any_number() -> None:
    named, counted, free = (ks.analyze("gaussian()[age]"), ks.analyze("gaussian()", dim=3), ks.analyze("gaussian()"))
    assert (columns(named).value, columns(named).lines) == (("age",), ("columns: age",))
    assert (columns(counted).value, columns(counted).lines) == (3, ("columns: 3",))
    assert (columns(free).value, columns(free).lines) == (None, ("columns: d (any number)",))


SIZES = ("norm", "composition", "dual_nodes", "skeletons")


def composition_lines(facts: Facts) -> list[str]:
    return [line for fact in facts.stated if fact.name in SIZES for line in fact.lines]


@pytest.mark.parametrize(
    ("text", "lines"),
    sweep(
        [
            ("gaussian()", ["a feature has norm at most C = 1"]),
            ("sphere()", ["a feature has norm at most C = 2"]),
            ("4*gaussian() - 5*match()", ["a feature has norm at most C = 3"]),
            ("linear()", []),
            ("tilt(cauchy(), by=0.2)", []),
            ("product(t -> cos(t)**3)", []),  # not proved to have features
        ],
        costly=["product(t -> cos(t)**3)"],
    ),
)
def test_base_spaces(text: str, lines: list[str]) -> None:
    facts = ks.analyze(text, dim=8)
    assert composition_lines(facts) == lines
    assert all(f"\n{line}\n" in facts.report() for line in lines)


def test_compositional_kernels() -> None:
    size, bound, node = composition_lines(ks.analyze("dual(hermite(2), sphere())", dim=8))
    assert size == "a feature has 2 factors in the mean; its norm is at most C = 4"
    assert bound.startswith("  512 ln(2/δ)/ε² samples of one law keep")
    assert bound.endswith("(2048 with random offsets)")
    assert node.startswith("dual of hermite(n=2): degrees 0, 1, 2, 3, … with probability 0, 0, 1, 0, …; mean 2")
    size, node = composition_lines(ks.analyze("dual(step, sphere())", dim=8))
    assert size == "a feature has infinite factors in the mean; its norm has no bound"
    assert node.endswith("variance infinite where E|p|² below exceeds 1")


def test_nothing_without_numbers() -> None:
    assert composition_lines(ks.analyze("dual(relu, gaussian())")) == []
    assert composition_lines(ks.analyze("param c > 0\ndual(exp(c=c), circle())", dim=1)) == []


def test_one_line_and_one_row_for_each() -> None:
    fact = cosine_estimators(ks.analyze("rbf_cosine(1)", dim=2))
    assert len(fact.lines) == 1 + len(fact.latex) == 1 + len(fact.value) == 5
    assert fact.value["cosine and sine"] == "(1 - exp(2*rho - 2))**2"
    assert cosine_estimators(ks.analyze("gaussian()", dim=2)).value is None


def test_numbers_and_expressions() -> None:
    assert diagonal(ks.analyze("0.5*gaussian()", dim=1)).lines == ("k(x, x) = 1/2",)
    assert diagonal(ks.analyze("linear()", dim=1)).value == "x**2"
    assert diagonal(ks.analyze("gaussian()", dim=1)).name == "k0"


def test_law_of_degrees() -> None:
    fact = dual_nodes(ks.analyze("dual(hermite(2), circle())", dim=1))
    (node,), (line,) = fact.value, fact.lines
    assert (node["probabilities"], node["mean_degree"]) == ([0.0, 0.0, 1.0, 0.0], 2.0)
    assert line.startswith("dual of hermite(n=2): degrees 0, 1, 2, 3, … with probability 0, 0, 1, 0, …; mean 2")


def test_in_all_formats() -> None:
    fact = kernel(ks.analyze("laplace()", dim=1))
    assert fact.value == "exp(-Abs(x - y))"
    assert fact.lines == ("k(x, y) = exp(-Abs(x - y))",)
    ((left, right),) = fact.latex
    assert left == "k(x, y)"
    assert right.startswith("e^{")


def test_mean() -> None:
    assert mean(ks.analyze("polya(gamma(shape=3))", dim=1)).value == "3"
    assert mean(ks.analyze("gaussian()", dim=1)).value is None


def test_bounded_and_unbounded() -> None:
    fact = norm(ks.analyze("4*gaussian()", dim=2))
    assert (fact.value, fact.lines) == (2.0, ("a feature has norm at most C = 2",))
    fact = norm(ks.analyze("linear()", dim=2))
    assert (fact.value, fact.lines) == ("infinite", ())
    assert norm(ks.analyze("sphere()")).value is None  # depends on how many columns there are


def test_laplace_is_one() -> None:
    fact = polya(ks.analyze("laplace()", dim=1))
    assert fact.value == {"distribution": "gamma(shape=2, scale=1)", "mean": "2", "inverse_mean": "1", "area": "2"}
    assert fact.lines[0].startswith("Polya kernel of R ~ gamma(shape=2, scale=1): E R = 2, M = E[1/R] = 1, area")
    assert polya(ks.analyze("gaussian()", dim=1)).value is None


def test_lines_and_data() -> None:
    fact = skeletons(ks.analyze("full(relu, input=image(1, 2, 1))", dim=2))
    (found,) = fact.value
    assert (found["image"], found["depth"]) == ([1, 2, 1], 1)
    assert fact.lines[0].startswith("skeleton: 1 × 2 × 1 nodes circle()")
    assert all(line.startswith("  ") for line in fact.lines[1:])
    assert skeletons(ks.analyze("gaussian()", dim=2)).value == []


def test_text() -> None:
    fact = spec(ks.analyze("gaussian( scale = 2 )", dim=1))
    assert (fact.value, fact.lines) == ("gaussian(scale=2)", ("gaussian(scale=2)", ""))


def test_finite_and_infinite() -> None:
    fact = variance(ks.analyze("match()", dim=1))
    assert fact.value["paired"] == "0"
    fact = variance(ks.analyze("dual(relu, sphere())", dim=6))
    assert fact.value["paired"] == "infinite where E|p|² below the dual of relu exceeds 1"
    assert f"  paired, complex: {fact.value['paired']}" in fact.lines
    assert list(fact.value) == list(ks.analyze("dual(relu, sphere())", dim=6).variance)
    assert not fact.value["neurons"].startswith("infinite")


@pytest.mark.parametrize(("answer", "word"), [(True, "yes"), (False, "no"), (None, "unknown")])
def test_three_answers(answer: bool | None, word: str) -> None:
    verdict = Verdict("unknown", ("why",), symmetric=answer, stationary=answer)
    assert verdict.lines() == ["  - why", f"symmetric: {word}", f"stationary: {word}"]
    data = verdict.to_dict()
    assert (data["symmetric"], data["stationary"]) == (answer, answer)
    assert data["stationary_in_numeric_columns"] is (answer is True)


def test_numeric_columns_alone() -> None:
    verdict = ks.analyze("gaussian()[age] * match()[country]").verdict
    assert verdict.lines()[-1] == "stationary: in its numeric columns"
    data = verdict.to_dict()
    assert (data["stationary"], data["stationary_in_numeric_columns"]) == (None, True)
    mixed = ks.analyze("linear()[age] + match()[country]").verdict  # no function of x − y in any columns
    assert mixed.lines()[-1] == "stationary: no"
    with pytest.raises(ValueError, match="neither stationary nor not"):
        Verdict("proved", (), stationary=True, stationary_in_numbers=True)


def test_the_command_line_says_what_the_report_says() -> None:
    text = "param r\nshift(cosine(1), by=r)"
    found = CliRunner().invoke(main, ["check", "-e", text, "--dim", "1"]).output
    report = ks.analyze(text, dim=1).report()
    for line in ("symmetric: unknown", "stationary: yes"):
        assert line in found.splitlines()
        assert line in report.splitlines()


def test_a_kernel_on_one_column_alone_says_so() -> None:
    assert "columns: 1" in ks.analyze("circle()").report()
    assert "columns: 1" in CliRunner().invoke(main, ["explain", "-e", "circle()"]).output
    for text in ("gaussian()", "circle()[0]"):
        assert "columns: d (any number)" in ks.analyze(text).report()
