"""Tests of `language/scanner.py`."""

from __future__ import annotations

import dataclasses
import re
from decimal import Decimal
from fractions import Fraction

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kernelspec.errors import SpecError, SpecSyntaxError
from kernelspec.language import nodes
from kernelspec.language.grammar import lalr_parser
from kernelspec.language.literals import (
    column_name,
    column_text,
    find_forbidden,
    is_plain_name,
    number_text,
    number_value,
)
from kernelspec.language.parser import parse_program
from kernelspec.language.scanner import scan
from kernelspec.loading import Source, Span, ascii_name
from tests.language.strategies import spec_like_text


@pytest.mark.slow
@given(spec_like_text())
def test_nothing_moves(text: str) -> None:
    try:
        layout = scan(Source(text))
    except SpecError:
        return  # that every refusal has its place is a test of the parser
    inside = {i for comment in layout.comments for i in range(comment.start, comment.end)}
    assert len(layout.text) == len(text)
    for i, (before, after) in enumerate(zip(text, layout.text, strict=True)):
        assert after == before or (after == " " and (i in inside or before == "\n"))


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("f(a]", "expected ')' to close the '(' at line 1, column 2, found ']'", 4),
        ("f(a", "this '(' is never closed", 2),
        ("[(a)", "this '[' is never closed", 1),
        ("a)", "this ')' has no opening bracket", 2),
        ("k['a\n']", "this quote is never closed; a quoted name must end on the same line", 3),
        ("k # \x00", "the character U+0000 is not allowed, not even in comments", 5),
    ],
)
def test_refusals(text: str, message: str, column: int) -> None:
    with pytest.raises(SpecSyntaxError) as caught:
        scan(Source(text))
    assert caught.value.message.startswith(message)
    assert caught.value.span is not None
    assert caught.value.span.column == column


@pytest.mark.parametrize("unit", ["-", "2**", "r->", "−"])
def test_depth_is_counted_before_parsing(unit: str) -> None:
    scan(Source(unit * 100 + "x"))
    with pytest.raises(SpecSyntaxError, match="nested more than 100 levels deep"):
        scan(Source(unit * 101 + "x"))
    scan(Source("+".join([unit * 60 + "x"] * 5)))
    scan(Source(f"f({unit * 60}x)" * 5))


@pytest.mark.parametrize(
    "text",
    [
        "k",
        "#! kernelspec 1\nk",
        "#!kernelspec 1\r\nk",
        "#!\tkernelspec\t1  \nk",
        "\n  \n#! kernelspec 1\nk",
        "# a comment\nk # another",
        "k\n# written for #! kernelspec 9",
        "#! /usr/bin/env kernelspec\nk",
        "#! kernelspecs 9\nk",
        "#!python\n# kernelspec 2\nk",
    ],
)
def test_accepted(text: str) -> None:
    assert parse_program(text).body


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#! kernelspec 2\nk", "this spec needs language version 2; this release reads version 1: upgrade kernelspec"),
        ("#! kernelspec 999999999\nk", "this spec needs language version 999999999"),
        ("#! kernelspec\nk", "expected a version number"),
        ("#! kernelspec 0\nk", "expected a version number"),
        ("#! kernelspec 01\nk", "expected a version number"),
        ("#! kernelspec 1.0\nk", "expected a version number"),
        ("#! kernelspec 1 # first\nk", "expected a version number"),
        ("#! kernelspec ١\nk", "expected a version number"),
        ("#! kernelspec 1000000000\nk", "expected a version number"),
        ("#! kernelspec " + "9" * 5000, "expected a version number"),
        ("k\n#! kernelspec 1", "the version must be on the first line"),
        ("k #! kernelspec 1", "the version must be on the first line"),
        ("# a comment\n#! kernelspec 1\nk", "the version must be on the first line"),
        ("#! kernelspec 1\n#! kernelspec 1\nk", "the version must be on the first line"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SpecSyntaxError) as caught:
        parse_program(text)
    assert caught.value.message.startswith(message)
    assert caught.value.span is not None
    assert caught.value.span.text.startswith("#!")


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


@given(st.floats(1e-308, 1e308) | st.integers(0, 10**18).map(float))
def test_numbers_are_written_out_where_python_writes_floats_out(value: float) -> None:
    exact = Fraction(Decimal(repr(value)))
    text = number_text(exact)
    assert number_value(text, span(text)) == exact
    assert ("e" in text) == ("e" in repr(value))


@given(st.text(max_size=20).filter(lambda name: find_forbidden(name) is None))
def test_quoting_is_undone(name: str) -> None:
    text = column_text(name)
    assert text == name or column_name(text, span(text)) == name
    assert "\n" not in text


def test_quotes_stand_where_they_are_needed() -> None:
    assert [column_text(name) for name in ("age", "a b", "σ", "", "3", 'a"\\\n')] == [
        *("age", '"a b"', '"σ"', '""', '"3"', '"a\\"\\\\\\n"')
    ]
    assert column_name(r"'it\'s\t\\n'", span("")) == "it's\t\\n"


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


def test_equality_and_hash_ignore_positions() -> None:
    close, far = parse_program("f(a, b=2)"), parse_program("\n\nf( a ,\n b = 2.0 )")
    assert close == far
    assert hash(close) == hash(far)
    assert close.body.span != far.body.span


def test_nodes_cannot_be_changed() -> None:
    body = parse_program("a").body
    with pytest.raises(dataclasses.FrozenInstanceError):
        body.identifier = "b"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "kind", [kind for kind in vars(nodes).values() if isinstance(kind, type) and kind.__module__ == nodes.__name__]
)
def test_every_kind_of_node_is_small_and_documented(kind: type) -> None:
    assert kind.__doc__
    assert "__dict__" not in dir(kind)
