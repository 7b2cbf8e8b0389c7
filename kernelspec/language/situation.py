"""What surrounds the place where the parser stopped: the facts that tell one mistake from another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kernelspec.language.scanner import TOKEN, Layout
from kernelspec.source import Span

__all__ = ["END", "NEWLINE", "Advice", "Situation", "survey"]

END = "$END"
NEWLINE = "_NEWLINE"
"""The parser's names for the end of the text and of a line."""

_LONGEST_LINE = 8
"""Tokens of a statement that are kept: what kind of statement it is shows at its start."""

_LONGEST_SHOWN = 40
"""Characters of a token that a message repeats."""

Advice = str | tuple[str, Span] | None
"""What to say, with the place if that is not where the parser stopped; None if the mistake is another one."""

Bracket = Literal["", "call", "group", "select", "vector"]


@dataclass(frozen=True, slots=True)
class Situation:
    """Where and in front of what the parser stopped."""

    span: Span
    """The offending token; empty, after the last character, if the line or the text ends too early."""
    kind: str
    """The parser's name for the token, or nothing for a character that belongs to no token."""
    accepts: frozenset[str]
    """The parser's names for the tokens that would have been right."""
    before: str
    """The token before, cut short if it is very long; nothing at the start of the text."""
    before_span: Span
    """Where that one stands."""
    line: tuple[str, ...]
    """The tokens of the statement so far, without the offending one."""
    bracket: Bracket
    """The innermost open bracket."""

    @property
    def text(self) -> str:
        """The offending token itself."""
        return self.span.text

    @property
    def shown(self) -> str:
        """The offending token as a message shows it: not too long."""
        return _shorten(self.text)

    def accepts_operand(self) -> bool:
        """Whether a value could stand here."""
        return {"NUMBER", "_LPAR"} <= self.accepts

    def accepts_operator(self) -> bool:
        """Whether a value has just ended."""
        return "_POWER" in self.accepts


def survey(layout: Layout, span: Span, kind: str, accepts: frozenset[str]) -> Situation:
    """Collect the surroundings of a span. Linear in the text before it."""
    before, before_span = "", Span(span.source, 0, 0)
    line: list[str] = []
    brackets: list[Bracket] = []
    for match in TOKEN.finditer(layout.text, 0, span.start):
        token = match[0]
        operand = bool(before) and (before[-1].isalnum() or before[-1] in "_)]\"'")
        if token == "(":
            brackets.append("call" if operand and before[-1] not in ")]" else "group")
        elif token == "[":
            brackets.append("select" if operand else "vector")
        elif token in (")", "]"):
            brackets.pop()
        if token == "\n":
            line.clear()
        elif len(line) < _LONGEST_LINE:
            line.append(token)
        before, before_span = token, Span(span.source, *match.span())
    return Situation(span, kind, accepts, _shorten(before), before_span, tuple(line), brackets[-1] if brackets else "")


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
