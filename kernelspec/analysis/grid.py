"""Grids of kernels: the values of image(…) and conv(…), from which full(…) makes a kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kernelspec.errors import ParameterError, RangeError, TypeMismatchError
from kernelspec.kernels.image import Image
from kernelspec.kernels.skeleton_layer import Layer
from kernelspec.kernels.windows import Padding, Windows

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.analysis.elaborate import Elaborator
    from kernelspec.analysis.scope import Columns, Definitions
    from kernelspec.language import nodes

__all__ = ["Grid", "grid_of", "whole_number"]

_LARGEST = 1_000_000


@dataclass(frozen=True)
class Grid:
    """A grid of kernel nodes: an image and the layers above it. No kernel itself, and no number.

    `image` is None while its size is not known, as in a spec whose parameters have no values yet.
    """

    image: Image | None
    layers: tuple[Layer, ...] = ()

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and channels of the uppermost layer, whose nodes have one channel unless it is the image."""
        if self.layers:
            return (*self.layers[-1].windows.shape, 1)
        return (0, 0, 0) if self.image is None else (self.image.height, self.image.width, self.image.channels)

    def under(self, activation: Activation, size: int | None, stride: int = 1, padding: Padding = "valid") -> Grid:
        """The grid with one more layer. Raises ValueError if no window fits."""
        if self.image is None:
            return self
        layer = Layer(activation, Windows(*self.shape, size, stride, padding))
        return replace(self, layers=(*self.layers, layer))


def grid_of(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions, where: str) -> Grid:
    """The grid an expression stands for. Raises TypeMismatchError if it is none."""
    value = elaborator.value(node, columns, scope)
    if isinstance(value, Grid):
        return value
    raise TypeMismatchError(
        f"{where} must be a grid: image(…), or conv(…) over one; full(…) is a kernel already", node.span
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
