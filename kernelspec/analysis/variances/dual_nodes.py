"""The dual activations of a kernel one by one: the law of their degrees, and how many of their samples are constant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.analysis.constant_share import constant_share
from kernelspec.analysis.norm_bound import norm_bound
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton_layer import counted
from kernelspec.laws.compositional.dual import DualLaw
from kernelspec.laws.law import Law

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel

__all__ = ["DualNode", "divergence", "dual_nodes", "number"]

_FIRST = 4
_MOST = 40


@dataclass(frozen=True)
class DualNode:
    """One dual(…) or layer(…): σ̂ of a kernel of mass m = `mass`, below `level` others.

    `probabilities` are the first of q_l ∝ a_l m^l; `constant_share` is the probability that a sample has no base factor
    at all; the variance is infinite where E|p|² of the kernel below exceeds `infinite_above`, None where nothing does.
    """

    level: int
    activation: str
    max_degree: int | None
    mass: float
    probabilities: tuple[float, ...]
    mean_degree: float
    constant_share: float
    infinite_above: float | None

    def line(self) -> str:
        """The node in words."""
        first = ", ".join(f"{value:.3g}" for value in self.probabilities)
        over = "" if self.mass == 1 else f" over a kernel of mass {self.mass:.6g}"
        cut = "" if self.max_degree is None else f", cut at {self.max_degree}"
        words = [
            f"dual of {self.activation}{over}: degrees 0, 1, 2, 3, … with probability {first}, …{cut}",
            f"mean {counted(self.mean_degree)}",
            f"constant with probability {self.constant_share:.3g}",
        ]
        if self.infinite_above is not None:
            words.append(f"variance infinite where E|p|² below exceeds {self.infinite_above:.6g}")
        return "  " * self.level + "; ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """The node as JSON data; a mean that is infinite in that word."""
        return vars(self) | {"probabilities": list(self.probabilities), "mean_degree": number(self.mean_degree)}


def dual_nodes(kernel: Kernel) -> tuple[DualNode, ...]:
    """The first 40 nodes, each before those below it; what is written twice is there twice."""
    found: list[DualNode] = []
    pending = [(kernel, 0)]
    while pending and len(found) < _MOST:
        node, level = pending.pop()
        if isinstance(node, Dual):
            found.append(_described(node, level))
            level += 1
        pending.extend((child, level) for child in reversed(list(node.children())))
    return tuple(found)


def divergence(law: Law) -> str | None:
    """Where the variance of samples is infinite, in words; None where it is finite for all rows."""
    nodes: list[DualNode] = []
    pending = [law]
    while pending and len(nodes) < _MOST:
        node = pending.pop()
        if isinstance(node, DualLaw):
            nodes.append(_described(node.kernel, 0))
        pending.extend(reversed(list(node.children())))
    found = {node.activation: node.infinite_above for node in nodes if node.infinite_above is not None}
    words = [f"E|p|² below the dual of {activation} exceeds {limit:.6g}" for activation, limit in found.items()]
    return " or ".join(words) or None


def number(value: float) -> float | str:
    """A number as JSON data: infinity in that word."""
    return "infinite" if value == math.inf else float(value)


def _described(node: Dual, level: int) -> DualNode:
    mass, radius = float(node.base.magnitude()), float(node.activation.radius())
    bounded = norm_bound(node.base) ** 2 <= mass * (1 + 1e-12)
    return DualNode(
        level,
        str(node.activation),
        node.max_degree,
        mass,
        tuple(node.activation.law(np.arange(_FIRST), mass).tolist()),
        node.mean_degree(),
        constant_share(node),
        None if bounded or radius == math.inf or node.max_degree is not None else radius * mass,
    )
