"""A kernel with its `let` lines in place: parts of the tree that formulas call by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import kernelspec.analysis.reports.named_law  # noqa: F401 - registers how a named kernel is sampled: formulas alone need it
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.named import Named

__all__ = ["with_names"]


def with_names(kernel: Kernel, names: Mapping[int, str]) -> Kernel:
    """The tree with every node whose id has a name in its place."""
    if id(kernel) in names:
        return Named(base=kernel, name=names[id(kernel)], dim=kernel.dim)
    changed: dict[str, Any] = {}
    for part in fields(kernel):
        value = getattr(kernel, part.name)
        if isinstance(value, Kernel):
            changed[part.name] = with_names(value, names)
        elif isinstance(value, tuple) and any(isinstance(item, Kernel) for item in value):
            changed[part.name] = tuple(with_names(item, names) if isinstance(item, Kernel) else item for item in value)
    return replace(kernel, **changed) if changed else kernel
