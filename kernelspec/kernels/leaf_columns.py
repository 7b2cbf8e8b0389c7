"""Which columns the leaves of a kernel are kernels on."""

from __future__ import annotations

from collections.abc import Callable

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.stretch import Stretch

__all__ = ["leaf_columns"]


def leaf_columns(kernel: Kernel, chosen: Callable[[Leaf], bool]) -> frozenset[int] | None:
    """The columns of all leaves that are `chosen`; None where they cannot be told, below a matrix or without a number
    of columns."""
    found: set[int] = set()
    whole = tuple(range(kernel.dim)) if isinstance(kernel.dim, int) else None
    pending: list[tuple[Kernel, tuple[int, ...] | None]] = [(kernel, whole)]
    while pending:
        node, positions = pending.pop()
        if isinstance(node, Stretch) and node.is_matrix:
            positions = None
        if isinstance(node, Select):
            positions = None if positions is None else tuple(positions[i] for i in node.positions)
        if isinstance(node, Skeleton):
            pending.append((node.image.base, positions))
        if isinstance(node, Leaf) and chosen(node):
            if positions is None:
                return None
            found.update(positions)
        pending.extend((child, positions) for child in node.children())
    return frozenset(found)
