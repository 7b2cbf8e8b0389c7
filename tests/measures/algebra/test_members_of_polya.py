"""Polya kernels: their pieces are their values."""

from __future__ import annotations

import pytest

from kernelspec.measures.algebra.members import pieces_of
from kernelspec.measures.algebra.pieces import NotClosed
from tests.measures.algebra.pieces import NUMBERS
from tests.measures.algebra.referees import measure_of_text
from tests.measures.algebra.test_members import assert_pieces_are_the_values

MEMBERS = [
    "polya(gamma(shape=2))",
    "polya(gamma(shape=5, scale=2), area=1)",
    "polya(chi_square(dof=6))",
    "polya(discrete([1, 2], [0.25, 0.75]), area=2)",
]


@pytest.mark.parametrize("text", MEMBERS)
def test_values(text: str) -> None:
    assert_pieces_are_the_values(text)


@pytest.mark.parametrize(
    "text",
    [
        "polya(exponential())",
        "polya(rayleigh())",
    ],
)
def test_others_have_none(text: str) -> None:
    with pytest.raises(NotClosed):
        pieces_of(measure_of_text(text).kernel, NUMBERS)
