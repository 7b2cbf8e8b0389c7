"""A member has pieces of one kind or of both."""

from __future__ import annotations

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.members import Member
from tests.measures.algebra.pieces import NUMBERS
from tests.measures.algebra.referees import measure_of_text


def test_kinds() -> None:
    assert Member() == Member(None, None)
    kinds = {"laplace()": (True, False), "cauchy()": (False, True), "laplace()*cauchy()": (True, True)}
    for text, kind in kinds.items():
        (member,) = line_members(measure_of_text(text), NUMBERS)
        assert (member.lag is not None, member.frequency is not None) == kind
