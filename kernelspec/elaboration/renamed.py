"""Other names for the parameters and lets of a program; its columns and functions keep theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from kernelspec.language.nodes import Call, Lambda, Let, Name, Node, Param, Program, Select

__all__ = ["mentioned", "renamed", "words"]

AnyNode = TypeVar("AnyNode", bound=Node)


def renamed(program: Program, names: Mapping[str, str]) -> Program:
    """The same program under other names, which must be among none of its `words`."""
    statements = tuple(
        replace(_renamed(line, names), name=names.get(line.name, line.name)) for line in program.statements
    )
    return replace(program, statements=statements, body=_renamed(program.body, names))


def mentioned(node: Node) -> set[str]:
    """The names that stand for something in an expression or a line, without the variables of its formulas."""
    if isinstance(node, Name):
        return {node.identifier}
    if isinstance(node, Select):  # selectors name columns
        return mentioned(node.base)
    inner = set().union(*map(mentioned, node.children()))
    return inner - {node.variable} if isinstance(node, Lambda) else inner


def words(program: Program) -> set[str]:
    """Every word of a program: what it defines, mentions and calls, its columns, the variables of its formulas."""
    found: set[str] = set()
    for part in program.parts():
        match part:
            case Name():
                found.add(part.identifier)
            case Call():
                found.add(part.function)
            case Lambda():
                found.add(part.variable)
            case Param() | Let():
                found.add(part.name)
    return found


def _renamed(node: AnyNode, names: Mapping[str, str]) -> AnyNode:
    if isinstance(node, Name):
        return replace(node, identifier=names.get(node.identifier, node.identifier))
    if isinstance(node, Lambda):  # its variable hides everything else of that name
        names = {old: new for old, new in names.items() if old != node.variable}
    changed: dict[str, Any] = {}
    for part in fields(node):
        value = getattr(node, part.name)
        if isinstance(node, Select) and part.name == "selectors":
            continue
        if isinstance(value, Node):
            changed[part.name] = _renamed(value, names)
        elif isinstance(value, tuple):
            changed[part.name] = tuple(_renamed(item, names) if isinstance(item, Node) else item for item in value)
    return replace(node, **changed)
