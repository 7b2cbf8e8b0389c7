"""All kernels that a kernel is made of, those of images included."""

from __future__ import annotations

from collections.abc import Iterator

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.skeleton import Skeleton

__all__ = ["all_parts"]


def all_parts(kernel: Kernel) -> Iterator[Kernel]:
    """`kernel.parts()`, and after a skeleton those of the kernel on a single column that its image is made of."""
    for part in kernel.parts():
        yield part
        if isinstance(part, Skeleton):
            yield from all_parts(part.image.base)
