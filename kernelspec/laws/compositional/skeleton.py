"""Random features of skeletons: products of samples of base kernels along random paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelspec.catalogue import SAMPLERS
from kernelspec.expressions.arguments import Value
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.nodes.skeleton import Layer, Skeleton, Windows
from kernelspec.laws.columns_and_lags import Derived
from kernelspec.laws.compositional.base_products import (
    check_base,
    draw_factors,
    is_drawn_at_once,
    multiply_factors,
    multiply_sampled,
)
from kernelspec.laws.compositional.dual import draw_degree_sums
from kernelspec.laws.law import Cut, KernelLaw, Moments, columns_shown, indented, lost_by
from kernelspec.laws.rules import SCHEMES, closed_to, own_law
from kernelspec.laws.sums_and_products import ones
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples, gather

__all__ = ["Paths", "SkeletonLaw", "draw_paths"]

_FEW = 4  # up to this many draws per node below, each is drawn separately; else visits of all nodes are drawn at once


@dataclass(frozen=True)
class Paths:
    """Feature, node and number of visits, three arrays sorted by feature and node."""

    feature: NDArray[np.intp]
    node: NDArray[np.intp]
    count: NDArray[np.int64]

    def met(self) -> Paths:
        """Those with at least one visit."""
        kept = self.count > 0
        return Paths(self.feature[kept], self.node[kept], self.count[kept])

    def up_to(self, n: int) -> Paths:
        """Those of features 0, …, n − 1."""
        stop = int(np.searchsorted(self.feature, n))
        return Paths(self.feature[:stop], self.node[:stop], self.count[:stop])


def draw_paths(layers: Sequence[Layer], stream: Stream, n: int) -> Paths:
    """How often n independent features visit every node of the image below the layers.

    From the output down: a node visited m times, from any grids, has as its degree the sum of m draws from the degree
    distribution of its activation, and visits that many random nodes below, each in a random one of the grids below.
    Raises PlanError for features that are too large to draw. Reference: Daniely, Frostig, Gupta and Singer 2017,
    Algorithm 1.
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
    """Paths from several grids combined."""
    if len(parts) == 1:
        return parts[0]
    feature, node = (np.concatenate(each) for each in zip(*((part.feature, part.node) for part in parts), strict=True))
    return _merged(feature, node, np.concatenate([part.count for part in parts]), n_nodes)


def _shared(paths: Paths, stream: Stream, n: int) -> list[Paths]:
    """Every path in one of n grids, uniformly and independently."""
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
    # equal consecutive window sizes at once, which gives the same numbers as one by one
    for run in np.split(others, np.flatnonzero(np.diff(sizes[others])) + 1) if len(others) else []:
        size = int(sizes[run[0]])
        met = generator.multinomial(paths.count[run], np.full(size, 1 / size))
        feature.append(np.repeat(paths.feature[run], size))
        node.append(windows.child(np.repeat(paths.node[run], size), np.tile(np.arange(size), len(run))))
        count.append(met.astype(np.int64).ravel())
    return _merged(np.concatenate(feature), np.concatenate(node), np.concatenate(count), windows.n_nodes)


def _merged(feature: NDArray[np.intp], node: NDArray[np.intp], count: NDArray[np.int64], n_nodes: int) -> Paths:
    """Every visited node of a feature once."""
    order = np.argsort(feature * n_nodes + node, kind="stable")
    order = order[count[order] > 0]
    feature, node, count = feature[order], node[order], count[order]
    new = np.flatnonzero(np.diff(feature * n_nodes + node, prepend=-1))
    return Paths(feature[new], node[new], np.add.reduceat(count, new) if len(new) else count)


_OF_SINGLE_TERMS = frozenset({"binning", "category_phases", "gcws", "poisson"})

_TOGETHER = 256
"""Features drawn at a time; blocks are always complete, so that the first ones do not depend on how many follow."""


class _Block(NamedTuple):
    """A block of features from `start` on, with their paths and the stream of their factors."""

    stream: Stream
    start: int
    size: int
    paths: Paths


@dataclass(frozen=True)
class SkeletonLaw(KernelLaw, Derived):
    """p = ∏ p_u over the base nodes u at the ends of random paths down the skeleton.

    Over base kernels with frequencies the product is one phasor: the frequencies of each column add up, in one sparse
    matrix. Over binary() it is a product of columns; over match() the categories of columns are the key. Over any other
    base, every factor is a sample of it, on its column. `varying` samples are conditional on having a factor. Raises
    PlanError for a base whose samples may exceed 1. Reference: Daniely, Frostig, Gupta and Singer 2017, Algorithm 1.
    """

    kernel: Skeleton
    varying: bool = False

    def validate(self) -> None:
        super().validate()
        if self.base.dim not in (None, 1):
            raise ValueError(f"a law on {self.base.dim} columns is applied to every column of an image")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        check_base(self.kernel.image.base, self.base)
        blocks = list(self._blocks(stream.apart(), n))  # samples of the base are multiplied, so must be independent
        if is_drawn_at_once(self.base):
            return self._drawn_at_once(blocks, n, columns)
        products, over = [], str(self.kernel.image.base)
        for block in blocks:
            drawn = multiply_sampled(self.base, columns, block.stream, block.paths, block.size, over=over)
            products += [batch.relabelled(batch.index + block.start) for batch in drawn]
        return gather(products)

    def mean(self, pairs: Pairs) -> Value:
        return self.kernel.through(pairs, self.base.mean) if self.base.cuts else self.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        """A_v = σ̂_v(mean A_u), likewise B and the real share; samples of frequencies have |p| = 1 everywhere.

        Over tilted bases |p| is unbounded, and A is infinite beyond the radius of convergence.
        """
        through, base, numeric = self.kernel.through, self.base, isinstance(pairs, NumericPairs)
        b = through(pairs, lambda one: base.moments(one).b)
        if base.fourier_kernel() is not None:
            return Moments(1, b, self.kernel.sparsity if numeric else through(pairs, lambda one: 0))
        a = through(pairs, lambda one: base.moments(one).a)
        real = through(pairs, lambda one: base.moments(one).real)
        if not numeric:
            return Moments(a, b, real)
        finite = np.isfinite(a)
        return Moments(np.where(finite, a, np.inf), np.where(finite, b, 0.0), np.where(finite, real, 0.0))

    @property
    def cuts(self) -> tuple[Cut, ...]:
        incomplete = [layer for layer in self.kernel.layers if not layer.activation.is_complete]
        own = [Cut(f"{layer} {lost_by(layer.activation)}", 2 * layer.activation.omitted) for layer in incomplete]
        return tuple(dict.fromkeys([*own, *self.base.cuts]))

    @property
    def n_terms(self) -> int:
        return 1

    def work(self, n: int, nonzeros: float) -> float:
        return 0.0

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        first, *rest = self.kernel.lines()
        given = ""
        if self.varying:
            given = f", given that there is a factor, as {1 - self.kernel.sparsity:.3g} of all have"
            rest = rest[:-1]
        return [
            "products of base kernels along random paths of a skeleton on columns "
            f"{columns_shown(columns, names)}{given}",
            *indented([first, *rest]),
        ]

    def _drawn_at_once(self, blocks: Sequence[_Block], n: int, columns: tuple[int, ...]) -> list[Samples]:
        if not blocks:
            return []
        feature = np.concatenate([block.paths.feature + block.start for block in blocks])
        node = np.concatenate([block.paths.node for block in blocks])
        values = np.concatenate([draw_factors(self.base, block.stream, block.paths.count) for block in blocks])
        met, first = np.unique(feature, return_index=True)
        starts = np.append(first, len(feature)).astype(np.intp)
        products = multiply_factors(self.base, columns, node, values, starts)
        batches = [replace(products, index=met), ones(np.setdiff1d(np.arange(n), met))]
        return [batch for batch in batches if len(batch)]

    def _blocks(self, stream: Stream, n: int) -> Iterator[_Block]:
        """The paths of n features; blocks are drawn completely."""
        start, number = 0, 0
        while start < n:
            own = stream.child(number)
            paths, found = self._paths(own.child(0))
            size = min(found, n - start)
            yield _Block(own.child(1), start, size, paths.up_to(size))
            start += found
            number += 1

    def _paths(self, stream: Stream) -> tuple[Paths, int]:
        """The paths of a block of features, and their number."""
        if not self.varying:
            return draw_paths(self.kernel.layers, stream, _TOGETHER), _TOGETHER
        paths = draw_paths(self.kernel.layers, stream, ceil(_TOGETHER / (1 - self.kernel.sparsity)))
        met, feature = np.unique(paths.feature, return_inverse=True)
        return replace(paths, feature=feature.astype(np.intp)), len(met)


own_law.register(Skeleton, lambda kernel, below: SkeletonLaw(below(kernel.image.base), kernel))


@closed_to.register
def _(kernel: Skeleton) -> frozenset[str]:
    """All except those whose samples are one term of at most 1."""
    del kernel
    return frozenset((*SCHEMES, *SAMPLERS)) - _OF_SINGLE_TERMS
