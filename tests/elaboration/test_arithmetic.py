"""Tests of `elaboration/arithmetic.py`."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.elaboration.arithmetic import (
    FUNCTIONS,
    NumberArithmetic,
    SymbolicArithmetic,
    compute,
    number_expression,
    with_written_values,
)
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import RangeError, SpecError
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node
from kernelspec.loading import Source, Span

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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/0", "division by zero"),
        ("1/(2 - 2)", "division by zero"),
        ("0**-1", "division by zero"),
        ("sqrt(-1)", "this is not a real number"),
        ("log(0)", "this is not a real number"),
        ("(-2)**0.5", "this is not a real number"),
        ("exp(1000)", "this number is too large: it must be below 1e308"),
        ("1e300**2", "this number is too large: it must be below 1e308"),
        ("1e200*1e200", "this number is too large: it must be below 1e308"),
        ("10**1000", "this number is too large: it must be below 1e308"),
        ("1e-200*1e-200", "this number is too small: it must be above 1e-308, or 0"),
        ("1e-300**64", "this number is too small: it must be above 1e-308, or 0"),
        ("exp(-1000)", "this number is too small: it must be above 1e-308, or 0"),
    ],
)
def test_what_has_no_value(text: str, message: str) -> None:
    with pytest.raises(RangeError) as caught:
        ks.parse(f"gaussian(scale={text})")
    assert caught.value.message == message


@pytest.mark.parametrize("text", ["1/(d - 2)", "sqrt(d - 3)", "log(d - 2)", "1e300**d"])
def test_what_has_no_value_on_these_columns(text: str) -> None:
    spec = ks.parse(f"gaussian(scale={text})")
    with pytest.raises(RangeError):
        ks.analyze(spec, dim=2)
    with pytest.raises(RangeError):
        spec.symbolic_kernel(spec.columns(2))


def test_what_has_a_value_keeps_it() -> None:
    node = ks.parse("gaussian()").program.body
    for value in (Fraction(1, 3), 0, Fraction(10) ** 307, Fraction(1, 10**307)):
        assert compute(NumberArithmetic(), lambda value=value: value, node) == value


HERE = Span(Source(""), 0, 0)


def valued(text: str) -> Fraction:
    number = SpecElaborator(SymbolicArithmetic()).value(parse_program(text).body, Columns(None), Definitions())
    return Fraction(int(number.p), int(number.q))


@pytest.mark.slow
@settings(derandomize=True, database=None)
@given(st.fractions(min_value=-(10**20), max_value=10**20))
def test_the_text_has_exactly_that_value(value: Fraction) -> None:
    assert valued(print_node(number_expression(value, HERE))) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(2, "2"), (Fraction(1, 8), "0.125"), (-3, "-3"), (Fraction(1, 3), "1/3"), (Fraction(-2, 7), "-2/7"), (0, "0")],
)
def test_texts(value: Fraction, text: str) -> None:
    assert print_node(number_expression(Fraction(value), HERE)) == text


def test_too_many_digits() -> None:
    with pytest.raises(SpecError, match="has 150 digits; at most 100 are allowed"):
        number_expression(Fraction(10**149 + 1, 3), HERE)


def test_values_stand_in_place_of_bounds_and_defaults() -> None:
    program = parse_program("param s > 0\nparam t = 2*s\nparam u < 5\ngaussian(scale=s*t*u)")
    found = with_written_values(program, {"s": Fraction(1, 3), "t": Fraction(-4)})
    assert print_node(found) == "param s = 1/3 > 0\nparam t = -4\nparam u < 5\ngaussian(scale=s*t*u)"
    assert with_written_values(program, {}) == program
