"""Random features of skeletons: products of samples of base kernels at the ends of random paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernelspec.laws.compositional.base_products import check_base, draw_factors, is_drawn_at_once, multiply_factors
from kernelspec.laws.compositional.sampled_products import multiply_sampled
from kernelspec.laws.compositional.skeleton_paths import Paths, draw_paths
from kernelspec.laws.runs import ones
from kernelspec.laws.sampler import Sampler, columns_shown, indented
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import gather

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.kernels.nodes.skeleton import Skeleton
    from kernelspec.samples.samples import Samples

__all__ = ["SkeletonSampler"]

_TOGETHER = 256
"""Features drawn at a time, always all of them: the first ones do not depend on how many follow."""


class _Block(NamedTuple):
    """Features from `start` on, so many, with their paths and the stream of their factors."""

    stream: Stream
    start: int
    size: int
    paths: Paths


@dataclass(frozen=True)
class SkeletonSampler(Sampler):
    """p = ∏ p_u over the base nodes u that random paths down the skeleton end at.

    Over base kernels with frequencies the product is one phasor: the frequencies of each column add up, in one sparse
    matrix. Over binary() it is a product of columns, over match() the categories of columns are the key. Over any other
    base every factor is a sample of it, on its column. Samples that are `varying` are given that they have a factor.
    Raises PlanError for a base whose samples may be larger than 1.
    Reference: Daniely, Frostig, Gupta and Singer 2017, Algorithm 1.
    """

    skeleton: Skeleton
    positions: tuple[int, ...]
    varying: bool = False

    def __post_init__(self) -> None:
        check_base(self.base)

    @property
    def base(self) -> Kernel:
        """The kernel on every column."""
        return self.skeleton.image.base

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        blocks = list(self._blocks(stream, n))
        if is_drawn_at_once(self.base):
            return self._drawn_at_once(blocks, n)
        products = []
        for block in blocks:
            drawn = multiply_sampled(self.base, self.positions, block.stream, block.paths, block.size)
            products += [batch.relabelled(batch.index + block.start) for batch in drawn]
        return gather(products)

    @property
    def has_phasor(self) -> bool:
        return self._of_base.has_phasor

    @property
    def has_key(self) -> bool:
        return self._of_base.has_key

    @property
    def has_amplitude(self) -> bool:
        return self._of_base.has_amplitude

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        first, *rest = self.skeleton.lines()
        given = ""
        if self.varying:
            given = f", given that there is a factor, as {1 - self.skeleton.sparsity:.3g} of all have"
            rest = rest[:-1]
        return [
            "products of base kernels along random paths of a skeleton on columns "
            f"{columns_shown(self.positions, names)}{given}",
            *indented([first, *rest]),
        ]

    @property
    def _of_base(self) -> Sampler:
        return self.base.sampler((0,))

    def _drawn_at_once(self, blocks: Sequence[_Block], n: int) -> list[Samples]:
        if not blocks:
            return []
        feature = np.concatenate([block.paths.feature + block.start for block in blocks])
        node = np.concatenate([block.paths.node for block in blocks])
        values = np.concatenate([draw_factors(self.base, block.stream, block.paths.count) for block in blocks])
        met, first = np.unique(feature, return_index=True)
        starts = np.append(first, len(feature)).astype(np.intp)
        products = multiply_factors(self.base, self.positions, node, values, starts)
        batches = [replace(products, index=met), ones(np.setdiff1d(np.arange(n), met))]
        return [batch for batch in batches if len(batch)]

    def _blocks(self, stream: Stream, n: int) -> Iterator[_Block]:
        """The paths of n features; those of a block are all drawn, whether or not all are needed."""
        start, number = 0, 0
        while start < n:
            own = stream.child(number)
            paths, found = self._paths(own.child(0))
            size = min(found, n - start)
            yield _Block(own.child(1), start, size, paths.up_to(size))
            start += found
            number += 1

    def _paths(self, stream: Stream) -> tuple[Paths, int]:
        """The paths of a block of features, and how many these are."""
        if not self.varying:
            return draw_paths(self.skeleton.layers, stream, _TOGETHER), _TOGETHER
        paths = draw_paths(self.skeleton.layers, stream, ceil(_TOGETHER / (1 - self.skeleton.sparsity)))
        met, feature = np.unique(paths.feature, return_inverse=True)
        return replace(paths, feature=feature.astype(np.intp)), len(met)
