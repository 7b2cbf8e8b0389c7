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
from kernelspec.language.literals import ascii_name, ascii_operator, column_name, number_value
from kernelspec.limits import MAX_DEPTH, MAX_NAME
from kernelspec.loading import Source, Span

__all__ = [
    "BUILDERS",
    "Branch",
    "build_program",
    "grammar_text",
    "lalr_parser",
    "name_of",
    "parser_tables",
    "place_of",
    "refuse_redefinition",
]


def place_of(token: Token, span: Span) -> Span:
    """Where a token of the same source as `span` stands."""
    return Span(span.source, cast(int, token.start_pos), cast(int, token.end_pos))


def name_of(token: Token, span: Span) -> str:
    """The name that a token spells, bare or quoted. Raises SpecSyntaxError if it is too long."""
    text = str(token)  # a Token is a str that would drag the parser along, into every pickle
    name = column_name(text, place_of(token, span)) if token.type == "STRING" else ascii_name(text)
    if len(name) > MAX_NAME:
        message = f"this name has {len(name):,} characters; at most {MAX_NAME} are allowed"
        raise SpecSyntaxError(message, place_of(token, span))
    return name


class Branch:
    """A rule of the grammar that was met. Far smaller than the parser's own trees: texts can be long.

    Its characters are those from the first to the last of its tokens, brackets included. The rules that the parser
    makes of `*` and `?` have names with an underscore, as punctuation has; they are passages to the rule above, whose
    children are not looked at before they stand there.
    """

    __slots__ = ("children", "end", "rule", "start")

    def __init__(self, rule: str, children: list[Branch | Token]) -> None:
        self.rule = rule
        if rule[0] != "_":
            self.start, self.end = _start(children[0]), _end(children[-1])
            children = [child for child in children if type(child) is Branch or child.type[0] != "_"]  # type: ignore
        self.children = children

    def leaves_first(self) -> list[Branch]:
        """This branch and all those below it, each after its own. Without recursion: branches can be deep."""
        order, pending = [], [self]
        while pending:
            branch = pending.pop()
            order.append(branch)
            pending += [child for child in branch.children if type(child) is Branch]
        order.reverse()
        return order


def _start(part: Branch | Token) -> int:
    return part.start if type(part) is Branch else cast(int, cast(Token, part).start_pos)


def _end(part: Branch | Token) -> int:
    return part.end if type(part) is Branch else cast(int, cast(Token, part).end_pos)


_ROOT = Path(__file__).resolve().parents[1]
_PLACES = (_ROOT / "grammars", _ROOT.parent / "grammars")
"""Of the grammar: inside the package in a wheel, at the root of the repository in a checkout."""


def _read(name: str) -> str:
    for place in _PLACES:
        if (place / name).is_file():
            return (place / name).read_text(encoding="utf-8")
    raise FileError(f"the grammar is missing: there is no {_PLACES[0] / name}; is the installation complete?")


def grammar_text() -> str:
    """The grammar. Raises FileError if it is not where the package was installed."""
    return _read("kernelspec.lark")


@functools.cache
def lalr_parser() -> Lark:
    """The parser, made on first use and kept.

    Its tables are kept beside the grammar, since building them takes most of the time of a short run; they are built
    anew for another grammar or another version of Lark.
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
    """Sets as lists, and dictionaries with other keys than words as pairs under "#"."""
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
    """Lark without its search for terminals that collide, which takes 0.2 s wherever interegular is installed.

    That none collide in our grammar is proved in the tests, not at every start.
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


def _position(node: nodes.Node) -> nodes.Number | None:
    """The position that a number stands for, perhaps signed; None for another expression."""
    number = node.operand if isinstance(node, nodes.Negation) else node
    if not isinstance(number, nodes.Number):
        return None
    if not number.span.text.isdecimal():
        raise SpecSyntaxError("a column's position is a whole number, such as 0 or -1", node.span)
    return nodes.Number(number.value if number is node else -number.value, span=node.span)


def _slice(parts: list[Part], span: Span) -> nodes.Slice:
    colon = next(i for i, part in enumerate(parts) if not isinstance(part, nodes.Node))
    ends: list[int | None] = []
    for end in (parts[:colon], parts[colon + 1 :]):
        position = _position(end[0]) if end else None
        if end and position is None:
            raise SpecSyntaxError("a range of columns is given by positions, as in k[0:3]", end[0].span)
        ends.append(None if position is None else int(position.value))
    return nodes.Slice(ends[0], ends[1], span=span)


def _selector(node: nodes.Expression | nodes.Slice) -> nodes.Expression | nodes.Slice:
    """A selector as it is meant: a lone number is a position, a lone string a column."""
    if isinstance(node, nodes.Text):
        return nodes.Name(node.value, span=node.span)
    return _position(node) or node


BUILDERS: dict[str, Callable[[list[Part], Span], nodes.Node]] = {
    "start": _program,
    "param": _param,
    "let": _let,
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
    "keyword": _keyword,
    "slice": _slice,
}
