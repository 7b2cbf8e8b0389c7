"""Tests of `language/mistakes.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings

from kernelspec.errors import SpecError, SpecSyntaxError
from kernelspec.language import nodes, parser
from kernelspec.language import parser as diagnostics
from kernelspec.language.grammar import build_program, lalr_parser
from kernelspec.language.line_forms import program_of_lines
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
from kernelspec.language.printer import print_node
from kernelspec.language.scanner import scan
from kernelspec.loading import Source, Span
from tests.language.strategies import OPERAND, OPERATOR, advised, expressions, stopped
from tests.thoroughness import examples


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
        quoted_value(stopped("param ‹'s'› = 2", "STRING")) == "quotes are for names of columns, as in k['sepal length']"
    )
    assert quoted_value(stopped("param ‹s› = 2", "NAME")) is None


def test_empty_brackets() -> None:
    assert empty_brackets(stopped("k[‹]›", "_RSQB")) == "a selection has at least one column"
    assert empty_brackets(stopped("2*[‹]›", "_RSQB")) == "a vector has at least one entry"
    assert empty_brackets(stopped("k[a+‹]›", "_RSQB")) is None


@pytest.mark.parametrize(
    ("marked", "kind", "words"),
    [
        ("k[0:6‹:›2]", "COLON", "a range of columns has no step; it is written k[start:stop]"),
        ("k[age ‹0›:3]", "NUMBER", "columns are given by name, position, range or function, with commas between"),
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
    assert words == f"'{word}' is Python, and no part of the language"
    assert place == word


@pytest.mark.parametrize("marked", ["k1 ‹iffy›", "k1 ‹lambda›", "important ‹os›"])
def test_other_words_are_not_python(marked: str) -> None:
    assert python_code(stopped(marked, "NAME")) is None


def test_python_function() -> None:
    for marked, kind, word in (("lambda ‹r›: r", "NAME", "lambda"), ("λ‹:› 1", "COLON", "λ")):
        words, place = advised(python_function(stopped(marked, kind)))
        assert words == "a function is written 'r -> exp(-r)', without 'lambda' and ':'"
        assert place == word
    assert python_function(stopped("lambda ‹2›", "NUMBER")) is None
    assert python_function(stopped("lambda2 ‹r›", "NAME")) is None


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("r‹^›2", "'^' is no operator; a power is written with '**'"),
        ("r‹²›", "a square is written with '**2'"),
        ("‹√›2", "a square root is written sqrt(…)"),
        ("k‹==›2", "a value is given with a single '='; there are no comparisons but in param lines"),
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
    "bound_and_default": ["param s > 0 = 2", "param s > 0 < 1", "param s = 2 > 1"],
    "second_kernel": ["k\nk", "k\nparam s", "k\n+ 2"],
    "broken_line": ["k +\nk", "let t = 2*\nk"],
    "odd_character": ["a ^ b", "a – b", "größe", "k[“a”]", "a?"],
    "assignment_without_let": ["k = gaussian()", "σ = 2\nk"],
}
WORDS = {
    "empty_spec": "the spec is empty; expected a kernel expression",
    "missing_kernel": "the kernel expression is missing; it comes after the param and let lines",
    "bound_and_default": "a param has one bound, as in 'param s > 0', or a default, as in 'param s = 2'",
    "leading_plus": "'+' stands between two values; leave it out in front of one",
    "comparison": "comparisons stand only in param lines, as in 'param s > 0'",
    "function_definition": "a function is defined by 'let f = r -> …'",
    "missing_operator": "missing operator between 'k1' and 'k2'; a product is written with '*'",
    "assignment_without_let": "a name is defined by 'let k = …', or 'param k = …' if callers may change it",
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
    with pytest.raises(SpecSyntaxError, match=r"expected|closes nothing|before '->'|ends too early"):
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


def _whole(source: Source) -> nodes.Program:
    return build_program(lalr_parser().parse(scan(source).text), source)  # type: ignore[arg-type]


def _places(program: nodes.Program) -> list[tuple[Any, ...]]:
    """Every node with all of its spans."""
    return [
        (type(node), *((s.start, s.end) for part in fields(node) if isinstance(s := getattr(node, part.name), Span)))
        for node in program.parts()
    ]


def _check(text: str) -> nodes.Program:
    source = Source(text)
    found, exact = program_of_lines(scan(source).text, source), _whole(source)
    assert found == exact
    assert found is not None
    assert _places(found) == _places(exact)
    return found


@settings(max_examples=examples(100))
@given(expressions())
def test_statements_of_one_form(expression: nodes.Expression) -> None:
    value = print_node(expression)
    _check("".join(f"let a{i} = {value}\n" for i in range(4)) + f"param s = {value}\n\nparam t = {value}\n({value})")


@pytest.mark.parametrize(
    "text",
    [
        "\n\n  let a = k[0:3]\nlet b = k[1:2]\nlet c = k [ 4 : 5 ]\nlet e = k[-1]\nlet f = k[-2]\na*b\n\n ",
        "# two\nlet a = f(\n  1,\n  x=2)  # of them\nlet b = f(3, x=.4e1)\nlet c = g(5, let=6)\na",
        "param a > 0\nparam b <= 1\nparam c\nparam e\nlet σ = a·b − 2\nlet τ = a*b - 2\nlet ρ = c*e - 3\nσ",
        'let a = k["x y"]\nlet b = k["y"]\nlet c = k[z]\nlet e = k[param]\nlet f = k[let]\na',
        "let a = (x -> x**2)\nlet b = (y -> y**3)\nlet c = -((2))\nlet e = -((3))\nlet f = -((4))\n a ",
    ],
)
def test_layouts(text: str) -> None:
    _check(text)


def test_texts_whose_statements_have_little_in_common() -> None:
    for text in ("a", "let a = 1\na", "let a = 1\nlet b = -1\nlet c = b*a\nc", "", "let a = ?\n" * 5 + "a"):
        assert program_of_lines(text, Source(text)) is None


@pytest.mark.parametrize(
    "line",
    [
        *("let k2 = gaussian(", "let k2 =", "let k1 = gaussian()", "k9", "let k2 = 1 2", "let k2 = gaussian(a=1, a=2)"),
        *("let k2 = 1e9999", f"let k2 = {'-' * 300}1", f"let {'k' * 300} = gaussian()", "let k2 = gau$$ian()", "par 3"),
    ],
)
def test_errors_are_those_of_the_whole_text(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"let k{i} = gaussian()\n" for i in range(30)).replace("let k2 = gaussian()", line) + "k5"
    with pytest.raises(SpecError) as found:
        parse_program(text)
    monkeypatch.setattr(parser, "program_of_lines", lambda text, source: None)
    with pytest.raises(SpecError) as exact:
        parse_program(text)
    assert str(found.value) == str(exact.value)
    assert type(found.value) is type(exact.value)
