"""What surrounds the place where the parser stopped."""

from __future__ import annotations

import pytest

from kernelspec.language.mistakes import survey
from kernelspec.language.scanner import scan
from kernelspec.loading import Source, Span
from tests.language.stopping import OPERAND, OPERATOR, stopped


@pytest.mark.parametrize(
    ("marked", "bracket"),
    [
        ("a ‹,›", ""),
        ("f(a ‹,›", "call"),
        ("f (a ‹,›", "call"),
        ("2*(a ‹,›", "group"),
        ("k[a](b ‹,›", "group"),
        ("f(a)(b ‹,›", "group"),
        ("[a ‹,›", "vector"),
        ("2*[a ‹,›", "vector"),
        ("k[a ‹,›", "select"),
        ("f(x)[a ‹,›", "select"),
        ("(k)[a ‹,›", "select"),
        ("k_['b'][a ‹,›", "select"),
        ("f([1, 2], ‹,›", "call"),
        ("f(k[(1", "group"),
        ("f(k[(1)", "select"),
        ("f(k[(1)]", "call"),
        ("f(k[(1)])", ""),
    ],
)
def test_the_innermost_open_bracket(marked: str, bracket: str) -> None:
    assert stopped(marked if "‹" in marked else f"{marked} ‹?›", "").bracket == bracket


def test_the_token_before_and_the_statement_so_far() -> None:
    at = stopped("param s > 0\nlet t = f( ‹=›", "EQUAL")
    assert (at.before, at.before_span.text, at.before_span.start) == ("(", "(", 21)
    assert at.line == ("let", "t", "=", "f", "(")
    assert (at.text, at.shown) == ("=", "=")
    empty = stopped("‹)› k", "_RPAR")
    assert (empty.before, empty.before_span.text, empty.line, empty.bracket) == ("", "", (), "")


def test_lines_inside_brackets_belong_to_one_statement() -> None:
    source = Source("k\nf(a, # why\n  b c)")
    start = source.text.index("c)")
    at = survey(scan(source), Span(source, start, start + 1), "NAME", frozenset())
    assert (at.line, at.before, at.bracket) == (("f", "(", "a", ",", "b"), "b", "call")


def test_long_words_and_lines_are_cut_short() -> None:
    at = stopped("a " * 20 + "b" * 50 + " ‹" + "c" * 50 + "›", "NAME")
    assert at.line == ("a",) * 8
    assert (at.before, at.shown) == ("b" * 40 + "…", "c" * 40 + "…")
    assert (at.before_span.text, at.text) == ("b" * 50, "c" * 50)


def test_what_could_stand_there() -> None:
    value, operator = stopped("a + ‹)›", "_RPAR", *OPERAND), stopped("a ‹b›", "NAME", *OPERATOR)
    assert (value.accepts_operand(), value.accepts_operator()) == (True, False)
    assert (operator.accepts_operand(), operator.accepts_operator()) == (False, True)
    assert not stopped("k[‹(›", "_LPAR", "NAME", "STRING", "NUMBER").accepts_operand()
