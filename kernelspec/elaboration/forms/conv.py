"""A layer of windows over a grid of kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.forms.form import Form
from kernelspec.elaboration.grid import Grid, grid_of, whole_number
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import RangeError, TypeMismatchError
from kernelspec.language import nodes
from kernelspec.suggestion import suggest

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.nodes.windows import Padding

__all__ = ["CONV"]

_SHOWN = "conv(activation, size, stride=1, padding=valid, input=…)"
_PADDINGS: tuple[Padding, ...] = ("valid", "same")


def _conv(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Grid:
    given = match_arguments(node, ["activation", "size", "stride", "padding", "input"], _SHOWN)
    require_arguments(node, given, ("activation", "size", "input"), _SHOWN)
    activation = elaborator.activation(given["activation"], columns, scope)
    size = whole_number(elaborator, given["size"], columns, scope, "'size' of conv()")
    stride: int | None = 1
    if "stride" in given:
        stride = whole_number(elaborator, given["stride"], columns, scope, "'stride' of conv()")
    padding = _padding(given["padding"]) if "padding" in given else "valid"
    below = grid_of(elaborator, given["input"], columns, scope, "'input' of conv()")
    if size is None or stride is None:
        return Grid(None)
    try:
        return below.under(activation, size, stride, padding)
    except ValueError as error:
        raise RangeError(f"{error}: take a smaller size, or padding=same", given["size"].span) from None


def _padding(node: nodes.Expression) -> Padding:
    written = node.identifier if isinstance(node, nodes.Name) else ""
    for padding in _PADDINGS:
        if written == padding:
            return padding
    raise TypeMismatchError(f"'padding' of conv() is valid or same{suggest(written, _PADDINGS)}", node.span)


CONV = Form(_SHOWN, "σ̂ of the average over every window of a grid, a grid again", _conv)
