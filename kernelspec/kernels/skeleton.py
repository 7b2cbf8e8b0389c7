"""Compositional kernels over a grid of base kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.activations.activation import Activation
from kernelspec.errors import NotStationaryError
from kernelspec.kernels.arguments import Scalar, Value
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.moments import Moments
from kernelspec.kernels.pairs import NumericPairs
from kernelspec.kernels.verdict import Verdict
from kernelspec.kernels.windows import Windows
from kernelspec.rows import Rows

if TYPE_CHECKING:
    from kernelspec.features.sampler import Sampler
    from kernelspec.kernels.pairs import Pairs
    from kernelspec.measures.measure import Measure

__all__ = ["Image", "Layer", "Skeleton"]

_ENTRIES = 2**21
"""Values of one layer held at a time, places × pairs: 16 MB, and two or three layers are held."""

_TOGETHER = 2**17
"""Values of one channel computed at a time."""

_Of = Callable[[Any], Any]


@dataclass(frozen=True)
class Image:
    """`base`, a kernel on one column, on every column: height × width places of `channels` nodes, in this order."""

    height: int
    width: int
    channels: int
    base: Kernel

    @property
    def n_nodes(self) -> int:
        """The number of columns."""
        return self.height * self.width * self.channels

    def sums(self, pairs: NumericPairs, of: _Of) -> NDArray[np.float64]:
        """`of` the pairs on one column, summed over the channels of every place, (height, width, *shape).

        Where rows are numbers the pairs of many columns are taken at a time, as rows of one column.
        """
        values = np.zeros((self.height * self.width, *pairs.shape))
        if pairs.x.categories or pairs.y.categories:
            for column in range(self.n_nodes):
                values[column // self.channels] += of(pairs.select((column,)))
        else:
            x, y = pairs.x.dense().T, pairs.y.dense().T
            many = max(1, _TOGETHER // max(1, prod(pairs.shape)))  # places
            for first in range(0, len(values), many):
                part = slice(first * self.channels, (first + many) * self.channels)
                found = _on_columns(x[part], y[part], pairs, of).reshape(-1, self.channels, *pairs.shape)
                values[first : first + many] = found.sum(axis=1)
        return values.reshape(self.height, self.width, *pairs.shape)

    def __str__(self) -> str:
        return f"image({self.height}, {self.width}, {self.channels}, base={self.base})"


@dataclass(frozen=True)
class Layer:
    """σ̂ of the mean over every window of the grid below."""

    activation: Activation
    windows: Windows

    def __str__(self) -> str:
        """The layer without its input, as it is written in a spec."""
        if self.windows.size is None:
            return f"full({self.activation})"
        padding = "" if self.windows.padding == "valid" else f", padding={self.windows.padding}"
        return f"conv({self.activation}, size={self.windows.size}, stride={self.windows.stride}{padding})"


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

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.features.skeleton import SkeletonSampler

        return SkeletonSampler(self, positions)

    # -- what it is --------------------------------------------------------------------------------------------------

    @property
    def complexity(self) -> Scalar:
        """C(S) = ∏ σ̂′(1) over the layers: the expected number of base factors of a sample; may be infinite."""
        return prod(layer.activation.derivative_at_one() for layer in self.layers)

    def lines(self) -> list[str]:
        """The skeleton from its base to its output, with the law of degrees of every layer and the size of samples."""
        shown = [self._counted()]
        for layer in self.layers:
            high, wide = layer.windows.shape
            least, most = int(layer.windows.counts.min()), int(layer.windows.counts.max())
            size = str(most) if least == most else f"{least} to {most}"
            nodes = "1 node" if high * wide == 1 else f"{high} × {wide} nodes"
            shown.append(f"{layer}: {nodes} of {size} below; {_degrees(layer.activation)}")
        share = self.sparsity
        return [
            *shown,
            f"depth {len(self.layers)}, complexity C = {_size(self.complexity)}, the expected number of base factors "
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

    def _through(self, pairs: Pairs, base: _Of) -> Value:
        """The values of `base` on every column, carried up through the layers."""
        if not isinstance(pairs, NumericPairs):
            return self._expression(pairs, base)
        found = np.empty(pairs.shape)
        most = max(1, _ENTRIES // (self.image.height * self.image.width))
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

    def _block(self, pairs: NumericPairs, base: _Of) -> NDArray[np.float64]:
        values = self.image.sums(pairs, base)
        for layer in self.layers:
            counts = layer.windows.counts.reshape(layer.windows.shape + (1,) * len(pairs.shape))
            values = layer.activation.dual(layer.windows.sums(values) / counts)
        return np.asarray(values[0, 0])

    def _expression(self, pairs: Pairs, base: _Of) -> Any:
        """The same in SymPy, node by node."""
        import sympy

        values = [sympy.S(base(pairs.select((i,)))) for i in range(self.image.n_nodes)]
        for layer in self.layers:
            below = [[values[i] for i in layer.windows.children(v)] for v in range(prod(layer.windows.shape))]
            values = [layer.activation.dual_expression(sympy.Add(*nodes) / len(nodes)) for nodes in below]
        return values[0]


def _on_columns(x: NDArray[np.float64], y: NDArray[np.float64], pairs: NumericPairs, of: _Of) -> NDArray[np.float64]:
    """`of` the pairs on each of some columns x (p, n), y (p, m): (p, pairs)."""
    if pairs.grid:
        x, y = np.repeat(x, y.shape[1], axis=1), np.tile(y, (1, x.shape[1]))
    single = replace(pairs, x=Rows(x.reshape(-1, 1)), y=Rows(y.reshape(-1, 1)), grid=False)
    return np.broadcast_to(np.asarray(of(single), dtype=float), x.size).reshape(x.shape)


def _degrees(activation: Activation) -> str:
    """The law of degrees of a layer: its first coefficients and its mean."""
    first = ", ".join(f"{value:.3g}" for value in activation.coefficient(np.arange(4)))
    return f"degrees 0, 1, 2, 3, … with probability {first}, …; mean {_size(activation.derivative_at_one())}"


def _size(value: Scalar) -> str:
    """A number, perhaps infinite, in a few digits."""
    return "infinite" if float(value) == float("inf") else f"{float(value):.4g}"
