"""From a kernel to the laws of its samples: by rules that stand beside the laws, found through the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, singledispatch
from importlib import import_module
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.unavailable import Unavailable
from kernelspec.laws.catalogue import LAWS, SCHEMES
from kernelspec.loading import load_from

if TYPE_CHECKING:
    from kernelspec.laws.law import Law

__all__ = [
    "EXACT_IN_PART",
    "OF_SHARES",
    "WITHOUT_OFFSETS",
    "Below",
    "closed_to",
    "law_of",
    "laws_of",
    "own_law",
    "schemes_of",
]

OF_SHARES = frozenset(name for name, scheme in SCHEMES.items() if scheme.divides)
EXACT_IN_PART = frozenset(name for name, scheme in SCHEMES.items() if scheme.exact_in_columns)
WITHOUT_OFFSETS = frozenset(name for name, scheme in SCHEMES.items() if scheme.without_offsets)


@dataclass(frozen=True)
class Below:
    """The laws of the kernels below a node: under the scheme asked for, unless the node is closed to it."""

    scheme: str | None

    def __call__(self, kernel: Kernel) -> Law:
        return law_of(kernel, self.scheme)


def law_of(kernel: Kernel, scheme: str | None = None) -> Law:
    """The law of a kernel's samples, every node that has the `scheme` sampled in this way, from the top down.

    Nodes without it, and what lies below a node that is closed to it, are sampled in the way they have by themselves.
    """
    if scheme is not None:
        found = _scheme_rule(scheme)(kernel)
        if found is not None:
            return found
    _rules()
    return own_law(kernel, Below(None if scheme in closed_to(kernel) else scheme))


def laws_of(kernel: Kernel) -> dict[str | None, Law]:
    """All ways to sample a kernel: None → that which it has by itself, and the name of every scheme → that one."""
    return {scheme: law_of(kernel, scheme) for scheme in (None, *schemes_of(kernel))}


def schemes_of(kernel: Kernel) -> tuple[str, ...]:
    """The names of the schemes that some node of the tree has, in the order of the catalogue."""
    found: set[str] = set()
    pending: list[tuple[Kernel, frozenset[str]]] = [(kernel, frozenset())]
    seen: set[tuple[int, frozenset[str]]] = set()
    while pending:
        node, closed = pending.pop()
        if (id(node), closed) in seen:  # a kernel may be below several others
            continue
        seen.add((id(node), closed))
        inside = closed | closed_to(node)
        found.update(name for name in SCHEMES if name not in closed | found and _scheme_rule(name)(node) is not None)
        pending.extend((child, inside) for child in _sampled_below(node))
    return tuple(name for name in SCHEMES if name in found)


@singledispatch
def own_law(kernel: Kernel, below: Below) -> Law:
    """The way in which a kernel is sampled by itself; `below` gives the laws of the kernels that it is made of."""
    del below
    raise TypeError(f"there is no law for the samples of {type(kernel).__name__}: register one with own_law")


@own_law.register(Unavailable)
def _(kernel: Unavailable, below: Below) -> Law:
    del below
    kernel.refuse()


@singledispatch
def closed_to(kernel: Kernel) -> frozenset[str]:
    """The schemes that no part below this node may have; none for a kernel that is not made of others."""
    if any(True for _ in kernel.children()):
        raise TypeError(f"which schemes may be below {type(kernel).__name__}? Register it with closed_to")
    return frozenset()


def _sampled_below(kernel: Kernel) -> Iterator[Kernel]:
    from kernelspec.kernels.nodes.skeleton import Skeleton

    return iter((kernel.image.base,)) if isinstance(kernel, Skeleton) else kernel.children()


@cache
def _rules() -> None:
    """Import the laws, each of which registers its rules."""
    for home in LAWS.values():
        import_module(home.partition(":")[0])


@cache
def _scheme_rule(scheme: str) -> Callable[[Kernel], Law | None]:
    _rules()
    found: Callable[[Kernel], Law | None] = load_from(SCHEMES[scheme].rule)
    return found
