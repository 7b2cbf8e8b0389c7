"""Questions and findings."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.rules import Finding, Question


def test_a_question_is_multiplied_out_once() -> None:
    question = Question(ks.parse("gaussian()*(laplace() + cauchy())").symbolic_kernel(Columns(2)))
    assert str(question.expanded) == "gaussian(scale=1)*laplace(scale=1) + gaussian(scale=1)*cauchy(scale=1)"
    assert question.expanded is question.expanded


def test_a_proof_needs_no_frequency() -> None:
    assert Finding("proved", ("by definition",)).frequency is None
