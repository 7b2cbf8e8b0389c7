"""What is of a form that has a transform, and which densities are real."""

from __future__ import annotations

import pytest

from kernelspec.measures.algebra.line import density_of_member, is_even, line_members, require_closed
from kernelspec.measures.algebra.pieces import NotClosed
from tests.measures.algebra import referees as r
from tests.measures.algebra.pieces import NUMBERS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("gaussian()*laplace()*cauchy()", "half-line"),
        ("shift(cauchy(), 1)*laplace()", "not even"),
        ("cosine(2)", "does not decay"),
        ("cosine(2)*cauchy()", "wave"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    (member,) = line_members(r.measure_of_text(text), NUMBERS)
    with pytest.raises(NotClosed, match=reason):
        require_closed(member)


@pytest.mark.parametrize(
    ("text", "even"), [("triangle()*cosine(2)", True), ("shift(triangle(), 0.5)*gaussian()", False)]
)
def test_even_members_have_real_densities(text: str, even: bool) -> None:
    (member,) = line_members(r.measure_of_text(text), NUMBERS)
    assert is_even(member) is even
    value = complex(density_of_member(member, NUMBERS.frequency(0.7), NUMBERS))
    assert (abs(value.imag) < 1e-15) is even
