"""Bare names whose position gives them a meaning: `gaussian` is a distribution or an activation where one is needed."""

from __future__ import annotations

from kernelspec.elaboration.scope import Definitions
from kernelspec.language import nodes

__all__ = ["call_meant"]


def call_meant(node: nodes.Expression, scope: Definitions) -> tuple[nodes.Expression, Definitions]:
    """An expression, and what its names mean, after lets are followed; a name alone is a call without arguments.

    `student_t(3)` stays as it is, `relu` is relu(), and so is `f` below the line `let f = relu`.
    """
    while isinstance(node, nodes.Name) and (found := scope.let(node.identifier)) is not None:
        let, scope = found
        node = let.value
    if isinstance(node, nodes.Name):
        node = nodes.Call(node.identifier, (), (), span=node.span, function_span=node.span)
    return node, scope
