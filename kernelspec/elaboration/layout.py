"""Which columns of the table a kernel reads, and how."""

from __future__ import annotations

from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.nodes.tilt import Tilt
from kernelspec.tables.domain import Domain
from kernelspec.tables.layout import Layout

__all__ = ["layout_of"]


def layout_of(kernel: Kernel, columns: Columns) -> Layout:
    """The layout of the tables a kernel applies to: its columns as numbers, as categories, or both."""
    used: dict[bool, set[int]] = {False: set(), True: set()}
    domains: dict[tuple[Domain, tuple[int, ...]], None] = {}
    pending: list[tuple[Kernel, tuple[int, ...]]] = [(kernel, tuple(range(columns.dim)))]
    while pending:
        node, positions = pending.pop()
        if isinstance(node, Stretch) and node.is_matrix:
            used[False].update(positions)  # every column enters every coordinate below
            continue
        if isinstance(node, Tilt):  # reads every column in which it grows, whatever the kernel below reads
            used[False].update(p for p, rate in zip(positions, node.by, strict=True) if rate != 0)
        if isinstance(node, Select):
            positions = tuple(positions[i] for i in node.positions)
        if isinstance(node, Skeleton):
            pending.extend((node.image.base, (position,)) for position in reversed(positions))
        if isinstance(node, Leaf):
            if node.compares_categories:
                used[True].update(positions)
            if node.reads_numbers:
                used[False].update(positions)
            if node.domain is not None:
                domains[node.domain, positions] = None
        pending.extend((child, positions) for child in node.children())
    numeric, categorical = tuple(sorted(used[False])), tuple(sorted(used[True]))
    return Layout(columns.dim, columns.names, numeric, categorical, tuple(domains), by_name=columns.by_name)
