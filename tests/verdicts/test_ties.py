"""Kernels that are just positive definite, and their neighbours: none is decided wrongly."""

from __future__ import annotations

from collections import Counter

import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.cli import main
from tests.verdicts.ties import Case, cases

ALL = tuple(cases())

AUDIT = [
    Case("laplace()*cosine(sqrt(2)) - 1/3*laplace()", 1, True, "4ω² + 2ω⁴ beside a positive denominator"),
    Case("laplace() - 4*sqrt(3)/9*matern(3/2)", 1, True, "(ω² − 1)²"),
    Case("cauchy() - sqrt(pi/2)*exp(-1/2)*gaussian()", 1, True, "e^{−ω} ≥ e^{−1/2 − ω²/2}"),
    Case("3*sqrt(3)*laplace() - (4 + 1e-25)*matern(3/2)", 1, False, "negative at ω = 1"),
    Case("radial(r -> 3/r**2*(sin(r)/r - cos(r)))", 1, True, "the uniform law on a ball of R³, projected"),
    Case("radial(r -> 6/r**2*(1 - sin(r)/r))", 1, True, "a mixture of sinc²"),
    Case("radial(r -> 3/r**2*(1 - tanh(r)/r))", 1, True, "partial fractions of positive weight"),
]
"""Each was decided wrongly."""


def answer(case: Case) -> str:
    """ "right", "unknown" or "wrong"."""
    found = ks.analyze(ks.parse(case.text), dim=case.dim).verdict.positive_definite
    expected = "proved" if case.is_positive_definite else "disproved"
    return "right" if found == expected else "unknown" if found == "unknown" else "wrong"


def test_there_are_enough_of_them() -> None:
    assert len(ALL) == len(set(ALL)) >= 1000


@pytest.mark.parametrize("case", AUDIT, ids=lambda case: case.text)
def test_cases_of_the_audit(case: Case) -> None:
    assert answer(case) != "wrong"


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("3*sqrt(3)*laplace() - (4 + 1e-25)*matern(3/2)", 1, "disproved"),
        ("3*sqrt(3)*laplace() - (4 - 1e-25)*matern(3/2)", 0, "proved"),
        ("3*sqrt(3)*laplace() - 4*matern(3/2)", 0, "proved"),
    ],
)
def test_the_command_line_decides_them_too(text: str, status: int, words: str) -> None:
    found = CliRunner().invoke(main, ["check", "-e", text, "--dim", "1"])
    assert found.exit_code == status
    assert words in found.output


def test_a_few_of_each_family() -> None:
    answers = Counter(answer(case) for case in ALL[3::45])
    assert answers["wrong"] == 0
    assert answers["unknown"] <= 0.15 * answers.total()


@pytest.mark.long
def test_all_of_them() -> None:
    wrong, answers = [], Counter[str]()
    for case in ALL:
        found = answer(case)
        answers[found] += 1
        wrong += [case] if found == "wrong" else []
    assert not wrong
    assert answers["unknown"] <= 0.12 * answers.total()
