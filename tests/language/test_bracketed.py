"""Mistakes inside brackets: each recogniser speaks in its own situation, and is silent in its neighbours'."""

from __future__ import annotations

import pytest

from kernelspec.language.mistakes import (
    empty_brackets,
    missing_equals,
    odd_colon,
    odd_comma,
    odd_selection,
    quoted_value,
    value_before_equals,
)
from tests.language.stopping import OPERATOR, stopped


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("stretch(k, (1‹,› 2))", "a vector is written in square brackets, as in [1, 2]"),
        ("f((r‹,› s) -> r)", "a function has one variable, without brackets, as in 'r -> exp(-r)'"),
        ("param s‹,› t", "each param has a line of its own"),
        ("let s‹,› t = 1", "each let has a line of its own"),
        ("k1‹,› k2", "a comma has no meaning outside brackets"),
        ("f(a‹,›,b)", None),
        ("[1‹,›,2]", None),
        ("k[1‹,›,2]", None),
        ("k1‹+› k2", None),
    ],
)
def test_odd_comma(marked: str, words: str | None) -> None:
    assert odd_comma(stopped(marked, "_COMMA", *OPERATOR)) == words


def test_odd_colon_is_about_arguments_only() -> None:
    assert (
        odd_colon(stopped("gaussian(scale‹:› 2)", "COLON")) == "an argument is given with '=', as in gaussian(scale=2)"
    )
    assert odd_colon(stopped("k[a‹:› 2]", "COLON")) is None
    assert odd_colon(stopped("gaussian(scale‹,› 2)", "_COMMA")) is None


def test_value_before_equals() -> None:
    inside, outside = stopped("f(2 ‹=› x)", "EQUAL", *OPERATOR), stopped("2 ‹=› x", "EQUAL", *OPERATOR)
    assert value_before_equals(inside) == "only an argument's name can stand before '='"
    assert value_before_equals(outside) == "'=' has no meaning here"
    assert value_before_equals(stopped("f(‹=› x)", "EQUAL", "NUMBER", "_LPAR")) is None
    assert value_before_equals(stopped("f(2 ‹:› x)", "COLON", *OPERATOR)) is None


def test_quoted_value() -> None:
    assert (
        quoted_value(stopped("open(‹'file'›)", "STRING")) == "quotes are for names of columns, as in k['sepal length']"
    )
    assert quoted_value(stopped("open(‹file›)", "NAME")) is None


def test_empty_brackets() -> None:
    assert empty_brackets(stopped("k[‹]›", "_RSQB")) == "a selection has at least one column"
    assert empty_brackets(stopped("2*[‹]›", "_RSQB")) == "a vector has at least one entry"
    assert empty_brackets(stopped("k[a+‹]›", "_RSQB")) is None


@pytest.mark.parametrize(
    ("marked", "kind", "words"),
    [
        ("k[0:6‹:›2]", "COLON", "a range of columns has no step; it is written k[start:stop]"),
        ("k[σ‹:›2]", "COLON", "a range of columns is given by positions, as in k[0:3]"),
        ("k[a ‹+› b]", "PLUS", "columns are given by name, position or range, with commas between"),
        ("k[‹(›a, b)]", "_LPAR", "columns are given by name, position or range, with commas between"),
        ("k[a‹›", "$END", None),
        ("[a ‹:› b]", "COLON", None),
    ],
)
def test_odd_selection(marked: str, kind: str, words: str | None) -> None:
    advice = odd_selection(stopped(marked, kind))
    assert advice is None if words is None else str(advice).startswith(words)


def test_missing_equals_repeats_both_sides() -> None:
    at = stopped("gaussian(scale ‹2.5›)", "NUMBER", "EQUAL", *OPERATOR)
    assert missing_equals(at) == "missing '=' between 'scale' and '2.5'"
    assert missing_equals(stopped("gaussian(2 ‹2.5›)", "NUMBER", *OPERATOR)) is None
    assert missing_equals(stopped("let s ‹2.5›", "NUMBER", "EQUAL")) is None
