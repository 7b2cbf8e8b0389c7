"""The linear pass before the parser: version line, brackets, comments, quotes and bounds.

It blanks comments and the newlines inside brackets in place, so that the grammar needs no layout, and rejects hostile
text before the parser spends time on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from kernelspec.errors import SpecSyntaxError
from kernelspec.language.literals import find_forbidden
from kernelspec.limits import MAX_DEPTH, MAX_NESTING, MAX_TEXT, MAX_TOKENS
from kernelspec.loading import Source, Span

__all__ = ["TOKEN", "ScannedText", "scan"]

LANGUAGE_VERSION = 1
"""The language version that `#! kernelspec 1` on the first line requests."""

_VERSION = re.compile(r"#![ \t]*kernelspec\b[ \t]*(?P<version>[^\n]*)")


def check_version(comments: Iterable[Span]) -> None:
    """Raise SpecSyntaxError for a version line that requests a newer language, or that is not the first line.

    Other tools see a comment; the check of its place catches formatters that move it.
    """
    for comment in comments:
        match = _VERSION.match(comment.text)
        if match is None:
            continue
        version = match["version"].strip()
        if comment.source.text[: comment.start].strip():
            raise SpecSyntaxError("the version must be on the first line", comment)
        if not re.fullmatch("[1-9][0-9]{0,8}", version):
            raise SpecSyntaxError("expected a version number, as in '#! kernelspec 1'", comment)
        if int(version) > LANGUAGE_VERSION:
            message = f"this spec needs language version {version}; this release reads version {LANGUAGE_VERSION}"
            raise SpecSyntaxError(f"{message}: upgrade kernelspec", comment)


TOKEN = re.compile(
    r"""
      (?P<newline> \n )
    | (?P<comment> \#[^\n]* )
    | (?P<string> "(?:[^"\\\n]|\\[^\n])*" | '(?:[^'\\\n]|\\[^\n])*' )
    | (?P<quote> ["'] )
    | (?P<open> [(\[] )
    | (?P<close> [)\]] )
    | (?P<link> \*\* | -> )
    | (?P<minus> [-−] )
    | (?P<separator> [+*/·⋅×,:=<>] )
    | (?P<word> [\w.]+ )
    | (?P<other> \S )
    """,
    re.VERBOSE,
)
"""The words and signs of a text, roughly: enough to match brackets and to explain errors."""

_CLOSER = {"(": ")", "[": "]"}


@dataclass(frozen=True, slots=True)
class ScannedText:
    """A source without comments, in which all newlines end statements; positions are unchanged."""

    source: Source
    text: str
    comments: tuple[Span, ...]


@dataclass(slots=True)
class _Scan:
    """The state of one pass over a text."""

    source: Source
    openers: list[Span] = field(default_factory=list)
    chains: list[int] = field(default_factory=lambda: [0])
    """Per open bracket, the operators that each nest what follows one level deeper: `-`, `**`, `->`, `k[…]`."""
    depth: int = 0
    after_operand: bool = False
    comments: list[Span] = field(default_factory=list)
    blanks: list[Span] = field(default_factory=list)

    def take(self, kind: str | None, token: re.Match[str]) -> None:
        """Process one token that is neither a word nor a separator."""
        match kind:
            case "newline" if not self.openers:
                self.separate()
            case "open":
                self.open(self.span(token))
            case "close":
                self.close(token)
            case "comment":
                self.comments.append(self.span(token))
                self.blanks.append(self.span(token))
                return
            case "newline":
                self.blanks.append(self.span(token))
                return
            case "quote":
                message = "this quote is never closed; a quoted name must end on the same line"
                raise SpecSyntaxError(message, self.span(token))
            case "link":
                self.deepen(self.span(token))
            case "minus" if not self.after_operand:
                self.deepen(self.span(token))
            case "minus":
                self.separate()
        self.after_operand = kind in ("string", "close")

    def span(self, token: re.Match[str]) -> Span:
        return Span(self.source, *token.span())

    def separate(self) -> None:
        """Process a separator, which ends the levels that operators opened."""
        self.depth -= self.chains[-1]
        self.chains[-1] = 0
        self.after_operand = False

    def open(self, span: Span) -> None:
        if len(self.openers) == MAX_NESTING:
            raise SpecSyntaxError(f"brackets are nested more than {MAX_NESTING} deep", span)
        if self.after_operand and span.text == "[":
            self.deepen(span)
        self.openers.append(span)
        self.chains.append(0)

    def close(self, token: re.Match[str]) -> None:
        if not self.openers:
            raise SpecSyntaxError(f"this '{token[0]}' has no opening bracket", self.span(token))
        opener = self.openers.pop()
        if _CLOSER[opener.text] != token[0]:
            place = f"line {opener.line}, column {opener.column}"
            message = f"expected '{_CLOSER[opener.text]}' to close the '{opener.text}' at {place}, found '{token[0]}'"
            raise SpecSyntaxError(message, self.span(token))
        self.depth -= self.chains.pop()

    def deepen(self, span: Span) -> None:
        self.chains[-1] += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SpecSyntaxError(f"the expression is nested more than {MAX_DEPTH} levels deep", span)


def scan(source: Source) -> ScannedText:
    """Check what can be checked before parsing, and remove the layout.

    Raises SpecSyntaxError for text that is too long or too deep, forbidden characters, unmatched brackets or quotes,
    and unknown language versions.
    """
    text = source.text
    if len(text) > MAX_TEXT:
        excess = Span(source, MAX_TEXT, MAX_TEXT + 1)
        raise SpecSyntaxError(f"the spec has {len(text):,} characters; at most {MAX_TEXT:,} are allowed", excess)
    if forbidden := find_forbidden(text):
        place = Span(source, *forbidden.span())
        raise SpecSyntaxError(f"the character U+{ord(forbidden[0]):04X} is not allowed, not even in comments", place)
    state = _Scan(source)
    for count, token in enumerate(TOKEN.finditer(text)):
        if count == MAX_TOKENS:
            excess = state.span(token)
            raise SpecSyntaxError(f"the spec has more than {MAX_TOKENS:,} words and signs", excess)
        if token.lastgroup == "word":
            state.after_operand = True
        elif token.lastgroup == "separator":
            state.separate()
        else:
            state.take(token.lastgroup, token)
    if state.openers:
        opener = state.openers[-1]
        raise SpecSyntaxError(f"this '{opener.text}' is never closed", opener)
    check_version(state.comments)
    return ScannedText(source, _blank(text, state.blanks), tuple(state.comments))


def _blank(text: str, spans: list[Span]) -> str:
    """The text with the spans overwritten by spaces."""
    pieces, position = [], 0
    for span in spans:
        pieces += [text[position : span.start], " " * (span.end - span.start)]
        position = span.end
    return "".join([*pieces, text[position:]])
