"""Dual activations whose degrees are cut: the parts of a plan whose samples are biased."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kernelspec.kernels.dual import Dual

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel

__all__ = ["cut_degrees", "cut_lines"]


def cut_degrees(kernels: Iterable[Kernel]) -> tuple[Dual, ...]:
    """All nodes dual(…, max_degree=n) of the trees that leave something out."""
    found: dict[Dual, None] = {}
    pending = list(kernels)
    while pending:
        node = pending.pop()
        if isinstance(node, Dual) and node.max_degree is not None and node.omitted() > 0:
            found[node] = None
        pending.extend(node.children())
    return tuple(found)


def cut_lines(cut: Iterable[Dual]) -> list[str]:
    """What is left out, in words."""
    return [
        f"  biased: dual({node.activation}, …) is cut at degree {node.max_degree}, so that its features have a mean "
        f"within {node.omitted():.3g} of it"
        for node in cut
    ]
