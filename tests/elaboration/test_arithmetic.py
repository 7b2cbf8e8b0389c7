"""Tests of `elaboration/arithmetic.py`."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.elaboration.arithmetic import NumberArithmetic, SymbolicArithmetic, number_expression
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


def test_powers_of_powers_do_not_fill_the_memory() -> None:
    """Exact, the last number would have 26 million digits."""
    text = f"((1.{'0' * 98}1**64)**64)**64"
    assert scale_of(text) == pytest.approx(1, abs=1e-12)


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


HERE = Span(Source(""), 0, 0)


def valued(text: str) -> Fraction:
    number = SpecElaborator(SymbolicArithmetic()).value(parse_program(text).body, Columns(None), Definitions())
    return Fraction(int(number.p), int(number.q))


@pytest.mark.slow
@settings(derandomize=True, database=None)
@given(st.fractions(min_value=-(10**20), max_value=10**20))
def test_the_text_has_exactly_that_value(value: Fraction) -> None:
    assert valued(print_node(number_expression(value, HERE))) == value


def test_too_many_digits() -> None:
    with pytest.raises(SpecError, match="has 150 digits; at most 100 are allowed"):
        number_expression(Fraction(10**149 + 1, 3), HERE)
