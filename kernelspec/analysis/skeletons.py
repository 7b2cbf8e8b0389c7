"""The skeletons among the parts of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.kernels.skeleton import Skeleton

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel

__all__ = ["skeletons_in"]


def skeletons_in(kernel: Kernel) -> tuple[Skeleton, ...]:
    """Every skeleton once, from left to right as the kernel is written."""
    found: list[Skeleton] = []
    pending = [kernel]
    while pending:
        node = pending.pop()
        if isinstance(node, Skeleton):
            found.append(node)
        pending.extend(reversed(list(node.children())))
    return tuple(dict.fromkeys(found))
