"""The grammar, and what its parser makes: tokens, branches, and the tree of nodes."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from lark import Lark, Token, lexer
from lark import __version__ as lark_version
from lark.grammar import Rule

from kernelspec.errors import ArgumentError, FileError, SpecError, SpecSyntaxError
from kernelspec.language import nodes
from kernelspec.language.literals import ascii_operator, column_name, number_value
from kernelspec.limits import MAX_DEPTH, MAX_NAME
from kernelspec.loading import Source, Span, ascii_name

__all__ = ["Branch", "build_program", "lalr_parser"]


def place_of(token: Token, span: Span) -> Span:
    """The span of a token in the same source as `span`."""
    return Span(span.source, cast(int, token.start_pos), cast(int, token.end_pos))


def name_of(token: Token, span: Span) -> str:
    """The name that a token spells, bare or quoted. Raises SpecSyntaxError if it is too long."""
    text = str(token)  # a Token would pull the parser into every pickle
    name = column_name(text, place_of(token, span)) if token.type == "STRING" else ascii_name(text)
    if len(name) > MAX_NAME:
        message = f"this name has {len(name):,} characters; at most {MAX_NAME} are allowed"
        raise SpecSyntaxError(message, place_of(token, span))
    return name


class Branch:
    """A rule that the parser matched. Much smaller than Lark's own trees, since texts can be long.

    Its span runs from the first to the last token, brackets included. The rules that the parser generates for `*` and
    `?` have names with an underscore, like punctuation; their children move up to the enclosing rule.
    """

    __slots__ = ("children", "end_pos", "rule", "start_pos")
    start_pos: int
    end_pos: int

    def __init__(self, rule: str, children: list[Branch | Token]) -> None:
        self.rule = rule
        if rule[0] != "_":
            ends: Any = children[0].start_pos, children[-1].end_pos  # a token's may be None, says Lark
            self.start_pos, self.end_pos = ends
            children = [child for child in children if type(child) is Branch or child.type[0] != "_"]  # type: ignore
        self.children = children

    def leaves_first(self) -> list[Branch]:
        """This branch and all below it, children first; without recursion, since branches can be deep."""
        order, pending = [], [self]
        while pending:
            branch = pending.pop()
            order.append(branch)
            pending += [child for child in branch.children if type(child) is Branch]
        order.reverse()
        return order


_ROOT = Path(__file__).resolve().parents[1]
_PLACES = (_ROOT / "grammars", _ROOT.parent / "grammars")
"""The grammar: inside the package in a wheel, at the root of the repository in a checkout."""


def _read(name: str) -> str:
    for place in _PLACES:
        if (place / name).is_file():
            return (place / name).read_text(encoding="utf-8")
    raise FileError(f"the grammar is missing ({_PLACES[0] / name}): reinstall kernelspec")


def grammar_text() -> str:
    """The text of the grammar. Raises FileError if it is missing."""
    return _read("kernelspec.lark")


@functools.cache
def lalr_parser() -> Lark:
    """The parser, built on first use.

    Its tables are stored beside the grammar, because building them dominates the time of a short run. Another grammar
    or Lark version rebuilds them.
    """
    with suppress(FileError, ValueError, LookupError, TypeError):
        kept = json.loads(_read("kernelspec.tables.json"), object_hook=_with_numbers)
        if kept["lark"] == lark_version and kept["grammar"] == grammar_text():
            parser: Lark = Lark.__new__(Lark)
            return parser._load({"data": kept["data"], "memo": kept["memo"]}, tree_class=Branch)
    return _built()


def _built() -> Lark:
    with _trusting_the_terminals():
        return Lark(grammar_text(), parser="lalr", keep_all_tokens=True, tree_class=Branch)


def parser_tables() -> str:
    """The tables of the parser as JSON, for the file beside the grammar."""
    data, memo = _built().memo_serialize([lexer.TerminalDef, Rule])
    data["options"]["tree_class"] = None
    tables = {"lark": lark_version, "grammar": grammar_text(), "data": _plain(data), "memo": _plain(memo)}
    return json.dumps(tables, separators=(",", ":")) + "\n"


def _plain(value: Any) -> Any:
    """Sets as lists, and dictionaries whose keys are not strings as pairs under "#"."""
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: _plain(item) for key, item in value.items()}
        return {"#": [[key, _plain(item)] for key, item in value.items()]}
    if isinstance(value, set | frozenset):
        return sorted(value)
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _with_numbers(found: dict[str, Any]) -> dict[Any, Any]:
    return dict(found["#"]) if "#" in found else found


@contextmanager
def _trusting_the_terminals() -> Iterator[None]:
    """Skip Lark's search for colliding terminals, which takes 0.2 s if interegular is installed.

    A test proves that our terminals do not collide.
    """
    searches = lexer.has_interegular
    lexer.has_interegular = False
    try:
        yield
    finally:
        lexer.has_interegular = searches


Part = Any
"""A finished node, or a token that the grammar keeps."""


def build_program(tree: Branch, source: Source) -> nodes.Program:
    """Convert the parser's tree to a program.

    Raises SpecSyntaxError for numbers, names and depths out of bounds, ArgumentError for a repeated keyword and
    SpecError for a name defined twice.
    """
    lines = [child for child in tree.children if type(child) is Branch][:-1]  # nodes do not store the spans of names
    names = [place_of(cast(Token, line.children[0]), Span(source, line.start_pos, line.end_pos)) for line in lines]
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
        branch.children.clear()  # halves the memory for a long text
        if branch.rule == "group":
            built[branch] = parts[0], depth
            continue
        span = Span(source, branch.start_pos, branch.end_pos)
        if depth >= MAX_DEPTH and branch is not tree:
            raise SpecSyntaxError(f"the expression is nested more than {MAX_DEPTH} levels deep", span)
        built[branch] = BUILDERS[branch.rule](parts, span), depth + 1
    program = cast(nodes.Program, built[tree][0])
    _refuse_redefinition(names, program)
    return program


def _refuse_redefinition(places: list[Span], program: nodes.Program) -> None:
    """Raise SpecError if two statements define the same name."""
    known: dict[str, Span] = {}
    for place, statement in zip(places, program.statements, strict=True):
        if statement.name in known:
            line = known[statement.name].line
            raise SpecError(f"'{statement.name}' is already defined, on line {line}", place)
        known[statement.name] = place


def _param(parts: list[Part], span: Span) -> nodes.Param:
    given: dict[str, Any] = {}
    rest = list(parts[1:])
    while rest:
        part = rest.pop(0)
        if isinstance(part, nodes.Length | nodes.Interval):
            given[type(part).__name__.lower()] = part
        elif part.type == "EQUAL":
            given["default"] = rest.pop(0)
        else:
            given["relation"], given["bound"] = str(part), rest.pop(0)
    return nodes.Param(name_of(parts[0], span), **given, span=span)


def _call(parts: list[Part], span: Span) -> nodes.Call:
    function = name_of(parts[0], span)
    positional: list[nodes.Expression] = []
    keywords: dict[str, nodes.Keyword] = {}
    for argument in parts[1:]:
        if not isinstance(argument, nodes.Keyword):
            if keywords:
                raise SpecSyntaxError("positional arguments must come before keyword arguments", argument.span)
            positional.append(argument)
        elif argument.name in keywords:
            raise ArgumentError(f"{function}() has argument '{argument.name}' twice", argument.name_span)
        else:
            keywords[argument.name] = argument
    place = place_of(parts[0], span)
    return nodes.Call(function, tuple(positional), tuple(keywords.values()), span=span, function_span=place)


def _chain(kind: type[nodes.Sum] | type[nodes.Product]) -> Callable[[list[Part], Span], nodes.Expression]:
    def build(parts: list[Part], span: Span) -> nodes.Expression:
        return kind(tuple(parts[::2]), cast(Any, tuple(ascii_operator(str(sign)) for sign in parts[1::2])), span=span)

    return build


def _position(node: nodes.Node) -> nodes.Number | None:
    """The position that a number, perhaps signed, stands for; None for other expressions."""
    number = node.operand if isinstance(node, nodes.Negation) else node
    if not isinstance(number, nodes.Number):
        return None
    if not number.span.text.isdecimal():
        raise SpecSyntaxError("a column position must be a whole number, such as 0 or -1", node.span)
    return nodes.Number(number.value if number is node else -number.value, span=node.span)


def _slice(parts: list[Part], span: Span) -> nodes.Slice:
    colon = next(i for i, part in enumerate(parts) if not isinstance(part, nodes.Node))
    ends: list[int | None] = []
    for end in (parts[:colon], parts[colon + 1 :]):
        position = _position(end[0]) if end else None
        if end and position is None:
            raise SpecSyntaxError("a range of columns needs positions, as in k[0:3]", end[0].span)
        ends.append(None if position is None else int(position.value))
    return nodes.Slice(ends[0], ends[1], span=span)


def _range(parts: list[Part], span: Span) -> nodes.Slice:
    """A range among the arguments of a call, unless a name precedes the colon."""
    if isinstance(parts[0], nodes.Name):
        place = place_of(parts[1], span)
        if isinstance(parts[-1], nodes.Name):
            raise SpecSyntaxError("a range of columns needs positions, as in log(0:3)", place)
        raise SpecSyntaxError("write arguments with '=', as in gaussian(scale=2)", place)
    return _slice(parts, span)


def _selector(node: nodes.Expression | nodes.Slice) -> nodes.Expression | nodes.Slice:
    """Interpret a selector: a lone number is a position, a lone string a column."""
    if isinstance(node, nodes.Text):
        return nodes.Name(node.value, span=node.span)
    return _position(node) or node


BUILDERS: dict[str, Callable[[list[Part], Span], nodes.Node]] = {
    "start": lambda parts, span: nodes.Program(tuple(parts[:-1]), parts[-1], span=span),
    "param": _param,
    "length": lambda parts, span: nodes.Length(parts[0], span=span),
    "interval": lambda parts, span: nodes.Interval(parts[0], parts[1], span=span),
    "let": lambda parts, span: nodes.Let(name_of(parts[0], span), parts[2], span=span),
    "lambda": lambda parts, span: nodes.Lambda(name_of(parts[0], span), parts[1], span=span),
    "sum": _chain(nodes.Sum),
    "product": _chain(nodes.Product),
    "negation": lambda parts, span: nodes.Negation(parts[1], span=span),
    "power": lambda parts, span: nodes.Power(parts[0], parts[1], span=span),
    "select": lambda parts, span: nodes.Select(parts[0], tuple(map(_selector, parts[1:])), span=span),
    "number": lambda parts, span: nodes.Number(number_value(parts[0], span), span=span),
    "name": lambda parts, span: nodes.Name(name_of(parts[0], span), span=span),
    "text": lambda parts, span: nodes.Text(name_of(parts[0], span), span=span),
    "call": _call,
    "vector": lambda parts, span: nodes.Vector(tuple(parts), span=span),
    "keyword": lambda parts, span: nodes.Keyword(
        name_of(parts[0], span), parts[2], span=span, name_span=place_of(parts[0], span)
    ),
    "slice": _slice,
    "range": _range,
}
