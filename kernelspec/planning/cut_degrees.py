"""Activations whose degrees are cut: the parts of a plan whose samples are biased."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.compositional.neurons import Neurons

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.kernels.kernel import Kernel

__all__ = ["Cut", "cut_degrees", "cut_lines"]


@dataclass(frozen=True)
class Cut:
    """A dual in words, with what is left out of it, and the most that its samples are biased by for that reason."""

    what: str
    omitted: float


def cut_degrees(kernels: Iterable[Kernel]) -> tuple[Cut, ...]:
    """All duals of the trees that leave something out, once each: with `max_degree`, and of formulas with kinks."""
    found: dict[Cut, None] = {}
    pending = list(kernels)
    while pending:
        node = pending.pop()
        if isinstance(node, Neurons):  # they need no degrees
            pending.extend(node.base.children())
            continue
        if isinstance(node, Dual | Skeleton):
            found |= dict.fromkeys(_of_dual(node) if isinstance(node, Dual) else _of_skeleton(node))
        if isinstance(node, Skeleton):
            pending.append(node.image.base)
        pending.extend(node.children())
    return tuple(found)


def cut_lines(cuts: Iterable[Cut]) -> list[str]:
    """What is left out, in words."""
    return [f"  biased: {cut.what}, so that its features have a mean within {cut.omitted:.3g} of it" for cut in cuts]


def _of_dual(node: Dual) -> Iterator[Cut]:
    if node.omitted() > 0:
        reasons = [] if node.max_degree is None else [f"is cut at degree {node.max_degree}"]
        reasons += [] if node.activation.is_complete else [_lost(node.activation)]
        yield Cut(f"dual({node.activation}, …) {' and '.join(reasons)}", node.omitted())


def _of_skeleton(node: Skeleton) -> Iterator[Cut]:
    for layer in node.layers:
        if not layer.activation.is_complete:
            yield Cut(f"{layer} {_lost(layer.activation)}", 2 * layer.activation.omitted)


def _lost(activation: Activation) -> str:
    return f"leaves out {100 * activation.omitted:.2g} % of E σ², in its exact values too"
