"""Spans: where they are, and how a report points at them."""

from __future__ import annotations

import pytest

from kernelspec.loading import Source, Span


def span_of(text: str, part: str, name: str = "<spec>") -> Span:
    start = text.index(part)
    return Span(Source(text, name), start, start + len(part))


def test_line_column_and_text() -> None:
    span = span_of("first\nsecond third\n", "third")
    assert (span.line, span.column, span.text) == (2, 8, "third")


def test_through_covers_both() -> None:
    text = "one two three"
    assert span_of(text, "one").through(span_of(text, "two")).text == "one two"
    assert span_of(text, "one two").through(span_of(text, "one")).text == "one two"


@pytest.mark.parametrize(
    ("text", "part", "report"),
    [
        ("a\n  bad here\nc", "bad", "f:2:3: error: why\n    bad here\n    ^^^"),
        ("a bad\nworse", "bad\nworse", "f:1:3: error: why\n  a bad\n    ^^^"),
        ("\tbad", "bad", "f:1:2: error: why\n   bad\n   ^^^"),
        ("bad\r\n", "bad", "f:1:1: error: why\n  bad\n  ^^^"),
        ("x\0bad", "bad", "f:1:3: error: why\n  x\N{REPLACEMENT CHARACTER}bad\n    ^^^"),
    ],
)
def test_report(text: str, part: str, report: str) -> None:
    assert span_of(text, part, "f").report("why") == report


@pytest.mark.parametrize("position", [0, 3])
def test_an_empty_span_gets_one_caret(position: int) -> None:
    report = Span(Source("abc"), position, position).report("why")
    assert report == f"<spec>:1:{position + 1}: error: why\n  abc\n  {' ' * position}^"


@pytest.mark.parametrize("position", [0, 30, 119, 300, 497])
def test_a_long_line_is_shown_around_the_span(position: int) -> None:
    text = "." * position + "bad" + "." * (497 - position)
    _, line, carets = Span(Source(text), position, position + 3).report("why").split("\n")
    assert len(line) <= 2 + 122
    assert line[carets.index("^") : carets.index("^") + 3] == "bad"
    assert carets.strip() == "^^^"
