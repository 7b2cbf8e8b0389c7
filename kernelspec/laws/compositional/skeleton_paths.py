"""The random paths of skeleton features: for every feature, how often each base kernel is a factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.laws.compositional.degree_sums import draw_degree_sums

if TYPE_CHECKING:
    from kernelspec.kernels.nodes.skeleton_layer import Layer
    from kernelspec.kernels.nodes.windows import Windows
    from kernelspec.random.streams import Stream

__all__ = ["Paths", "draw_paths"]

_FEW = 4
"""Up to so many draws per node below, each is drawn by itself; else how often each node is met, all at once."""


@dataclass(frozen=True)
class Paths:
    """Feature, node and how often it is met, three arrays in the order of features and nodes."""

    feature: NDArray[np.intp]
    node: NDArray[np.intp]
    count: NDArray[np.int64]

    def met(self) -> Paths:
        """Those that are met at all."""
        kept = self.count > 0
        return Paths(self.feature[kept], self.node[kept], self.count[kept])

    def up_to(self, n: int) -> Paths:
        """Those of features 0, …, n − 1."""
        stop = int(np.searchsorted(self.feature, n))
        return Paths(self.feature[:stop], self.node[:stop], self.count[:stop])


def draw_paths(layers: Sequence[Layer], stream: Stream, n: int) -> Paths:
    """How often n independent features meet every node of the image below the layers.

    From the output down: a node that is met m times, from whichever grids, has as its degree the sum of m draws from
    the law of its activation, and so many nodes below at random, each in one of the grids below at random. Raises
    PlanError for features that are too large to be drawn.
    Reference: Daniely, Frostig, Gupta and Singer 2017, Algorithm 1.
    """
    first = Paths(np.arange(n), np.zeros(n, dtype=np.intp), np.ones(n, dtype=np.int64))
    met: list[list[Paths]] = [[] for _ in layers] + [[first]]
    for depth, layer in enumerate(reversed(layers)):
        paths, own = _joined(met.pop(), prod(layer.windows.shape)), stream.child(depth)
        degrees = draw_degree_sums(layer.activation, own.child(0), paths.count)
        below = _below(layer.windows, own.child(1), replace(paths, count=degrees).met())
        for back, part in zip(layer.below, _shared(below, own.child(2), len(layer.below)), strict=True):
            met[back].append(part)
    return _joined(met.pop(), layers[0].windows.n_nodes)


def _joined(parts: list[Paths], n_nodes: int) -> Paths:
    """Ways that come from several grids as one."""
    if len(parts) == 1:
        return parts[0]
    feature, node = (np.concatenate(each) for each in zip(*((part.feature, part.node) for part in parts), strict=True))
    return _merged(feature, node, np.concatenate([part.count for part in parts]), n_nodes)


def _shared(paths: Paths, stream: Stream, n: int) -> list[Paths]:
    """Every way in one of n grids, uniformly and independently."""
    if n == 1:
        return [paths]
    counts = stream.generator("grid").multinomial(paths.count, np.full(n, 1 / n))
    return [replace(paths, count=counts[:, i]).met() for i in range(n)]


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
    others, generator = np.flatnonzero(many), stream.generator("counts")
    # windows of one size in a row at once: the same numbers as one after the other
    for run in np.split(others, np.flatnonzero(np.diff(sizes[others])) + 1) if len(others) else []:
        size = int(sizes[run[0]])
        met = generator.multinomial(paths.count[run], np.full(size, 1 / size))
        feature.append(np.repeat(paths.feature[run], size))
        node.append(windows.child(np.repeat(paths.node[run], size), np.tile(np.arange(size), len(run))))
        count.append(met.astype(np.int64).ravel())
    return _merged(np.concatenate(feature), np.concatenate(node), np.concatenate(count), windows.n_nodes)


def _merged(feature: NDArray[np.intp], node: NDArray[np.intp], count: NDArray[np.int64], n_nodes: int) -> Paths:
    """Every node of a feature once, those that are not met left out."""
    order = np.argsort(feature * n_nodes + node, kind="stable")
    order = order[count[order] > 0]
    feature, node, count = feature[order], node[order], count[order]
    new = np.flatnonzero(np.diff(feature * n_nodes + node, prepend=-1))
    return Paths(feature[new], node[new], np.add.reduceat(count, new) if len(new) else count)
