"""Numbers in a normal form, against SymPy's digits."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from kernelspec.special.closed_numbers import ClosedNumber, NotDecided, exponential

of = ClosedNumber.of
NUMBERS = [
    sympy.Rational(-3, 7),
    sympy.sqrt(2),
    4 * sympy.sqrt(3) / 9,
    sympy.sqrt(sympy.pi / 2) * sympy.exp(-sympy.Rational(1, 2)),
    1 + sympy.sqrt(2) - sympy.sqrt(6),
    sympy.cbrt(2) / 3,
    sympy.pi - 22 * sympy.E / 19,
    sympy.exp(1 - sympy.sqrt(2)),
    sympy.log(2) - sympy.cos(1),
    sympy.sqrt(1 + sympy.sqrt(2)),
    1 / (1 + sympy.sqrt(3)),
    sympy.Integer(10) ** 30 + 1,
]


@pytest.mark.slow
@pytest.mark.parametrize("left", NUMBERS, ids=str)
def test_arithmetic_is_that_of_sympy(left: sympy.Expr) -> None:
    for right in NUMBERS:
        pairs = [
            (of(left) + of(right), left + right),
            (of(left) - of(right), left - right),
            (of(left) * of(right), left * right),
            (3 - of(left), 3 - left),
            (of(left) ** 3, left**3),
        ]
        for found, expected in pairs:
            value, error = found.enclosed(40)
            assert abs(sympy.Float(value, 60) - expected.evalf(60)) <= sympy.Float(error, 60) + sympy.Float("1e-60")
            assert abs(found.expression().evalf(40) - expected.evalf(40)) <= 1e-30 * (1 + abs(expected.evalf(5)))


def test_equal_numbers_have_equal_forms() -> None:
    assert of(sympy.sqrt(2)) * of(sympy.sqrt(3)) == of(sympy.sqrt(6))
    assert of(sympy.sqrt(8)) == 2 * of(sympy.sqrt(2))
    assert of(1 / (1 + sympy.sqrt(2))) == of(sympy.sqrt(2)) - 1
    assert of(sympy.sqrt(sympy.pi / 2)) * of(sympy.sqrt(2 / sympy.pi)) == 1
    assert exponential(of(sympy.sqrt(2))) * exponential(of(1 - sympy.sqrt(2))) == of(sympy.E)
    assert of(sympy.sqrt(2) + sympy.sqrt(3)).inverse() == of(sympy.sqrt(3) - sympy.sqrt(2))
    assert hash(of(sympy.Rational(1, 2))) == hash(Fraction(1, 2))


@pytest.mark.parametrize("digits", [12, 30, 100, 300])
def test_signs_are_never_rounded(digits: int) -> None:
    near = of(Fraction(1, 10**digits))
    for number in map(of, NUMBERS):
        assert ((number + near) - number).sign() == 1
        assert (number - (number + near)).sign() == -1
    close = of(sympy.Rational(str(sympy.pi.evalf(digits + 5))))
    assert (of(sympy.pi) - close - near).sign() == -1


def test_what_is_not_known_is_not_decided() -> None:
    with pytest.raises(NotDecided):  # √2 + √3, of which the normal form does not know
        (of(sympy.sqrt(2)) + of(sympy.sqrt(3)) - of(sympy.sqrt(5 + 2 * sympy.sqrt(6)))).sign()
    with pytest.raises(NotDecided):
        of(sympy.sqrt(sympy.log(sympy.Rational(1, 2)), evaluate=False))
    with pytest.raises(TypeError):
        of(sympy.Symbol("s"))
    with pytest.raises(NotDecided):
        of(sympy.Pow(2, sympy.Rational(1, 10**9), evaluate=False)).inverse().root(Fraction(1, 10**9))
    with pytest.raises(ZeroDivisionError):
        of(0).inverse()
