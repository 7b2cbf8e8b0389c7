"""What a kernel on a line is made of, and the points where that is not smooth."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.measures.algebra.kernel_series import breakpoints, parts_of
from kernelspec.measures.algebra.pieces import NotClosed
from tests.measures.algebra.referees import measure_of_text


def test_factors_in_pieces_are_one() -> None:
    ((weight, factors),) = parts_of(measure_of_text("2*laplace()*periodic(1)*gaussian()", symbolic=True)).terms
    assert weight == 2
    assert len(factors) == 2


def test_breakpoints() -> None:
    found = breakpoints(parts_of(measure_of_text("shift(triangle()*circle(), by=-1) + periodic(1)", symbolic=True)))
    assert found == {sympy.S(0), sympy.S(1), sympy.S(2)}


@pytest.mark.parametrize("text", ["periodic(1)*matern(nu=2)", "shift(periodic(1)*cauchy(), by=1)"])
def test_what_is_not_known(text: str) -> None:
    with pytest.raises(NotClosed):
        parts_of(measure_of_text(text, symbolic=True))
