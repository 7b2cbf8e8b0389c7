"""Signs of polynomials, against polynomials with roots that are known."""

from __future__ import annotations

from fractions import Fraction
from itertools import product as pairs

import pytest
import sympy

from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.sturm import Polynomial, power, product, sign_on_half_line, total

of = ClosedNumber.of
ROOTS = [Fraction(1, 2), 1, Fraction(10**6 + 1, 10**6), sympy.sqrt(2), sympy.sqrt(3) / 7, 1000]


def linear(root: object) -> Polynomial:
    return [-of(root), of(1)]


@pytest.mark.parametrize("number", [1, -1, sympy.sqrt(3), sympy.pi])
def test_squares_are_not_negative_and_what_is_below_is(number: object) -> None:
    for first, second in pairs(ROOTS, ROOTS[:3]):
        square = power(product(linear(first), linear(second)), 2)
        scaled = [of(number) * c for c in square]
        assert sign_on_half_line(scaled).is_nonnegative == (of(number).sign() > 0)
        for distance in (Fraction(1, 10**12), Fraction(1, 10**30)):
            assert sign_on_half_line(total(square, [of(distance)])).is_nonnegative
            found = sign_on_half_line(total(square, [of(-distance)]))
            assert not found.is_nonnegative
            value = sum((c * found.place**n for n, c in enumerate(square)), of(-distance))
            assert value.sign() == -1


def test_roots_are_counted_and_those_of_odd_order_change_the_sign() -> None:
    double = power(linear(2), 2)
    assert sign_on_half_line(product(double, power(linear(3), 4))).roots == 2
    assert sign_on_half_line([of(1), of(0), of(1)]).roots == 0
    assert not sign_on_half_line(product(double, linear(3))).is_nonnegative
    assert sign_on_half_line(product(double, linear(-3))).is_nonnegative
    assert sign_on_half_line([of(0), of(0), of(3)]).is_nonnegative
    assert sign_on_half_line([]).is_nonnegative
    assert not sign_on_half_line([of(0), of(-1), of(1)]).is_nonnegative


def test_what_is_too_large_is_not_decided() -> None:
    with pytest.raises(NotDecided):
        sign_on_half_line([of((-1) ** n) for n in range(101)])
