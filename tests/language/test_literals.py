"""Tests of `language/literals.py`."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kernelspec.errors import SpecError, SpecSyntaxError
from kernelspec.language.grammar import lalr_parser
from kernelspec.language.literals import (
    ascii_name,
    ascii_operator,
    column_name,
    column_text,
    find_forbidden,
    is_plain_name,
    number_text,
    number_value,
)
from kernelspec.loading import Source, Span


def span(text: str) -> Span:
    return Span(Source(text), 0, len(text))


@pytest.mark.parametrize(
    "text", ["0", "2", ".5", "5.", "0.10", "1e-30", "1.E5", "12.5e+2", "007", "9" * 100, "1e0000000308"]
)
def test_values_are_those_of_decimal(text: str) -> None:
    assert number_value(text, span(text)) == Fraction(Decimal(text))


@pytest.mark.parametrize("text", ["1e309", "1e-309", "10e308", "0.1e-308", "1e999999999999", "0." + "1" * 100])
def test_values_out_of_bounds(text: str) -> None:
    with pytest.raises(SpecSyntaxError) as caught:
        number_value(text, span(text))
    assert caught.value.span == span(text)


def test_zero_is_within_the_bounds_with_any_exponent() -> None:
    assert number_value("0.000e-308", span("")) == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(3, 2), "1.5"),
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 8000), "0.000125"),
        (Fraction(1, 80000), "1.25e-5"),
        (Fraction(10**15), "1000000000000000"),
        (Fraction(10**16), "1e16"),
        (Fraction(10**16 + 1), "1.0000000000000001e16"),
        (Fraction(1, 10**30), "1e-30"),
        (Fraction(1, 2**10), "0.0009765625"),
    ],
)
def test_canonical_texts(value: Fraction, text: str) -> None:
    assert number_text(value) == text


@given(st.floats(1e-308, 1e308) | st.integers(0, 10**18).map(float))
def test_numbers_are_written_out_where_python_writes_floats_out(value: float) -> None:
    exact = Fraction(Decimal(repr(value)))
    text = number_text(exact)
    assert number_value(text, span(text)) == exact
    assert ("e" in text) == ("e" in repr(value))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Fraction(-1, 2), "write it as the Negation of 1/2"),
        (Fraction(1, 3), "its decimals never end"),
        (Fraction(10**308 + 1), "lie between 1e-308 and 1e308"),
        (Fraction(10**100 + 1), "this number has 101 digits"),
        (Fraction(1, 2**200), "at most 100 are allowed"),
    ],
)
def test_numbers_without_a_literal(value: Fraction, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        number_text(value)


@given(st.text(max_size=20).filter(lambda name: find_forbidden(name) is None))
def test_quoting_is_undone(name: str) -> None:
    text = column_text(name)
    assert text == name or column_name(text, span(text)) == name
    assert "\n" not in text


def test_quotes_stand_where_they_are_needed() -> None:
    assert [column_text(name) for name in ("age", "a b", "σ", "", "3", 'a"\\\n')] == [
        *("age", '"a b"', '"σ"', '""', '"3"', '"a\\"\\\\\\n"'),
    ]
    assert column_name(r"'it\'s\t\\n'", span("")) == "it's\t\\n"


def test_refused_names() -> None:
    text = r'"ab\d"'
    with pytest.raises(SpecSyntaxError, match="there is no escape") as caught:
        column_name(text, span(text))
    assert caught.value.span is not None
    assert caught.value.span.text == r"\d"
    with pytest.raises(SpecError, match="101 characters"):
        column_text("a" * 101)
    with pytest.raises(SpecError, match=r"U\+202E"):
        column_text("a\u202eb")


def test_every_character_of_a_name_has_an_ascii_spelling() -> None:
    (pattern,) = (t.pattern.to_regexp() for t in lalr_parser().terminals if t.name == "NAME")
    accepted = [chr(code) for code in range(0x3000) if re.fullmatch(pattern, chr(code))]
    assert len(accepted) == 53 + 24 * 2 + 1 + 7
    assert all(is_plain_name(ascii_name(character)) for character in accepted)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("σ", "sigma"),
        ("Σ", "Sigma"),
        ("σ_1", "sigma_1"),
        ("λ", "lambda"),
        ("µ", "mu"),
        ("μ", "mu"),
        ("ς", "sigma"),
        ("ω0", "omega0"),
        ("plain", "plain"),
    ],
)
def test_names(text: str, name: str) -> None:
    assert ascii_name(text) == name


@pytest.mark.parametrize(("text", "operator"), [("·", "*"), ("×", "*"), ("⋅", "*"), ("−", "-"), ("*", "*"), ("-", "-")])
def test_operators(text: str, operator: str) -> None:
    assert ascii_operator(text) == operator
