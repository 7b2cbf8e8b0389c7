"""Tests of `analysis/statements.py`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.analysis.facts import Facts
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


STATED: list[tuple[str, int | None, str, object, list[str]]] = [
    ("gaussian( scale = 2 )", 1, "spec", "gaussian(scale=2)", ["gaussian(scale=2)"]),
    ("gaussian()[age] + laplace()[income]", None, "columns", ("age", "income"), ["columns: age, income"]),
    ("gaussian()", 3, "columns", 3, ["columns: 3"]),
    ("gaussian()", None, "columns", None, ["columns: d (any number)"]),
    ("laplace()", 1, "kernel", "exp(-Abs(x - y))", ["k(x, y) = exp(-Abs(x - y))"]),
    ("0.5*gaussian()", 1, "k0", "1/2", ["k(x, x) = 1/2"]),
    ("linear()", 1, "k0", "x**2", ["k(x, x) = x**2"]),
    ("laplace()", 1, "spectral_density", "1/(pi*(omega**2 + 1))", ["spectral density = 1/(pi*(omega**2 + 1))"]),
    ("cosine(1)", 1, "spectral_density", None, []),
    (
        "cosine(2)",
        1,
        "atoms",
        {"points": [[2.0], [-2.0]], "weights": [0.5, 0.5], "omitted": 0.0},
        ["  atom 0.5 at (2)", "  atom 0.5 at (-2)"],
    ),
    ("gaussian()", 1, "atoms", None, []),
    ("gaussian(2)", 2, "second_moment", "1/2", ["E‖ω‖² = 1/2"]),
    ("laplace()", 2, "second_moment", "infinite", ["E‖ω‖² = infinite"]),
    ("match()", 2, "second_moment", None, []),
    ("shift(laplace(), 1)", 1, "second_moment", None, ["E‖ω‖² = undefined, the measure is complex"]),
    (
        "2*laplace() - laplace(1/2)",
        2,
        "second_moment",
        None,
        ["E‖ω‖² is not stated: infinite parts of both signs may cancel"],
    ),
    (
        "2*triangle(2) - triangle(1)",
        1,
        "second_moment",
        None,
        ["E‖ω‖² is not stated: infinite parts of both signs may cancel"],
    ),
    (
        "shift(stretch(gaussian(), [1, 2]), 1)",
        2,
        "second_moment",
        None,
        ["E‖ω‖² is not stated: the measure is complex"],
    ),
    ("gaussian() - 0.5*laplace()", 1, "second_moment", "-infinite", ["E‖ω‖² = -infinite"]),
    (
        "param s > 0\ngaussian(s)",
        1,
        "moments",
        {"4": "3/s**4", "6": "15/s**6"},
        ["E ω⁴ = 3/s**4", "E ω⁶ = 15/s**6", r"  \mathbb{E}\,\omega^4 &= \frac{3}{s^{4}} \\"],
    ),
    ("laplace()*gaussian()", 1, "moments", {"4": "infinite"}, ["E ω⁴ = infinite"]),
    ("matern(nu=5/2)", 1, "moments", {"4": "25", "6": "infinite"}, ["E ω⁴ = 25", "E ω⁶ = infinite"]),
    ("gaussian()", 2, "moments", None, []),
    ("matern(nu=2)", 1, "moments", {"4": "infinite"}, ["E ω⁴ = infinite"]),
    ("matern(nu=3.2)", 1, "moments", None, []),
    ("match()", 1, "moments", None, []),
    ("shift(laplace(), by=1)", 1, "moments", None, []),
    (
        "laplace()*gaussian()",
        1,
        "tail_exponent",
        2,
        ["the density falls like ‖ω‖^−2, logarithms aside", r"  \mu(\omega) &= O(\lVert\omega\rVert^{-2+o(1)}) \\"],
    ),
    ("cauchy()", 1, "tail_exponent", "infinite", ["the density falls faster than any power of ‖ω‖"]),
    (
        "matern(nu=3/2)",
        1,
        "paths",
        {"derivatives": 1, "hoelder": 0.5, "crossing_rate": "sqrt(3)/pi"},
        [
            "paths of a Gaussian process: 1 mean-square derivative, Hölder of every order below 0.5",
            "  expected to cross the mean sqrt(3)/pi times per unit of length",
        ],
    ),
    (
        "gaussian()",
        1,
        "mean_embedding",
        {"normal(m, s)": "exp(-(-m + x)**2/(2*(s**2 + 1)))/(s*sqrt(1 + s**(-2)))"},
        ["∫ k(x, y) N(y; m, s²) dy = "],
    ),
    ("match()", 1, "masses", None, []),
    ("polya(gamma(shape=3))", 1, "mean", "3", []),
    ("gaussian()", 1, "mean", None, []),
    (
        "laplace()",
        1,
        "polya",
        {"distribution": "gamma(shape=2, scale=1)", "mean": "2", "inverse_mean": "1", "area": "2"},
        ["Polya kernel of R ~ gamma(shape=2, scale=1): E R = 2, M = E[1/R] = 1, area under"],
    ),
    ("gaussian()", 1, "polya", None, []),
    ("4*gaussian()", 2, "norm", 2.0, ["a feature has norm at most C = 2"]),
    ("linear()", 2, "norm", "infinite", []),
    ("sphere()", None, "norm", None, []),  # it depends on how many columns there are
    ("gaussian()", 2, "skeletons", [], []),
]
"""A spec, its number of columns, a fact of it by name, its value in JSON, and lines of the text or the LaTeX."""


@pytest.mark.slow
@pytest.mark.parametrize(("text", "dim", "name", "value", "lines"), STATED)
def test_facts_by_name(text: str, dim: int | None, name: str, value: object, lines: list[str]) -> None:
    facts = ks.analyze(text, dim=dim)
    assert facts.to_dict()[name] == value
    found = f"\n{facts.report()}\n{facts.latex()}"
    assert all(f"\n{line}" in found for line in lines)


SIZES = ("norm", "composition", "dual_nodes", "skeletons")


def composition_lines(facts: Facts) -> list[str]:
    return [line for fact in facts.stated if fact.name in SIZES for line in fact.lines]


@pytest.mark.slow
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
    assert size == "a feature has 2 factors on average; its norm is at most C = 4"
    assert bound.startswith("  512 ln(2/δ)/ε² samples of one law keep")
    assert bound.endswith("(2048 with random offsets)")
    assert node.startswith("dual of hermite(n=2): degrees 0, 1, 2, 3, … with probability 0, 0, 1, 0, …; mean 2")
    size, node = composition_lines(ks.analyze("dual(step, sphere())", dim=8))
    assert size == "a feature has infinite factors on average; its norm has no bound"
    assert node.endswith("variance infinite where E|p|² below exceeds 1")


def test_nothing_without_numbers() -> None:
    assert composition_lines(ks.analyze("dual(relu, gaussian())")) == []
    assert composition_lines(ks.analyze("param c > 0\ndual(exp(c=c), circle())", dim=1)) == []


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
    with pytest.raises(ValueError, match="only must have stationary=None"):
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
