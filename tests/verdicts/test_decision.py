"""Tests of `verdicts/decision.py`."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import RangeError, SpecError
from kernelspec.verdicts.decision import RULES, decide, rules
from kernelspec.verdicts.rules import Question


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_offered_by_its_module(name: str) -> None:
    module, _, function = RULES[name].partition(":")
    assert function in import_module(module).__all__


@pytest.mark.parametrize("dim", [1, None])
@pytest.mark.parametrize(
    "text", ["param w\ngaussian() - w*laplace()", "shift(gaussian(), by=1)", "linear() - 0.1*rbf_cosine()"]
)
def test_no_rule_decides_what_it_does_not_know(text: str, dim: int | None) -> None:
    kernel = ks.parse(text).symbolic_kernel(Columns(dim))
    assert [rule(Question(kernel)) for rule in rules()] == [None] * len(RULES)


@pytest.mark.parametrize("dim", [None, 1, 2])
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("gaussian(scale=d)*laplace()", "proved"),
        ("gaussian() - laplace()", "disproved"),
        ("gaussian() - 2*laplace(d)", "disproved"),
        ("2*polya(uniform(0, 1)) - 0.001*gaussian()", "unknown"),
        ("param w\nw*gaussian() + laplace()", "unknown"),
    ],
)
def test_with_and_without_columns(text: str, verdict: str, dim: int | None) -> None:
    assert decide(ks.parse(text), Columns(dim)).positive_definite == verdict


def test_a_witness_says_on_how_many_columns() -> None:
    assert "with 1 column: " in decide(ks.parse("gaussian() - laplace()"), Columns(None)).reasons[-1]
    assert "with 3 columns: " in decide(ks.parse("(gaussian() - laplace())[2]"), Columns(None)).reasons[-1]
    assert "with " not in decide(ks.parse("gaussian() - laplace()"), Columns(2)).reasons[-1]


def test_no_reason_is_given_twice() -> None:
    reasons = decide(ks.parse("laplace()**2 + laplace()*cauchy()"), Columns(2)).reasons
    assert len(set(reasons)) == len(reasons)


def test_what_does_not_fit_the_columns_is_an_error() -> None:
    with pytest.raises(RangeError, match="division by zero"):
        decide(ks.parse("gaussian(1/(d - 2))"), Columns(2))
    with pytest.raises(SpecError, match="there is no column 2"):
        decide(ks.parse("gaussian()[2] - laplace()[2]"), Columns(2))


@pytest.mark.slow
def test_numbers_need_no_symbols() -> None:
    code = (
        "import sys, kernelspec as ks; from kernelspec.verdicts.decision import decide; "
        "from kernelspec.elaboration.scope import Columns; decide(ks.parse('gaussian()*laplace()'), Columns(None)); "
        "sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=120).returncode == 0
