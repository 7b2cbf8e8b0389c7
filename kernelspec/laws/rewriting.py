"""Other ways to sample a kernel: nodes replaced by alternatives with the same value and other samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from kernelspec.kernels.kernel import Kernel

__all__ = ["OF_SHARES", "replaced", "rewrite", "schemes"]

OF_SHARES = frozenset({"varying"})
"""Schemes that divide a term into several, each with its share of the budget: no other law of samples, and nothing
below a node that is not linear in its parts."""


def schemes(kernel: Kernel) -> tuple[str, ...]:
    """The names of the alternatives that some node of the tree has, in the order in which they are met."""
    found: dict[str, None] = {}
    pending: list[tuple[Kernel, frozenset[str]]] = [(kernel, frozenset())]
    while pending:
        node, excluded = pending.pop()
        found.update((name, None) for name in node.alternatives() if name not in excluded)
        below = excluded | node.excluded
        pending.extend((child, below) for child in reversed(list(node.children())))
    return tuple(found)


def rewrite(kernel: Kernel, scheme: str) -> Kernel:
    """The same kernel with every node that has the alternative `scheme` replaced by it, from the top down.

    What lies below a node that excludes the scheme is left as it is.
    """

    def change(node: Kernel) -> Kernel | None:
        return node.alternatives().get(scheme, node if scheme in node.excluded else None)

    return replaced(kernel, change)


def replaced(kernel: Kernel, change: Callable[[Kernel], Kernel | None]) -> Kernel:
    """The tree with every node for which `change` gives another one replaced by that, from the top down."""
    found = change(kernel)
    if found is not None:
        return found
    changed: dict[str, Any] = {}
    for part in fields(kernel):
        value = getattr(kernel, part.name)
        if isinstance(value, Kernel):
            changed[part.name] = replaced(value, change)
        elif isinstance(value, tuple) and any(isinstance(item, Kernel) for item in value):
            changed[part.name] = tuple(replaced(item, change) if isinstance(item, Kernel) else item for item in value)
    same = all(getattr(kernel, name) is value or getattr(kernel, name) == value for name, value in changed.items())
    return kernel if same else replace(kernel, **changed)
