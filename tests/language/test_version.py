"""The version line: where it may stand, and what it may ask for."""

from __future__ import annotations

import re

import pytest

from kernelspec.errors import SpecSyntaxError
from kernelspec.language.scanner import check_version
from kernelspec.loading import Source, Span


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
