"""Mistakes among arguments, columns and the entries of vectors."""

from __future__ import annotations

import re

from kernelspec.language.situation import END, NEWLINE, Advice, Situation
from kernelspec.language.spelling import ascii_name, is_plain_name
from kernelspec.source import Span

__all__ = [
    "empty_brackets",
    "missing_equals",
    "odd_colon",
    "odd_comma",
    "odd_selection",
    "quoted_value",
    "value_before_equals",
]

_VARIABLES = re.compile(r"[,\s\w]*\)\s*->")


def odd_comma(at: Situation) -> Advice:
    """`stretch(k, (1, 2))`, `param s, t`, `k1, k2`."""
    if at.text != "," or at.bracket not in ("", "group"):
        return None
    if at.bracket == "group" and _VARIABLES.match(at.span.source.text, at.span.start):
        return "a function has one variable, without brackets, as in 'r -> exp(-r)'"
    if at.bracket == "group":
        return "a vector is written in square brackets, as in [1, 2]"
    if at.line[:1] in (("param",), ("let",)):
        return f"each {at.line[0]} has a line of its own"
    return "a comma has no meaning outside brackets"


def odd_colon(at: Situation) -> Advice:
    """`gaussian(scale: 2)`."""
    if at.kind == "COLON" and at.bracket == "call":
        return "an argument is given with '=', as in gaussian(scale=2)"
    return None


def value_before_equals(at: Situation) -> Advice:
    """`f(2 = x)`."""
    if at.kind == "EQUAL" and at.accepts_operator():
        return "only an argument's name can stand before '='" if at.bracket == "call" else "'=' has no meaning here"
    return None


def quoted_value(at: Situation) -> Advice:
    """`open("file")`."""
    return "quotes are for names of columns, as in k['sepal length']" if at.kind == "STRING" else None


def empty_brackets(at: Situation) -> Advice:
    """`[]`, `k[]`."""
    if at.text == "]" and at.before == "[":
        return "a selection has at least one column" if at.bracket == "select" else "a vector has at least one entry"
    return None


def odd_selection(at: Situation) -> Advice:
    """`k[0:6:2]`, `k[a + b]`, `k[(a, b)]`, `k[sepal length]`."""
    if at.bracket != "select" or at.kind in (NEWLINE, END):
        return None
    if at.text == ":" and is_plain_name(ascii_name(at.before)):
        return "a range of columns is given by positions, as in k[0:3]"
    if at.kind in ("NAME", "NUMBER") and (blank := _name_with_blanks(at.span)) is not None:
        words = f"a name with blanks stands in quotes, as in k['{blank.text}'], and between two columns stands a comma"
        return words, blank
    if at.text == ":":
        return "a range of columns has no step; it is written k[start:stop]"
    return "columns are given by name, position or range, with commas between, as in k[age, 3, 5:8]"


def _name_with_blanks(span: Span) -> Span | None:
    """All the words between two commas of a selection, if there are only words."""
    text = span.source.text
    start = max(text.rfind(sign, 0, span.start) for sign in ",[\n") + 1
    end = min((found for sign in ",]\n" if (found := text.find(sign, span.start)) >= 0), default=len(text))
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    return Span(span.source, start, start + len(words.strip())) if re.fullmatch(r"\s*\w+(\s+\w+)+\s*", words) else None


def missing_equals(at: Situation) -> Advice:
    """`gaussian(scale 2)`."""
    if at.kind == "NUMBER" and "EQUAL" in at.accepts and at.bracket == "call":
        return f"missing '=' between '{at.before}' and '{at.shown}'"
    return None
