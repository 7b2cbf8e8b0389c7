"""The dual activations of a kernel one by one: the law of their degrees, and how many of their samples are constant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.analysis.bounds.feature_size import norm_bound
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.one import One
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.skeleton_layer import counted
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.compositional.dual import DualLaw
from kernelspec.laws.law import Law

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel

__all__ = ["DualNode", "constant_share", "divergence", "dual_nodes", "number"]

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


def constant_share(kernel: Kernel) -> float:
    """The probability that a sample has no base factor: Σ q_l c^l for a dual over a kernel that is so with c."""
    match kernel:
        case One():
            return 1.0
        case Skeleton():
            return kernel.sparsity
        case Dual():
            mass, below = float(kernel.base.magnitude()), constant_share(kernel.base)
            if kernel.max_degree is None and below == 0:  # both sums may be too small for a float
                return float(kernel.activation.law(np.zeros(1), mass)[0])
            if kernel.max_degree is None:
                sizes = kernel.activation.dual_absolute(np.array([mass * below, mass]))
                return float(sizes[0] / sizes[1])
            degree = np.arange(kernel.max_degree + 1, dtype=float)
            return float(1 - kernel.activation.law(degree, mass) @ (1 - below**degree))  # what is cut is zero
        case Sum():
            parts = zip(kernel.shares(), kernel.terms, strict=True)
            return sum(float(q) * constant_share(term) for q, term in parts)
        case Product():
            return math.prod(map(constant_share, kernel.factors))
        case Power():
            return constant_share(kernel.base) ** kernel.exponent
    children = list(kernel.children())
    return constant_share(children[0]) if len(children) == 1 else 0.0


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
