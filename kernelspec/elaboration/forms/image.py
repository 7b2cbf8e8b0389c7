"""A grid of base kernels, one on every column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.forms.form import Form
from kernelspec.elaboration.grid import Grid, whole_number
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import DimensionError, RangeError, TypeMismatchError
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.circle import Circle
from kernelspec.kernels.nodes.image import Image
from kernelspec.limits import MAX_COLUMNS
from kernelspec.notation.elementary import known_number
from kernelspec.tables.domain import UnitSphere

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["IMAGE"]

_SHOWN = "image(height, width, channels, base=circle())"
_ROUNDING = 1e-9


def _image(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Grid:
    names = ("height", "width", "channels")
    given = match_arguments(node, [*names, "base"], _SHOWN)
    require_arguments(node, given, names, _SHOWN)
    sizes = [whole_number(elaborator, given[name], columns, scope, f"'{name}' of image()") for name in names]
    base: Kernel = Circle(dim=1, span=node.span)
    if "base" in given:
        base = elaborator.kernel(given["base"], Columns(1), scope)
        _check(base, given["base"])
    height, width, channels = sizes
    if height is None or width is None or channels is None:
        return Grid(None)
    many = height * width * channels
    if many > MAX_COLUMNS:
        raise RangeError(f"image() has {many:,} columns here, and at most {MAX_COLUMNS:,} are allowed", node.span)
    shown = f"image({height}, {width}, {channels}) reads {many} column{'s' if many != 1 else ''}"
    if not columns.given:
        raise DimensionError(
            f"{shown}, but only some are named in the spec: select them, as in full(…)[0:{many}], or give the columns "
            "of the data",
            node.span,
        )
    if columns.count is None and not elaborator.checking:
        raise DimensionError(f"{shown}: give dim={many} or columns=", node.span)
    if columns.count not in (None, many):
        raise DimensionError(
            f"{shown}, by row, column and channel, and there {'is' if columns.count == 1 else 'are'} "
            f"{columns.counted()} here: select {many}, as in full(…)[0:{many}]",
            node.span,
        )
    return Grid(Image(height, width, channels, base))


def _check(base: Kernel, node: nodes.Expression) -> None:
    """Raise for a base kernel whose samples are larger than k(x, x), or that is not 1 at x = y."""
    for part in base.parts():
        if isinstance(part, Leaf) and isinstance(getattr(part, "domain", None), UnitSphere):
            raise TypeMismatchError(f"{part} is a kernel on several columns: on one column write binary()", node.span)
    if not base.has_constant_diagonal:
        raise RangeError("the base of image() needs k(x, x) = 1, and the values of linear() have no bound", node.span)
    here, largest = known_number(base.diagonal()), known_number(base.magnitude())
    if here is not None and largest is not None and largest > max(here, 0.0) + _ROUNDING * largest:
        raise RangeError(
            "the base of image() needs samples no larger than k(x, x), and here they have the size "
            f"{largest:.6g} where k(x, x) = {here:.6g}, as those of differences and shifts of kernels do",
            node.span,
        )
    if here is not None and abs(here - 1) > _ROUNDING:
        way_out = ": write base=normalize(…)" if here > 0 else ""
        raise RangeError(f"the base of image() needs k(x, x) = 1, and here it is {here:g}{way_out}", node.span)


IMAGE = Form(_SHOWN, "a grid of base kernels, one on every column", _image)
