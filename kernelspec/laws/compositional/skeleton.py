"""Random features of skeletons: products of samples of base kernels at the ends of random paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.catalogue import SCHEMES
from kernelspec.laws.columns_shown import columns_shown, indented
from kernelspec.laws.compositional.base_products import check_base, draw_factors, is_drawn_at_once, multiply_factors
from kernelspec.laws.compositional.sampled_products import multiply_sampled
from kernelspec.laws.compositional.skeleton_paths import Paths, draw_paths
from kernelspec.laws.cut import Cut, lost_by
from kernelspec.laws.derived import Derived
from kernelspec.laws.moments import Moments
from kernelspec.laws.rules import Below, closed_to, own_law
from kernelspec.laws.runs import ones
from kernelspec.notation.pairs import NumericPairs
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import gather

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.samples.samples import Samples

__all__ = ["SkeletonLaw"]

_OF_SINGLE_TERMS = frozenset({"binning", "category_phases", "gcws", "poisson"})

_TOGETHER = 256
"""Features drawn at a time, always all of them: the first ones do not depend on how many follow."""


class _Block(NamedTuple):
    """Features from `start` on, so many, with their paths and the stream of their factors."""

    stream: Stream
    start: int
    size: int
    paths: Paths


@dataclass(frozen=True)
class SkeletonLaw(Derived):
    """p = ∏ p_u over the base nodes u that random paths down the skeleton end at.

    Over base kernels with frequencies the product is one phasor: the frequencies of each column add up, in one sparse
    matrix. Over binary() it is a product of columns, over match() the categories of columns are the key. Over any other
    base every factor is a sample of it, on its column. Samples that are `varying` are given that they have a factor.
    Raises PlanError for a base whose samples may be larger than 1.
    Reference: Daniely, Frostig, Gupta and Singer 2017, Algorithm 1.
    """

    kernel: Skeleton
    varying: bool = False

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    def validate(self) -> None:
        super().validate()
        if self.base.dim not in (None, 1):
            raise ValueError(f"a law on {self.base.dim} columns stands on every column of an image")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        check_base(self.kernel.image.base, self.base)
        blocks = list(self._blocks(stream.apart(), n))  # samples of the base are multiplied
        if is_drawn_at_once(self.base):
            return self._drawn_at_once(blocks, n, columns)
        products, over = [], str(self.kernel.image.base)
        for block in blocks:
            drawn = multiply_sampled(self.base, columns, block.stream, block.paths, block.size, over=over)
            products += [batch.relabelled(batch.index + block.start) for batch in drawn]
        return gather(products)

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        del stream, counts, columns
        return None

    def value(self, pairs: Pairs) -> Value:
        return self.kernel.value(pairs)

    def mean(self, pairs: Pairs) -> Value:
        return self.kernel.through(pairs, self.base.mean) if self.base.cuts else self.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        """A_v = σ̂_v(mean A_u), and B and the real share alike; samples of frequencies have |p| = 1 everywhere.

        Over bases that are tilted |p| has no bound, and A is infinite where it leaves the radius of convergence.
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

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude()

    @property
    def cuts(self) -> tuple[Cut, ...]:
        incomplete = [layer for layer in self.kernel.layers if not layer.activation.is_complete]
        own = [Cut(f"{layer} {lost_by(layer.activation)}", 2 * layer.activation.omitted) for layer in incomplete]
        return tuple(dict.fromkeys([*own, *self.base.cuts]))

    @property
    def n_terms(self) -> int:
        return 1

    def work(self, n: int, nonzeros: float) -> float:
        del n, nonzeros
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
            return draw_paths(self.kernel.layers, stream, _TOGETHER), _TOGETHER
        paths = draw_paths(self.kernel.layers, stream, ceil(_TOGETHER / (1 - self.kernel.sparsity)))
        met, feature = np.unique(paths.feature, return_inverse=True)
        return replace(paths, feature=feature.astype(np.intp)), len(met)


@own_law.register
def _(kernel: Skeleton, below: Below) -> SkeletonLaw:
    return SkeletonLaw(below(kernel.image.base), kernel)


@closed_to.register
def _(kernel: Skeleton) -> frozenset[str]:
    """All but those whose samples are one term of at most 1."""
    del kernel
    return frozenset(SCHEMES) - _OF_SINGLE_TERMS
