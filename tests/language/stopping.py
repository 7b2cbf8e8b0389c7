"""Situations written down: a text in which ‹…› marks what the parser stopped in front of."""

from __future__ import annotations

from kernelspec.language.mistakes import Situation, survey
from kernelspec.language.scanner import ScannedText
from kernelspec.loading import Source, Span

__all__ = ["OPERAND", "OPERATOR", "advised", "stopped"]

OPERAND = ("NUMBER", "NAME", "_LPAR", "_LSQB", "MINUS")
"""What the grammar accepts where a value can stand."""

OPERATOR = ("_POWER", "STAR", "SLASH", "PLUS", "MINUS")
"""What it accepts where a value has just ended."""


def stopped(marked: str, kind: str, *accepts: str) -> Situation:
    start, end = marked.index("‹"), marked.index("›") - 1
    source = Source(marked.replace("‹", "").replace("›", ""))
    return survey(ScannedText(source, source.text, ()), Span(source, start, end), kind, frozenset(accepts))


def advised(advice: str | tuple[str, Span] | None) -> tuple[str, str | None]:
    """The words, and the text they point at if that is another place than the token."""
    assert advice is not None
    return (advice, None) if isinstance(advice, str) else (advice[0], advice[1].text)
