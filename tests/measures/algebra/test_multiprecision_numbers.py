"""Numbers of many digits, with a precision of their own."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import pytest
import sympy

from kernelspec.measures.algebra.numbers import MultiprecisionNumbers

N = MultiprecisionNumbers(50)


def test_the_precision_of_others_is_left_alone() -> None:
    before = mp.mp.dps
    N.exponential(N.number(1))
    assert mp.mp.dps == before


@pytest.mark.parametrize("value", [Fraction(1, 3), sympy.Rational(1, 3)])
def test_exact_parameters_stay_exact(value: object) -> None:
    assert abs(N.number(value) * 3 - 1) < N.context.mpf(10) ** -15


def test_what_cancels_is_zero() -> None:
    third = N.number(Fraction(1, 3))
    assert N.is_zero(third + third + third - 1, 1)
    assert not N.is_zero(N.number(1e-30), 1)


def test_differences_of_tails_do_not_cancel_on_the_left() -> None:
    places = (N.complex(-20, 0), N.complex(-19, 0))
    found = N.gaussian_difference((0, 0), places, N.complex(0, 0))
    with mp.workdps(60):
        expected = mp.erfc(19) - mp.erfc(20)
    assert float(abs(found + expected) / expected) < 1e-40 or float(abs(found - expected) / expected) < 1e-40
