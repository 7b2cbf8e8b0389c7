"""Random features of skeletons: sparse frequencies, drawn for all features at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.features.base_products import check_base, draw_factors, multiply_factors
from kernelspec.features.runs import ones
from kernelspec.features.sampler import Sampler, columns_shown, indented
from kernelspec.features.skeleton_paths import Paths, draw_paths

if TYPE_CHECKING:
    from kernelspec.features.samples import Samples
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.kernels.skeleton import Skeleton
    from kernelspec.streams import Stream

__all__ = ["SkeletonSampler"]

_TOGETHER = 256
"""Features drawn at a time, always all of them: the first ones do not depend on how many follow."""


@dataclass(frozen=True)
class SkeletonSampler(Sampler):
    """p = ∏ p_u over the base nodes u that random paths down the skeleton end at.

    Over base kernels with frequencies the product is one phasor: the frequencies of each column add up, in one sparse
    matrix. Over binary() it is a product of columns, over match() the categories of columns are the key. Samples that
    are `varying` are given that they have a factor. Raises PlanError for other base kernels.
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
        parts, start, block = [], 0, 0
        while start < n:
            own = stream.child(block)
            paths, found = self._paths(own.child(0))
            kept = paths.feature < n - start  # after everything has been drawn
            values = draw_factors(self.base, own.child(1), paths.count)[kept]
            parts.append((paths.feature[kept] + start, paths.node[kept], values))
            start += found
            block += 1
        if not parts:
            return []
        feature, node, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        met, first = np.unique(feature, return_index=True)
        starts = np.append(first, len(feature)).astype(np.intp)
        products = multiply_factors(self.base, self.positions, node, values, starts)
        batches = [replace(products, index=met), ones(np.setdiff1d(np.arange(n), met))]
        return [batch for batch in batches if len(batch)]

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
        given = ", given that there is a factor" if self.varying else ""
        return [
            "products of base kernels along random paths of a skeleton on columns "
            f"{columns_shown(self.positions, names)}{given}",
            *indented([first, *rest]),
        ]

    @property
    def _of_base(self) -> Sampler:
        return self.base.sampler((0,))

    def _paths(self, stream: Stream) -> tuple[Paths, int]:
        """The paths of a block of features, and how many these are."""
        if not self.varying:
            return draw_paths(self.skeleton.layers, stream, _TOGETHER), _TOGETHER
        paths = draw_paths(self.skeleton.layers, stream, ceil(_TOGETHER / (1 - self.skeleton.sparsity)))
        met, feature = np.unique(paths.feature, return_inverse=True)
        return replace(paths, feature=feature.astype(np.intp)), len(met)
