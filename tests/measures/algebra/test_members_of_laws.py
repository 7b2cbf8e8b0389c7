"""Spectral laws: their pieces are the values of the kernel, or of the density."""

from __future__ import annotations

import pytest

from kernelspec.measures.algebra.members import pieces_of
from kernelspec.measures.algebra.pieces import NotClosed
from tests.measures.algebra.pieces import NUMBERS
from tests.measures.algebra.referees import measure_of_text
from tests.measures.algebra.test_members import assert_pieces_are_the_values

MEMBERS = [
    "bochner(student_t(dof=5, scale=2))",
    "bochner(cauchy(scale=2))",
    "bochner(gaussian(scale=2))",
    "bochner(laplace(scale=2))",
    "bochner(uniform(-2, 2))",
]


@pytest.mark.parametrize("text", MEMBERS)
def test_values(text: str) -> None:
    assert_pieces_are_the_values(text)


@pytest.mark.parametrize(
    "text",
    [
        "bochner(student_t(dof=4))",
    ],
)
def test_others_have_none(text: str) -> None:
    with pytest.raises(NotClosed):
        pieces_of(measure_of_text(text).kernel, NUMBERS)
