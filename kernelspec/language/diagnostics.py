"""From the parser's exceptions to errors in words: where, what was expected, what was found, what to do."""

from __future__ import annotations

from lark.exceptions import UnexpectedInput, UnexpectedToken

from kernelspec.errors import SpecSyntaxError
from kernelspec.language.mistakes import MISTAKES
from kernelspec.language.scanner import Layout
from kernelspec.language.situation import END, NEWLINE, Situation, survey
from kernelspec.source import Span

__all__ = ["explain"]

_OPERATORS = {"PLUS", "MINUS", "STAR", "SLASH", "_POWER"}
_AFTER_OPERAND = {"_LPAR", "_LSQB", "_ARROW"}
_WORDS = {
    "NUMBER": "a number",
    "NAME": "a name",
    "STRING": "a quoted name",
    "EQUAL": "'='",
    "RELATION": "'>', '>=', '<', '<='",
    "COLON": "':'",
    "_ARROW": "'->'",
    "_COMMA": "','",
    "_LPAR": "'('",
    "_RPAR": "')'",
    "_LSQB": "'['",
    "_RSQB": "']'",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "STAR": "'*'",
    "SLASH": "'/'",
    "_POWER": "'**'",
    NEWLINE: "the end of the line",
    END: "the end of the spec",
}
_PAIRS = {"->": "_ARROW", "==": "", "=>": ""}
"""Two characters that mean one sign, though the lexer may have taken them apart."""


def explain(error: UnexpectedInput, layout: Layout) -> SpecSyntaxError:
    """The error to raise for what stopped the parser: a common mistake by name, else what was expected."""
    situation = _situation(error, layout)
    for mistake in MISTAKES:
        advice = mistake(situation)
        if advice is not None:
            break
    else:
        advice = f"expected {_expected(situation)}, found {_found(situation)}"
    message, span = advice if isinstance(advice, tuple) else (advice, situation.span)
    return SpecSyntaxError(message, span)


def _situation(error: UnexpectedInput, layout: Layout) -> Situation:
    """Where the parser stopped. A line or a text that ends too early is pointed at one past its last character."""
    text = layout.text
    start = error.pos_in_stream or 0
    kind, end, accepts = "", start + 1, frozenset[str]()
    if isinstance(error, UnexpectedToken):
        kind, end, accepts = error.token.type, error.token.end_pos or start, frozenset(error.accepts)
    if kind in (NEWLINE, END):
        kind = END if kind == END or not text[start:].strip() else NEWLINE
        start = end = len((text if kind == END else text[:start]).rstrip())
    else:
        for first in (start - 1, start):
            if text[first : first + 2] in _PAIRS:
                start, end, kind = first, first + 2, _PAIRS[text[first : first + 2]]
    return survey(layout, Span(layout.source, start, end), kind, accepts)


def _found(situation: Situation) -> str:
    if situation.kind in (NEWLINE, END):
        return _WORDS[situation.kind]
    return f"'{situation.shown}'"


def _expected(situation: Situation) -> str:
    """What the grammar accepts here, in words, the general before the particular."""
    rest = set(situation.accepts)
    words = []
    if "_PARAM" in rest:
        words, rest = ["a param line", "a let line", "a kernel expression"], set()
    elif {"NUMBER", "_LPAR"} <= rest:
        words.append("an argument" if situation.bracket == "call" else "an expression")
        rest -= {"NUMBER", "NAME", "_LPAR", "_LSQB", "MINUS", "_ARROW"}
    elif {"NUMBER", "STRING"} <= rest:
        words.append("a column's name or position")
        rest -= {"NUMBER", "STRING", "NAME", "MINUS", "COLON"}
    if rest >= _OPERATORS:
        words.append("an operator")
        rest -= _OPERATORS | _AFTER_OPERAND
    if END in rest:
        rest.discard(NEWLINE)
    words += [_WORDS[name] for name in _WORDS if name in rest]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
