"""Parse text into a tree, and turn the parser's exceptions into readable errors."""

from __future__ import annotations

from typing import cast

from lark.exceptions import UnexpectedInput, UnexpectedToken

from kernelspec.errors import SpecSyntaxError
from kernelspec.language.grammar import Branch, build_program, lalr_parser
from kernelspec.language.mistakes import END, MISTAKES, NEWLINE, Situation, survey
from kernelspec.language.nodes import Program
from kernelspec.language.scanner import ScannedText, scan
from kernelspec.loading import Source, Span

__all__ = ["explain", "parse_program"]

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
"""Two characters that form one sign, although the lexer may split them."""


def explain(error: UnexpectedInput, layout: ScannedText) -> SpecSyntaxError:
    """Explain why the parser stopped: a common mistake by name, or what was expected."""
    situation = _situation(error, layout)
    otherwise = f"expected {_expected(situation)}, found {_found(situation)}"
    advice = next((found for mistake in MISTAKES if (found := mistake(situation))), otherwise)
    message, span = advice if isinstance(advice, tuple) else (advice, situation.span)
    return SpecSyntaxError(message, span)


def _situation(error: UnexpectedInput, layout: ScannedText) -> Situation:
    """Where the parser stopped; one past the last character for a line or text that ends too early."""
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
    """What the grammar accepts here, in words, general terms first."""
    rest = set(situation.accepts)
    words = []
    if "_PARAM" in rest:
        words, rest = ["a param line", "a let line", "a kernel expression"], set()
    elif {"NUMBER", "_LPAR", "COLON"} <= rest and situation.bracket == "select":
        words.append("a column's name or position")
        rest -= {"NUMBER", "STRING", "NAME", "_LPAR", "_LSQB", "MINUS", "COLON"}
    elif {"NUMBER", "_LPAR"} <= rest:
        words.append("an argument" if situation.bracket == "call" else "an expression")
        rest -= {"NUMBER", "STRING", "NAME", "_LPAR", "_LSQB", "MINUS", "_ARROW", "COLON"}
    if rest >= _OPERATORS:
        words.append("an operator")
        rest -= _OPERATORS | _AFTER_OPERAND
    if END in rest:
        rest.discard(NEWLINE)
    words += [_WORDS[name] for name in _WORDS if name in rest]
    return "".join(words) if len(words) < 2 else ", ".join(words[:-1]) + " or " + words[-1]


def parse_program(text: str, name: str = "<spec>") -> Program:
    """Parse a spec; `name`, usually the file name, identifies it in errors.

    Safe for any text: time is linear in its length, and length, nesting and numbers are bounded. Raises SpecSyntaxError
    for invalid text, and other SpecErrors for repeated names and arguments. Every error has a span.
    """
    source = Source(text, name)
    layout = scan(source)
    try:
        tree = cast(Branch, lalr_parser().parse(layout.text))
    except UnexpectedInput as error:
        raise explain(error, layout) from None
    return build_program(tree, source)
