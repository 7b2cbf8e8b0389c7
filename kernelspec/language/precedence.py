"""How tightly the forms of the language hold together: what decides where parentheses are needed."""

from __future__ import annotations

from enum import IntEnum

from kernelspec.language import nodes

__all__ = ["Binding", "binding"]


class Binding(IntEnum):
    """How tightly an expression holds together; one that stands where a tighter one must gets parentheses."""

    LAMBDA = 0
    SUM = 1
    PRODUCT = 2
    NEGATION = 3
    POWER = 4
    ATOM = 5


_BINDINGS: dict[type[nodes.Node], Binding] = {
    nodes.Lambda: Binding.LAMBDA,
    nodes.Sum: Binding.SUM,
    nodes.Product: Binding.PRODUCT,
    nodes.Negation: Binding.NEGATION,
    nodes.Power: Binding.POWER,
}


def binding(node: nodes.Node) -> Binding:
    """How tightly the node holds together."""
    return _BINDINGS.get(type(node), Binding.ATOM)
