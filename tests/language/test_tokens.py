"""What the parser's tokens say."""

from __future__ import annotations

import pytest
from lark import Token

from kernelspec.errors import SpecSyntaxError
from kernelspec.language.grammar import lalr_parser, name_of, place_of
from kernelspec.loading import Source, Span

TEXT = 'k_σ[\'sepal length\', "it\'s \\"x\\"", µ]'
WHOLE = Span(Source(TEXT), 0, len(TEXT))


def tokens() -> list[Token]:
    branches = lalr_parser().parse(TEXT).leaves_first()
    return [child for branch in branches for child in branch.children if isinstance(child, Token)]


def test_names_are_spelled_out_and_quotes_are_taken_off() -> None:
    names = [name_of(token, WHOLE) for token in tokens()]
    assert names == ["k_sigma", "sepal length", 'it\'s "x"', "mu"]
    assert {type(name) for name in names} == {str}  # a Token would drag the parser along


def test_places_are_those_in_the_text() -> None:
    places = [place_of(token, WHOLE) for token in tokens()]
    assert [place.text for place in places] == ["k_σ", "'sepal length'", '"it\'s \\"x\\""', "µ"]
    assert [place.column for place in places] == [1, 5, 21, 35]
    assert all(place.source is WHOLE.source for place in places)


@pytest.mark.parametrize(("kind", "frame"), [("NAME", "{}"), ("STRING", "'{}'")])
def test_long_names_are_refused_where_they_stand(kind: str, frame: str) -> None:
    for length in (100, 101):
        text = frame.format("a" * length)
        source = Source("  " + text)
        token = Token(kind, text, start_pos=2, end_pos=2 + len(text))
        if length == 100:
            assert name_of(token, Span(source, 0, 1)) == "a" * 100
            continue
        with pytest.raises(SpecSyntaxError, match="this name has 101 characters; at most 100 are allowed") as caught:
            name_of(token, Span(source, 0, 1))
        assert caught.value.span == Span(source, 2, 2 + len(text))


def test_the_length_that_counts_is_that_of_the_ascii_spelling() -> None:
    token = Token("NAME", "ε" * 15, start_pos=0, end_pos=15)
    with pytest.raises(SpecSyntaxError, match="105 characters"):
        name_of(token, Span(Source("ε" * 15), 0, 15))


def test_an_escape_that_does_not_exist_is_pointed_at() -> None:
    text = r"k['a\qb']"
    token = Token("STRING", text[2:8], start_pos=2, end_pos=8)
    with pytest.raises(SpecSyntaxError) as caught:
        name_of(token, Span(Source(text), 0, 9))
    assert caught.value.span is not None
    assert caught.value.span.text == r"\q"
