"""Mistakes that come from elsewhere: Python, mathematics on paper, word processors."""

from __future__ import annotations

import re
import unicodedata

from kernelspec.language.situation import Advice, Situation
from kernelspec.language.spelling import ascii_name
from kernelspec.source import Span

__all__ = ["odd_character", "python_code", "python_function"]

_PYTHON = frozenset(
    """and as assert async await class def del elif else except exec for from global
    if import in is not or print raise return try while with yield""".split()  # noqa: SIM905
)
_SIGNS = {
    "==": "a value is given with a single '='; there are no comparisons but in param lines",
    "=>": "a function is written with '->', as in 'r -> exp(-r)'",
    "^": "'^' is no operator; a power is written with '**'",
    "{": "there are no braces; brackets are ( ) and [ ]",
    "}": "there are no braces; brackets are ( ) and [ ]",
    ";": "a statement ends with its line, not with ';'",
    ".": "there is no '.' here: functions are called by their bare names, as in exp(r)",
    "|": "there is no '|'; an absolute value is written abs(t)",
    "²": "a square is written with '**2'",
    "³": "a cube is written with '**3'",
    "√": "a square root is written sqrt(…)",
}


def python_code(at: Situation) -> Advice:
    """`import os`, `k1 if fast else k2`."""
    for word, span in ((at.before, at.before_span), (at.text, at.span)):
        if word in _PYTHON:
            return f"'{word}' is Python, and no part of the language", span
    return None


def python_function(at: Situation) -> Advice:
    """`lambda r: exp(-r)`."""
    if ascii_name(at.before) == "lambda" and at.kind in ("NAME", "COLON"):
        return "a function is written 'r -> exp(-r)', without 'lambda' and ':'", at.before_span
    return None


def odd_character(at: Situation) -> Advice:
    """`^`, a dash or quotes from a word processor, a letter of another alphabet."""
    if at.kind:
        return None
    if at.text in _SIGNS:
        return _SIGNS[at.text]
    name = unicodedata.name(at.text, "unnamed character").lower()
    this_is = f"this is {'an' if name[0] in 'aeiou' else 'a'} {name}"
    match unicodedata.category(at.text):
        case "Zs" | "Cf":
            return f"{this_is} (U+{ord(at.text):04X}); use an ordinary space"
        case "Pd":
            return f"{this_is}; the minus sign is '-'"
        case "Pi" | "Pf":
            return f"{this_is}; use straight quotes"
        case category if category[0] == "L":
            message = (
                "names are made of ASCII and Greek letters, digits and '_'; other names of columns stand in quotes"
            )
            return message, _word(at.span)
    return f"the character '{at.text}' has no meaning here"


def _word(span: Span) -> Span:
    """The whole word that a character is part of."""
    for match in re.finditer(r"\w+", span.source.text):
        if match.end() > span.start:
            return Span(span.source, *match.span())
    return span
