"""Explain common mistakes: one rule recognizes each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kernelspec.language.literals import is_plain_name
from kernelspec.language.scanner import TOKEN, ScannedText
from kernelspec.loading import Span, ascii_name

__all__ = ["END", "MISTAKES", "NEWLINE", "Situation", "survey"]

END = "$END"
NEWLINE = "_NEWLINE"
"""The parser's names for the end of the text and of a line."""

_LONGEST_LINE = 8
"""Tokens to keep of a statement; its kind shows at the start."""

_LONGEST_SHOWN = 40
"""How many characters of a token messages repeat."""

Advice = str | tuple[str, Span] | Literal[False] | None
"""The explanation, with the place if it differs from where the parser stopped; false for another mistake."""

Bracket = Literal["", "call", "group", "select", "vector"]


@dataclass(frozen=True, slots=True)
class Situation:
    """Where the parser stopped, and at which token."""

    span: Span
    """The offending token; empty, after the last character, if the line or text ends too early."""
    kind: str
    """The parser's name for the token, or "" for a character that belongs to no token."""
    accepts: frozenset[str]
    """The parser's names for the tokens it would accept."""
    before: str
    """The previous token, shortened if very long; "" at the start of the text."""
    before_span: Span
    """The span of the previous token."""
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
        """The offending token, shortened for messages."""
        return _shorten(self.text)

    def accepts_operand(self) -> bool:
        """Whether a value may come here."""
        return {"NUMBER", "_LPAR"} <= self.accepts

    def accepts_operator(self) -> bool:
        """Whether a value has just ended."""
        return "_POWER" in self.accepts


def survey(layout: ScannedText, span: Span, kind: str, accepts: frozenset[str]) -> Situation:
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


_VARIABLES = re.compile(r"[,\s\w]*\)\s*->")


def _odd_comma(at: Situation) -> Advice:
    """`stretch(k, (1, 2))`, `param s, t`, `k1, k2`."""
    if at.text != "," or at.bracket not in ("", "group"):
        return None
    if at.bracket == "group" and _VARIABLES.match(at.span.source.text, at.span.start):
        return "a function has one variable without brackets, as in 'r -> exp(-r)'"
    if at.bracket == "group":
        return "write a vector in square brackets, as in [1, 2]"
    if at.line[:1] in (("param",), ("let",)):
        return f"write each {at.line[0]} on its own line"
    return "a comma has no meaning outside brackets"


def _odd_selection(at: Situation) -> Advice:
    """`k[0:6:2]`, `k[age 3]`, `k[sepal length]`."""
    if at.bracket != "select" or at.kind in (NEWLINE, END):
        return None
    if at.kind in ("NAME", "NUMBER") and (blank := _name_with_blanks(at.span)) is not None:
        words = f"put a name with spaces in quotes, as in k['{blank.text}'], or separate two columns with a comma"
        return words, blank
    if at.text == ":":
        return "a range of columns has no step; write k[start:stop]"
    return "write columns as names, positions, ranges or functions, separated by commas: k[age, 5:8, log(income)]"


def _name_with_blanks(span: Span) -> Span | None:
    """All the words between two commas of a selection, if there are only words."""
    text = span.source.text
    start = max(text.rfind(sign, 0, span.start) for sign in ",[\n") + 1
    end = min((found for sign in ",]\n" if (found := text.find(sign, span.start)) >= 0), default=len(text))
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    return Span(span.source, start, start + len(words.strip())) if re.fullmatch(r"\s*\w+(\s+\w+)+\s*", words) else None


_PYTHON = frozenset(
    """and as assert async await class def del elif else except exec for from global
    if import in is not or print raise return try while with yield""".split()  # noqa: SIM905
)
_SIGNS = {
    "==": "use a single '=' for a value; comparisons only exist in param lines",
    "=>": "write a function with '->', as in 'r -> exp(-r)'",
    "^": "'^' is not an operator; write a power with '**'",
    "{": "braces are not used; brackets are ( ) and [ ]",
    "}": "braces are not used; brackets are ( ) and [ ]",
    ";": "a statement ends with its line, not with ';'",
    ".": "remove '.': call functions by their bare names, as in exp(r)",
    "|": "'|' is not used; write an absolute value as abs(t)",
    "²": "write a square as '**2'",
    "³": "write a cube as '**3'",
    "√": "write a square root as sqrt(…)",
}


def _python_code(at: Situation) -> Advice:
    """`import os`, `k1 if fast else k2`."""
    for word, span in ((at.before, at.before_span), (at.text, at.span)):
        if word in _PYTHON:
            return f"'{word}' is Python, not part of the language", span
    return None


def _odd_character(at: Situation) -> Advice:
    """`^`, a dash or quotes from a word processor, a letter of another alphabet."""
    if at.kind:
        return None
    if at.text == "." and at.bracket == "select":
        return 'write a column with a dot in quotes, as in k["Sepal.Length"]'
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
            message = "names have ASCII and Greek letters, digits and '_'; put other column names in quotes"
            return message, _word(at.span)
    return f"the character '{at.text}' has no meaning here"


def _word(span: Span) -> Span:
    """The whole word that a character is part of."""
    for match in re.finditer(r"\w+", span.source.text):
        if match.end() > span.start:
            return Span(span.source, *match.span())
    return span


def _second_kernel(at: Situation) -> Advice:
    """A line after the kernel expression."""
    if at.accepts != {END}:
        return None
    if at.text in ("param", "let"):
        return f"{at.text} lines must come before the kernel expression"
    if at.text in ("+", "-", "*", "/", "**", "−", "·", "×", "⋅"):
        return "a line cannot start with an operator; put brackets around an expression that spans several lines"
    return "a spec has one kernel expression, but this is a second one"


def _assignment_without_let(at: Situation) -> Advice:
    """`k = gaussian()`."""
    name = ascii_name(at.before)
    if at.kind == "EQUAL" and len(at.line) == 1 and at.accepts_operator() and is_plain_name(name):
        return f"define a name with 'let {name} = …', or 'param {name} = …' if callers may change it"
    return None


def _misplaced_arrow(at: Situation) -> Advice:
    """`(r) -> r`, `1 + r -> r`."""
    if at.kind != "_ARROW":
        return None
    if at.before == ")":
        return "a function has one variable without brackets, as in 'r -> exp(-r)'"
    if is_plain_name(ascii_name(at.before)):
        return "put a function inside an expression in brackets, as in '2*(r -> exp(-r))'"
    return "the function's variable comes before '->', as in 'r -> exp(-r)'"


_OR_COMMA = dict.fromkeys(("call", "vector"), " or ','")

MISTAKES: tuple[Callable[[Situation], Advice], ...] = (
    _odd_character,
    lambda at: at.kind == END and not at.before and "the spec is empty; expected a kernel expression",
    # `param s` without a kernel
    lambda at: (
        at.kind == END
        and ("_PARAM" in at.accepts or (NEWLINE in at.accepts and END not in at.accepts))
        and "the kernel expression is missing; add it after the param and let lines"
    ),
    _python_code,
    _second_kernel,
    # `lambda r: exp(-r)`
    lambda at: (
        ascii_name(at.before) == "lambda"
        and at.kind in ("NAME", "COLON")
        and ("write a function as 'r -> exp(-r)', without 'lambda' and ':'", at.before_span)
    ),
    _assignment_without_let,
    # `let f(r) = exp(-r)`
    lambda at: (
        at.text == "("
        and at.line[:1] == ("let",)
        and at.accepts == {"EQUAL"}
        and f"define a function with 'let {at.before} = r -> …'"
    ),
    # `param s > 0 = 2`, `param s > 0 < 1`
    lambda at: (
        at.line[:1] == ("param",)
        and at.kind in ("EQUAL", "RELATION")
        and (at.accepts_operator() or NEWLINE in at.accepts)
        and "a param has its value first, then one range, as in 'param s = 2 in [0.1, 10]'"
    ),
    # `s > 0` outside a param line
    lambda at: at.kind == "RELATION" and "comparisons are only allowed in param lines, as in 'param s > 0'",
    # `f(2 = x)`
    lambda at: (
        at.kind == "EQUAL"
        and at.accepts_operator()
        and ("only the name of an argument can come before '='" if at.bracket == "call" else "'=' has no meaning here")
    ),
    _misplaced_arrow,
    # `param "s" = 2`
    lambda at: at.kind == "STRING" and "only column names have quotes, as in k['sepal length']",
    _odd_comma,
    # `gaussian(scale=2: 3)`
    lambda at: at.kind == "COLON" and at.bracket == "call" and "write arguments with '=', as in gaussian(scale=2)",
    # `[]`, `k[]`
    lambda at: (
        at.text == "]"
        and at.before == "["
        and f"a {'selection has at least one column' if at.bracket == 'select' else 'vector has at least one entry'}"
    ),
    _odd_selection,
    # `gaussian(scale 2)`
    lambda at: (
        at.kind == "NUMBER"
        and "EQUAL" in at.accepts
        and at.bracket == "call"
        and f"missing '=' between '{at.before}' and '{at.shown}'"
    ),
    # `k1 k2`, `2 gaussian()`, `f(a b)`
    lambda at: (
        at.accepts_operator()
        and at.kind in ("NAME", "NUMBER", "_LPAR")
        and f"missing operator{_OR_COMMA.get(at.bracket, '')} between '{at.before}' and '{at.shown}'; "
        "write a product with '*'"
    ),
    # `+2`
    lambda at: at.text == "+" and "'+' needs two values; remove it in front of one",
    # an operator at the end of a line
    lambda at: (
        at.kind == NEWLINE
        and at.accepts_operand()
        and "the line ends too early; put brackets around an expression that spans several lines"
    ),
)
"""In this order; the first that applies wins."""
