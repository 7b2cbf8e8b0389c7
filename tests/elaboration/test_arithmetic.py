"""Numbers: exact as long as possible, the same in both arithmetics, bounded."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.arithmetic import FUNCTIONS, NumberArithmetic, SymbolicArithmetic

NUMBERS, SYMBOLS = NumberArithmetic(), SymbolicArithmetic()


def scale_of(text: str, dim: int = 1) -> float:
    """The value of a number: the lag at which gaussian(scale=…) is exp(−½)."""
    facts = ks.analyze(f"gaussian(scale={text})", dim=dim)
    numeric = float(facts._numeric.scale)
    assert float(facts._symbolic.scale) == pytest.approx(numeric, rel=1e-14)
    return numeric


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1 + 0.2", 0.3),
        ("1 - 2/3", 1 / 3),
        ("2**10", 1024),
        ("2**-2", 0.25),
        ("2**0.5", math.sqrt(2)),
        ("-(-3)", 3),
        ("sqrt(2)*sqrt(2)", 2),
        ("exp(1)", math.e),
        ("log(exp(2))", 2),
        ("abs(-3/2)", 1.5),
        ("cos(0) + sin(pi/2)", 2),
        ("pi/2", math.pi / 2),
        ("1.0001**10000", 1.0001**10000),
        ("d", 5),
        ("2/d", 0.4),
    ],
)
def test_value(text: str, value: float) -> None:
    assert scale_of(text, 5) == pytest.approx(value, rel=1e-14)


def test_rationals_stay_exact() -> None:
    assert NUMBERS.power(Fraction(1, 3), Fraction(5)) == Fraction(1, 243)
    assert SYMBOLS.power(sympy.Rational(1, 3), sympy.Integer(5)) == sympy.Rational(1, 243)
    assert SYMBOLS.literal(Fraction(3, 2)) == sympy.Rational(3, 2)
    assert SYMBOLS.pi() is sympy.pi
    assert NUMBERS.pi() == math.pi


def test_powers_of_powers_do_not_fill_the_memory() -> None:
    """Exact, the last number would have 26 million digits."""
    text = f"((1.{'0' * 98}1**64)**64)**64"
    assert scale_of(text) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_agree(name: str) -> None:
    number = NUMBERS.function(name, 0.7)
    assert float(SYMBOLS.function(name, sympy.Float(0.7))) == pytest.approx(number)
    assert math.isnan(NUMBERS.function(name, math.nan))


def test_known() -> None:
    assert NUMBERS.known(math.nan) is None
    assert NUMBERS.known(Fraction(1, 2)) == 0.5
    assert SYMBOLS.known(sympy.Symbol("s")) is None
    assert SYMBOLS.known(sympy.sqrt(4)) == 2
    with pytest.raises(ValueError, match="not a real number"):
        SYMBOLS.known(sympy.I)
