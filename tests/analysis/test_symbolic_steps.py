"""Symbolic steps that end in time, and those that do not."""

from __future__ import annotations

import pytest
import sympy

import kernelspec as ks
from kernelspec.analysis import symbolic_steps as module
from kernelspec.analysis.symbolic_steps import derive
from kernelspec.kernels.leaves.gaussian import Gaussian


def endless(*_: object) -> None:
    while True:
        pass


def test_a_step_in_time_gives_its_result() -> None:
    assert derive(lambda: sympy.Integer(2) + 3, lambda late: late) == 5


def test_a_step_that_is_late_is_made_of_one_symbol(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.05)
    late = sympy.Symbol("not_derived_in_time")
    assert derive(endless, lambda symbol: {"first": symbol, "second": symbol}) == {"first": late, "second": late}


def test_what_takes_too_long_is_said_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.05)
    monkeypatch.setattr(Gaussian, "expression", endless)
    facts = ks.analyze("gaussian()", dim=1)
    assert facts.to_dict()["variance"] == dict.fromkeys(("paired", "phase", "complex"), "not_derived_in_time")
    assert facts.to_dict()["kernel"] == "not_derived_in_time"
    assert "k(x, y) = not_derived_in_time" in facts.report()
    assert "not" in facts.latex()
