"""The layers of a skeleton: activations over windows of the grids below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.kernels.nodes.windows import Windows
from kernelspec.notation.arguments import Scalar

__all__ = ["Layer", "carried_up", "counted"]

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Layer:
    """σ̂ of the mean over every window of the grid below, or of the mean of several grids.

    Each of `below` says how many grids before this one it stands, as a negative number; the image is the first.
    """

    activation: Activation
    windows: Windows
    below: tuple[int, ...] = (-1,)

    def __str__(self) -> str:
        """The layer without its input, as it is written in a spec."""
        if self.windows.size is None:
            return f"full({self.activation})"
        padding = "" if self.windows.padding == "valid" else f", padding={self.windows.padding}"
        return f"conv({self.activation}, size={self.windows.size}, stride={self.windows.stride}{padding})"

    def described(self) -> str:
        """The layer with its nodes, and the law of their degrees."""
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
    """A number, perhaps infinite, in a few digits."""
    return "infinite" if float(value) == float("inf") else f"{float(value):.4g}"


def carried_up(layers: Sequence[Layer], image: _Value, step: Callable[[Layer, list[_Value]], _Value]) -> _Value:
    """The value of the last grid, from that of the image: `step` of a layer and the values of the grids below it.

    Values are held as long as a layer may still ask for them.
    """
    span = max(-back for layer in layers for back in layer.below)
    values = [image]
    for layer in layers:
        values = [*values, step(layer, [values[back] for back in layer.below])][-span:]
    return values[-1]
