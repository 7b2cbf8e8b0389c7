"""Tests of `language/scanner.py`."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from kernelspec.errors import SpecError, SpecSyntaxError
from kernelspec.language.scanner import TOKEN, check_version, scan
from kernelspec.loading import Source, Span
from tests.language.strategies import spec_like_text


def blanked(text: str) -> str:
    return scan(Source(text)).text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("k # why\n+", "k      \n+"),
        ("f(\n a,\n)\nk", "f(  a, )\nk"),
        ("k['a # b'] # c", "k['a # b']    "),
        ("[1, # (\n2]\n", "[1,     2]\n"),
        ("# [\nk", "   \nk"),
        ("'it\\'s' # it's", "'it\\'s'       "),
    ],
)
def test_comments_and_inner_newlines_become_blanks(text: str, kept: str) -> None:
    assert blanked(text) == kept


def test_comments_are_kept_with_their_places() -> None:
    layout = scan(Source("# one\nf(a, # two\n  b)['#'] # three"))
    assert [(comment.line, comment.text) for comment in layout.comments] == [(1, "# one"), (2, "# two"), (3, "# three")]


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


def test_tokens_leave_out_nothing_but_white_space() -> None:
    text = "a−b**c->d_1.5e3 ≤ 'x y'\t\"z\" # end\n\r[]()?"
    assert "".join(match[0] for match in TOKEN.finditer(text)).replace(" ", "") == "".join(
        character for character in text if character == "\n" or not character.isspace()
    )
    assert [match.lastgroup for match in TOKEN.finditer("f(-x**2)[0] # c")] == [
        *("word", "open", "minus", "word", "link", "word", "close", "open", "word", "close", "comment"),
    ]


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("f(a]", "expected ')' to close the '(' at line 1, column 2, found ']'", 4),
        ("f(a", "this '(' is never closed", 2),
        ("[(a)", "this '[' is never closed", 1),
        ("a)", "this ')' closes nothing", 2),
        ("k['a\n']", "this quote is never closed; a quoted name ends on the line it starts on", 3),
        ("k # \x00", "the character U+0000 is not allowed, not even in comments", 5),
        ("#! kernelspec 2\nk", "this is version 2 of the language; this release reads version 1", 1),
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


def check(text: str) -> None:
    source = Source(text)
    check_version(Span(source, *match.span()) for match in re.finditer("#[^\n]*", text))


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
        "#!python\n# kernelspec 2",
    ],
)
def test_accepted(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#! kernelspec 2\nk", "this is version 2 of the language; this release reads version 1"),
        ("#! kernelspec 999999999\nk", "this is version 999999999"),
        ("#! kernelspec\nk", "expected a version number"),
        ("#! kernelspec 0\nk", "expected a version number"),
        ("#! kernelspec 01\nk", "expected a version number"),
        ("#! kernelspec 1.0\nk", "expected a version number"),
        ("#! kernelspec 1 # first\nk", "expected a version number"),
        ("#! kernelspec ١\nk", "expected a version number"),
        ("#! kernelspec 1000000000\nk", "expected a version number"),
        ("#! kernelspec " + "9" * 5000, "expected a version number"),
        ("k\n#! kernelspec 1", "the version belongs on the first line"),
        ("k #! kernelspec 1", "the version belongs on the first line"),
        ("# a comment\n#! kernelspec 1\nk", "the version belongs on the first line"),
        ("#! kernelspec 1\n#! kernelspec 1\nk", "the version belongs on the first line"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SpecSyntaxError) as caught:
        check(text)
    assert caught.value.message.startswith(message)
    assert caught.value.span is not None
    assert caught.value.span.text.startswith("#!")


def test_a_newer_version_says_what_to_do() -> None:
    with pytest.raises(SpecSyntaxError, match="a newer kernelspec reads it"):
        check("#! kernelspec 2")
