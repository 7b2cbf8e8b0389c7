"""Compositional kernels over a grid of base kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.arguments import Scalar, Value
from kernelspec.kernels.image import Image, OfPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.moments import Moments
from kernelspec.kernels.pairs import NumericPairs
from kernelspec.kernels.skeleton_layer import Layer, counted
from kernelspec.kernels.verdict import Verdict

if TYPE_CHECKING:
    from kernelspec.features.sampler import Sampler
    from kernelspec.features.skeleton import SkeletonSampler
    from kernelspec.kernels.pairs import Pairs
    from kernelspec.measures.measure import Measure

__all__ = ["Skeleton"]

_ENTRIES = 2**21
"""Values of one layer held at a time, places × pairs: 16 MB, and two or three layers are held."""


@dataclass(frozen=True, kw_only=True)
class Skeleton(Kernel):
    """k_v = σ̂_v(mean of the k_u below v), from the base kernels of the image up to the one node of the last layer.

    One sample draws a degree l from the coefficients of σ̂_v and l nodes below at random, and multiplies theirs: σ̂_v′(1)
    is the expected number of factors. Reference: Daniely, Frostig, Gupta and Singer 2017, section 5.
    """

    image: Image
    layers: tuple[Layer, ...]

    def children(self) -> Iterator[Kernel]:
        """None that is a kernel on all columns: that of the image is one on a single column."""
        return iter(())

    # -- values ------------------------------------------------------------------------------------------------------

    def value(self, pairs: Pairs) -> Value:
        return self._through(pairs, self.image.base.value)

    def diagonal(self) -> Scalar:
        return 1

    def magnitude(self) -> Scalar:
        return 1

    def moments(self, pairs: Pairs) -> Moments:
        """A_v = σ̂_v(mean A_u), and B and the real share alike; samples of frequencies have |p| = 1 everywhere."""
        b = self._through(pairs, lambda one: self.image.base.moments(one).b)
        if self.image.base.is_fourier:
            return Moments(1, b, self.sparsity)
        a = self._through(pairs, lambda one: self.image.base.moments(one).a)
        return Moments(a, b, self._through(pairs, lambda one: self.image.base.moments(one).real))

    def verdict(self) -> Verdict:
        part = self.image.base.verdict()
        rules = (
            f"skeleton: {self._counted()}, {', then '.join(map(str, self.layers))}",
            "a mean of positive definite kernels is positive definite, and so is σ̂ of one, a power series with "
            "coefficients ≥ 0 [Schönberg 1942; Daniely, Frostig and Singer 2016]",
        )
        proved = part.positive_definite == "proved"
        reasons = (*part.reasons, *rules)
        return Verdict("proved" if proved else "unknown", reasons, part.symmetric, part.stationary)

    @property
    def is_stationary(self) -> bool:
        return self.image.base.is_stationary

    @property
    def is_fourier(self) -> bool:
        return False

    def transposed(self) -> Kernel:
        return replace(self, image=replace(self.image, base=self.image.base.transposed()))

    def measure(self) -> Measure:
        raise NotStationaryError(
            "the spectral measure of a skeleton is a mixture over all paths to its base kernels, which has no closed "
            "form here; its samples are drawn exactly"
        )

    def alternatives(self) -> Mapping[str, Kernel]:
        from kernelspec.kernels.varying import constant_apart

        below = self.image.base.alternatives()
        found: dict[str, Kernel] = {}
        if "category_phases" in below:
            image = replace(self.image, base=below["category_phases"])
            found["category_phases"] = replace(self, image=image)
        return found | constant_apart(self, self.sparsity)

    def sampler(self, positions: tuple[int, ...]) -> SkeletonSampler:
        from kernelspec.features.skeleton import SkeletonSampler

        return SkeletonSampler(self, positions)

    def varying_sampler(self, positions: tuple[int, ...]) -> Sampler:
        """Samples with at least one base factor."""
        return replace(self.sampler(positions), varying=True)

    # -- what it is --------------------------------------------------------------------------------------------------

    @property
    def complexity(self) -> Scalar:
        """C(S) = ∏ σ̂′(1) over the layers: the expected number of base factors of a sample; may be infinite."""
        means = [layer.activation.derivative_at_one() for layer in self.layers]
        return 0 if any(mean == 0 for mean in means) else prod(means)

    def lines(self) -> list[str]:
        """The skeleton from its base to its output, with the law of degrees of every layer and the size of samples."""
        shown = [self._counted(), *(layer.described() for layer in self.layers)]
        share = self.sparsity
        return [
            *shown,
            f"depth {len(self.layers)}, complexity C = {counted(self.complexity)}, the expected number of base factors "
            "of a sample",
            f"a sample is constant with probability {share:.3g}, and |p| ≤ 1",
        ]

    @property
    def sparsity(self) -> float:
        """The probability that a sample has no base factor at all: σ̂ of σ̂ … of 0."""
        found = np.zeros(1)
        for layer in self.layers:
            found = layer.activation.dual(found)
        return float(found[0])

    def __str__(self) -> str:
        shown = str(self.image)
        for layer in self.layers:
            shown = f"{str(layer)[:-1]}, input={shown})"
        return shown

    def _counted(self) -> str:
        image = self.image
        return f"{image.height} × {image.width} × {image.channels} nodes {image.base}"

    # -- how ---------------------------------------------------------------------------------------------------------

    def _through(self, pairs: Pairs, base: OfPairs) -> Value:
        """The values of `base` on every column, carried up through the layers."""
        if not isinstance(pairs, NumericPairs):
            return self._expression(pairs, base)
        found = np.empty(pairs.shape)
        most = max(1, _ENTRIES // max(self.image.height * self.image.width, self.image.channels))
        if pairs.grid:
            across = min(len(pairs.y), most)
            down = max(1, most // max(1, across))
            for left, x in pairs.x.blocks(down):
                for right, y in pairs.y.blocks(max(1, across)):
                    found[left, right] = self._block(replace(pairs, x=x, y=y), base)
        else:
            for part, x in pairs.x.blocks(most):
                found[part] = self._block(replace(pairs, x=x, y=pairs.y.take(part)), base)
        return found

    def _block(self, pairs: NumericPairs, base: OfPairs) -> NDArray[np.float64]:
        values = self.image.sums(pairs, base)
        for layer in self.layers:
            counts = layer.windows.counts.reshape(layer.windows.shape + (1,) * len(pairs.shape))
            values = layer.activation.dual(layer.windows.sums(values) / counts)
        return np.asarray(values[0, 0])

    def _expression(self, pairs: Pairs, base: OfPairs) -> Any:
        """The same in SymPy, node by node."""
        import sympy

        values = [sympy.S(base(pairs.select((i,)))) for i in range(self.image.n_nodes)]
        for layer in self.layers:
            below = [[values[i] for i in layer.windows.children(v)] for v in range(prod(layer.windows.shape))]
            values = [layer.activation.dual_expression(sympy.Add(*nodes) / len(nodes)) for nodes in below]
        return values[0]
