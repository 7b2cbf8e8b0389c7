"""The shapes members are made of, and what is refused."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.measures.algebra.members import (
    as_density,
    bell,
    box,
    gamma_mixture,
    half_of,
    lag_of,
    matern_weights,
    tents,
    whole_number,
)
from kernelspec.measures.algebra.pieces import NotClosed
from tests.measures.algebra.pieces import NUMBERS, value


def test_values() -> None:
    assert float(value(lag_of(bell(2, NUMBERS)), 1).real) == pytest.approx(0.8824969025845955, rel=1e-14)  # e^{−1/8}
    assert float(value(box(4, NUMBERS).frequency, 3).real) == 0.125
    two = tents([(NUMBERS.number(1), NUMBERS.number(1)), (NUMBERS.number(2), NUMBERS.number(0))], NUMBERS)
    assert float(value(lag_of(two), -0.25).real) == 0.75
    density = as_density(bell(1, NUMBERS))
    assert density.lag is None


def test_refusals() -> None:
    with pytest.raises(NotClosed, match="lag"):
        lag_of(box(1, NUMBERS))
    with pytest.raises(NotClosed, match="shape 1"):
        gamma_mixture(1, 1, NUMBERS)
    for refused in (whole_number, half_of):
        with pytest.raises(NotClosed, match="number"):
            refused(1e9)


def test_orders_are_not_rounded() -> None:
    near = sympy.Rational(1, 10**20)
    assert matern_weights(sympy.Rational(3, 2)) == [1, 1]
    assert whole_number(sympy.Integer(2)) == 2
    with pytest.raises(NotClosed):
        matern_weights(sympy.Rational(3, 2) + near)
    with pytest.raises(NotClosed):
        whole_number(2 + near)
