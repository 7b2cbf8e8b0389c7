"""Compositional kernels over a grid of base kernels, layer by layer, each on square windows of the one below."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt, prod
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.activations.activation import Activation
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.kernel import Kernel, Verdict, under_power_series
from kernelspec.kernels.nodes.columns_and_lags import Tilt
from kernelspec.loading import sympy
from kernelspec.tables.rows import Rows

__all__ = ["Image", "Layer", "OfPairs", "Padding", "Skeleton", "Windows", "carried_up", "counted"]

_TOGETHER = 2**17  # values of one channel to compute at a time

_Value = TypeVar("_Value")
OfPairs: TypeAlias = Callable[[Any], Any]
"""A value, or a moment, of a kernel for pairs of rows."""


@dataclass(frozen=True)
class Image:
    """`base`, a one-column kernel, on every column: height × width places of `channels` nodes, in this order."""

    height: int
    width: int
    channels: int
    base: Kernel

    def validate(self) -> None:
        """Raise ValueError unless the kernel has one column, and there is at least one place."""
        if self.base.dim != 1 or min(self.height, self.width, self.channels) < 1:
            raise ValueError(f"an image has {self.height} × {self.width} places of kernels on {self.base.dim} columns")

    @property
    def n_nodes(self) -> int:
        """The number of columns."""
        return self.height * self.width * self.channels

    def sums(self, pairs: NumericPairs, of: OfPairs) -> NDArray[np.float64]:
        """`of` the pairs on one column, summed over the channels of every place, (height, width, *shape).

        If rows are numbers, the pairs of many columns are processed together, as rows of one column.
        """
        values = np.zeros((self.height * self.width, *pairs.shape))
        if pairs.x.categories or pairs.y.categories:
            for column in range(self.n_nodes):
                values[column // self.channels] += of(pairs.select((column,)))
        else:
            x, y = pairs.x.dense().T, pairs.y.dense().T
            is_value = pairs.grid and of == self.base.value
            many = max(1, _TOGETHER // max(1, prod(pairs.shape)))  # places
            for first in range(0, len(values), many):
                part = slice(first * self.channels, (first + many) * self.channels)
                sides = x[part].reshape(-1, self.channels, x.shape[1]), y[part].reshape(-1, self.channels, y.shape[1])
                found = self.base.sums_on_columns(*sides) if is_value else None
                if found is None:
                    found = _on_columns(x[part], y[part], pairs, of)
                    found = found.reshape(-1, self.channels, *pairs.shape).sum(axis=1)
                values[first : first + many] = found
        return values.reshape(self.height, self.width, *pairs.shape)

    def __str__(self) -> str:
        return f"image({self.height}, {self.width}, {self.channels}, base={self.base})"


def _on_columns(
    x: NDArray[np.float64], y: NDArray[np.float64], pairs: NumericPairs, of: OfPairs
) -> NDArray[np.float64]:
    """`of` the pairs on each of some columns x (p, n), y (p, m): (p, pairs)."""
    if pairs.grid:
        x, y = np.repeat(x, y.shape[1], axis=1), np.tile(y, (1, x.shape[1]))
    single = replace(pairs, x=Rows(x.reshape(-1, 1)), y=Rows(y.reshape(-1, 1)), grid=False)
    return np.broadcast_to(np.asarray(of(single), dtype=float), x.size).reshape(x.shape)


@dataclass(frozen=True)
class Layer:
    """σ̂ of the average over every window of the grid below, or of the average of several grids.

    `below` has the positions of the input grids relative to this one, as negative numbers; the image is the first.
    """

    activation: Activation
    windows: Windows
    below: tuple[int, ...] = (-1,)

    def __str__(self) -> str:
        """The layer without its input, as written in a spec."""
        if self.windows.size is None:
            return f"full({self.activation})"
        padding = "" if self.windows.padding == "valid" else f", padding={self.windows.padding}"
        return f"conv({self.activation}, size={self.windows.size}, stride={self.windows.stride}{padding})"

    def described(self) -> str:
        """The layer with its nodes, and the distribution of their degrees."""
        high, wide = self.windows.shape
        least, most = int(self.windows.counts.min()), int(self.windows.counts.max())
        below = str(most) if least == most else f"{least} to {most}"
        nodes = "1 node" if high * wide == 1 else f"{high} × {wide} nodes"
        first = ", ".join(f"{value:.3g}" for value in self.activation.coefficient(np.arange(4)))
        mean = counted(self.activation.mean_degree())
        if self.below != (-1,):
            grids = ", ".join(f"−{-back}" for back in self.below)
            below += f" in {'grid' if len(self.below) == 1 else 'the mean of grids'} {grids} (−1 is the line above)"
        return f"{self}: {nodes} of {below} below; degrees 0, 1, 2, 3, … with probability {first}, …; mean {mean}"


def counted(value: Scalar) -> str:
    """A number, possibly infinite, in a few digits."""
    return "infinite" if float(value) == float("inf") else f"{float(value):.4g}"


def carried_up(layers: Sequence[Layer], image: _Value, step: Callable[[Layer, list[_Value]], _Value]) -> _Value:
    """The value of the last grid, from that of the image: `step` of a layer and the values of the grids below it.

    Values are kept as long as a later layer needs them.
    """
    span = max(-back for layer in layers for back in layer.below)
    values = [image]
    for layer in layers:
        values = [*values, step(layer, [values[back] for back in layer.below])][-span:]
    return values[-1]


_ENTRIES = 2**21  # values of one layer per block, places × pairs: 16 MB, of which two or three layers are kept
_MOST_NODES = 2**24  # bounds for the image of a skeleton read from a file


@dataclass(frozen=True, kw_only=True)
class Skeleton(Kernel):
    """k_v = σ̂_v(mean of the k_u below v), from the base kernels of the image up to the single node of the last layer.

    Layers form a directed acyclic graph: each uses the previous grid or any earlier ones, and each grid is computed
    once. A sample draws a degree l from the coefficients of σ̂_v and l random nodes below, and multiplies their
    samples: σ̂_v′(1) is the expected number of factors. Reference: Daniely, Frostig, Gupta and Singer 2017, section 5.
    """

    image: Image
    layers: tuple[Layer, ...]

    def children(self) -> Iterator[Kernel]:
        """Empty, because the kernel of the image is on a single column."""
        return iter(())

    def bases(self) -> Iterator[Kernel]:
        return iter((self.image.base,))

    def validate(self) -> None:
        super().validate()
        image = self.image
        if image.n_nodes != self.dim or self.dim > _MOST_NODES:
            raise ValueError(f"an image of {image.n_nodes} nodes is applied to {self.dim} columns")
        grids = [(image.height, image.width, image.channels)]
        for layer in self.layers:
            if not layer.below or not all(-len(grids) <= back < 0 for back in layer.below):
                raise ValueError(f"a layer has invalid inputs {layer.below}")
            own = layer.windows
            if {grids[back] for back in layer.below} != {(own.height, own.width, own.channels)}:
                raise ValueError("the windows of a layer do not match the size of its input")
            grids.append((*own.shape, 1))
        if not self.layers or grids[-1] != (1, 1, 1):
            raise ValueError("a skeleton does not end in one node")

    # -- values ------------------------------------------------------------------------------------------------------

    def value(self, pairs: Pairs) -> Value:
        if not isinstance(pairs, NumericPairs):
            return self.through(pairs, self.image.base.value)
        found: Value = pairs.once("value", self, lambda: self.through(pairs, self.image.base.value))
        return found

    def diagonal(self) -> Scalar:
        return 1

    def magnitude(self) -> Scalar:
        return 1

    def verdict(self) -> Verdict:
        rules = (
            f"skeleton: {self._counted()}, {', then '.join(map(str, self.layers))}",
            "a mean of positive definite kernels is positive definite, and so is σ̂ of one, a power series with "
            "coefficients ≥ 0 [Schoenberg 1942; Daniely, Frostig and Singer 2016]",
        )
        return under_power_series(self.image.base.verdict(), rules, self.varies)

    @property
    def varies(self) -> bool | None:
        """Whether no σ̂ is constant, in which case they increase strictly. None if a parameter is a symbol."""
        try:
            return all(layer.activation.mean_degree() > 0 for layer in self.layers)
        except TypeError:
            return None

    def transposed(self) -> Kernel:
        return replace(self, image=replace(self.image, base=self.image.base.transposed()))

    # -- what it is --------------------------------------------------------------------------------------------------

    @property
    def complexity(self) -> Scalar:
        """C_v = σ̂_v′(1) · mean C_u, and 1 for the image: the expected number of base factors; may be infinite."""
        return carried_up(self.layers, 1, _complexity)

    @property
    def depth(self) -> int:
        """The number of layers on the longest path."""
        return carried_up(self.layers, 0, lambda _, below: 1 + max(below))

    def lines(self) -> list[str]:
        """The skeleton from its base to its output, with the degrees of every layer and the size of samples."""
        bound = "" if any(isinstance(part, Tilt) for part in self.image.base.parts()) else ", and |p| ≤ 1"
        return [
            self._counted(),
            *(layer.described() for layer in self.layers),
            f"depth {self.depth}, complexity C = {counted(self.complexity)}, the expected number of base factors "
            "of a sample",
            f"a sample is constant with probability {self.sparsity:.3g}{bound}",
        ]

    @property
    def sparsity(self) -> float:
        """The probability that a sample has no base factor: σ̂ of σ̂ … of 0."""
        found = carried_up(self.layers, np.zeros(1), lambda layer, below: layer.activation.dual(_mean(below)))
        return float(found[0])

    def __str__(self) -> str:
        return carried_up(self.layers, str(self.image), _written)

    def _counted(self) -> str:
        image = self.image
        return f"{image.height} × {image.width} × {image.channels} nodes {image.base}"

    # -- how ---------------------------------------------------------------------------------------------------------

    def through(self, pairs: Pairs, base: OfPairs) -> Value:
        """The values of `base` on every column, propagated through the layers."""
        if not isinstance(pairs, NumericPairs):
            return self._expression(pairs, base)
        found = np.empty(pairs.shape)
        most = max(1, _ENTRIES // max(self.image.height * self.image.width, self.image.channels))
        if pairs.grid:
            across = min(len(pairs.y), isqrt(most))  # square, as cosines are computed for every row of a block
            down = max(1, most // max(1, across))
            for left, x in pairs.x.blocks(down):
                for right, y in pairs.y.blocks(max(1, across)):
                    found[left, right] = self._block(replace(pairs, x=x, y=y), base)
        else:
            for part, x in pairs.x.blocks(most):
                found[part] = self._block(replace(pairs, x=x, y=pairs.y.take(part)), base)
        return found

    def _block(self, pairs: NumericPairs, base: OfPairs) -> NDArray[np.float64]:
        def step(layer: Layer, below: list[NDArray[np.float64]]) -> NDArray[np.float64]:
            counts = layer.windows.counts.reshape(layer.windows.shape + (1,) * len(pairs.shape))
            return _dual(layer.activation, layer.windows.sums(_mean(below)) / counts)

        with np.errstate(invalid="ignore"):  # tilts can give infinities of both signs
            return np.asarray(carried_up(self.layers, self.image.sums(pairs, base), step)[0, 0])

    def _expression(self, pairs: Pairs, base: OfPairs) -> Any:
        """The same in SymPy, node by node."""

        def step(layer: Layer, below: list[list[Any]]) -> list[Any]:
            mean = [sympy.Add(*parts) / len(parts) for parts in zip(*below, strict=True)]
            windows = [[mean[i] for i in layer.windows.children(v)] for v in range(prod(layer.windows.shape))]
            return [layer.activation.dual_of_expression(sympy.Add(*nodes) / len(nodes)) for nodes in windows]

        values = [sympy.S(base(pairs.select((i,)))) for i in range(self.image.n_nodes)]
        return carried_up(self.layers, values, step)[0]


def _mean(values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return values[0] if len(values) == 1 else np.asarray(np.mean(values, axis=0))


def _complexity(layer: Layer, below: list[Scalar]) -> Scalar:
    mean, parts = layer.activation.mean_degree(), sum(below)
    return 0 if mean == 0 or parts == 0 else mean * parts / len(below)


def _written(layer: Layer, below: list[str]) -> str:
    shown = below[0] if len(below) == 1 else f"mean({', '.join(below)})"
    return f"{str(layer)[:-1]}, input={shown})"


def _dual(activation: Activation, rho: NDArray[np.float64]) -> NDArray[np.float64]:
    """σ̂ of values between −1 and 1, and of others up to the radius of convergence; NaN beyond."""
    found = activation.dual(rho)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(np.isnan(found), activation.dual_at(rho), found) if np.isnan(found).any() else found


Padding = Literal["valid", "same"]
"""valid: only windows inside the grid; same: one per `stride` places, cut at the border."""


@dataclass(frozen=True)
class Windows:
    """Windows of size × size places, every `stride` places, over height × width places of `channels` nodes each.

    Without a size there is one window, the whole grid. Nodes are numbered by row, column and channel; windows, which
    have one node each, by row and column. With padding "same" there are ⌈height/stride⌉ × ⌈width/stride⌉ windows,
    centred as far as possible and cut at the border. Raises ValueError if no window fits.
    """

    height: int
    width: int
    channels: int
    size: int | None = None
    stride: int = 1
    padding: Padding = "valid"

    def __post_init__(self) -> None:
        if self.size is not None and self.padding == "valid" and self.size > min(self.height, self.width):
            raise ValueError(
                f"a window of {self.size} × {self.size} does not fit into a grid of {self.height} × {self.width} places"
            )

    def validate(self) -> None:
        """Raise ValueError for a grid or a window without places."""
        if min(self.height, self.width, self.channels, self.stride, 1 if self.size is None else self.size) < 1:
            raise ValueError(f"a grid or a window has no places: {self}")
        if max(self.height, self.width, self.channels) >= 2**31:
            raise ValueError(f"a grid has too many places: {self}")

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the grid of windows."""
        return len(self.rows[0]), len(self.columns[0])

    @property
    def n_nodes(self) -> int:
        """The nodes of the grid below."""
        return self.height * self.width * self.channels

    @cached_property
    def rows(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """First row of each row of windows, and the row after its last."""
        return self._spans(self.height)

    @cached_property
    def columns(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """First column of each column of windows, and the column after its last."""
        return self._spans(self.width)

    @property
    def counts(self) -> NDArray[np.intp]:
        """The number of nodes in every window, (height, width) of the grid of windows."""
        high, wide = (stop - start for start, stop in (self.rows, self.columns))
        return np.asarray(np.multiply.outer(high, wide) * self.channels)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over the windows of values (height, width, …) that are already summed over channels.

        First over rows, then over columns, so sums of ones are exact.
        """
        return _summed(_summed(values, 0, *self.rows), 1, *self.columns)

    def child(self, window: NDArray[np.intp], which: NDArray[np.intp]) -> NDArray[np.intp]:
        """The numbers of the `which`-th nodes of windows, counted by row, column and channel."""
        across = self.shape[1]
        first, last = (edge[window % across] for edge in self.columns)
        place, channel = np.divmod(which, self.channels)
        row, column = np.divmod(place, last - first)
        return ((self.rows[0][window // across] + row) * self.width + first + column) * self.channels + channel

    def children(self, window: int) -> NDArray[np.intp]:
        """The node numbers of one window."""
        which = np.arange(int(self.counts.ravel()[window]))
        return self.child(np.full(len(which), window), which)

    def _spans(self, length: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        if self.size is None:
            return np.array([0]), np.array([length])
        if self.padding == "valid":
            start = np.arange(0, length - self.size + 1, self.stride)
            return start, start + self.size
        many = -(-length // self.stride)
        outside = max((many - 1) * self.stride + self.size - length, 0)
        start = np.arange(many) * self.stride - outside // 2
        return np.maximum(start, 0), np.minimum(start + self.size, length)


def _summed(
    values: NDArray[np.float64], axis: int, starts: NDArray[np.intp], stops: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Sums over spans of one axis."""
    parts = [values[(slice(None),) * axis + (slice(a, b),)].sum(axis=axis) for a, b in zip(starts, stops, strict=True)]
    return np.stack(parts, axis=axis)
