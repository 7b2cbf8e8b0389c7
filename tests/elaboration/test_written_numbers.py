"""Numbers as expressions, and values written into programs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.elaboration.arithmetic import SymbolicArithmetic, number_expression, with_written_values
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import SpecError
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node
from kernelspec.loading import Source, Span

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
    assert print_node(found) == "param s = 1/3\nparam t = -4\nparam u < 5\ngaussian(scale=s*t*u)"
    assert with_written_values(program, {}) == program
