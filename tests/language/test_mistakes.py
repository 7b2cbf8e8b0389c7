"""Tests of `language/mistakes.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from kernelspec.errors import SpecSyntaxError
from kernelspec.language import parser as diagnostics
from kernelspec.language.mistakes import (
    MISTAKES,
    Advice,
    Situation,
    empty_brackets,
    missing_equals,
    odd_character,
    odd_colon,
    odd_comma,
    odd_selection,
    python_code,
    python_function,
    quoted_value,
    survey,
    value_before_equals,
)
from kernelspec.language.parser import parse_program
from kernelspec.language.scanner import scan
from kernelspec.loading import Source, Span
from tests.language.strategies import OPERAND, OPERATOR, advised, stopped


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("stretch(k, (1‹,› 2))", "write a vector in square brackets, as in [1, 2]"),
        ("f((r‹,› s) -> r)", "a function has one variable without brackets, as in 'r -> exp(-r)'"),
        ("param s‹,› t", "write each param on its own line"),
        ("let s‹,› t = 1", "write each let on its own line"),
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
    assert odd_colon(stopped("gaussian(scale‹:› 2)", "COLON")) == "write arguments with '=', as in gaussian(scale=2)"
    assert odd_colon(stopped("k[a‹:› 2]", "COLON")) is None
    assert odd_colon(stopped("gaussian(scale‹,› 2)", "_COMMA")) is None


def test_value_before_equals() -> None:
    inside, outside = stopped("f(2 ‹=› x)", "EQUAL", *OPERATOR), stopped("2 ‹=› x", "EQUAL", *OPERATOR)
    assert value_before_equals(inside) == "only the name of an argument can come before '='"
    assert value_before_equals(outside) == "'=' has no meaning here"
    assert value_before_equals(stopped("f(‹=› x)", "EQUAL", "NUMBER", "_LPAR")) is None
    assert value_before_equals(stopped("f(2 ‹:› x)", "COLON", *OPERATOR)) is None


def test_quoted_value() -> None:
    assert (
        quoted_value(stopped("param ‹'s'› = 2", "STRING")) == "only column names have quotes, as in k['sepal length']"
    )
    assert quoted_value(stopped("param ‹s› = 2", "NAME")) is None


def test_empty_brackets() -> None:
    assert empty_brackets(stopped("k[‹]›", "_RSQB")) == "a selection has at least one column"
    assert empty_brackets(stopped("2*[‹]›", "_RSQB")) == "a vector has at least one entry"
    assert empty_brackets(stopped("k[a+‹]›", "_RSQB")) is None


@pytest.mark.parametrize(
    ("marked", "kind", "words"),
    [
        ("k[0:6‹:›2]", "COLON", "a range of columns has no step; write k[start:stop]"),
        ("k[age ‹0›:3]", "NUMBER", "write columns as names, positions, ranges or functions, separated by commas"),
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


@pytest.mark.parametrize(
    ("marked", "word"),
    [("import ‹os›", "import"), ("k1 ‹if› fast else k2", "if"), ("k if ‹fast›", "if"), ("for ‹in›", "for")],
)
def test_python_code_is_named_and_pointed_at(marked: str, word: str) -> None:
    words, place = advised(python_code(stopped(marked, "NAME", *OPERATOR)))
    assert words == f"'{word}' is Python, not part of the language"
    assert place == word


@pytest.mark.parametrize("marked", ["k1 ‹iffy›", "k1 ‹lambda›", "important ‹os›"])
def test_other_words_are_not_python(marked: str) -> None:
    assert python_code(stopped(marked, "NAME")) is None


def test_python_function() -> None:
    for marked, kind, word in (("lambda ‹r›: r", "NAME", "lambda"), ("λ‹:› 1", "COLON", "λ")):
        words, place = advised(python_function(stopped(marked, kind)))
        assert words == "write a function as 'r -> exp(-r)', without 'lambda' and ':'"
        assert place == word
    assert python_function(stopped("lambda ‹2›", "NUMBER")) is None
    assert python_function(stopped("lambda2 ‹r›", "NAME")) is None


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("r‹^›2", "'^' is not an operator; write a power with '**'"),
        ("r‹²›", "write a square as '**2'"),
        ("‹√›2", "write a square root as sqrt(…)"),
        ("k‹==›2", "use a single '=' for a value; comparisons only exist in param lines"),
        ("a ‹–› b", "this is an en dash; the minus sign is '-'"),
        ("a ‹\u2014› b", "this is an em dash; the minus sign is '-'"),
        ("k[‹“›a”]", "this is a left double quotation mark; use straight quotes"),
        ("a‹\u00a0›+ b", "this is a no-break space (U+00A0); use an ordinary space"),
        ("a‹\ufeff›+ b", "this is a zero width no-break space (U+FEFF); use an ordinary space"),
        ("a ‹?› b", "the character '?' has no meaning here"),
        ("a ‹€› b", "the character '€' has no meaning here"),
    ],
)
def test_odd_characters(marked: str, words: str) -> None:
    assert advised(odd_character(stopped(marked, ""))) == (words, None)


@pytest.mark.parametrize(("marked", "word"), [("k[gr‹ö›ße, x]", "größe"), ("‹д›а + 1", "да"), ("2*x‹é›", "xé")])
def test_letters_of_other_alphabets_are_shown_with_their_word(marked: str, word: str) -> None:
    words, place = advised(odd_character(stopped(marked, "")))
    assert "ASCII and Greek letters" in words
    assert place == word


EXAMPLES = {mistake.__name__: re.findall("`([^`]+)`", mistake.__doc__ or "") for mistake in MISTAKES}
EXAMPLES |= {
    "empty_spec": ["", "# only\n\n# comments"],
    "missing_kernel": ["param s", "let t = 2\n", "param s > 0  # positive"],
    "bound_and_default": ["param s > 0 = 2", "param s > 0 < 1", "param s = 2 > 1 < 3"],
    "second_kernel": ["k\nk", "k\nparam s", "k\n+ 2"],
    "broken_line": ["k +\nk", "let t = 2*\nk"],
    "odd_character": ["a ^ b", "a – b", "größe", "k[“a”]", "a?"],
    "assignment_without_let": ["k = gaussian()", "σ = 2\nk"],
}
WORDS = {
    "empty_spec": "the spec is empty; expected a kernel expression",
    "missing_kernel": "the kernel expression is missing; add it after the param and let lines",
    "bound_and_default": "a param has its value first, then one range, as in 'param s = 2 in [0.1, 10]'",
    "leading_plus": "'+' needs two values; remove it in front of one",
    "comparison": "comparisons are only allowed in param lines, as in 'param s > 0'",
    "function_definition": "define a function with 'let f = r -> …'",
    "missing_operator": "missing operator between 'k1' and 'k2'; write a product with '*'",
    "assignment_without_let": "define a name with 'let k = …', or 'param k = …' if callers may change it",
}


def cases() -> Iterator[tuple[str, str]]:
    yield from ((name, text) for name, texts in EXAMPLES.items() for text in texts)


@pytest.mark.parametrize(("name", "text"), list(cases()))
def test_every_mistake_speaks_for_its_examples(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spoke: list[str] = []

    def recorded(mistake: Callable[[Situation], Advice]) -> Callable[[Situation], Advice]:
        def speak(at: Situation) -> Advice:
            advice = mistake(at)
            if advice is not None:
                spoke.append(mistake.__name__)
            return advice

        return speak

    monkeypatch.setattr(diagnostics, "MISTAKES", tuple(recorded(mistake) for mistake in MISTAKES))
    with pytest.raises(SpecSyntaxError):
        parse_program(text)
    assert spoke == [name]


def test_no_mistake_is_without_examples() -> None:
    assert [name for name, texts in EXAMPLES.items() if not texts] == []
    assert len(EXAMPLES) == len(MISTAKES)


@pytest.mark.parametrize("name", WORDS)
def test_what_is_said_of_the_first_example(name: str) -> None:
    with pytest.raises(SpecSyntaxError) as caught:
        parse_program(EXAMPLES[name][0])
    assert caught.value.message == WORDS[name]


@pytest.mark.parametrize("text", ["k)", "f(1, ,2)", "param", "let = 2\nk", "k**", "->"])
def test_the_rest_is_told_what_was_expected(text: str) -> None:
    with pytest.raises(SpecSyntaxError, match=r"expected|no opening bracket|before '->'|ends too early"):
        parse_program(text)


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
