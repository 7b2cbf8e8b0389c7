"""Mistakes from elsewhere: Python, mathematics on paper, word processors."""

from __future__ import annotations

import pytest

from kernelspec.language.mistakes import odd_character, python_code, python_function
from tests.language.stopping import OPERATOR, advised, stopped


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


def test_a_token_of_the_language_is_no_odd_character() -> None:
    assert odd_character(stopped("a ‹+› b", "PLUS")) is None
