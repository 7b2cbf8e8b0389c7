"""Answers, or why there are none."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.analysis.facts import answer_or_reason


def test_an_answer_has_no_reason() -> None:
    assert answer_or_reason(lambda: 3) == (3, None)
    assert answer_or_reason(lambda: None) == (None, None)


def test_the_reason_of_a_spec_shows_no_place() -> None:
    spec = ks.parse("param s > 0\ngaussian(s)", name="churn.kernel")
    nothing, reason = answer_or_reason(lambda: spec.gram([[0.0]]))
    assert nothing is None
    assert reason is not None
    assert reason.startswith("parameter 's' has no value")


def test_other_refusals_are_reasons_as_they_are() -> None:
    facts = ks.analyze("cosine(1)", dim=1)
    nothing, reason = answer_or_reason(lambda: facts.spectral_density)
    assert nothing is None
    assert reason is not None
    assert "consists of atoms" in reason


def test_faults_are_not_reasons() -> None:
    with pytest.raises(ZeroDivisionError):
        answer_or_reason(lambda: 1 / 0)
