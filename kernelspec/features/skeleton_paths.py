"""The random paths of skeleton features: for every feature, how often each base kernel is a factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.degree_sums import draw_degree_sums

if TYPE_CHECKING:
    from kernelspec.kernels.skeleton_layer import Layer
    from kernelspec.kernels.windows import Windows
    from kernelspec.streams import Stream

__all__ = ["Paths", "draw_paths"]

_FEW = 4
"""Up to so many draws per node below, each is drawn by itself; else how often each node is met, all at once."""


@dataclass(frozen=True)
class Paths:
    """Feature, node and how often it is met, three arrays in the order of features and nodes."""

    feature: NDArray[np.intp]
    node: NDArray[np.intp]
    count: NDArray[np.int64]


def draw_paths(layers: Sequence[Layer], stream: Stream, n: int) -> Paths:
    """How often n independent features meet every node below the first layer.

    From the output down: a node that is met m times has as its degree the sum of m draws from the law of its
    activation, and so many nodes below at random. Raises PlanError for features that are too large to be drawn.
    Reference: Daniely, Frostig, Gupta and Singer 2017, Algorithm 1.
    """
    paths = Paths(np.arange(n), np.zeros(n, dtype=np.intp), np.ones(n, dtype=np.int64))
    for depth, layer in enumerate(reversed(layers)):
        degrees = draw_degree_sums(layer.activation, stream.child(2 * depth), paths.count)
        met = degrees > 0
        feature, node = paths.feature[met], paths.node[met]
        paths = _below(layer.windows, stream.child(2 * depth + 1), Paths(feature, node, degrees[met]))
    return paths


def _below(windows: Windows, stream: Stream, paths: Paths) -> Paths:
    """The nodes below, `count` of them for every node, chosen uniformly and independently."""
    sizes = windows.counts.ravel()[paths.node]
    many = paths.count > _FEW * sizes
    few = np.flatnonzero(~many)
    counts = paths.count[few]
    which = stream.generator("child").integers(0, np.repeat(sizes[few], counts))
    feature = [np.repeat(paths.feature[few], counts)]
    node = [windows.child(np.repeat(paths.node[few], counts), which)]
    count = [np.ones(len(which), dtype=np.int64)]
    generator = stream.generator("counts")
    for i in np.flatnonzero(many):
        met = generator.multinomial(paths.count[i], np.full(sizes[i], 1 / sizes[i]))
        feature.append(np.full(sizes[i], paths.feature[i]))
        node.append(windows.children(int(paths.node[i])))
        count.append(met.astype(np.int64))
    return _merged(np.concatenate(feature), np.concatenate(node), np.concatenate(count), windows.n_nodes)


def _merged(feature: NDArray[np.intp], node: NDArray[np.intp], count: NDArray[np.int64], n_nodes: int) -> Paths:
    """Every node of a feature once, those that are not met left out."""
    order = np.argsort(feature * n_nodes + node, kind="stable")
    order = order[count[order] > 0]
    feature, node, count = feature[order], node[order], count[order]
    new = np.flatnonzero(np.diff(feature * n_nodes + node, prepend=-1))
    return Paths(feature[new], node[new], np.add.reduceat(count, new) if len(new) else count)
