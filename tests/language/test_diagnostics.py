"""Every error report of the parser, word for word (golden/*.txt)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelspec.errors import SpecError
from kernelspec.language.mistakes import MISTAKES
from kernelspec.language.parser import parse_program

GOLDEN = Path(__file__).parent / "golden"


def golden_cases() -> Iterator[object]:
    """Each case is `=== title`, the spec, `--- kind of error`, the report; a blank line ends the report."""
    for path in sorted(GOLDEN.glob("*.txt")):
        for block in path.read_text(encoding="utf-8").removeprefix("=== ").split("\n=== "):
            title, rest = block.split("\n", 1)
            text, answer = rest.split("\n--- ", 1) if not rest.startswith("--- ") else ("", rest.removeprefix("--- "))
            kind, report = answer.split("\n", 1)
            yield pytest.param(text, kind, report.rstrip("\n"), id=f"{path.stem}: {title}")


@pytest.mark.parametrize(("text", "kind", "report"), list(golden_cases()))
def test_the_whole_report(text: str, kind: str, report: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_program(text)
    assert type(caught.value).__name__ == kind
    assert "\n".join(line.rstrip() for line in str(caught.value).split("\n")) == report


def test_there_are_many_golden_reports() -> None:
    assert len(list(golden_cases())) >= 70


def test_every_mistake_has_its_description() -> None:
    assert all(mistake.__doc__ for mistake in MISTAKES)


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        ("f(scale gaussian)", "gaussian"),
        ("f(a 123.5e-3)", "123.5e-3"),
        ("f(a >= 2)", ">="),
        ("k[größe, x]", "größe"),
        ("f('sepal length')", "'sepal length'"),
        ("a +", ""),
        ("a + # why\n", ""),
        ("a\n\n\n+ b", "+"),
        ("(a\n+\n* b)", "*"),
    ],
)
def test_the_span_covers_the_token(text: str, underlined: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_program(text)
    assert caught.value.span is not None
    assert caught.value.span.text == underlined


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("k\x07", "U+0007", "is not allowed, not even in comments"),
        ("\0", "U+0000", "is not allowed"),
        ("k # \ud800", "U+D800", "is not allowed"),
        ("k # \u202e", "U+202E", "is not allowed"),
        ("k['\x1b']", "U+001B", "is not allowed"),
        ("k\u00a0+ 1", "U+00A0", "no-break space (U+00A0); use an ordinary space"),
        ("k\u200b", "U+200B", "zero width space (U+200B); use an ordinary space"),
    ],
)
def test_invisible_characters_are_named(text: str, code: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_program(text)
    assert code in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text", ["a" * 900_000 + " b", "b " + "a" * 900_000, "a" * 900_000 + " = 2", "2 = " * 2 + "a" * 900_000]
)
def test_messages_stay_short(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_program(text)
    assert len(caught.value.message) < 200


def test_the_report_names_the_file() -> None:
    with pytest.raises(SpecError, match=r"^churn\.kernel:2:3: error: "):
        parse_program("# weights\n2 gaussian()", name="churn.kernel")
