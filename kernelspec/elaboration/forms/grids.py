"""Grids of kernels: image(…), conv(…) and full(…)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from kernelspec.activations.activation import Activation
from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.forms.form import Form, arguments_of, whole_number
from kernelspec.elaboration.scope import Columns, Definitions, Elaborator
from kernelspec.errors import DimensionError, RangeError, TypeMismatchError
from kernelspec.expressions.elementary import known_number
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.discrete import Circle
from kernelspec.kernels.nodes.columns_and_lags import Unavailable
from kernelspec.kernels.nodes.skeleton import Image, Layer, Padding, Skeleton, Windows
from kernelspec.language import nodes
from kernelspec.limits import MAX_COLUMNS
from kernelspec.loading import suggest
from kernelspec.tables.cells import UnitSphere

__all__ = ["CONV", "FULL", "IMAGE", "Grid", "grid_of", "mean_of", "mean_size"]

_LARGEST = 1_000_000


@dataclass(frozen=True)
class Grid:
    """A grid of kernels: an image and the layers above it. Neither a kernel nor a number.

    Its nodes are those of the last layer, or the averages over several layers, `top`, counted from the end; the image
    comes first. `image` is None while its size is unknown, as for free parameters.
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
    """The grid whose nodes are averages of those at the same places; shared layers appear once.

    Raises ValueError for grids of different shapes, or over different images.
    """
    image, shape = grids[0].image, grids[0].shape
    if any(grid.image is None for grid in grids):
        return Grid(None)
    if any(grid.image != image for grid in grids):
        raise ValueError("they have different images")
    for grid in grids:
        if grid.shape != shape:
            shown = (f"{height} × {width} × {channels}" for height, width, channels in (shape, grid.shape))
            raise ValueError("one has {} nodes, another {}".format(*shown))
    numbers: dict[tuple[Activation, Windows, tuple[int, ...]], int] = {}
    tops = []
    for grid in grids:
        own = [0]  # the index of each of this grid's layers in the whole
        for layer in grid.layers:
            key = (layer.activation, layer.windows, tuple(own[back] for back in layer.below))
            own.append(numbers.setdefault(key, len(numbers) + 1))
        tops.append([own[back] for back in grid.top])
    shares = mean_size(grids) // len(grids)
    top = [number for numbered in tops for number in numbered * (shares // len(numbered))]
    layers = (Layer(a, windows, tuple(i - number for i in below)) for (a, windows, below), number in numbers.items())
    return Grid(image, tuple(layers), tuple(number - len(numbers) - 1 for number in top))


def mean_size(grids: Sequence[Grid]) -> int:
    """The number of layers at the top of an average of these grids; averages of averages double it line by line."""
    return len(grids) * lcm(*(len(grid.top) for grid in grids))


def grid_of(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions, where: str) -> Grid:
    """The grid that an expression denotes. Raises TypeMismatchError if it is not one."""
    value = elaborator.value(node, columns, scope)
    if isinstance(value, Grid):
        return value
    raise TypeMismatchError(
        f"{where} must be a grid: image(…), conv(…) or mean(…) of grids; full(…) is a kernel", node.span
    )


_IMAGE_SHOWN = "image(height, width, channels, base=circle())"
_ROUNDING = 1e-9


def _image(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Grid:
    names = ("height", "width", "channels")
    given = match_arguments(node, [*names, "base"], _IMAGE_SHOWN)
    require_arguments(node, given, names, _IMAGE_SHOWN)
    sizes = [
        whole_number(elaborator, given[name], columns, scope, f"'{name}' of image()", 1, _LARGEST) for name in names
    ]
    base: Kernel = Circle(dim=1, span=node.span)
    if "base" in given:
        base = elaborator.kernel(given["base"], Columns(1), scope)
        _check(base, given["base"])
    height, width, channels = sizes
    if height is None or width is None or channels is None:
        return Grid(None)
    many = height * width * channels
    if many > MAX_COLUMNS:
        raise RangeError(f"image() has {many:,} columns here, but at most {MAX_COLUMNS:,} are allowed", node.span)
    shown = f"image({height}, {width}, {channels}) reads {many} column{'s' if many != 1 else ''}"
    if not columns.given:
        raise DimensionError(
            f"{shown}, but the spec only names some: select them, as in full(…)[0:{many}], or set columns=", node.span
        )
    if columns.count is None and not elaborator.checking:
        raise DimensionError(f"{shown}: set dim={many} or columns=", node.span)
    if columns.count not in (None, many):
        raise DimensionError(
            f"{shown}, by row, column and channel, and there {'is' if columns.count == 1 else 'are'} "
            f"{columns.counted()} here: select {many}, as in full(…)[0:{many}]",
            node.span,
        )
    return Grid(Image(height, width, channels, base))


def _check(base: Kernel, node: nodes.Expression) -> None:
    """Raise for a base kernel whose samples exceed k(x, x), or that is not 1 at x = y."""
    for part in base.parts():
        if isinstance(part, Leaf) and isinstance(getattr(part, "domain", None), UnitSphere):
            raise TypeMismatchError(f"{part} is a kernel on several columns: for one column, use binary()", node.span)
    if not base.has_constant_diagonal:
        name = next(part.name for part in base.parts() if isinstance(part, Leaf) and not part.has_constant_diagonal)
        raise RangeError(f"the base of image() needs k(x, x) = 1, but {name}() is unbounded", node.span)
    here, largest = known_number(base.diagonal()), known_number(base.magnitude())
    if here is not None and largest is not None and largest > max(here, 0.0) + _ROUNDING * largest:
        raise RangeError(
            "the base of image() needs samples no larger than k(x, x), but they have size "
            f"{largest:.6g} where k(x, x) = {here:.6g}, as those of differences and shifts of kernels do",
            node.span,
        )
    if here is not None and abs(here - 1) > _ROUNDING:
        way_out = ": write base=normalize(…)" if here > 0 else ""
        raise RangeError(f"the base of image() needs k(x, x) = 1, but it is {here:g}{way_out}", node.span)


IMAGE = Form(_IMAGE_SHOWN, "a grid of base kernels, one on every column", _image)


_CONV_SHOWN = "conv(activation, size, stride=1, padding=valid, input=…)"
_PADDINGS: tuple[Padding, ...] = ("valid", "same")


def _conv(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Grid:
    given = match_arguments(node, ["activation", "size", "stride", "padding", "input"], _CONV_SHOWN)
    require_arguments(node, given, ("activation", "size", "input"), _CONV_SHOWN)
    activation = elaborator.activation(given["activation"], columns, scope)
    size = whole_number(elaborator, given["size"], columns, scope, "'size' of conv()", 1, _LARGEST)
    stride: int | None = 1
    if "stride" in given:
        stride = whole_number(elaborator, given["stride"], columns, scope, "'stride' of conv()", 1, _LARGEST)
    padding = _padding(given["padding"]) if "padding" in given else "valid"
    below = grid_of(elaborator, given["input"], columns, scope, "'input' of conv()")
    if size is None or stride is None:
        return Grid(None)
    try:
        return below.under(activation, size, stride, padding)
    except ValueError as error:
        raise RangeError(f"{error}: use a smaller size, or padding=same", given["size"].span) from None


def _padding(node: nodes.Expression) -> Padding:
    written = node.identifier if isinstance(node, nodes.Name) else ""
    for padding in _PADDINGS:
        if written == padding:
            return padding
    raise TypeMismatchError(f"'padding' of conv() must be valid or same{suggest(written, _PADDINGS)}", node.span)


CONV = Form(_CONV_SHOWN, "σ̂ of the average over every window of a grid, a grid again", _conv)


def _full(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    written, below = arguments_of(node, "activation", "input")
    activation = elaborator.activation(written, columns, scope)
    grid = grid_of(elaborator, below, columns, scope, "'input' of full()").under(activation, None)
    if grid.image is None:  # while the spec is checked without parameter values
        return Unavailable(dim=columns.dim, span=node.span, form="full")
    return Skeleton(image=grid.image, layers=grid.layers, dim=columns.dim, span=node.span)


FULL = Form("full(activation, input=…)", "σ̂ of the average over a whole grid, image(…) or conv(…): a kernel", _full)
