"""The report in words."""

from __future__ import annotations

import pytest

import kernelspec as ks
from tests.analysis.analyzed import analyzed
from tests.elaboration.specs import ALL


@pytest.mark.slow
@pytest.mark.parametrize("text", ALL)
def test_every_kernel(text: str) -> None:
    facts = analyzed(text, 2)
    words = facts.report()
    assert words.startswith(f"{facts.spec}\n\ncolumns: 2\npositive definite: {facts.verdict.positive_definite}\n")
    assert "k(x, y) = " in words


@pytest.mark.slow
@pytest.mark.parametrize("text", [t for t in ALL if "[" not in t])
def test_any_number_of_columns(text: str) -> None:
    assert "columns: d (any number)" in analyzed(text).report()


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
    words = analyzed(text, 2).report()
    for line in lines:
        assert f"\n{line}" in words


def test_named_columns_are_named() -> None:
    assert "\ncolumns: age, income\n" in ks.analyze("gaussian()[age] + laplace()[income]").report()


@pytest.mark.slow
def test_a_variance_that_is_infinite_is_not_printed_as_a_number() -> None:
    words = ks.analyze("dual(relu, sphere())", dim=6).report()
    assert "\n  paired, complex: infinite where E|p|² below the dual of relu exceeds 1\n" in words
    assert "\n  neurons: " in words
    assert "neurons: infinite" not in words
    assert max(map(len, words.splitlines())) < 2200
    assert "infinite where" not in ks.analyze("dual(relu, gaussian())", dim=6).report()
    assert "variance of one sample's inner product:\n  paired, complex: " in ks.analyze("dual(relu, sphere())").report()
