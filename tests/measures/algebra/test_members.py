"""Tests of `measures/algebra/members.py`."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.members import Member, PieceMaker, lag_of, pieces_of
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.special.closed_forms import matern_weights, small_whole
from tests.measures.algebra.pieces import NUMBERS, value
from tests.measures.algebra.referees import measure_of_text


def test_kinds() -> None:
    assert Member() == Member(None, None)
    kinds = {"laplace()": (True, False), "cauchy()": (False, True), "laplace()*cauchy()": (True, True)}
    for text, kind in kinds.items():
        (member,) = line_members(measure_of_text(text), NUMBERS)
        assert (member.lag is not None, member.frequency is not None) == kind


def test_what_kernels_are_made_of() -> None:
    line = PieceMaker(NUMBERS)
    assert float(value(lag_of(line.bell(2)), 1).real) == pytest.approx(0.8824969025845955, rel=1e-14)  # e^{−1/8}
    assert float(value(line.band(4).frequency, 3).real) == 0.125
    two = line.tents([(NUMBERS.number(1), NUMBERS.number(1)), (NUMBERS.number(2), NUMBERS.number(0))])
    assert float(value(lag_of(two), -0.25).real) == 0.75
    assert line.spectral(line.bell(1)).lag is None
    with pytest.raises(NotClosed, match="lag"):
        lag_of(line.band(1))


def test_orders_are_not_rounded() -> None:
    near = sympy.Rational(1, 10**20)
    assert matern_weights(sympy.Rational(3, 2)) == [1, 1]
    assert small_whole(sympy.Integer(2)) == 2
    assert matern_weights(sympy.Rational(3, 2) + near) is None
    for not_small in (2 + near, 1e9, 0, sympy.Symbol("s")):
        assert small_whole(not_small) is None


MEMBERS = [
    "gaussian(2)",
    "laplace(0.7)",
    "exponential(3)",
    "matern(nu=1/2)",
    "matern(nu=7/2, scale=2)",
    "triangle(1.5)",
    "cosine(2)",
    "powered_exponential(alpha=1, scale=2)",
    "powered_exponential(alpha=2, scale=2)",
    "shift_gaussian(by=0.5)",
    "cosh_gaussian(by=0.5, scale=2)",
    "sinh_gaussian(by=0.5)",
    "cauchy(2)",
    "rational_quadratic(alpha=3, scale=2)",
    "sinc(2)",
    "bochner(student_t(dof=5, scale=2))",
    "bochner(cauchy(scale=2))",
    "bochner(gaussian(scale=2))",
    "bochner(laplace(scale=2))",
    "bochner(uniform(-2, 2))",
    "polya(gamma(shape=2))",
    "polya(gamma(shape=5, scale=2), area=1)",
    "polya(chi_square(dof=6))",
    "polya(discrete([1, 2], [0.25, 0.75]), area=2)",
]


@pytest.mark.parametrize("text", MEMBERS)
def test_the_pieces_of_a_kernel_have_its_values(text: str) -> None:
    """The pieces of a kernel against its values, or those of its density."""
    measure = measure_of_text(text)
    member = pieces_of(measure.kernel, NUMBERS)
    at = np.array([-2.3, -0.6, 0.2, 1.1, 1.7])
    if member.lag is not None:
        expected = measure.characteristic_function(at[:, None])
        found = [complex(value(member.lag, t)) for t in at]
    else:
        expected = measure.density(at[:, None])
        found = [complex(value(member.frequency, t)) for t in at]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


OTHERS = [
    "matern(nu=1)",
    "rational_quadratic(alpha=3/2)",
    "periodic(2)",
    "powered_exponential(alpha=3/2)",
    "bochner(student_t(dof=4))",
    "polya(exponential())",
    "polya(gamma(shape=1))",
    "polya(rayleigh())",
]


@pytest.mark.parametrize("text", OTHERS)
def test_others_have_none(text: str) -> None:
    with pytest.raises(NotClosed):
        pieces_of(measure_of_text(text).kernel, NUMBERS)
