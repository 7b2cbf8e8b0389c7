"""Long texts: statements of one form, as `let a = gaussian()` and `let b = laplace()` are, are parsed once.

A form is the terminals of a statement in their order. The grammar knows no more of a word than its terminal, so that
what it makes of one statement it makes of all others of the form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from lark import Token
from lark.exceptions import UnexpectedInput

from kernelspec.language import nodes
from kernelspec.language.grammar import BUILDERS, Branch, lalr_parser, refuse_redefinition
from kernelspec.limits import MAX_DEPTH
from kernelspec.loading import Source, Span

__all__ = ["program_of_lines"]

_ANY_EXPRESSION = "\n0"
"""What makes a text of a statement."""

_BLANKS = " \t\r"

_EQUAL = Token("EQUAL", "=")
"""Nobody asks where it stands."""

_Form = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Lines:
    """Where all words and signs stand, and of every statement the form and the number of its first word.

    Flat lists of numbers: a hundred thousand small objects would keep the collector of garbage busy.
    """

    starts: list[int]
    ends: list[int]
    forms: list[_Form]
    first: list[int]


@dataclass(frozen=True, slots=True)
class _Terminals:
    """The terminals of the grammar as the groups of one pattern, tried in the parser's order."""

    pattern: re.Pattern[str]
    names: tuple[str, ...]
    keywords: Mapping[str, int]
    newline: int
    blank: int


@dataclass(frozen=True, slots=True)
class _Step:
    """How to build a node: of words, by their numbers, and of nodes, by those of their steps inverted."""

    rule: str
    parts: tuple[int, ...]
    first: int
    last: int


def program_of_lines(text: str, source: Source) -> nodes.Program | None:
    """The program of a text without layout; None if few of its statements share a form, or it is no program.

    Raises what `build_program` raises.
    """
    lines = _lines(text)
    if lines is None or not lines.forms or 2 * len(set(lines.forms)) > len(lines.forms):
        return None
    last = len(lines.forms) - 1
    steps: dict[_Form, tuple[_Step, ...]] = {}
    for i, form in enumerate(lines.forms[:-1]):
        if form not in steps:
            found = _steps(text, lines, i, _ANY_EXPRESSION)
            if found is None:
                return None
            steps[form] = found
    ending = _steps(text, lines, last, "")
    if ending is None:
        return None
    statements = tuple(_built(steps[form], lines, i, source) for i, form in enumerate(lines.forms[:-1]))
    body = _built(ending, lines, last, source)
    end = lines.ends[-1]
    program = nodes.Program(
        cast("tuple[nodes.Param | nodes.Let, ...]", statements),
        cast("nodes.Expression", body),
        span=Span(source, len(text) - len(text.lstrip(_BLANKS)), len(text) if "\n" in text[end:] else end),
    )
    names = [first + steps[form][-1].parts[0] for form, first in zip(lines.forms[:-1], lines.first, strict=False)]
    refuse_redefinition([Span(source, lines.starts[name], lines.ends[name]) for name in names], program)
    return program


@cache
def _terminals() -> _Terminals:
    found = sorted(
        lalr_parser().terminals, key=lambda own: (-own.priority, -own.pattern.max_width, -len(own.pattern.value))
    )
    patterns = {own.name: own.pattern.to_regexp() for own in found}
    values = {own.name: own.pattern.value for own in found}
    words = [name for name in patterns if re.fullmatch(patterns["NAME"], values[name])]  # `param`, `let`
    names = ["", *(name for name in patterns if name not in words), *words]
    groups = "|".join(f"({patterns[name]})" for name in names if name and name not in words)
    return _Terminals(
        re.compile(f"(?:{groups}|.)(?:{patterns['BLANK']})?"),  # a blank by itself stands at the start only
        tuple(names),
        {values[name]: names.index(name) for name in words},
        names.index("_NEWLINE"),
        names.index("BLANK"),
    )


def _lines(text: str) -> _Lines | None:
    """The statements of a text, the expression at its end being one; None if there are signs of no terminal."""
    terminals = _terminals()
    newline, keywords = terminals.newline, terminals.keywords
    lines = _Lines([], [], [], [])
    forms: dict[_Form, _Form] = {}
    kinds: list[int] = []
    for match in terminals.pattern.finditer(text):
        kind = match.lastindex
        if kind is None:
            return None
        if kind == terminals.blank:
            continue
        if kind != newline:
            lines.starts.append(match.start(kind))
            lines.ends.append(match.end(kind))
            kinds.append(kind if kinds else keywords.get(match[kind], kind))
        elif kinds:
            lines.forms.append(forms.setdefault(form := tuple(kinds), form))
            lines.first.append(len(lines.starts) - len(kinds))
            kinds = []
    if kinds:
        lines.forms.append(tuple(kinds))
        lines.first.append(len(lines.starts) - len(kinds))
    return lines


def _steps(text: str, lines: _Lines, number: int, rest: str) -> tuple[_Step, ...] | None:
    """How to build the nodes of a statement, or of an expression; None if it is none, or nested too deep."""
    words = slice(lines.first[number], lines.first[number] + len(lines.forms[number]))
    begin, end = lines.starts[words.start], lines.ends[words.stop - 1]
    try:
        tree = cast(Branch, lalr_parser().parse(text[begin:end] + rest))
    except UnexpectedInput:
        return None
    starts = {start - begin: i for i, start in enumerate(lines.starts[words])}
    ends = {end - begin: i for i, end in enumerate(lines.ends[words])}
    top = next(child for child in tree.children if type(child) is Branch)
    steps: list[_Step] = []
    built: dict[Branch, tuple[int, int]] = {}
    for branch in top.leaves_first():
        below = [built[child] for child in branch.children if type(child) is Branch]
        depth = max((depth for _, depth in below), default=0)
        if depth >= MAX_DEPTH:
            return None
        if branch.rule == "group":
            built[branch] = below[0]
            continue
        parts = [
            ~built[child][0] if type(child) is Branch else starts[cast(int, cast(Token, child).start_pos)]
            for child in branch.children
        ]
        built[branch] = len(steps), depth + 1
        steps.append(_Step(branch.rule, tuple(parts), starts[branch.start], ends[branch.end]))
    return tuple(steps)


def _built(steps: tuple[_Step, ...], lines: _Lines, number: int, source: Source) -> nodes.Node:
    text, names, form, first = source.text, _terminals().names, lines.forms[number], lines.first[number]
    equal = names.index("EQUAL")
    found: list[nodes.Node] = []
    for step in steps:
        parts: list[Any] = []
        for part in step.parts:
            if part < 0:
                parts.append(found[~part])
            elif form[part] == equal:
                parts.append(_EQUAL)
            else:
                start, end = lines.starts[first + part], lines.ends[first + part]
                parts.append(Token(names[form[part]], text[start:end], start_pos=start, end_pos=end))
        span = Span(source, lines.starts[first + step.first], lines.ends[first + step.last])
        found.append(BUILDERS[step.rule](parts, span))
    return found[-1]
