"""Long expressions over several lines: broken at operators, inside parentheses, and between arguments."""

from __future__ import annotations

from collections.abc import Iterable

from kernelspec.language import nodes
from kernelspec.language.precedence import Binding, binding
from kernelspec.language.printer import print_node

__all__ = ["LINE_WIDTH", "wrap"]

LINE_WIDTH = 88
_INDENT = 4


def wrap(node: nodes.Node, lead: str, tail: str, indent: int = 0, least: Binding = Binding.LAMBDA) -> list[str]:
    """The lines of `lead`, the node and `tail`: one if it fits or nothing can be broken, else broken inside.

    A node that binds less than `least` gets parentheses. Recursion goes no deeper than the tree, which
    the parser has bounded.
    """
    text, loose = print_node(node), binding(node) < least
    line = f"{' ' * indent}{lead}{f'({text})' if loose else text}{tail}"
    if len(line) <= LINE_WIDTH:
        return [line]
    match node:
        case nodes.Sum():
            signs = ["", *(f"{sign} " for sign in node.operators)]
            broken = (wrap(t, s, "", indent + _INDENT, Binding.PRODUCT) for s, t in zip(signs, node.terms, strict=True))
            return _between(f"{lead}(", broken, f"){tail}", indent)
        case nodes.Product():
            signs = ["", *(f"{sign} " for sign in node.operators)]
            broken = (
                wrap(f, s, "", indent + _INDENT, Binding.NEGATION) for s, f in zip(signs, node.factors, strict=True)
            )
            return _between(f"{lead}(", broken, f"){tail}", indent)
    if loose:
        lead, tail = f"{lead}(", f"){tail}"
    match node:
        case nodes.Call() if parts := [*node.positional, *node.keywords]:
            broken = (wrap(part, "", ",", indent + _INDENT) for part in parts)
            return _between(f"{lead}{node.function}(", broken, f"){tail}", indent)
        case nodes.Vector():
            broken = (wrap(item, "", ",", indent + _INDENT) for item in node.items)
            return _between(f"{lead}[", broken, f"]{tail}", indent)
        case nodes.Keyword():
            return wrap(node.value, f"{lead}{node.name}=", tail, indent)
        case nodes.Lambda():
            return wrap(node.body, f"{lead}{node.variable} -> ", tail, indent)
        case nodes.Negation():
            return wrap(node.operand, f"{lead}-", tail, indent, Binding.NEGATION)
        case nodes.Power() | nodes.Select():
            base = print_node(node.base)
            rest = text[len(base) + (2 if binding(node.base) < Binding.ATOM else 0) :]
            return wrap(node.base, lead, f"{rest}{tail}", indent, Binding.ATOM)
    return [line]


def _between(head: str, broken: Iterable[list[str]], foot: str, indent: int) -> list[str]:
    """A line that ends with an opening bracket, the lines inside, and one that starts with the closing bracket."""
    margin = " " * indent
    return [margin + head, *(line for lines in broken for line in lines), margin + foot]
