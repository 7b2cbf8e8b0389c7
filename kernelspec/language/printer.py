"""Tree to text: canonical ASCII with the fewest brackets.

Two laws: `parse_program(print_node(program)) == program`, and printing what was parsed from printed
text changes nothing. A tree that no text stands for is refused rather than printed as another one.
"""

from __future__ import annotations

import re

from kernelspec.errors import SpecError
from kernelspec.language import nodes
from kernelspec.language.literals import column_text, number_text
from kernelspec.language.precedence import Binding, binding
from kernelspec.language.spelling import is_plain_name
from kernelspec.limits import MAX_NAME

__all__ = ["guard", "print_node"]

_KEYWORD = re.compile(r"(param|let)\b")


def print_node(node: nodes.Node) -> str:
    """The canonical text of a node, without a newline at the end.

    Raises SpecError where no text stands for the tree: a number that is no decimal literal, a sum of one
    term, an empty vector, a name with spaces outside a selection. What the parser returns always prints.
    """
    finished: list[str] = []
    pending: list[tuple[nodes.Node, bool]] = [(node, False)]
    while pending:
        current, ready = pending.pop()
        children = _children(current)
        if not ready:
            pending.append((current, True))
            pending.extend((child, False) for child in reversed(children))
            continue
        first = len(finished) - len(children)
        texts = finished[first:]
        finished[first:] = [_text(current, children, texts)]
    return finished[0]


def guard(body: str) -> str:
    """The text of the kernel expression, bracketed if its first word would be taken for a keyword."""
    return f"({body})" if _KEYWORD.match(body) else body


def _children(node: nodes.Node) -> list[nodes.Node]:
    """The children that are printed by the general rule; a selection knows how its selectors look."""
    return [node.base] if isinstance(node, nodes.Select) else list(node.children())


def _text(node: nodes.Node, children: list[nodes.Node], texts: list[str]) -> str:
    match node:
        case nodes.Number():
            return number_text(node.value, node.span)
        case nodes.Name():
            return _plain(node.identifier, node)
        case nodes.Keyword():
            return f"{_plain(node.name, node)}={texts[0]}"
        case nodes.Call():
            return f"{_plain(node.function, node)}({', '.join(texts)})"
        case nodes.Vector():
            return f"[{', '.join(_some(texts, node))}]"
        case nodes.Lambda():
            return f"{_plain(node.variable, node)} -> {texts[0]}"
        case nodes.Negation() | nodes.Power() | nodes.Product() | nodes.Sum() | nodes.Select():
            return _operation(node, children, texts)
        case nodes.Slice():
            return _selector(node)
        case nodes.Param():
            return _param(node, texts)
        case nodes.Let():
            return f"let {_plain(node.name, node)} = {texts[0]}"
        case nodes.Program():
            return "\n".join([*texts[:-1], guard(texts[-1])])
    raise TypeError(f"{type(node).__name__} is no node of the language")


def _operation(
    node: nodes.Negation | nodes.Power | nodes.Product | nodes.Sum | nodes.Select,
    children: list[nodes.Node],
    texts: list[str],
) -> str:
    """The forms whose operands are bracketed where they bind too loosely."""

    def part(index: int, least: Binding) -> str:
        return texts[index] if binding(children[index]) >= least else f"({texts[index]})"

    match node:
        case nodes.Negation():
            return f"-{part(0, Binding.NEGATION)}"
        case nodes.Power():
            return f"{part(0, Binding.ATOM)}**{part(1, Binding.NEGATION)}"
        case nodes.Product() | nodes.Sum():
            space, least = (" ", Binding.PRODUCT) if isinstance(node, nodes.Sum) else ("", Binding.NEGATION)
            if not node.operators or len(texts) != len(node.operators) + 1:
                kind = type(node).__name__
                raise SpecError(f"a {kind} has two or more operands, with an operator between any two", node.span)
            rest = (f"{space}{sign}{space}{part(i, least)}" for i, sign in enumerate(node.operators, start=1))
            return part(0, least) + "".join(rest)
        case nodes.Select():
            selectors = _some([_selector(selector) for selector in node.selectors], node)
            return f"{part(0, Binding.ATOM)}[{', '.join(selectors)}]"


def _param(node: nodes.Param, texts: list[str]) -> str:
    name = f"param {_plain(node.name, node)}"
    if node.bound is not None and node.default is not None:
        raise SpecError("a param has a bound or a default, not both", node.span)
    if node.default is not None:
        return f"{name} = {texts[0]}"
    if node.bound is None:
        return name
    bound = texts[0] if binding(node.bound) >= Binding.SUM else f"({texts[0]})"
    return f"{name} {node.relation} {bound}"


def _selector(node: nodes.Name | nodes.Number | nodes.Slice) -> str:
    match node:
        case nodes.Name():
            return column_text(node.identifier, node.span)
        case nodes.Number():
            if node.value.denominator != 1:
                raise SpecError(f"a column's position is a whole number, not {node.value}", node.span)
            return str(node.value)
        case nodes.Slice():
            return ":".join("" if end is None else str(end) for end in (node.start, node.stop))


def _plain(name: str, node: nodes.Node) -> str:
    if not is_plain_name(name) or len(name) > MAX_NAME:
        raise SpecError(f"{name!r} is no name; a name has letters, digits and '_', {MAX_NAME} at most", node.span)
    return name


def _some(texts: list[str], node: nodes.Node) -> list[str]:
    if not texts:
        raise SpecError(f"a {type(node).__name__} needs something between its brackets", node.span)
    return texts
