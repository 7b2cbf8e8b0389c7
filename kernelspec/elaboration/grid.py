"""Grids of kernels: the values of image(…) and conv(…), from which full(…) makes a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

from kernelspec.errors import ParameterError, RangeError, TypeMismatchError
from kernelspec.kernels.nodes.image import Image
from kernelspec.kernels.nodes.skeleton_layer import Layer
from kernelspec.kernels.nodes.windows import Padding, Windows

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.elaboration.scope import Columns, Definitions
    from kernelspec.language import nodes

__all__ = ["Grid", "grid_of", "mean_of", "mean_size", "whole_number"]

_LARGEST = 1_000_000


@dataclass(frozen=True)
class Grid:
    """A grid of kernel nodes: an image and the layers above it. No kernel itself, and no number.

    Its nodes are those of the last layer, or the means of those of several, `top`, counted back from the end; the image
    is the first. `image` is None while its size is not known, as in a spec whose parameters have no values yet.
    """

    image: Image | None
    layers: tuple[Layer, ...] = ()
    top: tuple[int, ...] = (-1,)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and channels; the nodes of a layer have one channel."""
        last = len(self.layers) + self.top[0]
        if last >= 0:
            return (*self.layers[last].windows.shape, 1)
        return (0, 0, 0) if self.image is None else (self.image.height, self.image.width, self.image.channels)

    def under(self, activation: Activation, size: int | None, stride: int = 1, padding: Padding = "valid") -> Grid:
        """The grid with one more layer. Raises ValueError if no window fits."""
        if self.image is None:
            return self
        layer = Layer(activation, Windows(*self.shape, size, stride, padding), self.top)
        return Grid(self.image, (*self.layers, layer))


def mean_of(grids: Sequence[Grid]) -> Grid:
    """The grid whose nodes are the means of those at the same places; layers that are the same are there once.

    Raises ValueError for grids of different shapes, or over different images.
    """
    image, shape = grids[0].image, grids[0].shape
    if any(grid.image is None for grid in grids):
        return Grid(None)
    if any(grid.image != image for grid in grids):
        raise ValueError("they are over different images")
    for grid in grids:
        if grid.shape != shape:
            shown = (f"{height} × {width} × {channels}" for height, width, channels in (shape, grid.shape))
            raise ValueError("one has {} nodes and another {}".format(*shown))
    numbers: dict[tuple[Activation, Windows, tuple[int, ...]], int] = {}
    tops = []
    for grid in grids:
        own = [0]  # the number of every grid of this one among all
        for layer in grid.layers:
            key = (layer.activation, layer.windows, tuple(own[back] for back in layer.below))
            own.append(numbers.setdefault(key, len(numbers) + 1))
        tops.append([own[back] for back in grid.top])
    shares = mean_size(grids) // len(grids)
    top = [number for numbered in tops for number in numbered * (shares // len(numbered))]
    layers = (Layer(a, windows, tuple(i - number for i in below)) for (a, windows, below), number in numbers.items())
    return Grid(image, tuple(layers), tuple(number - len(numbers) - 1 for number in top))


def mean_size(grids: Sequence[Grid]) -> int:
    """How many layers the top of the mean of these grids lists; with means of means it doubles from line to line."""
    return len(grids) * lcm(*(len(grid.top) for grid in grids))


def grid_of(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions, where: str) -> Grid:
    """The grid an expression stands for. Raises TypeMismatchError if it is none."""
    value = elaborator.value(node, columns, scope)
    if isinstance(value, Grid):
        return value
    raise TypeMismatchError(
        f"{where} must be a grid: image(…), conv(…) over one, or the mean(…) of some; full(…) is a kernel already",
        node.span,
    )


def whole_number(
    elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions, where: str
) -> int | None:
    """The whole number from 1 to a million that an expression stands for; None while it is not known.

    Raises RangeError, TypeMismatchError, or ParameterError where a number that is not known is needed.
    """
    value = elaborator.number(elaborator.value(node, columns, scope), node, where)
    known = elaborator.arithmetic.known(value)
    if known is None:
        if elaborator.checking:
            return None
        raise ParameterError(f"{where} must be known here: give the parameter a value", node.span)
    if known != int(known) or not 1 <= known <= _LARGEST:
        raise RangeError(f"{where} must be a whole number from 1 to {_LARGEST:,}, not {known:g}", node.span)
    return int(known)
