"""The rules by name: each is found, answers None for what it does not know, and stands in one file of its own."""

from __future__ import annotations

from importlib import import_module

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.decision import RULES, rules
from kernelspec.verdicts.rules import Question


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_one_file(name: str) -> None:
    module, _, function = RULES[name].partition(":")
    assert module == f"kernelspec.verdicts.rules.{name}"
    assert function in import_module(module).__all__


@pytest.mark.parametrize("dim", [1, None])
@pytest.mark.parametrize(
    "text", ["param w\ngaussian() - w*laplace()", "shift(gaussian(), by=1)", "linear() - 0.1*rbf_cosine()"]
)
def test_no_rule_decides_what_it_does_not_know(text: str, dim: int | None) -> None:
    kernel = ks.parse(text).symbolic_kernel(Columns(dim))
    assert [rule(Question(kernel)) for rule in rules()] == [None] * len(RULES)
