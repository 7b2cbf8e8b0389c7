"""From the parser's tree to nodes, bottom up and without recursion. Syntax only: names mean nothing yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from lark import Token

from kernelspec.errors import ArgumentError, SpecError, SpecSyntaxError
from kernelspec.language import nodes
from kernelspec.language.branch import Branch
from kernelspec.language.literals import number_value
from kernelspec.language.spelling import ascii_operator
from kernelspec.language.tokens import name_of, place_of
from kernelspec.limits import MAX_DEPTH
from kernelspec.source import Source, Span

__all__ = ["BUILDERS", "build_program", "refuse_redefinition"]

Part = Any
"""A finished node, or a token that the grammar keeps."""


def build_program(tree: Branch, source: Source) -> nodes.Program:
    """The program that the parser's tree stands for.

    Raises SpecSyntaxError for numbers, names and depths out of bounds, ArgumentError for a keyword
    given twice and SpecError for a name defined twice.
    """
    names = _names(tree, source)
    built: dict[Branch, tuple[nodes.Node, int]] = {}
    for branch in tree.leaves_first():
        parts: list[Part] = []
        depth = 0
        for child in branch.children:
            if type(child) is Branch:
                node, below = built.pop(child)
                parts.append(node)
                depth = max(depth, below)
            else:
                parts.append(child)
        branch.children.clear()  # half of the memory of a long text
        if branch.rule == "group":
            built[branch] = parts[0], depth
            continue
        span = Span(source, branch.start, branch.end)
        if depth >= MAX_DEPTH and branch is not tree:
            raise SpecSyntaxError(f"the expression is nested more than {MAX_DEPTH} levels deep", span)
        built[branch] = BUILDERS[branch.rule](parts, span), depth + 1
    program = cast(nodes.Program, built[tree][0])
    refuse_redefinition(names, program)
    return program


def _names(tree: Branch, source: Source) -> list[Span]:
    """Where the names stand that the lines of a program define; the nodes do not say."""
    lines = [child for child in tree.children if type(child) is Branch][:-1]
    return [place_of(cast(Token, line.children[0]), Span(source, line.start, line.end)) for line in lines]


def refuse_redefinition(places: list[Span], program: nodes.Program) -> None:
    """Raise SpecError if two statements define the same name."""
    known: dict[str, Span] = {}
    for place, statement in zip(places, program.statements, strict=True):
        if statement.name in known:
            line = known[statement.name].line
            raise SpecError(f"'{statement.name}' is already defined, on line {line}", place)
        known[statement.name] = place


def _program(parts: list[Part], span: Span) -> nodes.Program:
    return nodes.Program(tuple(parts[:-1]), parts[-1], span=span)


def _param(parts: list[Part], span: Span) -> nodes.Param:
    name, (relation, value) = name_of(parts[0], span), parts[1:] or (None, None)
    if relation is None or relation.type == "EQUAL":
        return nodes.Param(name, None, None, value, span=span)
    return nodes.Param(name, cast(Any, str(relation)), value, None, span=span)


def _let(parts: list[Part], span: Span) -> nodes.Let:
    return nodes.Let(name_of(parts[0], span), parts[2], span=span)


def _call(parts: list[Part], span: Span) -> nodes.Call:
    function = name_of(parts[0], span)
    positional: list[nodes.Expression] = []
    keywords: dict[str, nodes.Keyword] = {}
    for argument in parts[1:]:
        if not isinstance(argument, nodes.Keyword):
            if keywords:
                raise SpecSyntaxError("positional arguments come before those with a name", argument.span)
            positional.append(argument)
        elif argument.name in keywords:
            raise ArgumentError(f"{function}() is given '{argument.name}' twice", argument.name_span)
        else:
            keywords[argument.name] = argument
    place = place_of(parts[0], span)
    return nodes.Call(function, tuple(positional), tuple(keywords.values()), span=span, function_span=place)


def _keyword(parts: list[Part], span: Span) -> nodes.Keyword:
    return nodes.Keyword(name_of(parts[0], span), parts[2], span=span, name_span=place_of(parts[0], span))


def _chain(kind: type[nodes.Sum] | type[nodes.Product]) -> Callable[[list[Part], Span], nodes.Expression]:
    def build(parts: list[Part], span: Span) -> nodes.Expression:
        return kind(tuple(parts[::2]), cast(Any, tuple(ascii_operator(str(sign)) for sign in parts[1::2])), span=span)

    return build


def _position(parts: list[Part], span: Span) -> nodes.Number:
    value = number_value(parts[-1], span)
    if not parts[-1].isdecimal():
        raise SpecSyntaxError("a column's position is a whole number, such as 0 or -1", span)
    return nodes.Number(-value if len(parts) == 2 else value, span=span)


def _slice(parts: list[Part], span: Span) -> nodes.Slice:
    colon = next(i for i, part in enumerate(parts) if part.type == "COLON")
    ends = [
        int(_position(end, place_of(end[0], span).through(place_of(end[-1], span))).value) if end else None
        for end in (parts[:colon], parts[colon + 1 :])
    ]
    return nodes.Slice(ends[0], ends[1], span=span)


BUILDERS: dict[str, Callable[[list[Part], Span], nodes.Node]] = {
    "start": _program,
    "param": _param,
    "let": _let,
    "lambda": lambda parts, span: nodes.Lambda(name_of(parts[0], span), parts[1], span=span),
    "sum": _chain(nodes.Sum),
    "product": _chain(nodes.Product),
    "negation": lambda parts, span: nodes.Negation(parts[1], span=span),
    "power": lambda parts, span: nodes.Power(parts[0], parts[1], span=span),
    "select": lambda parts, span: nodes.Select(parts[0], tuple(parts[1:]), span=span),
    "number": lambda parts, span: nodes.Number(number_value(parts[0], span), span=span),
    "name": lambda parts, span: nodes.Name(name_of(parts[0], span), span=span),
    "column": lambda parts, span: nodes.Name(name_of(parts[0], span), span=span),
    "call": _call,
    "vector": lambda parts, span: nodes.Vector(tuple(parts), span=span),
    "keyword": _keyword,
    "position": _position,
    "slice": _slice,
}
