"""One layer of a skeleton: an activation over windows of the grid below."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.kernels.arguments import Scalar
from kernelspec.kernels.windows import Windows

__all__ = ["Layer", "counted"]


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

    def described(self) -> str:
        """The layer with its nodes, and the law of their degrees."""
        high, wide = self.windows.shape
        least, most = int(self.windows.counts.min()), int(self.windows.counts.max())
        below = str(most) if least == most else f"{least} to {most}"
        nodes = "1 node" if high * wide == 1 else f"{high} × {wide} nodes"
        first = ", ".join(f"{value:.3g}" for value in self.activation.coefficient(np.arange(4)))
        mean = counted(self.activation.derivative_at_one())
        return f"{self}: {nodes} of {below} below; degrees 0, 1, 2, 3, … with probability {first}, …; mean {mean}"


def counted(value: Scalar) -> str:
    """A number, perhaps infinite, in a few digits."""
    return "infinite" if float(value) == float("inf") else f"{float(value):.4g}"
