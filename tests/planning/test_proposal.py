"""Candidates with what they would draw."""

from __future__ import annotations

from kernelspec.planning.candidates import Proposal
from kernelspec.planning.plan import Candidate


def test_the_error_is_that_on_the_data_or_else_the_variance() -> None:
    candidate = Candidate("paired", False, (4,), 0.25)
    assert Proposal(candidate, ()).error == 0.25
    assert Proposal(Candidate("paired", False, (4,), 0.25, error=0.1), ()).error == 0.1


def test_less_variance_then_less_work_then_a_name() -> None:
    one = Proposal(Candidate("paired", False, (4,), 0.25, (None,), work=2), ())
    quicker = Proposal(Candidate("paired", False, (4,), 0.25, (None,), work=1), ())
    named = Proposal(Candidate("paired", False, (4,), 0.25, ("binning",), work=1), ())
    better = Proposal(Candidate("paired", False, (4,), 0.2, (None,), work=9), ())
    assert sorted([one, quicker, named, better], key=lambda own: own.rank) == [better, named, quicker, one]
